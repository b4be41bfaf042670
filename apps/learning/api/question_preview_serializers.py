"""Shapes of previews of questions."""

from rest_framework import serializers

from apps.learning.api.quiz_serializers import AnswerIn, QuestionOut, QuestionResult

MAX_FORM = 200_000  # characters
MAX_DRAFT = 100_000


class QuestionPreviewIn(serializers.Serializer[object]):
    course = serializers.CharField(max_length=80)
    form = serializers.CharField(
        max_length=MAX_FORM, trim_whitespace=False, help_text="The fields of the question builder, URL-encoded."
    )


class QuestionPreviewOut(serializers.Serializer[object]):
    question = QuestionOut(allow_null=True)
    problem = serializers.CharField(allow_blank=True, help_text="What is missing; empty if it is complete.")
    draft = serializers.CharField(allow_blank=True, help_text="What marking it needs; empty while it is incomplete.")


class QuestionPreviewMarkIn(serializers.Serializer[object]):
    draft = serializers.CharField(max_length=MAX_DRAFT, help_text="Of the preview.")
    answer = AnswerIn(allow_null=True, required=False)


class QuestionPreviewMarked(serializers.Serializer[object]):
    result = QuestionResult()
