"""What the composer sends and gets."""

from rest_framework import serializers

from apps.forum.models.writing import MAX_KEY
from apps.forum.services.drafts import MOST_SOURCE
from studyplatform.kit.web.fields import BoundedDictField

MAX_DRAFT_FIELDS = 50


class ForumPreviewIn(serializers.Serializer[object]):
    source = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=2 * MOST_SOURCE)  # type: ignore[assignment]  # the name of the field


class ForumPreviewOut(serializers.Serializer[object]):
    html = serializers.CharField(help_text="Sanitized.")


class ForumUserOut(serializers.Serializer[object]):
    username = serializers.CharField()
    name = serializers.CharField()
    is_staff = serializers.BooleanField(help_text="Whether they teach the course of the board, or are an admin.")


class ForumTopicLinkOut(serializers.Serializer[object]):
    id = serializers.IntegerField()
    title = serializers.CharField()
    board = serializers.CharField()


class ForumDraftIn(serializers.Serializer[object]):
    source = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=2 * MOST_SOURCE)  # type: ignore[assignment]  # the name of the field
    values = BoundedDictField(
        child=serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=500),
        required=False,
        max_length=MAX_DRAFT_FIELDS,
        help_text="Other fields of the form, by name.",
    )
    written_at = serializers.DateTimeField()


class ForumDraftOut(serializers.Serializer[object]):
    key = serializers.CharField(max_length=MAX_KEY)
    source = serializers.CharField()  # type: ignore[assignment]  # the name of the field
    values = serializers.DictField(child=serializers.CharField())
    saved_at = serializers.DateTimeField(allow_null=True, help_text="Null: no draft is kept.")
