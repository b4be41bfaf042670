"""The tables while an answer is generated. Not imported by ``services``: it loads NumPy.

A process claims a waiting answer by an update that only one can win, and proves that it lives by a lease. Each write
names the claim: a process whose lease ran out writes nothing any more once the answer was claimed again.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db import DatabaseError, connection, transaction
from django.db.models import BigIntegerField, F, IntegerField
from django.utils import timezone, translation

from apps.accounts.models import User
from apps.files.models import CaptionTrack
from apps.files.queries import caption_cues
from apps.learning.queries.lessons import lesson_of
from apps.tutor import filters, grounding, policies, providers
from apps.tutor.errors import AnswerWithheld, ContentFiltered
from apps.tutor.events import AnswerEnded
from apps.tutor.models import Answer, Citation, Exchange, Mode, Passage
from apps.tutor.plans import facts_of
from apps.tutor.providers import Prompt, Provider, Usage
from apps.tutor.queries.switches import turned_off
from apps.tutor.queries.withheld import Readable, explained_by, readable_of, why_withheld
from apps.tutor.retrieval.search import About, Earlier, Found, Question, Scope, scopes_of, search_all
from apps.tutor.services.limits import add_usage
from studyplatform.kit.caching.table_versions import read_once
from studyplatform.kit.db.prepared_queries import Param, PreparedUpdate
from studyplatform.kit.errors import AppError
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce

LEASE = timedelta(seconds=10)
MOST_HISTORY = 8  # exchanges that the provider gets to read
EXPLAINED = 60.0  # seconds of the transcript before the moment to explain
State = Answer.State
_CLAIM = PreparedUpdate(
    lambda: Answer.objects.filter(
        pk=Param("pk", BigIntegerField()), state=State.WAITING, claims=Param("number", IntegerField())
    ),
    "lease_until",
    state=State.STREAMING,
    claims=F("claims") + 1,
)


@dataclass(frozen=True)
class Claim:
    """That this process generates an answer: the row and the number of the claim.

    ``user_id`` and ``course_id`` are those to which its tokens count, also if the answer is gone when it ends.
    """

    answer_id: int
    uid: UUID
    number: int
    written: str
    user_id: int
    course_id: int | None


@dataclass(frozen=True)
class Wanted:
    """A claimed answer, and the language of the answer."""

    claim: Claim
    language: str


@dataclass(frozen=True)
class Ready:
    """A prompt with the provider that gets it."""

    provider: Provider
    prompt: Prompt
    continues_model: bool = False
    """What is written already is from a model."""


def claim(uid: UUID, now: datetime) -> Claim | None:
    """Claim a waiting answer; None if it isn't waiting."""
    row = Answer.objects.select_related("exchange__chat").filter(uid=uid).first()
    return None if row is None else claim_row(row, now)


def claim_row(row: Answer, now: datetime) -> Claim | None:
    """Claim an answer that was read with its exchange and chat; None if it isn't waiting any more. One query."""
    if not _CLAIM(pk=row.pk, number=row.claims, lease_until=now + LEASE):
        return None
    return Claim(row.pk, row.uid, row.claims + 1, row.text, row.exchange.user_id, row.exchange.chat.course_id)


def prepare(claimed: Claim) -> Ready:
    """Find the passages for the question, of what its learner may open now.

    :raises ContentFiltered: the tutor doesn't answer such questions.
    :raises TutorUnavailable: the provider doesn't answer at the moment.
    :raises TutorTurnedOff: the course has no tutor.
    :raises AnswerWithheld: what is written already explains a quiz, which the learner may not read now.
    """
    (ready,) = prepare_all([Wanted(claimed, translation.get_language() or "en")])
    if isinstance(ready, Exception):
        raise ready
    return ready


def prepare_all(wanted: Sequence[Wanted]) -> list[Ready | Exception]:
    """Do what ``prepare`` does for several answers, which share most queries; return what it would raise, too."""
    try:
        with read_once():
            return _prepare(wanted)
    except Exception as error:
        if len(wanted) == 1 or isinstance(error, DatabaseError):
            return [error] * len(wanted)
        return [prepare_all([one])[0] for one in wanted]  # an answer must not fail because of another one


@dataclass(frozen=True)
class _Begun:
    """An answer whose provider is known."""

    answer: Answer
    provider: Provider
    about: About


