"""What the tutor adds to pages of others."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import IntegerField, OuterRef, Subquery, Sum
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import Right, having_right, taught_by
from apps.tutor import services
from apps.tutor.models import TodoCount
from studyplatform.kit.extensions import (
    AttentionItem,
    LessonHit,
    Urgency,
    attention_sources,
    lesson_hits,
    menu_badges,
    session_counts,
    topic_origins,
)


@lesson_hits.registers("tutor")
def lessons_with(user: AnyUser, text: str) -> list[LessonHit]:
    """The lessons of published courses that contain all words of the text."""
    find = import_string("apps.tutor.retrieval.catalogue.lessons_with")  # not above: it loads NumPy
    found: list[LessonHit] = find(user, text)
    return found


@session_counts.registers("tutor_todos")
def todos_of_instructor() -> CombinedExpression:
    """The questions that the tutor did not answer about the courses that the user teaches, alone or with others."""
    own = TodoCount.objects.filter(course__instructor=OuterRef("user")).order_by().values("course__instructor")
    member = "course__co_instructors__"
    joined = TodoCount.objects.filter(having_right(Right.TEACH, member), **{f"{member}user": OuterRef("user")})
    rows = [own, joined.order_by().values(f"{member}user")]
    sums = [Subquery(each.annotate(sum=Sum("count")).values("sum"), output_field=IntegerField()) for each in rows]
    return Coalesce(sums[0], 0) + Coalesce(sums[1], 0)


@menu_badges.registers("tutor_todos")
def open_todos(request: HttpRequest) -> int:
    """How many unanswered questions wait for an instructor. It came with the session: no query."""
    row = getattr(request.session, "row", None)
    return getattr(row, "count_tutor_todos", 0) or 0


@topic_origins.registers("tutor")
def remember_topic(user: Any, about: str, path: str) -> None:
    """An instructor answered an unanswered question in the forum."""
    services.remember_topic(user=user, about=about, path=path, now=timezone.now())


@attention_sources.registers("tutor", order=50)
def questions_without_answer(user: User, now: datetime) -> Iterator[AttentionItem]:
    """The questions that the tutor did not answer, as a job counted them. One query."""
    rows = TodoCount.objects.filter(taught_by(user.pk, Right.TEACH, "course__"))
    count = rows.aggregate(sum=Sum("count", default=0))["sum"]
    if count:
        title = ngettext(
            "%(num)d question the tutor couldn't answer", "%(num)d questions the tutor couldn't answer", count
        )
        yield AttentionItem(
            urgency=Urgency.OPEN,
            icon="sparkles",
            title=title % {"num": count},
            text=_("Learners asked about your courses and found no answer there."),
            action=_("See questions"),
            address=f"{reverse('tutor:teaching')}?view=questions",
            count=count,
        )
