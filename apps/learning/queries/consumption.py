"""How much of courses learners have consumed, for refunds."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from fractions import Fraction

from apps.courses.models import Lesson
from apps.courses.queries.course_files import handed_out_uses
from apps.files.services import report_served
from apps.learning.activity import watching
from apps.learning.activity.consumption import LessonShare, consumed_percent
from apps.learning.models import Attempt, LessonProgress, LessonUse

Pair = tuple[int, int]


def consumed_percents(pairs: Collection[Pair]) -> dict[Pair, int]:
    """Return how much of a course each learner has consumed, in percent. Five queries for all.

    :param pairs: the ids of a user and a course. Revoked enrollments count too: what was used stays used.
    """
    users, courses = {user for user, _course in pairs}, {course for _user, course in pairs}
    lessons: dict[int, list[Lesson]] = defaultdict(list)
    fields = ("pk", "course_id", "kind", "duration", "video__uid", "external_host")
    for lesson in Lesson.objects.filter(course__in=courses).select_related("video").only(*fields).order_by("pk"):
        lessons[lesson.course_id].append(lesson)
    report_served(
        {(user, lesson.video.uid) for user, course in pairs for lesson in lessons[course] if lesson.video is not None}
    )
    shares: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    seen: dict[tuple[int, int], list[list[int]]] = defaultdict(list)
    # What the page of a lesson hands over is used once it is opened: a text, and the address of another host's video.
    handed_over = {
        lesson.pk
        for each in lessons.values()
        for lesson in each
        if lesson.kind == Lesson.Kind.TEXT or lesson.external_host
    }
    mine = {"enrollment__user__in": users, "enrollment__course__in": courses}
    for user, pk, watched, completed in LessonProgress.objects.filter(**mine).values_list(
        "enrollment__user_id", "lesson_id", "watched", "completed_at"
    ):
        if completed is not None or pk in handed_over:
            shares[user, pk] = Fraction(1)
        seen[user, pk] += watched
    taken_away: dict[tuple[int, int], set[str]] = {}
    for user, pk, served, is_whole, files in LessonUse.objects.filter(**mine).values_list(
        "enrollment__user_id", "lesson_id", "served", "is_whole", "files"
    ):
        if is_whole:
            shares[user, pk] = Fraction(1)
        seen[user, pk] += served
        taken_away[user, pk] = taken_away.get((user, pk), set()) | set(files)
    taken = Attempt.objects.filter(**mine).order_by().values_list("enrollment__user_id", "quiz__lesson_id").distinct()
    for user, pk in taken:
        shares[user, pk] = Fraction(1)
    offered: dict[int, set[str]] = defaultdict(set)
    uses = handed_out_uses().filter(lesson__course__in=courses).order_by()
    for lesson_pk, uid in uses.values_list("lesson", "file__uid"):
        offered[lesson_pk or 0].add(str(uid))
    return {
        (user, course): consumed_percent(
            [
                LessonShare(
                    each.duration,
                    max(
                        _share(each, user, shares, seen),
                        _share_of_files(taken_away.get((user, each.pk), set()), offered[each.pk]),
                    ),
                )
                for each in lessons[course]
            ]
        )
        for user, course in pairs
    }


def _share_of_files(taken: set[str], offered: set[str]) -> Fraction:
    """Return the share of a lesson's files that was downloaded. One that it no longer offers counts as before."""
    return Fraction(len(taken), len(taken | offered)) if taken else Fraction(0)


def _share(
    lesson: Lesson,
    user: int,
    shares: dict[tuple[int, int], Fraction],
    seen: dict[tuple[int, int], list[list[int]]],
) -> Fraction:
    key = user, lesson.pk
    if key in shares:
        return shares[key]
    if lesson.kind != Lesson.Kind.VIDEO or lesson.duration <= 0:
        return Fraction(0)
    return Fraction(watching.seconds(watching.merge(seen.get(key, []), duration=lesson.duration)), lesson.duration)


def has_opened_lesson(user_id: int, courses: Collection[int], since: datetime, until: datetime) -> bool:
    """Return whether a learner opened a lesson of these courses in that time. One query.

    Revoked enrollments count too. What was opened before and again later counts.
    """
    mine = {"enrollment__user": user_id, "enrollment__course__in": courses, "updated_at__gte": since}
    opened = LessonProgress.objects.filter(**mine, started_at__lte=until).order_by().values("pk")
    handed_out = LessonUse.objects.filter(**mine).order_by().values("pk")
    return opened.union(handed_out, all=True).exists()
