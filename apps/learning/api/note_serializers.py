"""Shapes of notes. What a note is made of is explained in ``notes.merging``."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from apps.learning.models import Note
from apps.learning.services.notes import MOST_REPLACED, MOST_STANDING, MOST_TEXT
from studyplatform.kit.web.fields import BoundedListField

MAX_SECOND = 100 * 3600
MAX_REVISION = 2**31 - 1
MAX_AT = 2**53
_KEY = r"^[A-Za-z0-9_-]{8,32}\Z"


class NoteEdit(serializers.Serializer[object]):
    key = serializers.RegexField(_KEY, max_length=32, help_text="Of the editor that wrote it, chosen at random.")
    revision = serializers.IntegerField(min_value=1, max_value=MAX_REVISION)
    at = serializers.IntegerField(min_value=0, max_value=MAX_AT, help_text="Milliseconds since 1970.")
    text = serializers.CharField(max_length=MOST_TEXT, allow_blank=True, trim_whitespace=False, help_text="Markdown.")
    is_deleted = serializers.BooleanField()


class ReplacedEdit(serializers.Serializer[object]):
    key = serializers.RegexField(_KEY, max_length=32)
    revision = serializers.IntegerField(
        min_value=1, max_value=MAX_REVISION, help_text="Up to this one it was replaced."
    )


class SaveNoteIn(serializers.Serializer[object]):
    kind = serializers.ChoiceField(choices=Note.Kind.choices)
    second = serializers.IntegerField(min_value=0, max_value=MAX_SECOND, allow_null=True)
    edits = BoundedListField(child=NoteEdit(), min_length=1, max_length=MOST_STANDING)
    replaced = BoundedListField(child=ReplacedEdit(), max_length=MOST_REPLACED)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["kind"] == Note.Kind.MOMENT and attrs["second"] is None:
            raise serializers.ValidationError({"second": _("Enter the second of the moment.")})
        return attrs


class NoteOut(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=Note.Kind.choices)
    second = serializers.IntegerField(allow_null=True, help_text="Of the video; null: the whole lesson.")
    edits = serializers.ListField(child=NoteEdit())
    replaced = serializers.ListField(child=ReplacedEdit())
    text = serializers.CharField(help_text="All texts that stand, as Markdown.")
    html = serializers.CharField(
        help_text="The text, rendered; empty for a moment, and after the first 100,000 characters of a page."
    )
    is_deleted = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
