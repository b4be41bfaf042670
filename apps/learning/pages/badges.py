"""Open Badges: a certificate's credential for its owner, and what anyone needs to verify one."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone, signed_in
from apps.learning import policies
from apps.learning.certificates import badge
from apps.learning.certificates.picture import picture as draw_picture
from apps.learning.queries.certificates import certificate_by_code
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

MINUTE, HOUR = 60, 3600
MOST_LISTS = 10_000


def _public(response: HttpResponse, seconds: int) -> HttpResponse:
    """The response with the headers that let other sites read it."""
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
    """The site's DID document with its public key."""
    return _public(JsonResponse(badge.did_document(), content_type="application/did+json"), HOUR)


@open_to_everyone
@require_safe
def status_list(request: HttpRequest, number: int) -> HttpResponse:
    """Which badges of a list were revoked, as a signed credential."""
    if number > MOST_LISTS:
        raise Http404
    return _public(HttpResponse(badge.status_list(number, timezone.now()), content_type="application/vc+jwt"), MINUTE)