def _prepare(wanted: Sequence[Wanted]) -> list[Ready | Exception]:
    rows = Answer.objects.select_related(
        "exchange__chat__course", "exchange__lesson__course", "exchange__user"
    ).in_bulk([one.claim.answer_id for one in wanted])
    begun = [_begin(one.claim, rows.get(one.claim.answer_id)) for one in wanted]
    going = [(one, each) for one, each in zip(wanted, begun, strict=True) if isinstance(each, _Begun)]
    scopes = scopes_of([each.about for _, each in going])
    told = [_prompt(one, each, scope) for (one, each), scope in zip(going, scopes, strict=True)]
    prompts = [prompt for prompt, _ in told]
    asked = [Question(f"{one.question} {one.transcript}".strip(), one.scope, one.history) for one in prompts]
    attempted = filters.attempted_by({one.user.pk for one in prompts})
    passages = search_all(asked)
    _note(
        going,
        [
            _explained(found) | quizzes | set(each.answer.explains)
            for (_, each), (_, quizzes), found in zip(going, told, passages, strict=True)
        ],
    )
    ready: dict[UUID, Ready | Exception] = {}
    for (one, each), prompt, found in zip(going, prompts, passages, strict=True):
        complete = replace(prompt, passages=tuple(found))
        continues_model = bool(one.claim.written and each.answer.provider and not each.answer.is_search)
        try:
            filters.check(complete, attempted[prompt.user.pk])
        except ContentFiltered as error:
            ready[one.claim.uid] = error
        else:
            ready[one.claim.uid] = Ready(each.provider, complete, continues_model)
    return [
        each if isinstance(each, Exception) else ready[one.claim.uid] for one, each in zip(wanted, begun, strict=True)
    ]


def _begin(claimed: Claim, answer: Answer | None) -> _Begun | Exception:
    if answer is None:
        return Answer.DoesNotExist()
    exchange = answer.exchange
    try:
        enforce(policies.ask_about(exchange.asked_about))
        if claimed.written and why_withheld(exchange.user, answer):
            raise AnswerWithheld
        provider = providers.current(exchange.user, exchange.chat.course)
    except AppError as error:
        return error
    return _Begun(answer, provider, About(exchange.user, exchange.asked_about, exchange.lesson))


