"""What the calls about topics, posts and moderation send and get.

Texts of posts come from ``queries.topic``, which says what a reader may see: of a removed post there is only a line.
"""

from rest_framework import serializers

from apps.forum.api.serializers import ForumUserOut
from apps.forum.models import Level, PostState, Reaction, Report, Topic
from apps.forum.moderation_forms import DecisionForm
from apps.forum.services.bans import MOST_DAYS
from apps.forum.services.merging import MOST_CHOSEN
from apps.forum.services.moderation import LONGEST_REASON
from apps.forum.services.naming import LONGEST_TAG, LONGEST_TITLE
from apps.forum.text import MOST
from studyplatform.kit.web.fields import BoundedListField

GREATEST = 2**63 - 1  # of an id
OPENED = [Topic.Kind.QUESTION, Topic.Kind.DISCUSSION, Topic.Kind.SHARE]


def source_field() -> serializers.CharField:
    """The Markdown of a post. The service counts code points after normalizing line ends."""
    return serializers.CharField(trim_whitespace=False, allow_blank=True, max_length=4 * MOST)


def id_field(**options: object) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=1, max_value=GREATEST, **options)  # type: ignore[arg-type]


def tags_field(**options: object) -> BoundedListField:
    child = serializers.CharField(max_length=2 * LONGEST_TAG)
    return BoundedListField(child=child, max_length=20, **options)


class ForumBoardOut(serializers.Serializer[object]):
    slug = serializers.CharField()
    title = serializers.CharField()
    about = serializers.CharField()
    course = serializers.CharField(source="course.slug", default=None, allow_null=True, help_text="Null: for everyone.")


class ForumLevelIn(serializers.Serializer[object]):
    level = serializers.ChoiceField(choices=Level.choices, allow_null=True, help_text="Null: no longer.")


class ForumLessonOut(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    title = serializers.CharField()


class ForumTopicRowOut(serializers.Serializer[object]):
    id = serializers.IntegerField()
    board = serializers.CharField(help_text="Its slug.")
    kind = serializers.ChoiceField(choices=Topic.Kind.choices)
    title = serializers.CharField()
    excerpt = serializers.CharField()
    author = ForumUserOut()
    tags = serializers.ListField(child=serializers.CharField())
    state = serializers.ChoiceField(choices=PostState.choices)
    is_pinned = serializers.BooleanField()
    is_closed = serializers.BooleanField()
    is_new = serializers.BooleanField(help_text="Whether something in it is new to the reader.")
    accepted = serializers.IntegerField(allow_null=True, help_text="The post that is the accepted answer.")
    reply_count = serializers.IntegerField()
    score = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)
    last_post_at = serializers.DateTimeField()


class ForumTopicFoundOut(ForumTopicRowOut):
    post = serializers.IntegerField(allow_null=True, help_text="The post that matches a search best.")
    snippet = serializers.CharField(allow_null=True, help_text="HTML with the words in <mark>.")


class ForumTopicPageOut(serializers.Serializer[object]):
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    total = serializers.IntegerField()
    is_cut = serializers.BooleanField(help_text="There are more; reach them by `before`.")
    results = ForumTopicFoundOut(many=True)


class ForumTopicOut(ForumTopicRowOut):
    lesson = ForumLessonOut(allow_null=True)
    second = serializers.IntegerField(allow_null=True)
    pages = serializers.IntegerField()
    last_number = serializers.IntegerField()
    seen = serializers.IntegerField(allow_null=True, help_text="The number up to which the reader has read.")
    level = serializers.ChoiceField(choices=Level.choices, allow_null=True)
    can_reply = serializers.BooleanField()
    can_vote = serializers.BooleanField()
    can_accept = serializers.BooleanField()
    can_rename = serializers.BooleanField()
    can_moderate = serializers.BooleanField()


class ForumTopicIn(serializers.Serializer[object]):
    board = serializers.SlugField(max_length=80)
    kind = serializers.ChoiceField(choices=Topic.Kind.choices)
    title = serializers.CharField(min_length=4, max_length=LONGEST_TITLE)
    source = source_field()  # type: ignore[assignment]  # the name of the field
    tags = tags_field(required=False)
    lesson = serializers.UUIDField(required=False, allow_null=True)
    second = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=7 * 86400)
    is_watched = serializers.BooleanField(required=False, default=True)


class ForumTopicEditIn(serializers.Serializer[object]):
    title = serializers.CharField(required=False, min_length=4, max_length=LONGEST_TITLE)
    tags = tags_field(required=False)
    board = serializers.SlugField(required=False, max_length=80, help_text="Moderators only, as what follows.")
    is_public_ok = serializers.BooleanField(required=False, default=False, help_text="More people may read it then.")
    is_pinned = serializers.BooleanField(required=False)
    is_closed = serializers.BooleanField(required=False)


