"""Shapes of chats with the tutor."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from apps.tutor.models import MOST_QUESTION, MOST_TITLE, Answer, Mode
from studyplatform.kit.web.fields import BoundedListField

MAX_SECOND = 100 * 3600
MAX_POSITION = 2**31 - 1
_STATES = [str(one) for one in Answer.State.values]
_LENGTH = f"Longer than {MOST_QUESTION} characters is refused with AI_CONTEXT_TOO_LONG."
_KINDS = [str(one) for one in Answer.Kind.values]


class LinkOut(serializers.Serializer[object]):
    slug = serializers.CharField()
    title = serializers.CharField()


class CitedLessonOut(LinkOut):
    uid = serializers.UUIDField()
    number = serializers.CharField(help_text='As shown, e.g. "2.4".')


class CitationOut(serializers.Serializer[object]):
    number = serializers.IntegerField(help_text="As in the answer's text.")
    course = LinkOut()
    lesson = CitedLessonOut(allow_null=True)
    heading = serializers.CharField()
    text = serializers.CharField()
    second = serializers.IntegerField(allow_null=True, help_text="Of the lesson's video.")
    url = serializers.CharField(allow_null=True, help_text="Null if the caller can't open the lesson now.")
    can_open = serializers.BooleanField()


class FlashCardOut(serializers.Serializer[object]):
    front = serializers.CharField()
    back = serializers.CharField()


class FailureOut(serializers.Serializer[object]):
    """Why there is no answer, from the error catalog."""

    code = serializers.CharField()
    title = serializers.CharField()
    detail = serializers.CharField()
    params = serializers.DictField()
    retry_after = serializers.IntegerField(allow_null=True, help_text="Seconds until it is worth trying again.")


class AnswerOut(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    number = serializers.IntegerField(help_text="Of the answers to the question, from 1.")
    state = serializers.ChoiceField(choices=_STATES)
    kind = serializers.ChoiceField(
        choices=_KINDS, help_text='"": from the course. outside: a model answered without support by the course.'
    )
    text = serializers.CharField(help_text="Markdown; [1] cites the citation with this number.")
    html = serializers.CharField(help_text="The text as safe HTML, with its citations as links; or why it is withheld.")
    withheld = serializers.CharField(
        help_text="Why the text is withheld now: the answer explains a quiz that the caller is taking or whose answers "
        "the caller can't see. Empty otherwise."
    )
    error = FailureOut(allow_null=True, help_text="Why there is no answer; also of a question that is refused.")
    note = serializers.CharField(help_text="What is said below the text, such as that it was stopped. Often empty.")
    provider = serializers.CharField(help_text='"search", or the name of the model.')
    is_search = serializers.BooleanField()
    rating = serializers.ChoiceField(choices=[(1, "1"), (-1, "-1")], allow_null=True)
    citations = CitationOut(many=True)
    cards = FlashCardOut(many=True, help_text="Of an answer in the mode cards.")
    follow_ups = serializers.ListField(child=serializers.CharField())


class ExchangeOut(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    position = serializers.IntegerField()
    question = serializers.CharField()
    mode = serializers.ChoiceField(choices=Mode.values)
    lesson = LinkOut(allow_null=True)
    second = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()
    answers = AnswerOut(many=True)


class ChatOut(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    title = serializers.CharField()
    course = LinkOut(allow_null=True)
    lesson = LinkOut(allow_null=True)
    changed_at = serializers.DateTimeField()


class ChatPageOut(ChatOut):
    exchanges = ExchangeOut(many=True)
    has_earlier = serializers.BooleanField()


class ChatListOut(serializers.Serializer[object]):
    results = ChatOut(many=True)
    next = serializers.CharField(allow_null=True, help_text="The `cursor` of the next chats.")


class BegunOut(serializers.Serializer[object]):
    chat = ChatOut()
    exchange = ExchangeOut()


class ChatsIn(serializers.Serializer[object]):
    """The query of the list of chats."""

    search = serializers.CharField(required=False, allow_blank=True, max_length=200, default="")
    cursor = serializers.CharField(required=False, allow_blank=True, max_length=60, default="")


class BeforeIn(serializers.Serializer[object]):
    """The query of a chat."""

    before = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, max_value=MAX_POSITION,
        help_text="The position of an exchange: those before it.",
    )  # fmt: skip


class AskIn(serializers.Serializer[object]):
    question = serializers.CharField(max_length=4 * MOST_QUESTION, help_text=_LENGTH)  # the service counts it
    key = serializers.UUIDField(help_text="Chosen by the browser: a repeated request is the same question.")
    mode = serializers.ChoiceField(choices=Mode.values, default=Mode.ASK)
    lesson = serializers.SlugField(max_length=200, required=False, allow_null=True, default=None)
    second = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, max_value=MAX_SECOND,
        help_text="Of the lesson's video: the moment to explain.",
    )  # fmt: skip


class StartIn(AskIn):
    course = serializers.SlugField(max_length=200, required=False, allow_null=True, default=None)


class EditIn(serializers.Serializer[object]):
    question = serializers.CharField(max_length=4 * MOST_QUESTION, help_text=_LENGTH)  # the service counts it
    key = serializers.UUIDField(help_text="Another one than that of the question before.")


class ChangeChatIn(serializers.Serializer[object]):
    """A title, or a scope: course and lesson, each null or missing."""

    title = serializers.CharField(max_length=MOST_TITLE, required=False)
    course = serializers.SlugField(max_length=200, required=False, allow_null=True)
    lesson = serializers.SlugField(max_length=200, required=False, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError(_("There is nothing to change."))
        return attrs


class RateAnswerIn(serializers.Serializer[object]):
    rating = serializers.ChoiceField(choices=[(1, "1"), (-1, "-1")], allow_null=True)
    reason = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")


class PracticeCardsIn(serializers.Serializer[object]):
    cards = BoundedListField(
        child=serializers.IntegerField(min_value=0, max_value=99), min_length=1, max_length=100,
        help_text="Their places in `cards` of the answer, from 0.",
    )  # fmt: skip


class AddedOut(serializers.Serializer[object]):
    added = serializers.IntegerField(help_text="Cards that the caller did not have yet.")


class LimitOut(serializers.Serializer[object]):
    left = serializers.IntegerField()
    of = serializers.IntegerField()


class LimitsOut(serializers.Serializer[object]):
    hour = LimitOut()
    day = LimitOut()


class StatusOut(serializers.Serializer[object]):
    status = serializers.ChoiceField(choices=["online", "offline", "error"])
    error_code = serializers.CharField(
        allow_blank=True, help_text="Why it isn't online: AI_UNAVAILABLE or AI_OVERLOADED. Empty while it is."
    )
    provider = serializers.ChoiceField(choices=["search", "model"])
    name = serializers.CharField()
    is_search = serializers.BooleanField()
    retry_after = serializers.IntegerField(allow_null=True, help_text="Seconds until it is worth trying again.")
    limits = LimitsOut(allow_null=True)
    max_question_length = serializers.IntegerField(help_text="Characters (code points) of a question.")


class ScopeIn(serializers.Serializer[object]):
    """The query of suggestions."""

    course = serializers.SlugField(max_length=200, required=False, allow_blank=True, default="")
    lesson = serializers.SlugField(max_length=200, required=False, allow_blank=True, default="")


class SuggestionOut(serializers.Serializer[object]):
    text = serializers.CharField()
    mode = serializers.ChoiceField(choices=Mode.values)


class SuggestionsOut(serializers.Serializer[object]):
    questions = SuggestionOut(many=True)
