"""Shapes of authoring: the outline as its staff see it, and what changes it."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from apps.courses.models import Lesson
from studyplatform.kit.web.fields import BoundedListField


class AuthoredLesson(serializers.Serializer[object]):
    """A lesson as its authors see it."""

    uid = serializers.UUIDField()
    slug = serializers.CharField()
    number = serializers.CharField()
    title = serializers.CharField()
    kind = serializers.ChoiceField(choices=Lesson.Kind.choices)
    duration = serializers.IntegerField(help_text="Seconds.")
    is_preview = serializers.BooleanField()
    state = serializers.CharField(help_text="Ready, Empty, Processing …, in words.")
    is_ready = serializers.BooleanField(help_text="Whether a learner could open it.")
    video = serializers.UUIDField(allow_null=True, help_text="The video it shows.")


class AuthoredSection(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    title = serializers.CharField()
    position = serializers.IntegerField()
    facts = serializers.CharField(help_text="Lessons, length and what is not ready, in words.")
    lessons = AuthoredLesson(many=True)


class AuthoredOutline(serializers.Serializer[object]):
    version = serializers.IntegerField(help_text="Raised by every change of the outline.")
    sections = AuthoredSection(many=True)


class SectionIn(serializers.Serializer[object]):
    title = serializers.CharField(max_length=120)


class SectionMoveIn(serializers.Serializer[object]):
    position = serializers.IntegerField(min_value=1, max_value=9_999)


class LessonAddIn(serializers.Serializer[object]):
    section = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=Lesson.Kind.choices)
    title = serializers.CharField(max_length=120, allow_blank=True, default="")


class LessonEditIn(serializers.Serializer[object]):
    """What is left out stays."""

    title = serializers.CharField(max_length=120, required=False)
    summary = serializers.CharField(max_length=220, allow_blank=True, required=False)
    body = serializers.CharField(max_length=100_000, allow_blank=True, required=False)
    is_preview = serializers.BooleanField(required=False)
    prerequisites = BoundedListField(
        child=serializers.UUIDField(),
        required=False,
        max_length=400,
        help_text="Lessons of the course that must be complete first.",
    )


class LessonMoveIn(serializers.Serializer[object]):
    section = serializers.UUIDField()
    position = serializers.IntegerField(min_value=1, max_value=9_999)


class LessonVideoIn(serializers.Serializer[object]):
    video = serializers.UUIDField(allow_null=True)


class LessonFileIn(serializers.Serializer[object]):
    """An upload, or a file of the user's library; null removes the file of the lesson."""

    upload = serializers.UUIDField(allow_null=True, required=False)
    file = serializers.UUIDField(allow_null=True, required=False)

    def validate(self, sent: dict[str, Any]) -> dict[str, Any]:
        if not sent:
            raise serializers.ValidationError(_("Send an upload or a file."))
        return sent


class HandedOut(serializers.Serializer[object]):
    """What a file lesson hands out."""

    upload = serializers.UUIDField()
    filename = serializers.CharField()
    length = serializers.IntegerField(help_text="Bytes.")


class FileLesson(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    file = HandedOut(allow_null=True)


class VideoLesson(serializers.Serializer[object]):
    """A video lesson of one's own courses: what an upload can be for."""

    uid = serializers.UUIDField()
    number = serializers.CharField()
    title = serializers.CharField()
    course_title = serializers.CharField()
    href = serializers.CharField(help_text="The lesson's place in the outline.")
    video = serializers.UUIDField(allow_null=True)
