"""Who may read, write and moderate in the discussions."""

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.policies import AnyUser, administer, be_verified
from apps.courses.models import Right
from apps.courses.policies import has_right
from apps.forum.errors import (
    AlreadyReported,
    AnnouncementsByStaff,
    Banned,
    BoardForAdmins,
    ModeratorNotBanned,
    NotAQuestion,
    NotYourPost,
    OwnPostReported,
    OwnVote,
    PostNotVisible,
    TopicHasReplies,
    TopicLocked,
)
from apps.forum.models import Ban, Board, Post, PostState, Topic
from apps.forum.models.moderation import active_ban
from apps.learning.errors import NotEnrolled
from apps.learning.models import Enrollment
from studyplatform.kit.errors import NotAuthenticated, NotFound
from studyplatform.kit.policies import Verdict


def moderates(user: AnyUser, board: Board) -> bool:
    """Return whether the user moderates the board: admins all, those who teach a course its own."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_admin or (board.course is not None and has_right(user, board.course, Right.TEACH))


def is_member(user: AnyUser, board: Board) -> bool:
    """Return whether a board is for the user: a general one, or one of a course they are enrolled in or teach."""
    if board.course is None or moderates(user, board):
        return True
    return isinstance(user, User) and Enrollment.objects.active().of(user.pk).filter(course=board.course_id).exists()


def write_on(user: AnyUser, board: Board) -> Verdict:
    """Verified users may write on general boards; enrolled learners and staff on the board of a course."""
    refused = be_verified(user)
    if refused is not None:
        return refused
    if not is_member(user, board) and board.course is not None:
        return NotEnrolled(course=board.course.title, slug=board.course.slug)
    return not_banned(user, board)


def not_banned(user: AnyUser, board: Board | None) -> Verdict:
    """A banned user may not write: on the board of the ban, or anywhere (``board`` None). Moderators always may."""
    if not isinstance(user, User) or user.is_admin or (board is not None and moderates(user, board)):
        return None
    ban = active_ban(user, board, timezone.now())
    return Banned(until=end_of(ban), reason=ban.reason) if ban else None


def end_of(ban: Ban) -> str:
    """When a ban ends, as a part of a sentence."""
    if ban.until is None:
        return _("until a moderator lifts the ban")
    return _("until %(date)s") % {"date": date_format(timezone.localtime(ban.until), "j F Y, H:i")}


def report(user: AnyUser, post: Post) -> Verdict:
    """Verified readers who are not banned report visible posts of others, each once."""
    refused = be_verified(user) or not_banned(user, post.topic.board)
    if refused is not None:
        return refused
    if not (post.is_visible and post.topic.is_visible):
        return PostNotVisible()
    if post.author_id == user.pk:
        return OwnPostReported()
    return AlreadyReported() if post.reports.filter(user=user.pk).exists() else None


def ban(by: AnyUser, user: User, board: Board | None) -> Verdict:
    """Moderators ban from their boards, and admins from all, but never a moderator."""
    refused = moderate(by, board) if board is not None else administer(by)
    if refused is not None:
        return refused
    return ModeratorNotBanned() if user.is_admin or (board is not None and moderates(user, board)) else None


def open_topic(user: AnyUser, board: Board, kind: str) -> Verdict:
    """Like :func:`write_on`; some boards are for admins only, and announcements are for moderators."""
    refused = write_on(user, board)
    if refused is not None:
        return refused
    if board.topics_by_admins_only and not (isinstance(user, User) and user.is_admin):
        return BoardForAdmins()
    if kind == Topic.Kind.ANNOUNCEMENT and not moderates(user, board):
        return AnnouncementsByStaff()
    return None


def reply(user: AnyUser, topic: Topic) -> Verdict:
    """Those who may write on the board reply to visible topics; to a closed one only moderators."""
    refused = write_on(user, topic.board)
    if refused is not None:
        return refused
    if not topic.is_visible:
        return PostNotVisible()
    return TopicLocked() if topic.is_locked and not moderates(user, topic.board) else None


def moderate(user: AnyUser, board: Board) -> Verdict:
    """Only the moderators of the board; for others there is nothing to see."""
    if not isinstance(user, User):
        return NotAuthenticated()
    return None if moderates(user, board) else NotFound()


def edit(user: AnyUser, post: Post) -> Verdict:
    """Its author edits a post, unless the topic is closed or the post deleted; moderators always."""
    if not isinstance(user, User):
        return NotAuthenticated()
    if moderates(user, post.topic.board):
        return None
    if post.author_id != user.pk:
        return NotYourPost()
    refused = write_on(user, post.topic.board)
    if refused is not None:
        return refused
    if post.topic.is_locked:
        return TopicLocked()
    return PostNotVisible() if post.state == PostState.DELETED else None


def delete(user: AnyUser, post: Post) -> Verdict:
    """Its author deletes a post, but not a topic with replies; moderators delete all."""
    if not isinstance(user, User):
        return NotAuthenticated()
    if post.state == PostState.DELETED:
        return PostNotVisible()
    if moderates(user, post.topic.board):
        return None
    if post.author_id != user.pk:
        return NotYourPost()
    if post.state == PostState.HIDDEN:
        return PostNotVisible()
    return TopicHasReplies() if post.is_opening and post.topic.reply_count else None


def restore(user: AnyUser, post: Post) -> Verdict:
    """A post is restored by the one who deleted it, if it is theirs, and by moderators."""
    if not isinstance(user, User):
        return NotAuthenticated()
    if post.state not in {PostState.DELETED, PostState.HIDDEN}:
        return PostNotVisible()
    if moderates(user, post.topic.board):
        return None
    own = post.state == PostState.DELETED and post.author_id == user.pk == post.changed_by_id
    return not_banned(user, post.topic.board) if own else NotYourPost()


def accept(user: AnyUser, post: Post) -> Verdict:
    """The author of a question and moderators accept a visible reply as its answer."""
    if not isinstance(user, User):
        return NotAuthenticated()
    topic = post.topic
    if topic.author_id != user.pk and not moderates(user, topic.board):
        return NotYourPost()
    if not topic.is_question or post.is_opening:
        return NotAQuestion()
    refused = not_banned(user, topic.board)
    if refused is not None:
        return refused
    return None if post.is_visible and topic.is_visible else PostNotVisible()


def vote(user: AnyUser, post: Post) -> Verdict:
    """Those who may write on the board vote for visible posts of others and react to them."""
    refused = write_on(user, post.topic.board)
    if refused is not None:
        return refused
    if not (post.is_visible and post.topic.is_visible):
        return PostNotVisible()
    return OwnVote() if isinstance(user, User) and post.author_id == user.pk else None
