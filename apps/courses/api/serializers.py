"""Shapes of authoring: the outline as its staff see it, and what changes it."""

import math
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from apps.courses.models import Lesson
from apps.courses.picture_files import MAX_ZOOM
from studyplatform.kit.text import content
from studyplatform.kit.text.html_to_markdown import MAX_LENGTH
from studyplatform.kit.web.fields import BoundedListField


class CropField(serializers.FloatField):
    """A number that exists: "nan" is within any limits."""

    def to_internal_value(self, data: Any) -> float:
        value = super().to_internal_value(data)
        if not math.isfinite(value):
            self.fail("invalid")
        return value


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
    body = serializers.CharField(max_length=100_000, allow_blank=True, required=False, trim_whitespace=False)
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
    token = serializers.CharField(
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        max_length=600,
        help_text="Of the lesson, as it was seen: refused if it shows another video by now, and kept until the new one "
        "is complete.",
    )
    withdraws = serializers.UUIDField(
        required=False, help_text="With no `video`: take out this one only, whether the lesson shows or awaits it."
    )


class LessonFileIn(serializers.Serializer[object]):
    """An upload, or a file of the user's library; null removes the file of the lesson."""

    upload = serializers.UUIDField(allow_null=True, required=False)
    file = serializers.UUIDField(allow_null=True, required=False)

    def validate(self, sent: dict[str, Any]) -> dict[str, Any]:
        if not sent:
            raise serializers.ValidationError(_("Send an upload or a file."))
        return sent


COURSE_PLACES = [
    place.name
    for place in (
        content.LESSON, content.DESCRIPTION, content.PROMPT, content.CHOICE, content.EXPLANATION, content.FEEDBACK,
    )
]  # fmt: skip


class ContentPreviewIn(serializers.Serializer[object]):
    place = serializers.ChoiceField(choices=COURSE_PLACES, help_text="Where the text stands.")
    text = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=content.LESSON.max_length)
    course = serializers.CharField(allow_blank=True, default="", max_length=80, help_text="The slug of its course.")

    def validate(self, sent: dict[str, Any]) -> dict[str, Any]:
        most = content.PLACES[sent["place"]].max_length
        if len(sent["text"]) > most:
            raise serializers.ValidationError(
                {"text": _("This text has more than %(most)s characters.") % {"most": most}}
            )
        return sent


class ContentPreviewOut(serializers.Serializer[object]):
    html = serializers.CharField(help_text="Sanitized.")


class ContentConvertIn(serializers.Serializer[object]):
    html = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=MAX_LENGTH)


class PastedPicture(serializers.Serializer[object]):
    address = serializers.CharField(help_text="What stands for it in the Markdown.")
    source = serializers.CharField(help_text="Its address in the HTML, or a data URI.")  # type: ignore[assignment]  # the name
    alt = serializers.CharField(allow_blank=True)


class ContentConvertOut(serializers.Serializer[object]):
    markdown = serializers.CharField(allow_blank=True)
    pictures = PastedPicture(many=True)
    notes = serializers.ListField(
        child=serializers.ChoiceField(choices=["cut", "merged_cells", "embedded", "raised"]),
        help_text="What could not stay as it was.",
    )


class CourseFileIn(serializers.Serializer[object]):
    """A complete upload, or a file of the user's library."""

    upload = serializers.UUIDField(required=False)
    file = serializers.UUIDField(required=False)

    def validate(self, sent: dict[str, Any]) -> dict[str, Any]:
        if len(sent) != 1:
            raise serializers.ValidationError(_("Send an upload or a file."))
        return sent


class CourseFileOut(serializers.Serializer[object]):
    """A file that texts of the course can show or link."""

    uid = serializers.UUIDField()
    name = serializers.CharField()
    href = serializers.CharField(help_text="The address that texts use.")
    media_type = serializers.CharField()
    is_picture = serializers.BooleanField(help_text="Whether pages show it as a picture; otherwise it is linked.")
    width = serializers.IntegerField(allow_null=True, help_text="Pixels of a picture, upright.")
    height = serializers.IntegerField(allow_null=True)
    length = serializers.IntegerField(help_text="Bytes.")
    added_at = serializers.DateTimeField()


class CoursePictureIn(serializers.Serializer[object]):
    """An upload, or a file of the user's library; without both, the present picture is cropped again."""

    upload = serializers.UUIDField(allow_null=True, required=False)
    file = serializers.UUIDField(allow_null=True, required=False)
    alt = serializers.CharField(max_length=200, allow_blank=True, default="", help_text="What it shows.")
    x = CropField(min_value=0, max_value=1, default=0.5, help_text="The crop's place from left (0) to right (1).")
    y = CropField(min_value=0, max_value=1, default=0.5, help_text="The crop's place from top (0) to bottom (1).")
    zoom = CropField(min_value=1, max_value=MAX_ZOOM, default=1, help_text="1: the largest crop of 16:9.")


class PictureRendition(serializers.Serializer[object]):
    href = serializers.CharField()
    width = serializers.IntegerField(help_text="Pixels.")


class CoursePictureOut(serializers.Serializer[object]):
    alt = serializers.CharField()
    x = serializers.FloatField()
    y = serializers.FloatField()
    zoom = serializers.FloatField()
    whole = serializers.CharField(help_text="The address of the whole picture.")
    renditions = PictureRendition(many=True, help_text="The crop, smallest first.")


class PictureOfCourse(serializers.Serializer[object]):
    """``picture`` is null while the course shows its artwork."""

    picture = CoursePictureOut(allow_null=True)


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
    shows = serializers.CharField(help_text="The name of the video that the lesson shows; empty: none that works.")
    duration = serializers.IntegerField(help_text="Seconds of the video that it shows; 0: none, or not known.")
    next_video = serializers.UUIDField(allow_null=True, help_text="The video that takes its place once it is complete.")
    token = serializers.CharField(help_text="Names what it shows and awaits; sent with a replacement.")
    decide_href = serializers.CharField(
        allow_null=True,
        help_text="Where its author says what counts of what learners have watched, as the new video has another "
        "length; null: nothing is to be decided.",
    )


class DownloadOut(serializers.Serializer[object]):
    """A file that a lesson offers beside its content."""

    uid = serializers.UUIDField()
    name = serializers.CharField(help_text="As learners see it.")
    file_name = serializers.CharField()
    media_type = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    url = serializers.CharField(help_text="Sends the file to those who may open the lesson.")


class DownloadIn(serializers.Serializer[object]):
    """One of the three names the file."""

    course_file = serializers.UUIDField(required=False, help_text="A file of the course.")
    upload = serializers.UUIDField(required=False, help_text="A complete upload.")
    file = serializers.UUIDField(required=False, help_text="A file of the library.")
    name = serializers.CharField(max_length=255, allow_blank=True, default="", help_text="As learners see it.")


class DownloadMoveIn(serializers.Serializer[object]):
    position = serializers.IntegerField(min_value=1, max_value=9_999)
