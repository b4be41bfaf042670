"""The tables while an answer is generated. Not imported by ``services``: it loads NumPy.

A process claims a waiting answer by an update that only one can win, and proves that it lives by a lease. Each write
names the claim: a process whose lease ran out writes nothing any more once the answer was claimed again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection, transaction
from django.db.models import BigIntegerField, F, IntegerField

from apps.accounts.models import User
from apps.tutor import grounding
from apps.tutor.errors import ContentFiltered, QuestionNotUnderstood
from apps.tutor.events import AnswerEnded
from apps.tutor.models import Answer, Citation, Passage
from apps.tutor.providers import Usage
from apps.tutor.retrieval.search import Found
from apps.tutor.services.limits import add_usage
from studyplatform.kit.db.prepared_queries import Param, PreparedUpdate
from studyplatform.kit.events import publish

_REFUSALS = {ContentFiltered.code, QuestionNotUnderstood.code}
LEASE = timedelta(seconds=10)
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


def claim(uid: UUID, now: datetime) -> Claim | None:
    """Claim a waiting answer; None if it isn't waiting."""
    row = Answer.objects.select_related("exchange__chat").filter(uid=uid).first()
    return None if row is None else claim_row(row, now)


def claim_row(row: Answer, now: datetime) -> Claim | None:
    """Claim an answer that was read with its exchange and chat; None if it isn't waiting any more. One query."""
    if not _CLAIM(pk=row.pk, number=row.claims, lease_until=now + LEASE):
        return None
    return Claim(row.pk, row.uid, row.claims + 1, row.text, row.exchange.user_id, row.exchange.chat.course_id)


def explained_in(found: Iterable[Found]) -> set[int]:
    """Return the lessons of the quizzes that these passages explain, by primary key."""
    parts = [part for one in found for part in one.parts]
    return {one.lesson_id for one in parts if one.kind == Passage.Kind.EXPLANATION}


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


def finish(claimed: Claim, checked: grounding.Checked, usage: Usage, now: datetime) -> bool:
    """Save a complete answer with its citations. Return whether it was still claimed; its tokens count anyway."""
    with transaction.atomic():
        _count(claimed, usage, now)
        fields: dict[str, object] = {"state": State.FINISHED, "text": checked.text, "kind": checked.kind}
        if checked.kind == Answer.Kind.FILTERED:
            fields["error_code"] = ContentFiltered.code
        if checked.only_cites:
            fields["explains"] = sorted(explained_in(found for _, found in checked.citations))
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
    """Save an answer that did not become complete. Return whether it was still claimed.

    What was written is kept, unless it was refused: then the refusal is the whole answer, now and after a reload.
    """
    kind = Answer.Kind.FILTERED if error_code in _REFUSALS else ""
    text = "" if kind else text
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
