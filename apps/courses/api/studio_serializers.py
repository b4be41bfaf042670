"""Shapes of the studio's calls: fields that are saved one by one."""

from rest_framework import serializers

from apps.courses.api.outline_serializers import OutlineChangeOut
from studyplatform.kit.web.fields import BoundedDictField, BoundedJsonField

MAX_FIELDS = 20
MAX_VALUE_LENGTH = 100_000  # characters: the longest text of a lesson
MAX_VALUES_IN_FIELD = 400  # prerequisites: as many as a course can have lessons


AUTHOR_HELP = "The uid of the user who wrote it: it is refused if somebody else is signed in by now."


class NewCourseIn(serializers.Serializer[object]):
    author = serializers.UUIDField(required=False, help_text=AUTHOR_HELP)
    uid = serializers.UUIDField(
        required=False, help_text="Chosen by the browser: sending it again answers the same course."
    )
    title = serializers.CharField(max_length=120)
    subject = serializers.CharField(
        max_length=60, required=False, help_text="The slug of the category; without one, the first."
    )


class FieldChangeIn(serializers.Serializer[object]):
    value = BoundedJsonField(max_length=MAX_VALUE_LENGTH, max_items=MAX_VALUES_IN_FIELD, allow_null=True)
    base = serializers.CharField(max_length=16, allow_blank=True, help_text="The version with which the author began.")


class FieldChangesIn(serializers.Serializer[object]):
    author = serializers.UUIDField(required=False, help_text=AUTHOR_HELP)
    client = serializers.CharField(max_length=40, help_text="Names the browser's tab.")
    fields = BoundedDictField(child=FieldChangeIn(), max_length=MAX_FIELDS)  # type: ignore[assignment]  # a field of the call


class SubmitIn(serializers.Serializer[object]):
    note = serializers.CharField(max_length=4000, allow_blank=True, default="", help_text="For the reviewer.")


class StudioField(serializers.Serializer[object]):
    value = serializers.JSONField()
    version = serializers.CharField()
    edited_by = serializers.CharField(allow_blank=True, help_text="Who saved this version, if that is known.")
    edited_at = serializers.DateTimeField(allow_null=True)
    client = serializers.CharField(allow_blank=True, help_text="The browser's tab that saved it.")


class FieldOutcome(serializers.Serializer[object]):
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=["saved", "conflict", "refused"])
    version = serializers.CharField(help_text="Of the field as it stands now.")
    value = serializers.JSONField(help_text="The field as it stands now.")
    problem = serializers.CharField(allow_blank=True, help_text="Why it was refused.")
    edited_by = serializers.CharField(allow_blank=True, help_text="Who changed it last.")
    edited_at = serializers.DateTimeField(allow_null=True)
    client = serializers.CharField(allow_blank=True, help_text="The browser's tab that did.")


class ReadinessCheck(serializers.Serializer[object]):
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of the call
    is_met = serializers.BooleanField()
    is_required = serializers.BooleanField()
    href = serializers.CharField(allow_blank=True, help_text="Where it can be done.")


class ShownStatus(serializers.Serializer[object]):
    label = serializers.CharField()  # type: ignore[assignment]  # the name
    pip = serializers.CharField(allow_blank=True, help_text="The shape of its mark.")
    tone = serializers.CharField(allow_blank=True)


class StudioCourse(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    slug = serializers.CharField()
    status = serializers.CharField()
    badge = ShownStatus(help_text="The status in words.")
    locked = serializers.CharField(allow_blank=True, help_text="Why nothing can be changed now; empty if it can.")
    can_edit = serializers.BooleanField()
    can_submit = serializers.BooleanField()
    can_withdraw = serializers.BooleanField()
    values = serializers.DictField(child=StudioField())
    checks = ReadinessCheck(many=True)
    card_html = serializers.CharField(help_text="The course as lists show it.")


class StudioPlates(serializers.Serializer[object]):
    plates = serializers.ListField(child=serializers.CharField(), help_text="SVG, in the order of `plate_variant`.")


class StudioCourseChanged(serializers.Serializer[object]):
    outcomes = FieldOutcome(many=True)
    checks = ReadinessCheck(many=True)
    card_html = serializers.CharField()


class StudioLesson(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    slug = serializers.CharField()
    values = serializers.DictField(child=StudioField())


class StudioLessonChanged(serializers.Serializer[object]):
    outcomes = FieldOutcome(many=True)
    change = OutlineChangeOut(allow_null=True, help_text="What was done, to undo it; null if it was texts alone.")
