"""What the content host answers: signed addresses of contents, and nothing else (docs/operations.md)."""

from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.accounts.models import User
from apps.files import queries, services, sharing_queries
from apps.files.content_links import NO_OFFER, PREFIX, Shared, read_content_token, uid_of_content
from apps.files.models import Share
from apps.files.offers import offered_file
from apps.files.pages.media import plain_text_refusals
from apps.files.streaming import NO_STORE, PDF_POLICY, SANDBOX, send_content
from studyplatform.kit.errors import NotFound


@require_safe
@plain_text_refusals
def content(request: HttpRequest) -> HttpResponseBase:
    """The bytes of one content; parts of them by ``Range``. Only pages of the site may show them."""
    if not request.path.startswith(PREFIX):
        raise NotFound
    grant = read_content_token(request.path.removeprefix(PREFIX))
    uid = uid_of_content(grant)
    upload = queries.complete_file(uid) if grant.reader == NO_OFFER else offered_file(uid, grant.reader)
    if grant.shared.share:
        _check_share(grant.shared)
    return send_content(
        request,
        upload,
        name=grant.name,
        kind=grant.kind,
        as_attachment=grant.as_attachment,
        to_owner=grant.to_owner,
    )


def answer(request: HttpRequest) -> HttpResponseBase:
    """`content` with the headers of all its responses, also of refusals."""
    response = content(request)
    site = settings.SITE_URL.rstrip("/")
    policy = response.get("Content-Security-Policy", SANDBOX)
    response["Content-Security-Policy"] = policy.replace("frame-ancestors 'self'", f"frame-ancestors {site}")
    if policy != PDF_POLICY:
        response["X-Frame-Options"] = "DENY"
    elif response.has_header("X-Frame-Options"):
        del response["X-Frame-Options"]  # which cannot name the site
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"  # the site is another origin
    response["Referrer-Policy"] = "no-referrer"
    response.headers.setdefault("Cache-Control", NO_STORE)
    return response


def _check_share(shared: Shared) -> None:
    """Check that a share still opens the file.

    :raises NotFound, AppError: it does not.
    """
    uid = UUID(shared.share)
    if shared.user:
        user = User.objects.filter(pk=shared.user, is_active=True, deleted_at=None).first()
        if user is None:
            raise NotFound
        share, _ = sharing_queries.course_share_for(user, uid)
    else:
        row = Share.objects.filter(uid=uid).first()
        if row is None:
            raise NotFound
        share = services.share_of_token(services.link_token(row), now=timezone.now())
    sharing_queries.file_within(share, UUID(shared.file))
