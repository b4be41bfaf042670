"""Shapes of the exceptions that learners are granted."""

from rest_framework import serializers

from apps.learning.models import (
    MAX_EXCEPTION_MINUTES,
    MAX_EXTRA_ATTEMPTS,
    MAX_EXTRA_PERCENT,
    MAX_REASON_LENGTH,
    LearnerException,
)
from apps.learning.services import MAX_LEARNERS_AT_ONCE
from studyplatform.kit.web.fields import BoundedListField


class GrantIn(serializers.Serializer[object]):
    """What all grants have in common."""

    learners = BoundedListField(
        child=serializers.UUIDField(),
        min_length=1,
        max_length=MAX_LEARNERS_AT_ONCE,
        help_text="Their enrollments.",
    )
    key = serializers.UUIDField(help_text="Chosen by the caller: the same call again grants nothing a second time.")
    reason = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=MAX_REASON_LENGTH, help_text="For staff."
    )


class ExtraTimeIn(GrantIn):
    """Exactly one of minutes, percent and no limit."""

    quiz = serializers.UUIDField(
        required=False, allow_null=True, default=None, help_text="Its lesson; null: all quizzes of the course."
    )
    minutes = serializers.IntegerField(required=False, default=0, min_value=0, max_value=MAX_EXCEPTION_MINUTES)
    percent = serializers.IntegerField(required=False, default=0, min_value=0, max_value=MAX_EXTRA_PERCENT)
    is_unlimited = serializers.BooleanField(required=False, default=False)


class ExtraAttemptsIn(GrantIn):
    quiz = serializers.UUIDField(help_text="Its lesson.")
    count = serializers.IntegerField(min_value=1, max_value=MAX_EXTRA_ATTEMPTS)


class ReopenIn(GrantIn):
    """Exactly one of minutes and no limit; the time begins when the learner continues."""

    quiz = serializers.UUIDField(help_text="Its lesson.")
    minutes = serializers.IntegerField(required=False, default=0, min_value=0, max_value=MAX_EXCEPTION_MINUTES)
    is_unlimited = serializers.BooleanField(required=False, default=False)


class ExceptionOut(serializers.Serializer[LearnerException]):
    uid = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=LearnerException.Kind.choices)
    learner = serializers.UUIDField(source="enrollment.uid", help_text="The enrollment.")
    name = serializers.CharField(source="enrollment.user.display_name")
    course = serializers.CharField(source="enrollment.course.slug")
    quiz = serializers.UUIDField(
        source="quiz.lesson.uid", default=None, allow_null=True, help_text="Its lesson; null: all of the course."
    )
    minutes = serializers.IntegerField()
    percent = serializers.IntegerField()
    is_unlimited = serializers.BooleanField()
    count = serializers.IntegerField(help_text="Of extra attempts.")
    attempt = serializers.IntegerField(
        source="attempt.number", default=None, allow_null=True, help_text="The number of a reopened attempt."
    )
    reason = serializers.CharField(allow_blank=True)
    granted_at = serializers.DateTimeField()


class SkippedOut(serializers.Serializer[object]):
    """A learner who got nothing."""

    code = serializers.CharField()
    message = serializers.CharField()


class GrantedOut(serializers.Serializer[object]):
    exceptions = ExceptionOut(many=True)
    running = serializers.IntegerField(help_text="How many open attempts got more time at once.")
    skipped = SkippedOut(many=True)
