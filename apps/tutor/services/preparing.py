"""What a provider gets for a question, and what becomes of its answer. Not imported by ``services``: it loads NumPy."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import DatabaseError, connection, transaction
from django.utils import timezone, translation

from apps.accounts.models import User
from apps.files.models import CaptionTrack
from apps.files.queries import caption_cues
from apps.learning.queries.lessons import lesson_of
from apps.tutor import conversation, filters, grounding, policies, providers
from apps.tutor.errors import AnswerWithheld, QuestionRefused
from apps.tutor.intents import SMALL_TALK, Intent, intent_of
from apps.tutor.models import Answer, Exchange, Mode
from apps.tutor.plans import facts_of
from apps.tutor.providers import Prompt, Provider, SearchProvider
from apps.tutor.queries.switches import turned_off
from apps.tutor.queries.withheld import Readable, explained_by, readable_of, why_withheld
from apps.tutor.retrieval.search import About, Earlier, Question, Scope, scopes_of, search_all
from apps.tutor.services.generating import Claim, explained_in
from studyplatform.kit.caching.table_versions import read_once
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce

MOST_HISTORY = 8  # exchanges that the provider gets to read
EXPLAINED = 60.0  # seconds of the transcript before the moment to explain


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


def prepare(claimed: Claim) -> Ready:
    """Find the passages for the question, of what its learner may open now.

    :raises QuestionRefused: the tutor doesn't answer such questions.
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
    asked = [_searched(one) for one in prompts]
    attempted = filters.attempted_by({one.user.pk for one in prompts})
    # What comes later in a chat is searched by itself, too: only that says whether it is about the course.
    later = [number for number, one in enumerate(asked) if one.history]
    found_in_all = search_all([*asked, *(asked[number]._replace(history=()) for number in later)])
    passages, alone = found_in_all[: len(asked)], dict(zip(later, found_in_all[len(asked) :], strict=True))
    _note(
        going,
        [
            explained_in(found) | quizzes | set(each.answer.explains)
            for (_, each), (_, quizzes), found in zip(going, told, passages, strict=True)
        ],
    )
    ready: dict[UUID, Ready | Exception] = {}
    complete_prompts = conversation.reply_all(
        [replace(prompt, passages=tuple(found)) for prompt, found in zip(prompts, passages, strict=True)],
        has_model=[not each.provider.is_search for _, each in going],
    )
    for number, ((one, each), complete) in enumerate(zip(going, complete_prompts, strict=True)):
        continues_model = bool(one.claim.written and each.answer.provider and not each.answer.is_search)
        try:
            filters.check(complete, attempted[complete.user.pk], alone=alone.get(number))
        except QuestionRefused as error:
            ready[one.claim.uid] = error
        else:
            provider = SearchProvider() if complete.reply else each.provider
            ready[one.claim.uid] = Ready(provider, complete, continues_model)
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
    course = exchange.asked_about
    if course is None and conversation.needs_course(exchange.mode):
        course = conversation.last_course_of(exchange.user)
    return _Begun(answer, provider, About(exchange.user, course, exchange.lesson))


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


def _searched(prompt: Prompt) -> Question:
    """What is searched for a prompt. Small talk between questions is no part of it, and a learner who didn't understand
    an answer means the question that led to it."""
    history = [one for one in prompt.history if intent_of(one.question) not in SMALL_TALK]
    if history and prompt.mode == Mode.ASK and intent_of(prompt.question) == Intent.CONFUSED:
        meant = next((one for one in reversed(history) if intent_of(one.question) is None), history[-1])
        return Question(meant.question, prompt.scope)
    return Question(f"{prompt.question} {prompt.transcript}".strip(), prompt.scope, tuple(history))


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
