"""Shapes of what learners did without a connection."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import Any

from rest_framework import serializers

from apps.courses.services import MAX_ESSAY_LENGTH, QUESTION_LIMIT
from apps.learning.api.note_serializers import SaveNoteIn
from apps.learning.api.offline_serializers import RefusalOut
from apps.learning.api.quiz_serializers import AnswerIn, AttemptAnswerIn
from apps.learning.models import PracticeReview
from studyplatform.kit.web.fields import BoundedDictField, BoundedListField

MAX_CHANGES_AT_ONCE = 50
MAX_ANSWERS_AT_ONCE = 1000
"""Answers in all attempts of a request. Devices send far fewer: the answers of 10 quizzes at their longest."""
MAX_SECOND = 86_400 * 2


class FiniteField(serializers.FloatField):
    """A number that is one: NaN passes every limit."""

    def to_internal_value(self, data: Any) -> float:
        """The number.

        :raises ValidationError: it is none.
        """
        value = super().to_internal_value(data)
        if not isfinite(value):
            self.fail("invalid")
        return value


class ReadableAnswersField(BoundedDictField):
    """Answers by question: those that can't be read are left out. Nobody can be asked to correct them later."""

    def run_child_validation(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The answers that have the shape of one, without the characters that nothing can store."""
        found = {}
        for key, value in data.items():
            if isinstance(value, dict) and isinstance(value.get("text"), str):
                value = {**value, "text": value["text"].replace("\0", "")[:MAX_ESSAY_LENGTH]}
            with suppress(serializers.ValidationError):
                found[str(key)] = self.child.run_validation(value)
        return found


class PairsField(BoundedListField):
    """[from, to) pairs of whole seconds. Ten thousand of them come at once, so they are looked at without fields."""

    def run_child_validation(self, data: Sequence[Any]) -> list[list[int]]:
        """The pairs as they are.

        :raises ValidationError: one is none.
        """
        if not all(isinstance(pair, list) and len(pair) == 2 and all(map(_is_second, pair)) for pair in data):
            raise serializers.ValidationError(self.error_messages["not_a_list"], code="invalid")
        return list(data)


def _is_second(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MAX_SECOND


class WatchedChange(serializers.Serializer[object]):
    position = FiniteField(min_value=0, max_value=MAX_SECOND)
    watched = PairsField(
        child=BoundedListField(
            child=serializers.IntegerField(min_value=0, max_value=MAX_SECOND), min_length=2, max_length=2
        ),
        max_length=500,
        help_text="[from, to) pairs of whole seconds that were played since began_at.",
    )
    began_at = serializers.DateTimeField(help_text="When the first of these seconds was played.")


class CompletedChange(serializers.Serializer[object]):
    opened_at = serializers.DateTimeField(help_text="When the text was opened, or the file.")


class NoteChange(SaveNoteIn):
    uid = serializers.UUIDField()


class ReviewChange(serializers.Serializer[object]):
    card = serializers.UUIDField()
    turn = serializers.IntegerField(min_value=0, max_value=1_000_000)
    rating = serializers.ChoiceField(choices=PracticeReview.Rating.choices)
    answer = AnswerIn(required=False, allow_null=True)


class AttemptChange(serializers.Serializer[object]):
    paper = serializers.UUIDField()
    opened_at = serializers.DateTimeField()
    seconds = FiniteField(min_value=0, max_value=86_400 * 60, help_text="How long it took by the device.")
    answers = ReadableAnswersField(
        child=AttemptAnswerIn(),
        max_length=QUESTION_LIMIT,
        help_text="By question uid. One that can't be read counts as not answered.",
    )


class OfflineChangeIn(serializers.Serializer[object]):
    """One thing that a learner did without a connection. It has the field that its kind names."""

    id = serializers.UUIDField(help_text="Made by the browser: the server takes a change once.")
    kind = serializers.ChoiceField(choices=["watched", "completed", "note", "review", "attempt"])
    lesson = serializers.UUIDField(allow_null=True, help_text="Null for a review.")
    made_at = serializers.DateTimeField(help_text="By the device's clock, as corrected by the server's.")
    watched = WatchedChange(required=False)
    completed = CompletedChange(required=False)
    note = NoteChange(required=False)
    review = ReviewChange(required=False)
    attempt = AttemptChange(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["kind"] not in attrs or (attrs["lesson"] is None and attrs["kind"] != "review"):
            raise serializers.ValidationError({attrs["kind"]: self.error_messages["required"]}, code="required")
        return attrs


class SeparateChangesField(BoundedListField):
    """Changes that are read one by one: one that is not valid is refused by itself, and those behind it are taken."""

    def run_child_validation(self, data: Sequence[Any]) -> list[dict[str, Any]]:
        """The changes; of one that is not valid, its id alone.

        :raises ValidationError: one doesn't say its id, or together they have too many answers.
        """
        if sum(_count_answers(one) for one in data) > MAX_ANSWERS_AT_ONCE:
            text = str(self.error_messages["max_length"]).format(max_length=MAX_ANSWERS_AT_ONCE)
            raise serializers.ValidationError(text, code="max_length")
        return [self._read(one) for one in data]

    def _read(self, change: Any) -> dict[str, Any]:
        try:
            read: dict[str, Any] = self.child.run_validation(change)
        except serializers.ValidationError:
            read = {
                "id": serializers.UUIDField().run_validation(change.get("id") if isinstance(change, dict) else None)
            }
        return read


def _count_answers(change: Any) -> int:
    attempt = change.get("attempt") if isinstance(change, dict) else None
    answers = attempt.get("answers") if isinstance(attempt, dict) else None
    return len(answers) if isinstance(answers, dict | list) else 0


class TakeChangesIn(serializers.Serializer[object]):
    changes = SeparateChangesField(
        child=OfflineChangeIn(), max_length=MAX_CHANGES_AT_ONCE, help_text="In the order in which they were made."
    )


class TakenChange(serializers.Serializer[object]):
    id = serializers.UUIDField()
    state = serializers.ChoiceField(
        choices=["taken", "refused", "later"],
        help_text="Later: nothing was changed, and the refusal says why; send it again after the wait.",
    )
    refusal = RefusalOut(allow_null=True)
    wait = serializers.IntegerField(help_text="Seconds; 0 unless it is to be sent later.")
    percent = serializers.IntegerField(allow_null=True, help_text="Of a marked attempt.")
    is_passed = serializers.BooleanField(allow_null=True, help_text="Of a marked attempt.")


class TakenChangesOut(serializers.Serializer[object]):
    now = serializers.DateTimeField()
    results = TakenChange(many=True)
