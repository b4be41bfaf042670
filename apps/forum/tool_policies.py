"""Who may use the tools of a topic."""

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.forum import policies
from apps.forum.errors import NotYourPost, TopicLocked
from apps.forum.models import Board, PostState, Topic
from studyplatform.kit.errors import NotAuthenticated, NotFound
from studyplatform.kit.policies import Verdict


def use_tools(user: AnyUser, topic: Topic) -> Verdict:
    """Moderators pin, close, move, merge and split the topics of their boards, unless they are deleted."""
    refused = policies.moderate(user, topic.board)
    if refused is not None:
        return refused
    return NotFound() if topic.state == PostState.DELETED else None


def rename(user: AnyUser, topic: Topic) -> Verdict:
    """The author of a topic changes its title and tags while it is open, and moderators always."""
    if not isinstance(user, User):
        return NotAuthenticated()
    if topic.state == PostState.DELETED:
        return NotFound()
    if policies.moderates(user, topic.board):
        return None
    if topic.author_id != user.pk:
        return NotYourPost()
    return policies.write_on(user, topic.board) or (TopicLocked() if topic.is_locked else None)


def opens_up(source: Board, target: Board) -> bool:
    """Return whether people could read a topic on the board ``target`` who can't read it on ``source``."""
    return not source.is_open and source.pk != target.pk
