"""Shapes of files of questions and their reports."""

from rest_framework import serializers

from apps.courses.imports.reading import FORMATS
from apps.courses.models import QuestionImport
from apps.courses.services.bank import MAX_TAGS
from studyplatform.kit.web.fields import BoundedListField

MAX_TEXT = 500_000  # characters; larger files are uploaded on the page


class QuestionFileIn(serializers.Serializer[object]):
    text = serializers.CharField(max_length=MAX_TEXT, trim_whitespace=False, help_text="The file.")
    name = serializers.CharField(max_length=255, allow_blank=True, default="")
    format = serializers.ChoiceField(
        choices=["", *FORMATS], allow_blank=True, default="", help_text="Without it, the format is recognized."
    )
    lesson = serializers.UUIDField(
        required=False, allow_null=True, help_text="The quiz lesson; without it, the question bank of the course."
    )
    tags = BoundedListField(child=serializers.CharField(max_length=40), max_length=MAX_TAGS, default=list)
    uses_categories = serializers.BooleanField(default=True, help_text="Categories of the file become tags.")


class QuestionImportRunIn(serializers.Serializer[object]):
    repeats = serializers.BooleanField(default=False, help_text="Import those that are already there once more.")


class QuestionImportRow(serializers.Serializer[object]):
    number = serializers.IntegerField(help_text="Of the entry in the file, from 1.")
    line = serializers.IntegerField(help_text="Where it begins; 0 if unknown.")
    name = serializers.CharField()
    excerpt = serializers.CharField()
    source = serializers.CharField(help_text="Its type in the file.")  # type: ignore[assignment]  # a field
    kind = serializers.CharField(help_text="Its type here; empty if it can't be imported.")
    state = serializers.ChoiceField(choices=["ready", "known", "intro", "refused", "imported"])
    notes = serializers.ListField(child=serializers.CharField(), help_text="What is lost or changed.")
    problem = serializers.CharField(help_text="Why it can't be imported.")
    tags = serializers.ListField(child=serializers.CharField())


class QuestionImportOut(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    state = serializers.ChoiceField(choices=QuestionImport.State.choices)
    progress = serializers.IntegerField(help_text="While it is checked or imported, in percent.")
    problem = serializers.CharField(help_text="Why it can't be checked, or its last import failed.")
    format = serializers.CharField()
    notes = serializers.ListField(child=serializers.CharField(), help_text="About the file as a whole.")
    rows = QuestionImportRow(many=True)
    questions = serializers.ListField(child=serializers.UUIDField(), help_text="Those that were imported.")
