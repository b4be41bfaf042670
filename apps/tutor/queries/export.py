"""A chat as a Markdown file."""

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext as _

from apps.learning.queries.addresses import lesson_url
from apps.tutor.models import Answer, Chat
from apps.tutor.queries.outcomes import error_of, note_of
from apps.tutor.queries.shapes import CITATIONS
from apps.tutor.queries.withheld import readable_of

PIECE = 100


def chat_as_markdown(chat: Chat, now: datetime) -> Iterator[str]:
    """Yield the questions with their newest answers and what they cite, without answers that are withheld."""
    yield f"# {chat.title}\n\n"
    exchanges = chat.exchanges.order_by("position")
    place = 0
    while rows := list(exchanges.filter(position__gt=place)[:PIECE]):
        newest: dict[int, Answer] = {}
        for answer in Answer.objects.filter(exchange__in=rows).order_by("number").prefetch_related(CITATIONS):
            newest[answer.exchange_id] = answer
        readable = readable_of(chat.user, newest.values())
        for row in rows:
            yield f"## {' '.join(row.question.split())}\n\n"
            if row.pk in newest:
                withheld = readable.why_withheld(newest[row.pk])
                yield f"*{withheld}*\n\n" if withheld else _answer(newest[row.pk], now)
        place = rows[-1].position


def _answer(answer: Answer, now: datetime) -> str:
    error, note = error_of(answer), note_of(answer, now)
    if answer.state_at(now) in {Answer.State.WAITING, Answer.State.STREAMING}:
        note = _("This answer is still being written.")
    said = [answer.text, f"**{error.title}.** {error.detail}" if error else "", f"*{note}*" if note else ""]
    lines = ["\n\n".join(filter(None, said)), ""]
    for one in answer.citations.all():
        title = f"{one.course.title}, {one.lesson.title}" if one.lesson else one.course.title
        second = None if one.second is None else int(one.second)
        address = one.lesson and settings.SITE_URL.rstrip("/") + lesson_url(one.course.slug, one.lesson.slug, at=second)
        lines.append(f"[{one.number}] {title}" + (f": <{address}>" if address else ""))
    return "\n".join([*lines, "", ""])
