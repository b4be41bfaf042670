"""Shapes of the studio's calls: fields that are saved one by one."""

from rest_framework import serializers

from studyplatform.kit.web.fields import BoundedDictField, BoundedJsonField

MAX_FIELDS = 20
MAX_VALUE_LENGTH = 100_000  # characters: the longest text of a lesson
MAX_VALUES_IN_FIELD = 400  # prerequisites: as many as a course can have lessons


class NewCourseIn(serializers.Serializer[object]):
    title = serializers.CharField(max_length=120)
    subject = serializers.CharField(
        max_length=60, required=False, help_text="The slug of the category; without one, the first."
    )


class FieldChangeIn(serializers.Serializer[object]):
    value = BoundedJsonField(max_length=MAX_VALUE_LENGTH, max_items=MAX_VALUES_IN_FIELD)
    base = serializers.CharField(max_length=16, allow_blank=True, help_text="The version with which the author began.")


class FieldChangesIn(serializers.Serializer[object]):
    client = serializers.CharField(max_length=40, help_text="Names the browser's tab.")
    fields = BoundedDictField(child=FieldChangeIn(), max_length=MAX_FIELDS)  # type: ignore[assignment]  # a field of the call


class SubmitIn(serializers.Serializer[object]):
    note = serializers.CharField(max_length=4000, allow_blank=True, default="", help_text="For the reviewer.")


class StudioField(serializers.Serializer[object]):
    value = serializers.JSONField()
    version = serializers.CharField()


class FieldOutcome(serializers.Serializer[object]):
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=["saved", "conflict", "refused"])
    version = serializers.CharField(help_text="Of the field as it stands now.")
    value = serializers.JSONField(help_text="The field as it stands now.")
    problem = serializers.CharField(allow_blank=True, help_text="Why it was refused.")
    edited_by = serializers.CharField(allow_blank=True, help_text="Who changed it last.")
    edited_at = serializers.DateTimeField(allow_null=True)


class ReadinessCheck(serializers.Serializer[object]):
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of the call
    is_met = serializers.BooleanField()
    is_required = serializers.BooleanField()
    href = serializers.CharField(allow_blank=True, help_text="Where it can be done.")


class StudioCourse(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    slug = serializers.CharField()
    status = serializers.CharField()
    can_edit = serializers.BooleanField()
    can_submit = serializers.BooleanField()
    values = serializers.DictField(child=StudioField())
    checks = ReadinessCheck(many=True)
    card_html = serializers.CharField(help_text="The course as lists show it.")


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
