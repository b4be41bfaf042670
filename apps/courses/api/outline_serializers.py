"""Shapes of the studio's outline: what it shows, and what changes it."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from apps.courses.models import Lesson, OutlineChange
from studyplatform.kit.text import content
from studyplatform.kit.web.fields import BoundedListField

MAX_SECTIONS = 60
MAX_LESSONS = 400
MAX_POSITION = 9_999
MAX_DAYS = 3_650
ETAG_LENGTH = 16


class StudioOutlineLesson(serializers.Serializer[object]):
    """A lesson in the outline of the studio."""

    uid = serializers.UUIDField()
    slug = serializers.CharField()
    number = serializers.CharField()
    title = serializers.CharField()
    kind = serializers.ChoiceField(choices=Lesson.Kind.choices)
    duration = serializers.IntegerField(help_text="Seconds.")
    minutes = serializers.IntegerField(help_text="The same, rounded up.")
    is_preview = serializers.BooleanField()
    is_optional = serializers.BooleanField(help_text="Doesn't count for completing the course.")
    opens_at = serializers.DateTimeField(allow_null=True, help_text="Learners can't open it before.")
    opens_after_days = serializers.IntegerField(
        allow_null=True, help_text="Learners can't open it before so many days after enrollment."
    )
    state = serializers.CharField(help_text="Ready, Empty, Processing …, in words.")
    tone = serializers.CharField(allow_blank=True, help_text="Of the state's badge: ok, warn, error or none.")
    is_ready = serializers.BooleanField(help_text="Whether a learner could open it.")
    end = serializers.CharField(allow_blank=True, help_text="Its length, number of questions, or file.")
    missing = serializers.ListField(child=serializers.CharField(), help_text="What its author should look at.")
    prerequisites = serializers.ListField(child=serializers.UUIDField(), help_text="The lessons to complete first.")
    video = serializers.UUIDField(allow_null=True, help_text="The video it shows.")
    learners = serializers.IntegerField(help_text="Enrolled learners who have opened it.")
    completed = serializers.IntegerField(help_text="Enrolled learners who have completed it.")


class StudioOutlineSection(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    title = serializers.CharField()
    facts = serializers.CharField(help_text="Lessons, length and what is not ready, in words.")
    lessons = StudioOutlineLesson(many=True)


class OutlineChangeOut(serializers.Serializer[object]):
    """A change that can be undone."""

    uid = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=OutlineChange.Kind.choices)
    text = serializers.CharField(help_text="What was done, as a sentence.")
    made_by = serializers.CharField(allow_blank=True)
    made_at = serializers.DateTimeField()


class StudioOutline(serializers.Serializer[object]):
    etag = serializers.CharField(help_text="Changes with the order, and with what is in it; sent back by what moves.")
    can_edit = serializers.BooleanField()
    requires_order = serializers.BooleanField(help_text="A lesson opens when those before it are complete.")
    learner_count = serializers.IntegerField()
    sections = StudioOutlineSection(many=True)
    changes = OutlineChangeOut(many=True, help_text="The last changes that can be undone, the newest first.")


class RemovalOut(serializers.Serializer[object]):
    course = serializers.UUIDField()
    change = serializers.UUIDField()


class StudioOutlineChanged(serializers.Serializer[object]):
    outline = StudioOutline()
    change = OutlineChangeOut(allow_null=True, help_text="What was done now, to undo it; null if nothing changed.")
    added = serializers.ListField(child=serializers.UUIDField(), help_text="The new lessons and sections.")
    removals = RemovalOut(many=True, help_text="What a move has removed in other courses, to undo it there.")


def _uids(limit: int, *, is_required: bool = False) -> BoundedListField:
    if is_required:
        return BoundedListField(child=serializers.UUIDField(), max_length=limit)
    return BoundedListField(child=serializers.UUIDField(), max_length=limit, default=list)


class _EtagField(serializers.CharField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            max_length=ETAG_LENGTH,
            allow_blank=True,
            help_text="Of the outline the author saw; if it has another one by now, nothing is moved.",
            **kwargs,
        )


class OrderedSectionIn(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    lessons = _uids(MAX_LESSONS, is_required=True)


class OutlineOrderIn(serializers.Serializer[object]):
    etag = _EtagField()
    sections = BoundedListField(child=OrderedSectionIn(), max_length=MAX_SECTIONS)


class OutlineMoveIn(serializers.Serializer[object]):
    """Lessons to a section, or sections."""

    etag = _EtagField(default="")
    lessons = _uids(MAX_LESSONS)
    section = serializers.UUIDField(required=False, help_text="Where the lessons go.")
    sections = _uids(MAX_SECTIONS)
    position = serializers.IntegerField(
        min_value=1, max_value=MAX_POSITION, help_text="Among what else is there; 1 is first, beyond the end the end."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if bool(attrs["lessons"]) == bool(attrs["sections"]) or bool(attrs["lessons"]) != ("section" in attrs):
            raise serializers.ValidationError(_("Name lessons with a section, or sections."))
        return attrs


class OutlineItemsIn(serializers.Serializer[object]):
    """Sections, which stand for all in them, and lessons."""

    lessons = _uids(MAX_LESSONS)
    sections = _uids(MAX_SECTIONS)


class NewSectionIn(serializers.Serializer[object]):
    title = serializers.CharField(max_length=120, allow_blank=True, default="")
    position = serializers.IntegerField(min_value=1, max_value=MAX_POSITION, required=False)


class SectionTitleIn(serializers.Serializer[object]):
    title = serializers.CharField(max_length=120)
    was = serializers.CharField(max_length=120, required=False, help_text="The title that the author saw.")


class NewLessonIn(serializers.Serializer[object]):
    section = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=Lesson.Kind.choices)
    title = serializers.CharField(max_length=120, allow_blank=True, default="")
    body = serializers.CharField(
        max_length=content.LESSON.max_length, allow_blank=True, trim_whitespace=False, default="", help_text="Markdown."
    )
    position = serializers.IntegerField(min_value=1, max_value=MAX_POSITION, required=False)
    batch = serializers.UUIDField(
        required=False, help_text="A new one for each action that adds several lessons, which are undone together."
    )


class LessonSettingsIn(serializers.Serializer[object]):
    """Settings of lessons; what is left out stays."""

    lessons = _uids(MAX_LESSONS, is_required=True)
    is_preview = serializers.BooleanField(required=False)
    is_optional = serializers.BooleanField(required=False)
    opens_at = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="Without a time zone it is in that of the user's profile. Sets the days to none.",
    )
    opens_after_days = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=MAX_DAYS, help_text="Sets the date to none."
    )


class OutlineOrderRuleIn(serializers.Serializer[object]):
    requires_order = serializers.BooleanField()


class InsertIn(serializers.Serializer[object]):
    """Lessons, or sections, of courses by the same instructor."""

    lessons = _uids(MAX_LESSONS)
    section = serializers.UUIDField(required=False, help_text="Where the lessons go.")
    section_title = serializers.CharField(
        max_length=120, required=False, help_text="Of a new section for the lessons, in place of an existing one."
    )
    sections = _uids(MAX_SECTIONS)
    position = serializers.IntegerField(
        min_value=1, max_value=MAX_POSITION, help_text="Among what is there; 1 is first, beyond the end the end."
    )
    is_move = serializers.BooleanField(default=False, help_text="Delete the originals, which can be undone there.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        places = ("section" in attrs) + ("section_title" in attrs)
        if bool(attrs["lessons"]) == bool(attrs["sections"]) or places != bool(attrs["lessons"]):
            raise serializers.ValidationError(_("Name lessons with a section, or sections."))
        return attrs


class CourseInStudio(serializers.Serializer[object]):
    """A course in the lists of the studio."""

    uid = serializers.UUIDField()
    slug = serializers.CharField()
    title = serializers.CharField()
    status = serializers.CharField()
    can_edit = serializers.BooleanField()


class LessonToInsert(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    number = serializers.CharField()
    title = serializers.CharField()
    kind = serializers.ChoiceField(choices=Lesson.Kind.choices)
    duration = serializers.IntegerField(help_text="Seconds.")
    course = CourseInStudio()


class TargetSection(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    number = serializers.IntegerField()
    title = serializers.CharField()


class TargetCourse(CourseInStudio):
    """A course that can take lessons or sections of another one."""

    sections = TargetSection(many=True)


class CopyCourseIn(serializers.Serializer[object]):
    key = serializers.UUIDField(help_text="Made by the browser: sent twice, the course is copied once.")
    title = serializers.CharField(max_length=120, allow_blank=True, default="")
    shift_days = serializers.IntegerField(
        min_value=-MAX_DAYS, max_value=MAX_DAYS, default=0, help_text="How much later its lessons open."
    )
