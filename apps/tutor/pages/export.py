"""A chat as a file."""

from uuid import UUID

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.tutor.models import Chat
from apps.tutor.queries.chats import chat_of
from apps.tutor.queries.export import chat_as_markdown


def markdown_file(chat: Chat) -> HttpResponseBase:
    """The chat as a download."""
    name = slugify(chat.title)[:60] or "chat"
    answer = StreamingHttpResponse(chat_as_markdown(chat, timezone.now()), content_type="text/markdown; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}.md"'
    return answer


@signed_in
@require_safe
def export(request: HttpRequest, uid: UUID) -> HttpResponseBase:
    return markdown_file(chat_of(signed_in_user(request), uid))
