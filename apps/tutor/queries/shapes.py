"""Chats as the API and the socket show them."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Prefetch
from django.utils.translation import gettext as _
from markupsafe import escape

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.learning.queries.addresses import lesson_url
from apps.tutor.cards import cards_in
from apps.tutor.models import Answer, Chat, Citation, Exchange, Mode
from apps.tutor.queries.outcomes import error_of, note_of
from apps.tutor.queries.suggestions import follow_ups_of
from apps.tutor.queries.withheld import Readable, readable_of
from studyplatform.kit.text import content
from studyplatform.kit.text.durations import clock

CITATIONS = Prefetch("citations", Citation.objects.select_related("course", "lesson").order_by("number"))
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)\b[^>]*>")
_CITED = re.compile(r"\[(\d{1,2})\]")
_VERBATIM = {"a", "code", "pre", "math", "annotation"}

Shape = dict[str, Any]


def chat_out(chat: Chat) -> Shape:
    """Return the shape ``ChatOut``."""
    return {
        "uid": chat.uid,
        "title": chat.title,
        "course": _link(chat.course),
        "lesson": _link(chat.lesson),
        "changed_at": chat.changed_at,
    }


def exchanges_out(user: User, exchanges: Iterable[Exchange], now: datetime) -> list[Shape]:
    """Return shapes ``ExchangeOut``. The answers come with one query, their citations with one, and what the user may
    read with at most nine, eleven if they explain quizzes. The newest answer has follow-up questions, with one more."""
    rows = list(exchanges)
    answers: dict[int, list[Answer]] = {row.pk: [] for row in rows}
    found = Answer.objects.filter(exchange__in=rows).order_by("number").prefetch_related(CITATIONS)
    for answer in found:
        answers[answer.exchange_id].append(answer)
    readable = readable_of(user, [one for several in answers.values() for one in several])
    newest = answers[rows[-1].pk][-1:] if rows else []
    return [
        {
            "uid": row.uid,
            "position": row.position,
            "question": row.question,
            "mode": row.mode,
            "lesson": _link(row.lesson),
            "second": row.second,
            "created_at": row.created_at,
            "answers": [_answer_out(one, row.mode, readable, now, is_newest=one in newest) for one in answers[row.pk]],
        }
        for row in rows
    ]


def answer_out(user: User, answer: Answer, now: datetime) -> Shape:
    """Return the shape ``AnswerOut``."""
    found = Answer.objects.select_related("exchange").prefetch_related(CITATIONS).get(pk=answer.pk)
    return _answer_out(found, found.exchange.mode, readable_of(user, [found]), now, is_newest=True)


def _answer_out(answer: Answer, mode: str, readable: Readable, now: datetime, *, is_newest: bool) -> Shape:
    """Of an answer that is withheld, the HTML says why, and nothing else of it is shown: it can't be continued now."""
    state, withheld = answer.state_at(now), readable.why_withheld(answer)
    if withheld and state not in {Answer.State.WAITING, Answer.State.STREAMING}:
        state = Answer.State.FINISHED
    text = "" if withheld else answer.text
    citations = [] if withheld else [_citation_out(one, readable.lessons) for one in answer.citations.all()]
    links = {one["number"]: (one["url"], _label(one)) for one in citations}
    is_done = state == Answer.State.FINISHED and not withheld
    return {
        "uid": answer.uid,
        "number": answer.number,
        "state": state,
        "kind": answer.kind,
        "text": text,
        "html": f'<p class="small muted">{escape(withheld)}</p>' if withheld else html_of(text, links),
        "withheld": withheld,
        "error": None if withheld else _error_out(answer),
        "note": "" if withheld else note_of(answer, now),
        "provider": answer.provider,
        "is_search": answer.is_search,
        "rating": answer.rating,
        "citations": citations,
        "cards": [card._asdict() for card in cards_in(text)] if is_done and mode == Mode.CARDS else [],
        "follow_ups": _follow_ups(answer, readable.lessons) if is_done and is_newest else [],
    }


def _follow_ups(answer: Answer, readable: frozenset[int]) -> list[str]:
    """Questions about the lesson that the answer cites first; none if the learner may not read it any more."""
    cited = [one for one in answer.citations.all() if one.lesson_id in readable]
    lesson = cited[0].lesson if cited else None
    return follow_ups_of(lesson, {one.heading for one in cited if one.lesson_id == lesson.pk}) if lesson else []


def _citation_out(citation: Citation, readable: frozenset[int]) -> Shape:
    """The text is empty if the learner may not read the passage any more."""
    lesson = citation.lesson
    can_open = lesson is not None and lesson.pk in readable
    second = None if citation.second is None else int(citation.second)
    address = lesson_url(citation.course.slug, lesson.slug, at=second) if lesson is not None and can_open else None
    return {
        "number": citation.number,
        "course": _link(citation.course),
        "lesson": lesson and {"uid": lesson.uid, "slug": lesson.slug, "title": lesson.title, "number": lesson.number},
        "heading": citation.heading,
        "text": citation.text if can_open else "",
        "second": second,
        "url": address,
        "can_open": can_open,
    }


def _link(thing: Course | Lesson | None) -> Shape | None:
    if thing is None or (isinstance(thing, Lesson) and thing.is_removed):
        return None
    return {"slug": thing.slug, "title": thing.title}


def _error_out(answer: Answer) -> Shape | None:
    error = error_of(answer)
    if error is None:
        return None
    return {
        "code": error.code,
        "title": str(error.title),
        "detail": error.detail,
        "params": error.params,
        "retry_after": error.retry_delay,
    }


def _label(citation: Shape) -> str:
    """What the link of a citation is called: "2.4 at 7:16"."""
    lesson, second = citation["lesson"], citation["second"]
    name = str((lesson and (lesson["number"] or lesson["title"])) or citation["course"]["title"])
    return name if second is None else _("%(lesson)s at %(time)s") % {"lesson": name, "time": clock(second)}


def html_of(text: str, links: dict[int, tuple[str | None, str]]) -> str:
    """Return the text of an answer as safe HTML. ``links``: address and label of its citations, by number."""
    html = str(content.render(text, content.ANSWER))
    parts, place, depth = [], 0, 0
    for tag in _TAG.finditer(html):
        between = html[place : tag.start()]
        parts += [between if depth else _cite(between, links), tag[0]]
        if tag[2].lower() in _VERBATIM:
            depth = max(0, depth - 1) if tag[1] else depth + 1
        place = tag.end()
    parts.append(_cite(html[place:], links))
    return "".join(parts)


def _cite(text: str, links: dict[int, tuple[str | None, str]]) -> str:
    def link(match: re.Match[str]) -> str:
        number = int(match[1])
        if number not in links:
            return match[0]
        address, label = links[number]
        if address is None:
            return f'<span class="cite" data-citation="{number}">{escape(label)}</span>'
        return f'<a class="cite" data-citation="{number}" href="{escape(address)}">{escape(label)}</a>'

    return _CITED.sub(link, text)
