"""Shapes of captions while they are edited."""

from typing import Any

from rest_framework import serializers

from apps.courses.chapters import LONGEST_TITLE, MOST_CHAPTERS
from apps.files.services import caption_encodings
from apps.files.services.caption_sheets import MAX_CHAPTER_LENGTH, MAX_CUE_CHARACTERS, MAX_CUE_TIME_SECONDS, STATES
from studyplatform.kit.web.fields import BoundedListField

MAX_CHANGED_CUES = 500
"""Of one call; an editor sends more in several."""


class SheetCueShape(serializers.Serializer[object]):
    id = serializers.RegexField(r"^[A-Za-z0-9-]{1,40}$", max_length=40)
    begin = serializers.FloatField(min_value=0, max_value=MAX_CUE_TIME_SECONDS, help_text="Seconds.")
    end = serializers.FloatField(min_value=0, max_value=MAX_CUE_TIME_SECONDS, help_text="Seconds.")
    text = serializers.CharField(
        max_length=MAX_CUE_CHARACTERS,
        allow_blank=True,
        trim_whitespace=False,
        help_text="As authors type it: tags of WebVTT are tags, everything else is text.",
    )
    settings = serializers.RegexField(
        r"^[a-z]{4,8}:[A-Za-z0-9%.,-]+(?: [a-z]{4,8}:[A-Za-z0-9%.,-]+){0,5}$",
        max_length=120,
        allow_blank=True,
        default="",
        help_text="WebVTT cue settings, such as its position.",
    )
    chapter = serializers.RegexField(
        r"^[^\r\n]+$",
        max_length=MAX_CHAPTER_LENGTH,
        allow_blank=True,
        default="",
        help_text="Title of the chapter that begins with it, in files that name chapters.",
    )
    is_checked = serializers.BooleanField(help_text="A person has written or read it.")
    state = serializers.ChoiceField(choices=STATES, help_text="`aside` is kept but not published.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        for name in ("begin", "end"):
            attrs[name] = round(attrs[name], 3)
        attrs["text"] = attrs["text"].replace("\0", "\ufffd")
        attrs["chapter"] = attrs["chapter"].replace("-->", "→")
        return attrs


class CaptionSheetOut(serializers.Serializer[object]):
    language = serializers.CharField(help_text="BCP 47.")
    name = serializers.CharField(help_text="Of the language.")
    cues = SheetCueShape(many=True)
    revision = serializers.IntegerField()
    base = serializers.CharField(allow_blank=True, help_text="Digest of the published captions these come from.")
    published = serializers.CharField(
        allow_blank=True, help_text="Where the published captions come from; empty if there are none."
    )
    is_changed = serializers.BooleanField(help_text="Changed since it was published.")
    is_replaced = serializers.BooleanField(help_text="Other captions were published since these were begun.")
    source_encoding = serializers.CharField(allow_blank=True, help_text="Of the file, by Python's name.")
    edited_by = serializers.CharField(allow_blank=True)
    edited_at = serializers.DateTimeField(allow_null=True)


class CueChangesIn(serializers.Serializer[object]):
    client = serializers.CharField(max_length=40, help_text="Names the browser's tab.")
    author = serializers.UUIDField(required=False, help_text="Who wrote it: refused in another account.")
    since = serializers.IntegerField(min_value=0, max_value=2**31 - 1, help_text="The revision the author has seen.")
    base = serializers.CharField(max_length=16, allow_blank=True)
    source_encoding = serializers.CharField(max_length=20, allow_blank=True, default="")
    cues = BoundedListField(
        child=SheetCueShape(),
        max_length=MAX_CHANGED_CUES,
        help_text='None is saved if one is refused. The error names it by its place: "cues.3.text".',
    )


class CueChangesOut(serializers.Serializer[object]):
    revision = serializers.IntegerField()
    cues = SheetCueShape(many=True, help_text="Those that others have changed since.")
    conflicts = BoundedListField(
        child=serializers.CharField(),
        max_length=MAX_CHANGED_CUES,
        help_text="Ids of those of them that were not saved, as others have changed them.",
    )
    edited_by = serializers.CharField(allow_blank=True, help_text="Who changed the captions before this call.")


class PublishCaptionsIn(serializers.Serializer[object]):
    revision = serializers.IntegerField(min_value=0, max_value=2**31 - 1, help_text="What the author has seen.")
    replaces = serializers.BooleanField(default=False, help_text="Captions that others have published may go.")


class CaptionFileIn(serializers.Serializer[object]):
    file = serializers.FileField(help_text="In any format and encoding that is read.")
    encoding = serializers.ChoiceField(
        choices=sorted(caption_encodings()), default="", help_text="By Python's name; without it, it is recognized."
    )


class CaptionReadingOut(serializers.Serializer[object]):
    format = serializers.CharField(help_text="Of the file, by name.")
    encoding = serializers.CharField(help_text="By Python's name.")
    encoding_name = serializers.CharField()
    is_guess = serializers.BooleanField(help_text="The bytes make sense in other encodings too.")
    cues = SheetCueShape(many=True, help_text="Those after the end of the video are set aside.")
    summary = serializers.ListField(child=serializers.CharField(), help_text="What was changed to read the file.")


class CaptionChapter(serializers.Serializer[object]):
    start = serializers.IntegerField(min_value=0, max_value=2**31 - 1, help_text="Seconds.")
    title = serializers.CharField(max_length=LONGEST_TITLE)


class CaptionChaptersIn(serializers.Serializer[object]):
    chapters = BoundedListField(child=CaptionChapter(), max_length=MOST_CHAPTERS)
    before = BoundedListField(
        child=CaptionChapter(), max_length=MOST_CHAPTERS, help_text="The chapters with which the author began."
    )


class CaptionChaptersOut(serializers.Serializer[object]):
    chapters = CaptionChapter(many=True)
