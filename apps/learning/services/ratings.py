"""Ratings of courses: written, changed, deleted, restored, answered, found helpful.

The row of a rating is locked before the course, so that parallel changes of the same rating wait for each other, and
the figures of the course are counted under its own lock.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, Sum

from apps.accounts import services as people
from apps.accounts.models import User
from apps.courses.models import Course
from apps.courses.policies import teachers_of
from apps.courses.services import figures
from apps.learning import rating_policies
from apps.learning.errors import NotEnrolled
from apps.learning.models import Enrollment, HelpfulVote, Rating
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.blank import stripped

UNDO_TIME = timedelta(hours=24)


def rate_course(*, user: User, course: Course, stars: int, text: str, now: datetime) -> Rating:
    """Rate the course, or change the rating, and update the course's mean.

    A deleted rating starts again: what was said about the former text doesn't count for the new one.

    :raises NotEnrolled: the user isn't enrolled.
    :raises OwnCourseRated: the user is staff of the course.
    :raises RatingTooEarly: the user has completed less than a fifth of the course.
    """
    enrollment = Enrollment.objects.active().of(user.pk).filter(course=course).first()
    enforce(rating_policies.rate(user, course, enrollment))
    if enrollment is None:
        raise NotEnrolled(course=course.title, slug=course.slug)
    text = stripped(text)
    with transaction.atomic():
        rating, is_new = _own_rating(enrollment, stars, text, now)
        if not is_new:
            _change(rating, stars, text, now)
            correct_quotes(rating)
        count_ratings(course.pk)
        if is_new and course.instructor_id != user.pk:
            people.notify_all(
                "learning.reviewed",
                teachers_of(course),
                f"/courses/{course.slug}/reviews?sort=newest#r-{rating.pk}",
                f"rating {rating.pk}",
                now=now,
                course=course.title,
                stars=stars,
                text=rating.text,
            )
    return rating


def _own_rating(enrollment: Enrollment, stars: int, text: str, now: datetime) -> tuple[Rating, bool]:
    """The learner's rating, locked, and whether it was just created. Two requests may race to create it."""
    found = Rating.objects.select_for_update().filter(enrollment=enrollment).first()
    if found is not None:
        return found, False
    row = Rating(
        enrollment=enrollment, course_id=enrollment.course_id, stars=stars, text=text, created_at=now, updated_at=now
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        return Rating.objects.select_for_update().get(enrollment=enrollment), False
    return row, True


def _change(rating: Rating, stars: int, text: str, now: datetime) -> None:
    if rating.deleted_at is not None:
        rating.deleted_at, rating.created_at, rating.helpful_count = None, now, 0
        rating.reply, rating.replied_by, rating.replied_at, rating.reply_changed_at = "", None, None, None
        rating.votes.all().delete()
    elif (rating.stars, rating.text) == (stars, text):
        return  # sent twice: it isn't an edit
    rating.stars, rating.text, rating.updated_at = stars, text, now
    rating.save()


def correct_quotes(rating: Rating) -> None:
    """Let the notification of a rating quote what everyone sees now: nothing, once it is deleted or hidden."""
    text = rating.text if rating.is_shown else ""
    _quote("learning.reviewed", f"rating {rating.pk}", stars=rating.stars, text=text)


def _quote(kind: str, key: str, **params: Any) -> None:
    people.change_notifications(kinds=[kind], keys=[key], **params)


def delete_rating(*, user: User, course: Course, now: datetime) -> None:
    """Delete the user's own rating. :func:`restore_rating` undoes it for a day. Idempotent.

    :raises NotFound: the user has none in this course.
    """
    with transaction.atomic():
        rating = _rating_of(user, course)
        if rating.deleted_at is None:
            rating.deleted_at = now
            rating.save(update_fields=["deleted_at"])
            correct_quotes(rating)
            count_ratings(course.pk)
            jobs.enqueue(
                "learning.forget_rating", key=f"{rating.pk} {now.timestamp()}", delay=UNDO_TIME, rating_id=rating.pk
            )


def restore_rating(*, user: User, course: Course) -> None:
    """Undo the deletion of the user's own rating. Idempotent.

    :raises NotFound: it is gone for good.
    """
    with transaction.atomic():
        rating = _rating_of(user, course)
        if rating.deleted_at is not None:
            rating.deleted_at = None
            rating.save(update_fields=["deleted_at"])
            correct_quotes(rating)
            count_ratings(course.pk)


def _rating_of(user: User, course: Course) -> Rating:
    mine = Rating.objects.select_for_update(of=("self",)).filter(enrollment__user=user, course=course)
    found = mine.order_by("-pk").first()
    if found is None:
        raise NotFound
    return found


def forget_rating(*, rating_id: int, now: datetime) -> None:
    """Erase a rating that was deleted a day ago and not restored. Idempotent.

    Of a hidden one the row stays without its words, because the next one of this learner has to stay hidden.
    """
    with transaction.atomic():
        rating = Rating.objects.select_for_update().filter(pk=rating_id).first()
        if rating is None or rating.deleted_at is None or rating.deleted_at > now - UNDO_TIME:
            return
        if rating.hidden_at is None:
            rating.delete()
        else:
            Rating.objects.filter(pk=rating_id).update(text="", reply="")


def reply_to_rating(*, rating: Rating, by: User, text: str, now: datetime) -> None:
    """Write or change the instructor's reply; an empty text removes it. The learner is notified of the first one.

    :raises NotFound: the user isn't the instructor of the course, or the rating isn't shown.
    """
    text = stripped(text)
    with locked(rating) as row:
        enforce(rating_policies.reply(by, row))
        if text == row.reply:
            return
        if not text:
            row.reply, row.replied_by, row.replied_at, row.reply_changed_at = "", None, None, None
        elif row.reply:
            row.reply, row.replied_by, row.reply_changed_at = text, by, now
        else:
            row.reply, row.replied_by, row.replied_at = text, by, now
        row.save(update_fields=["reply", "replied_by", "replied_at", "reply_changed_at"])
        _quote("learning.review_answered", f"reply {row.pk}", text=row.reply)
        if row.reply and row.reply_changed_at is None:
            people.notify(
                "learning.review_answered",
                row.enrollment.user,
                f"/courses/{row.course.slug}/reviews#mine",
                f"reply {row.pk}",
                now=now,
                course=row.course.title,
                text=row.reply,
            )


def vote_helpful(*, rating: Rating, user: User, on: bool, now: datetime) -> int:
    """Say that the rating helped, or take it back. Return how many users it helped. Idempotent.

    :raises NotFound: the rating isn't shown.
    :raises OwnRatingJudged: it is the user's own.
    :raises OwnCourseRated: the user is staff of the course.
    """
    with locked(rating) as row:
        enforce(rating_policies.vote(user, row))
        if on:
            HelpfulVote.objects.bulk_create([HelpfulVote(rating=row, user=user, created_at=now)], ignore_conflicts=True)
        else:
            HelpfulVote.objects.filter(rating=row, user=user).delete()
        row.helpful_count = HelpfulVote.objects.filter(rating=row).count()
        row.save(update_fields=["helpful_count"])
    return row.helpful_count


@contextmanager
def locked(rating: Rating) -> Iterator[Rating]:
    """The row of a rating, which nobody else changes until the transaction ends.

    :raises NotFound: it was deleted meanwhile.
    """
    with transaction.atomic():
        found = Rating.objects.select_for_update(of=("self",)).select_related("course", "enrollment__user")
        row = found.filter(pk=rating.pk).first()
        if row is None:
            raise NotFound
        yield row


def count_ratings(course_id: int) -> None:
    """Count the ratings of a course and their stars again. Needs a transaction."""
    figures.count_ratings(course_id=course_id, count=lambda: _totals(course_id))


def _totals(course_id: int) -> tuple[int, int]:
    shown = Rating.objects.filter(course_id=course_id).shown()
    found = shown.aggregate(count=Count("pk"), stars=Sum("stars", default=0))
    return found["count"], found["stars"]
