"""Learning paths as those who edit them see them."""

from django.db.models import Count, Q, QuerySet

from apps.accounts.models import User
from apps.courses.models import Course, LearningPath, PathCourse
from apps.courses.queries.authored_outline import Badge
from apps.courses.queries.authoring import course_badge

MOST_FOUND = 10


def paths_of(user: User) -> QuerySet[LearningPath]:
    """Return the paths that the user may edit, last changed first, with owner, ``course_count`` and ``open_count``."""
    mine = LearningPath.objects.all() if user.is_admin else LearningPath.objects.owned_by(user.pk)
    return (
        mine.select_related("owner")
        .defer("description")
        .annotate(
            course_count=Count("places"),
            open_count=Count("places", filter=Q(places__course__status=Course.Status.PUBLISHED)),
        )
        .order_by("-updated_at", "-pk")
    )


def places_in(path: LearningPath) -> list[tuple[PathCourse, Badge]]:
    """Return the places of a path in their order, each with the badge of its course's status. One query."""
    places = path.places.select_related("course__instructor", "course__subject").order_by("position")
    return [(place, course_badge(place.course)) for place in places]


def courses_to_add(user: User, path: LearningPath, text: str) -> list[tuple[Course, Badge]]:
    """Return at most ten courses that the user may add, by title: those whose title contains the text. One query."""
    courses = Course.objects.exclude(status__in=[Course.Status.SUSPENDED, Course.Status.ARCHIVED])
    if not user.is_admin:
        courses = courses.taught_by(user.pk)
    if text:
        courses = courses.filter(title__folded_contains=text)
    free = courses.exclude(path_places__path=path).select_related("instructor", "subject")
    return [(course, course_badge(course)) for course in free.order_by("title", "pk")[:MOST_FOUND]]
