"""Write to one learner, to some, or to all that a filter shows, and how far such a message has come."""

import uuid
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.models import User
from apps.forum.queries import bulk_messages as queries
from apps.forum.services import bulk_messages
from apps.learning.analytics.choices import Choice, choose_learners
from studyplatform.kit.errors import REGISTRY, AppError, NotFound
from studyplatform.kit.names import WrittenFormField
from studyplatform.site.teaching.learner_words import first_words
from studyplatform.site.teaching.learners import ADDRESS, read_key

MAX_NAMES = 8  # of recipients, above the text
STILL_SENDING = 202  # the script of the page asks again (assets/site/waiting.ts)


class BulkMessageForm(forms.Form):
    """``key``, which `read_key` reads, makes a form that is sent twice one message to each."""

    # The service counts as people do, and names the limit; this one only bounds what is read.
    text = WrittenFormField(
        label=_("Message"),
        max_length=4 * bulk_messages.MAX_LENGTH,
        error_messages={
            "required": _("Write something before you send it."),
            "max_length": _("The message is too long."),
        },
    )


@teaches
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def write(request: HttpRequest) -> HttpResponse:
    """The message to ``learner``, by enrollments, or to ``all`` that the filter shows. A POST sends it.

    ``about``, or else the filter, names a risk of which the text begins with a suggestion.
    """
    user, now = signed_in_user(request), timezone.now()
    given = request.POST if request.method == "POST" else request.GET
    choice = choose_learners(given, user, now)
    key = read_key(request.POST)
    beginning = {"text": first_words(given.get("about") or choice.wanted.risk)}
    form = BulkMessageForm(request.POST if request.method == "POST" else None, initial=beginning)
    if request.method == "POST" and form.is_valid():
        try:
            bulk = bulk_messages.send_bulk_message(
                user=user,
                recipients=queries.writable(user, choice.rows),
                source=form.cleaned_data["text"],
                key=key,
                now=now,
            )
        except AppError as refusal:
            if refusal.status == NotFound.status:
                raise
            form.add_error("text", refusal.detail)
        else:
            return redirect(f"{ADDRESS}messages/{bulk.uid}")
    context = _context(user, choice) | {"form": form, "key": key}
    return render(request, "site/learners/message.html", context, status=422 if form.errors else 200)


def _context(user: User, choice: Choice) -> dict[str, Any]:
    """What the form shows beside the text. Five queries."""
    rows = queries.writable(user, choice.rows)
    counted, refused = queries.count_recipients(rows), queries.people_of(queries.unreachable(user, rows))
    named = list(refused[: queries.MAX_NAMES_SHOWN])
    return {
        "choice": choice,
        "count": counted.people,
        "message_count": counted.messages,
        "left_out": queries.count_recipients(choice.rows).people - counted.people,
        "recipients": list(queries.people_of(rows)[:MAX_NAMES]),
        "refused": named,
        "refused_count": len(named) if len(named) < queries.MAX_NAMES_SHOWN else refused.count(),
        "places": bulk_messages.placeholders().values(),
        "max_length": bulk_messages.MAX_LENGTH,
        "base": ADDRESS,
        "back": f"{ADDRESS}?{choice.wanted.query}" if choice.wanted.query else ADDRESS,
    }


@teaches
@never_cache
@require_safe
def sent(request: HttpRequest, uid: uuid.UUID) -> HttpResponse:
    """How far a message to several learners has come, and who didn't get it."""
    bulk = queries.bulk_message_of(signed_in_user(request), uid)
    refused = [(one, _reason(one.refusal)) for one in queries.refused_in(bulk)]
    reached, missed = queries.count_handled(bulk)
    context = {
        "bulk": bulk,
        "reached": reached,
        "missed": missed,
        "refused": refused,
        "source": bulk_messages.with_shown_placeholders(bulk.source),
        "base": ADDRESS,
    }
    status = 200 if bulk.done_at is not None else STILL_SENDING
    return render(request, "site/learners/sent.html", context, status=status)


def _reason(code: str) -> str:
    """Return the title of a refusal, as the catalog has it."""
    found = REGISTRY.get(code)
    return str(found.title) if found is not None else code
