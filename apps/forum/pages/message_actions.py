"""What both people do with a conversation: its parts for the script, reading, blocking, reporting, attachments."""

import uuid
from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import require_session_key, signed_in, signed_in_user
from apps.accounts.models import User
from apps.files.services import sign_file
from apps.forum import message_policies as policies
from apps.forum.message_forms import Report
from apps.forum.message_policies import Side
from apps.forum.models import Conversation
from apps.forum.pages.messages import is_for_script, number_in
from apps.forum.queries import messages as queries
from apps.forum.queries import threads
from apps.forum.services import message_reading as reading
from apps.forum.services import message_safety as safety
from apps.forum.services import messages as services


@signed_in
@never_cache
@require_safe
def part(request: HttpRequest, uid: uuid.UUID) -> HttpResponse:
    """The messages after ``?after=number`` as a part of the page, for its script."""
    user = signed_in_user(request)
    row = queries.conversation_for(user, uid)
    found = threads.thread(row, user, after=number_in(request.GET, "after") or 0, now=timezone.now())
    side = policies.side_in(user, row.course, row.learner)
    context = {
        "thread": found,
        "conversation": row,
        "side": side.value if side else "",
        "other": services.other_in(row, user),
    }
    return render(request, "forum/messages/_part.html", context)


def _acts(action: Callable[[HttpRequest, User, Conversation], None]) -> Callable[..., HttpResponseBase]:
    """A form of a conversation that does one thing and leads back to it."""

    @signed_in
    @require_POST
    def page(request: HttpRequest, uid: uuid.UUID) -> HttpResponse:
        user = signed_in_user(request)
        row = queries.conversation_for(user, uid)
        action(request, user, row)
        if is_for_script(request):
            return HttpResponse(status=204)
        side = policies.side_in(user, row.course, row.learner)
        if request.POST.get("leave"):
            return redirect("forum:messages" if side is Side.LEARNER else "forum:teaching-messages")
        return redirect(services.link_of(row, side or Side.LEARNER))

    return page


def _read(request: HttpRequest, user: User, row: Conversation) -> None:
    number = number_in(request.POST, "number")
    reading.mark_read(
        conversation=row, user=user, number=row.last_number if number is None else number, now=timezone.now()
    )


def _unread(request: HttpRequest, user: User, row: Conversation) -> None:
    reading.mark_unread(conversation=row, user=user, now=timezone.now())
    messages.success(request, _("Marked as unread"), extra_tags="toast")


def _block(request: HttpRequest, user: User, row: Conversation) -> None:
    name = services.other_in(row, user).display_name
    if request.POST.get("on"):
        safety.block(conversation=row, user=user, now=timezone.now())
        messages.success(request, _("You blocked %(name)s") % {"name": name}, extra_tags="toast")
    else:
        safety.unblock(conversation=row, user=user)
        messages.success(request, _("You unblocked %(name)s") % {"name": name}, extra_tags="toast")


read = _acts(_read)
unread = _acts(_unread)
block = _acts(_block)


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, uid: uuid.UUID) -> HttpResponse:
    """Report a message to the admins."""
    user = signed_in_user(request)
    message = queries.message_for(user, uid)
    row = message.conversation
    refusal = policies.report_message(user, message)
    if refusal is not None:
        raise refusal
    side = policies.side_in(user, row.course, row.learner) or Side.LEARNER
    form = Report(request.POST if request.method == "POST" else None)
    if form.is_valid():
        safety.report_message(message=message, user=user, now=timezone.now(), **form.cleaned_data)
        messages.success(request, _("Thank you. The admins will read the message you reported."))
        return redirect(services.link_of(row, side))
    context = {"form": form, "message": message, "back": f"{services.link_of(row, side)}#m-{message.number}"}
    return render(request, "forum/messages/report.html", context, status=422 if form.errors else 200)


@signed_in
@never_cache
@require_safe
def attachment(request: HttpRequest, uid: uuid.UUID) -> HttpResponseBase:
    """Redirect to an attached file."""
    row = queries.attachment_for(request.user, uid)
    address = sign_file(
        upload=row.upload,
        name=row.name,
        now=timezone.now(),
        audience=require_session_key(request),
        user=request.user,
    )
    return redirect(address)
