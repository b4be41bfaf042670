"""Who is told of a comment: whom it mentions, whose course it is, and who wrote in its thread before."""

import re
from collections.abc import Iterable
from functools import reduce
from operator import or_

from django.db.models import Q

from apps.accounts import services as accounts
from apps.accounts.models import User
from apps.courses import policies
from apps.courses.models import Course, ReviewComment, Right
from apps.courses.queries.review_places import name_place
from apps.courses.queries.review_threads import address_of
from studyplatform.kit.text import content

MAX_MENTIONS = 10  # people whom one comment tells
_MENTION = re.compile(r"(?<![\w@/.])@([\w.+-]{1,150})")


def names_mentioned(text: str) -> list[str]:
    """Return the usernames after an @, each once, at most ``MAX_MENTIONS``."""
    found = dict.fromkeys(name.rstrip(".+-") for name in _MENTION.findall(text))
    return [name for name in found if name][:MAX_MENTIONS]


def split_mentions(course: Course, text: str) -> tuple[list[User], list[str]]:
    """Return whom a comment mentions that may read it, and the names of the others. At most one query."""
    names = names_mentioned(text)
    if not names:
        return [], []
    named = reduce(or_, (Q(username__iexact=name) for name in names))
    people = list(User.objects.filter(named, is_active=True))
    reached = [user for user in people if policies.manage_course(user, course) is None]
    known = {user.username.lower() for user in reached}
    return reached, [name for name in names if name.lower() not in known]


def tell_of_comment(*, comment: ReviewComment) -> None:
    """Tell those whom a comment concerns, each once. Call it in the transaction that writes the comment."""
    thread, course = comment.thread, comment.thread.course
    words = content.plain_text(comment.text, content.COMMENT)[:500]
    mentioned, _others = split_mentions(course, comment.text)
    told = {comment.author_id}
    _tell("courses.review_mention", mentioned, comment, words, told)
    earlier = User.objects.filter(
        pk__in=thread.comments.exclude(pk=comment.pk).exclude(author=None).values("author"), is_active=True
    )
    concerned = [*policies.teachers_of(course, Right.EDIT), *earlier]
    if comment.link is not None:
        concerned.append(comment.link.created_by)
    allowed = [user for user in concerned if policies.manage_course(user, course) is None]
    _tell("courses.review_comment", allowed, comment, words, told)


def _tell(kind: str, people: Iterable[User], comment: ReviewComment, words: str, told: set[int | None]) -> None:
    thread = comment.thread
    for user in people:
        if user.pk in told:
            continue
        told.add(user.pk)
        accounts.notify(
            kind,
            user,
            address_of(thread),
            comment.uid.hex,
            course=thread.course.title,
            writer=comment.author.display_name if comment.author else comment.expert_name,
            place=name_place(thread),
            comment=words,
        )