def _note(going: Sequence[tuple[Wanted, _Begun]], explains: Sequence[set[int]]) -> None:
    """Save who writes each answer and which quizzes it may explain, before its first word can be read."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE tutor_answer SET provider = %s, is_search = %s, explains = %s WHERE id = %s AND claims = %s",
            [
                (
                    *(each.provider.name[:120], each.provider.is_search, json.dumps(sorted(quizzes))),
                    *(one.claim.answer_id, one.claim.number),
                )
                for (one, each), quizzes in zip(going, explains, strict=True)
            ],
        )


def _prompt(wanted: Wanted, begun: _Begun, scope: Scope) -> tuple[Prompt, set[int]]:
    """The prompt without passages, and the quizzes that its history explains."""
    exchange = begun.answer.exchange
    needs_facts = exchange.mode == Mode.PLAN and not begun.provider.is_search  # the search asks for them itself
    history, told = _history(exchange)
    prompt = Prompt(
        user=exchange.user,
        question=exchange.question,
        mode=exchange.mode,
        scope=scope,
        course=begun.about.course,
        history=history,
        transcript=_transcript(exchange.user, exchange),
        facts=facts_of(exchange.user, begun.about.course, timezone.now()).text() if needs_facts else "",
        written=wanted.claim.written,
        language=wanted.language,
    )
    return prompt, set() if begun.provider.is_search else told


def _explained(found: Iterable[Found]) -> set[int]:
    """The lessons of the quizzes that these passages explain."""
    parts = [part for one in found for part in one.parts]
    return {one.lesson_id for one in parts if one.kind == Passage.Kind.EXPLANATION}


def _history(exchange: Exchange) -> tuple[tuple[Earlier, ...], set[int]]:
    """The exchanges before this one with their newest answers, the newest last, and the quizzes that these explain.

    Without refused questions, and without answers that explain or cite what the learner may not read any more.
    """
    if exchange.position == 1:
        return (), set()
    rows = list(exchange.chat.exchanges.filter(position__lt=exchange.position).order_by("-position")[:MOST_HISTORY])
    answers = Answer.objects.filter(exchange__in=rows).order_by("number").prefetch_related("citations__lesson")
    newest = {answer.exchange_id: answer for answer in answers}
    readable = readable_of(exchange.user, newest.values())
    history, told, off = list[Earlier](), set[int](), turned_off()
    for row in reversed(rows):
        answer = newest.get(row.pk)
        if answer is not None and answer.kind == Answer.Kind.FILTERED:
            continue
        if answer is None or readable.why_withheld(answer) or not _is_readable(answer, readable, off):
            history.append(Earlier(row.question, ""))
            continue
        history.append(Earlier(row.question, answer.text))
        told |= explained_by(answer)
    return tuple(history), told


def _is_readable(answer: Answer, readable: Readable, off: frozenset[int]) -> bool:
    return all(one.lesson_id in readable.lessons and one.course_id not in off for one in answer.citations.all())


def _transcript(user: User, exchange: Exchange) -> str:
    """What was said in the minute before the moment to explain, if the learner may open the lesson."""
    lesson = exchange.lesson
    if exchange.mode != Mode.EXPLAIN or exchange.second is None or lesson is None or lesson.video_id is None:
        return ""
    if lesson_of(user, lesson.uid).verdict is not None:
        return ""
    tracks = CaptionTrack.objects.filter(video_id=lesson.video_id).order_by("language")
    track = next((one for one in tracks if one.language.startswith("en")), None) or tracks.first()
    if track is None:
        return ""
    begin, end = exchange.second - EXPLAINED, exchange.second + 2
    return " ".join(cue.text for cue in caption_cues(track.webvtt) if cue.end > begin and cue.start < end)


def write(rows: Sequence[tuple[Claim, str]], now: datetime) -> set[UUID]:
    """Save the texts of answers and renew their leases; return those that are still claimed.

    One statement per answer, and one more if an answer was lost: this runs several times a second.
    """
    lease = connection.ops.adapt_datetimefield_value(now + LEASE)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE tutor_answer SET text = %s, lease_until = %s WHERE id = %s AND claims = %s AND state = 'streaming'",
            [(text, lease, one.answer_id, one.number) for one, text in rows],
        )
        if cursor.rowcount == len(rows):
            return {one.uid for one, _ in rows}
        places = ", ".join(["%s"] * len(rows))
        cursor.execute(
            f"SELECT id, claims FROM tutor_answer WHERE state = 'streaming' AND id IN ({places})",  # noqa: S608
            [one.answer_id for one, _ in rows],
        )
        ours = set(cursor.fetchall())
    return {one.uid for one, _ in rows if (one.answer_id, one.number) in ours}


def check(text: str, ready: Ready) -> grounding.Checked:
    """Check a complete answer. Slow: it compares texts by their meaning.

    What a model wrote stays a model's answer, also if the search has continued it.
    """
    prompt, is_search = ready.prompt, ready.provider.is_search
    if not (is_search and ready.continues_model and text.startswith(prompt.written)):
        checked = grounding.check(text, prompt, is_search=is_search)
        # The search says only what it cites; what was written before may be from elsewhere.
        return replace(checked, only_cites=is_search and not prompt.written)
    begun = grounding.check(prompt.written, prompt, is_search=False)
    rest = grounding.check(text[len(prompt.written) :], prompt, is_search=True)
    if begun.kind in {Answer.Kind.DECLINED, Answer.Kind.FILTERED}:
        return grounding.Checked(rest.text.strip(), rest.kind, rest.citations)
    cited = dict((*begun.citations, *rest.citations))
    return grounding.Checked(begun.text + rest.text, begun.kind, tuple(sorted(cited.items())))


def finish(claimed: Claim, checked: grounding.Checked, usage: Usage, now: datetime) -> bool:
    """Save a complete answer with its citations. Return whether it was still claimed; its tokens count anyway."""
    with transaction.atomic():
        _count(claimed, usage, now)
        fields: dict[str, object] = {"state": State.FINISHED, "text": checked.text, "kind": checked.kind}
        if checked.only_cites:
            fields["explains"] = sorted(_explained(found for _, found in checked.citations))
        if not _end(claimed, now=now, **fields):
            return False
        Citation.objects.filter(answer=claimed.answer_id).delete()
        Citation.objects.bulk_create(
            Citation(
                answer_id=claimed.answer_id,
                number=number,
                passage_uid=found.passage.uid,
                course_id=found.passage.course_id,
                lesson_id=found.passage.lesson_id,
                heading=found.passage.heading,
                text=found.text,
                second=found.second,
            )
            for number, found in checked.citations
        )
        publish(AnswerEnded(answer_id=claimed.answer_id))
    return True


def end(claimed: Claim, text: str, *, state: str, error_code: str, usage: Usage, now: datetime) -> bool:
    """Save an answer that did not become complete: what was written is kept. Return whether it was still claimed."""
    kind = Answer.Kind.FILTERED if error_code == ContentFiltered.code else ""
    with transaction.atomic():
        _count(claimed, usage, now)
        is_ours = _end(claimed, state=state, text=text, kind=kind, error_code=error_code, now=now)
        if is_ours:
            publish(AnswerEnded(answer_id=claimed.answer_id))
    return is_ours


def _end(claimed: Claim, *, now: datetime, **fields: object) -> bool:
    ours = Answer.objects.filter(pk=claimed.answer_id, claims=claimed.number, state=State.STREAMING)
    return bool(ours.update(ended_at=now, lease_until=None, **fields))


def _count(claimed: Claim, usage: Usage, now: datetime) -> None:
    """Add what the provider counted, also of answers that were stopped: it costs the same."""
    if not (usage.prompt_tokens or usage.completion_tokens or usage.cost_micros):
        return
    counts = {name: getattr(usage, name) for name in ("prompt_tokens", "completion_tokens", "cost_micros")}
    rows = Answer.objects.filter(pk=claimed.answer_id)
    rows.update(**{name: F(name) + count for name, count in counts.items()})
    if User.objects.filter(pk=claimed.user_id).exists():  # the account may be deleted meanwhile
        add_usage(user_id=claimed.user_id, course_id=claimed.course_id, day=now.date(), **counts)
