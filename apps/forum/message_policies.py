"""Who may read and write the messages of a conversation, report one, and send announcements."""

from enum import Enum

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from apps.accounts.models import Role, User
from apps.accounts.policies import AnyUser, administer, be_verified, teach
from apps.courses.models import CoInstructor, Course, Right, courses_co_taught
from apps.courses.policies import has_right
from apps.forum import errors
from apps.forum.models import Block, Conversation, Message, MessageFile
from apps.forum.models.moderation import bans_in
from apps.forum.policies import end_of
from apps.learning.errors import NotEnrolled
from apps.learning.models import Enrollment
from studyplatform.kit.db.prepared_queries import Param
from studyplatform.kit.errors import NotAuthenticated, NotFound
from studyplatform.kit.policies import Verdict

OPEN_TO_ANNOUNCEMENTS = {Course.Status.PUBLISHED, Course.Status.ARCHIVED}


class Side(Enum):
    """Which side of a conversation a user is on. The instructor's side is that of all who teach the course."""

    LEARNER = "learner"
    INSTRUCTOR = "instructor"


def side_in(user: AnyUser, course: Course, learner: User) -> Side | None:
    """The user's side in the conversation between a learner and the instructor of the course; None: neither.

    Nobody has a conversation with themselves: an instructor who takes their own course is the learner of none.
    """
    if not isinstance(user, User) or not user.is_active or course.instructor_id == learner.pk:
        return None
    if user.pk == learner.pk:
        return Side.LEARNER
    return Side.INSTRUCTOR if teaches(user, course) else None


def teaches(user: User, course: Course) -> bool:
    """Return whether the user is one of those who teach the course; an admin isn't as such. At most one query."""
    if user.is_admin and course.instructor_id != user.pk:
        return CoInstructor.objects.having(Right.TEACH).filter(course=course.live_id, user=user).exists()
    return has_right(user, course, Right.TEACH)


def read_conversation(user: AnyUser, conversation: Conversation) -> Verdict:
    """The learner and the teachers read a conversation, also after the enrollment. For others it doesn't exist."""
    return None if side_in(user, conversation.course, conversation.learner) is not None else NotFound()


def write_message(user: AnyUser, course: Course, learner: User) -> Verdict:
    """The learner and those who teach write while the learner is enrolled, unless one of them blocked the other.

    Who blocks the instructor of a course blocks all who teach it there.

    A banned user may only reply to an admin.
    """
    if not isinstance(user, User):
        return NotAuthenticated()
    side = side_in(user, course, learner)
    if side is None:
        return NotFound()
    unverified = be_verified(user)
    if unverified is not None:
        return unverified
    bans = bans_in(user, course, timezone.now())
    enrollments = Enrollment.objects.of(learner.pk).filter(course=course).annotate(is_banned=Exists(bans))
    rows = list(enrollments.values_list("revoked_at", "is_banned"))  # one query for both
    if not any(revoked_at is None for revoked_at, _ in rows):
        if rows:
            return errors.ConversationClosed()
        return NotEnrolled(course=course.title, slug=course.slug) if side is Side.LEARNER else NotFound()
    other = course.instructor if side is Side.LEARNER else learner
    if not other.is_active or (side is Side.LEARNER and not other.can_teach):
        return errors.RecipientGone()
    blocks = blocks_with_teachers(learner, {course.instructor_id, user.pk} - {learner.pk})
    if user.pk in blocks:
        return errors.RecipientBlocked(name=other.display_name)
    if blocks:
        return errors.SenderBlocked(name=other.display_name)
    banned = not_banned(user, course) if rows[0][1] else None
    if banned is not None and other.is_admin:
        written = Message.objects.filter(conversation__course=course, conversation__learner=learner, author=other)
        return None if written.exists() else banned
    return banned


def not_banned(user: User, course: Course) -> Verdict:
    """Who is banned from all boards, or from that of the course, writes no messages and announcements in it either.

    Instructors can be banned from all boards. Admins can't be banned.
    """
    if user.is_admin:
        return None
    ban = bans_in(user, course, timezone.now()).first()
    return errors.MessagesBanned(until=end_of(ban), reason=ban.reason) if ban is not None else None


def blocks_between(one: User, other: User) -> set[int]:
    """The ids of those of the two who blocked the other. One query."""
    pair = Q(blocker=one, blocked=other) | Q(blocker=other, blocked=one)
    return set(Block.objects.filter(pair).values_list("blocker_id", flat=True))


def blocks_with_teachers(learner: User, teachers: set[int]) -> set[int]:
    """The ids of those who blocked: the learner one of these teachers, or one of them the learner. One query."""
    pair = Q(blocker=learner, blocked__in=teachers) | Q(blocker__in=teachers, blocked=learner)
    return set(Block.objects.filter(pair).values_list("blocker_id", flat=True))


def report_message(user: AnyUser, message: Message) -> Verdict:
    """The recipient reports a message."""
    refused = read_conversation(user, message.conversation)
    if refused is not None:
        return refused
    return errors.OwnMessage() if isinstance(user, User) and message.author_id == user.pk else None


def decide_report(user: AnyUser) -> Verdict:
    return administer(user)


def announce(user: AnyUser, course: Course) -> Verdict:
    """Only those who teach a course send announcements to it, once it has been published, unless they are banned."""
    refused = teach(user)
    if refused is not None:
        return refused
    if not isinstance(user, User) or not teaches(user, course):
        return NotFound()
    if course.status not in OPEN_TO_ANNOUNCEMENTS:
        return errors.CourseNotOpenForAnnouncements()
    return be_verified(user) or not_banned(user, course)


def files_offering(reader: Param) -> QuerySet[MessageFile]:
    """The attachments that offer the upload of the outer query to a user: the learner, or a teacher of the course."""
    there = User.objects.filter(pk=reader, is_active=True)
    conversation = "message__conversation__"
    co_taught = courses_co_taught(reader, Right.TEACH).filter(course=OuterRef(OuterRef(f"{conversation}course")))
    teaches_it = Q(pk=OuterRef(f"{conversation}course__instructor")) | Exists(co_taught)
    teaching = there.filter(teaches_it, role__in=[Role.INSTRUCTOR, Role.ADMIN])
    learning = there.filter(pk=OuterRef("message__conversation__learner"))
    return MessageFile.objects.filter(Q(Exists(learning)) | Q(Exists(teaching)), upload=OuterRef("pk"))
