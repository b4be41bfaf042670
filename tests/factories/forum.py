"""Factories of conversations, messages and announcements."""

from factory.declarations import LazyAttribute, Sequence, SubFactory
from factory.django import DjangoModelFactory

from apps.forum.models import Announcement, AnnouncementCopy, Block, Conversation, Message, MessageReport
from tests.factories.accounts import UserFactory
from tests.factories.courses import THEN, CourseFactory


class ConversationFactory(DjangoModelFactory[Conversation]):
    """A conversation that has begun, but whose messages were not counted: services write those."""

    class Meta:
        model = Conversation

    course = SubFactory(CourseFactory, status="published")
    learner = SubFactory(UserFactory)
    created_at = THEN
    last_message_at = THEN
    changed_at = THEN


class MessageFactory(DjangoModelFactory[Message]):
    class Meta:
        model = Message

    conversation = SubFactory(ConversationFactory)
    number = Sequence(lambda n: n + 1)
    author = LazyAttribute(lambda message: message.conversation.learner)
    is_by_learner = LazyAttribute(lambda message: message.author == message.conversation.learner)
    source = "Where does the river begin?"
    html = "<p>Where does the river begin?</p>"
    created_at = THEN


class MessageReportFactory(DjangoModelFactory[MessageReport]):
    class Meta:
        model = MessageReport

    message = SubFactory(MessageFactory)
    reporter = LazyAttribute(lambda report: report.message.conversation.course.instructor)
    reason = MessageReport.Reason.SPAM
    created_at = THEN


class AnnouncementFactory(DjangoModelFactory[Announcement]):
    class Meta:
        model = Announcement

    course = SubFactory(CourseFactory, status="published")
    sender = LazyAttribute(lambda announcement: announcement.course.instructor)
    audience = Announcement.Audience.STUDYING
    subject = "Office hours"
    source = "On Thursday."
    html = "<p>On Thursday.</p>"
    created_at = THEN
    expected = 1


class BlockFactory(DjangoModelFactory[Block]):
    class Meta:
        model = Block

    blocker = SubFactory(UserFactory)
    blocked = SubFactory(UserFactory)
    created_at = THEN


class AnnouncementCopyFactory(DjangoModelFactory[AnnouncementCopy]):
    class Meta:
        model = AnnouncementCopy

    announcement = SubFactory(AnnouncementFactory)
    user = SubFactory(UserFactory)