class ForumMergeIn(serializers.Serializer[object]):
    into = id_field()
    is_public_ok = serializers.BooleanField(required=False, default=False)


class ForumSplitIn(serializers.Serializer[object]):
    posts = BoundedListField(child=id_field(), min_length=1, max_length=MOST_CHOSEN)
    title = serializers.CharField(min_length=4, max_length=LONGEST_TITLE)
    kind = serializers.ChoiceField(choices=[(one.value, one.label) for one in OPENED], required=False, default="")
    with_later = serializers.BooleanField(required=False, default=False)


class ForumReadIn(serializers.Serializer[object]):
    number = serializers.IntegerField(min_value=1, max_value=GREATEST, help_text="Of the last post that was shown.")


class ForumReactionOut(serializers.Serializer[object]):
    kind = serializers.ChoiceField(choices=Reaction.Kind.choices)
    count = serializers.IntegerField()
    is_mine = serializers.BooleanField()


class ForumPostOut(serializers.Serializer[object]):
    id = serializers.IntegerField()
    topic = serializers.IntegerField()
    number = serializers.IntegerField(allow_null=True, help_text="Null while it is held.")
    is_opening = serializers.BooleanField()
    state = serializers.ChoiceField(choices=PostState.choices)
    author = ForumUserOut(allow_null=True, help_text="Null, as the text: the reader may only know that it was removed.")
    html = serializers.CharField(allow_null=True)
    reply_to = serializers.IntegerField(allow_null=True)
    is_accepted = serializers.BooleanField()
    is_new = serializers.BooleanField()
    score = serializers.IntegerField()
    is_voted = serializers.BooleanField()
    reactions = ForumReactionOut(many=True)
    edits = serializers.IntegerField()
    created_at = serializers.DateTimeField(allow_null=True)
    published_at = serializers.DateTimeField(allow_null=True)


class ForumPostSourceOut(ForumPostOut):
    source = serializers.CharField()  # type: ignore[assignment]  # the name of the field


class ForumPostPageOut(serializers.Serializer[object]):
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    results = ForumPostOut(many=True)


class ForumReplyIn(serializers.Serializer[object]):
    source = source_field()  # type: ignore[assignment]  # the name of the field
    reply_to = id_field(required=False, allow_null=True)


class ForumPostEditIn(serializers.Serializer[object]):
    source = source_field()  # type: ignore[assignment]  # the name of the field
    edits = serializers.IntegerField(min_value=0, max_value=GREATEST, help_text="Of the post when the edit began.")


class ForumOnIn(serializers.Serializer[object]):
    on = serializers.BooleanField()


class ForumReactionIn(ForumOnIn):
    kind = serializers.ChoiceField(choices=Reaction.Kind.choices)


class ForumReportIn(serializers.Serializer[object]):
    reason = serializers.ChoiceField(choices=Report.Reason.choices)
    comment = serializers.CharField(required=False, allow_blank=True, default="", max_length=500)


class ForumReasonOut(serializers.Serializer[object]):
    name = serializers.CharField()
    text = serializers.CharField()


class ForumCaseReportOut(serializers.Serializer[object]):
    reason = serializers.ChoiceField(choices=Report.Reason.choices)
    comment = serializers.CharField()
    created_at = serializers.DateTimeField()


class ForumCaseOut(serializers.Serializer[object]):
    post = serializers.IntegerField()
    topic = serializers.IntegerField()
    title = serializers.CharField()
    board = serializers.CharField(help_text="Its slug.")
    state = serializers.ChoiceField(choices=PostState.choices)
    author = ForumUserOut()
    html = serializers.CharField()
    edits = serializers.IntegerField()
    why = ForumReasonOut(many=True, help_text="Why it is held.")
    reports = ForumCaseReportOut(many=True)
    created_at = serializers.DateTimeField()


class ForumDecisionIn(serializers.Serializer[object]):
    action = serializers.ChoiceField(choices=[(one, one) for one in DecisionForm.ACTIONS])
    reason = serializers.CharField(required=False, allow_blank=True, default="", max_length=LONGEST_REASON)
    days = serializers.IntegerField(
        required=False, default=7, min_value=0, max_value=MOST_DAYS, help_text="Of a ban; 0: permanent."
    )
    edits = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=GREATEST, help_text="Of the text that was read."
    )
    everywhere = serializers.BooleanField(required=False, default=False, help_text="A ban on all boards, by an admin.")
