"""Notify learners of lessons that have opened: on their date, so many days after enrollment, or by a change of these.

A check looks at what opened since the check before. A learner gets one notification a day: lessons that open later on
the same day are added to it. Everything is worked out from the tables, so a check that was killed, or that runs twice,
notifies nobody twice.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from apps.accounts import services as people
from apps.accounts.models import Notification, User
from apps.accounts.queries import zone_of
from apps.courses.models import Course
from apps.courses.queries.openings import add_days
from apps.learning.models import Enrollment, OpeningCheck, OpeningSchedule
from apps.learning.outline import Entry, Outline, Standing, blocker_of
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.openable import standings_of
from apps.learning.queries.outline import outlines_of
from apps.learning.services.opening_schedules import MAX_LATENESS, find_moment, observe_schedules
from studyplatform.kit import jobs
from studyplatform.kit.text.lists import list_names, quote

OPENING_CHECK_JOB = "learning.announce_openings"
OPENING_NOTICE_KIND = "learning.lesson_opened"
OPENING_CHECK_INTERVAL = timedelta(minutes=5)
MAX_CLOCK_CHANGE = timedelta(hours=3)  # by which days of a zone may differ from 24 hours, with room
LEARNERS_PER_BATCH = 200
MAX_TITLES = 4  # lessons that a notification names


def plan_opening_checks() -> None:
    """Enqueue the job that checks again and again, unless it waits already."""
    jobs.enqueue(OPENING_CHECK_JOB, key="check")


def announce_openings(*, now: datetime, extend_lease: Callable[[], None]) -> None:
    """Notify learners of what has opened since the last check and what they can begin. Idempotent.

    The first check only remembers when it was. Not notified are learners whose enrollment ended or began later, who
    have begun the lesson, or who must complete another one first; and nobody of a course that is not public.
    ``extend_lease`` is called after each batch.
    """
    check, _made = OpeningCheck.objects.get_or_create(pk=OpeningCheck.ONLY_PK, defaults={"checked_until": now})
    since = max(check.checked_until, now - MAX_LATENESS)
    observe_schedules(now=now)
    learners = sorted(_learners_with_openings(since, now))
    for start in range(0, len(learners), LEARNERS_PER_BATCH):
        _notify_batch(learners[start : start + LEARNERS_PER_BATCH], since, now)
        extend_lease()
    OpeningCheck.objects.filter(pk=check.pk, checked_until__lt=now).update(checked_until=now)


def _learners_with_openings(since: datetime, until: datetime) -> set[int]:
    """Return the users, by primary key, for whom something may have opened. Two queries, and one for each number of
    days that a lesson in some course names.
    """
    enrolled = Enrollment.objects.active().filter(user__is_active=True)
    public = OpeningSchedule.objects.filter(hidden_since=None)
    opened = public.filter(Q(opens_at__gt=since, opens_at__lte=until) | Q(changed_at__gt=since))
    found = set(enrolled.filter(course__in=opened.values("lesson__course")).values_list("user", flat=True))
    courses: dict[int, set[int]] = defaultdict(set)
    counted = public.filter(opens_after_days__gt=0)
    for days, course in counted.values_list("opens_after_days", "lesson__course").distinct():
        courses[days or 0].add(course)
    for days, pks in courses.items():
        enrolled_at = (add_days(since, -days) - MAX_CLOCK_CHANGE, add_days(until, -days) + MAX_CLOCK_CHANGE)
        then = enrolled.filter(course__in=pks, enrolled_at__range=enrolled_at)
        found.update(then.values_list("user", flat=True))
    return found


@dataclass(frozen=True)
class _Opening:
    """A lesson that has opened for a learner."""

    at: datetime
    course: Course
    entry: Entry


def _notify_batch(learners: Sequence[int], since: datetime, now: datetime) -> None:
    """Notify these learners. Those to whom the same is said are notified together."""
    users = {user.pk: user for user in User.objects.filter(pk__in=learners, is_active=True)}
    public = OpeningSchedule.objects.filter(hidden_since=None)
    enrollments = Enrollment.objects.active().filter(user__in=users, course__in=public.values("lesson__course"))
    standings = standings_of(enrollments, users, now=now)
    outlines = outlines_of({course.pk: course for course, _standing in standings}.values())
    observed = {row.lesson_id: row for row in public.filter(lesson__course__in=outlines)}
    openings: dict[int, list[_Opening]] = defaultdict(list)
    for course, standing in standings:
        if standing.enrollment is not None:
            openings[standing.enrollment.user_id] += _openings_in(course, outlines[course.pk], standing, observed, now)
    notices: dict[tuple[str, str, str, str, str], list[User]] = defaultdict(list)
    for pk, found in openings.items():
        fresh = max((one.at for one in found if one.at > since), default=None)
        if fresh is None:
            continue
        zone = zone_of(users[pk])
        day = fresh.astimezone(zone).date()
        today = [one for one in found if one.at > since or one.at.astimezone(zone).date() == day]
        notices[day.isoformat(), fresh.isoformat(), *_words(today)].append(users[pk])
    for (key, until, course_titles, lesson_titles, link), told in notices.items():
        known = dict(
            Notification.objects.filter(kind=OPENING_NOTICE_KIND, key=key, user__in=told).values_list(
                "user", "params__until"
            )
        )
        behind = [user for user in told if known.get(user.pk, "") < until]
        words = {"course": course_titles, "lesson": lesson_titles, "until": until}
        people.notify_again(OPENING_NOTICE_KIND, behind, link, key, now=now, **words)


def _openings_in(
    course: Course, outline: Outline, standing: Standing, observed: Mapping[int, OpeningSchedule], now: datetime
) -> Iterable[_Opening]:
    """Yield the lessons that have opened after the learner enrolled, that they can begin and have not begun."""
    enrollment = standing.enrollment
    if enrollment is None or standing.is_staff:
        return
    for entry in outline.entries:
        row = observed.get(entry.pk)
        at = find_moment(row, enrollment.enrolled_at) if row else None
        if at is None or not max(enrollment.enrolled_at, now - MAX_LATENESS) < at <= now:
            continue
        is_closed = blocker_of(course, outline, standing, entry.pk) is not None
        if not is_closed and not standing.has_begun(entry.pk):
            yield _Opening(at, course, entry)


def _words(openings: Sequence[_Opening]) -> tuple[str, str, str]:
    """Return the titles of the courses and lessons as one notification says them, and where it leads."""
    courses = list(dict.fromkeys(one.course.title for one in openings))
    titles = [f"{one.entry.number} {one.entry.title}".strip() for one in openings]
    if len(openings) == 1:
        link = lesson_url(openings[0].course.slug, openings[0].entry.slug)
    else:
        link = f"/course/lessons?course={openings[0].course.slug}" if len(courses) == 1 else "/me/courses"
    return _list_some([quote(title) for title in courses]), _list_some(titles), link


def _list_some(names: Sequence[str]) -> str:
    return list_names(names[:MAX_TITLES], more=max(0, len(names) - MAX_TITLES))
