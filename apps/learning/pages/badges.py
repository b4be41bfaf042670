"""Open Badges: a certificate's credential for its owner, and what anyone needs to verify one."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone, signed_in
from apps.learning import policies
from apps.learning.certificates import badge
from apps.learning.certificates.picture import picture as draw_picture
from apps.learning.queries.certificates import certificate_by_code
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

HOUR = 3600


def _public(content: object, seconds: int = HOUR) -> HttpResponse:
    """JSON that other sites may read."""
    response = JsonResponse(content)
    response["Cache-Control"] = f"public, max-age={seconds}"
    response["Access-Control-Allow-Origin"] = "*"
    return response


@signed_in
@require_safe
def credential(request: HttpRequest, code: str) -> HttpResponse:
    """The signed credential as a file, for the owner of the certificate."""
    found = certificate_by_code(code)
    enforce(policies.download_certificate(request.user, found))
    response = HttpResponse(badge.signed(found), content_type="application/jwt")
    response["Content-Disposition"] = f'attachment; filename="badge-{found.code}.jwt"'
    response["Cache-Control"] = "private, no-store"
    return response


@open_to_everyone
@require_safe
def picture(request: HttpRequest, code: str) -> HttpResponse:
    """The picture that other sites show with a link to the certificate."""
    found = certificate_by_code(code)
    if found.revoked_at is not None:
        raise NotFound
    response = HttpResponse(draw_picture(found), content_type="image/png")
    response["Cache-Control"] = f"public, max-age={HOUR}"
    return response


@open_to_everyone
@require_safe
def issuer(request: HttpRequest) -> HttpResponse:
    """Who issues the badges."""
    return _public({"@context": badge.CONTEXTS, **badge.issuer()})


@open_to_everyone
@require_safe
def keys(request: HttpRequest) -> HttpResponse:
    """The public keys, as a JSON Web Key Set."""
    return _public({"keys": [badge.public_key()]})


@open_to_everyone
@require_safe
def key(request: HttpRequest, kid: str) -> HttpResponse:
    """One public key, as the header of a credential names it."""
    found = badge.public_key()
    if found["kid"] != kid:
        raise Http404
    return _public(found)


@open_to_everyone
@require_safe
def revoked(request: HttpRequest) -> HttpResponse:
    """The revoked badges."""
    return _public(badge.revocation_list(), seconds=60)
