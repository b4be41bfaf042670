"""What models may cost in a month."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.utils import timezone

from apps.tutor.models import TutorBudget, UsageDay
from apps.tutor.providers import Prompt, Usage, current
from apps.tutor.queries.budgets import is_used_up
from tests.factories.courses import CourseFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)


def spend(user, course, micros: int, day: int = 3, month: int = 5) -> None:
    UsageDay.objects.create(user=user, course=course, day=datetime(2026, month, day, tzinfo=UTC), cost_micros=micros)


def over(user, course=None) -> bool:
    return is_used_up(user_id=user.pk, course_id=course.pk if course else None, now=NOW)


def test_each_budget_counts_what_concerns_it_in_this_month(leo, mia, course):
    other = CourseFactory()
    spend(leo, course, 1_500_000)
    spend(leo, None, 500_000)
    spend(leo, course, 9_000_000, month=4)
    assert not over(leo, course), "no budget is set"
    row = TutorBudget.objects.create(pk=1)
    assert not over(leo, course), "empty amounts are no limit"
    row.per_user = Decimal("2.00")
    row.save()
    assert over(leo, other)
    assert not over(mia, course)
    row.per_user, row.per_course = None, Decimal("1.50")
    row.save()
    assert over(mia, course)
    assert not over(leo, other)
    assert not over(leo)
    row.per_course, row.whole_site = None, Decimal("2.01")
    row.save()
    assert not over(mia)
    spend(mia, other, 10_000)
    assert over(mia)
    row.whole_site = Decimal(0)
    row.save()
    assert over(mia), "zero: the model is never asked"


def test_once_it_is_used_up_the_search_answers_and_says_so(leo, mia, course, settings, django_assert_max_num_queries):
    settings.TUTOR_URL, settings.TUTOR_MODEL = "http://127.0.0.1:9/v1", "small"
    TutorBudget.objects.create(pk=1, per_user=Decimal("1.00"))
    UsageDay.objects.create(user=leo, course=None, day=timezone.now().date(), cost_micros=1_000_000)
    with django_assert_max_num_queries(3):
        provider = current(leo, course)
    assert provider.is_search
    assert not current(mia, course).is_search
    prompt = Prompt(user=leo, question="x", mode="hint", scope=SimpleNamespace(), course=course)  # type: ignore[arg-type]

    async def read() -> str:
        return "".join([one async for one in provider.stream(prompt) if not isinstance(one, Usage)])

    assert async_to_sync(read)().startswith("*The budget for the language model is used up for this month")
    UsageDay.objects.update(day=timezone.now().date() - timedelta(days=40))
    assert not current(leo, course).is_search


def test_an_admin_sets_the_one_row(sam, leo):
    client = Client()
    add = "/admin/tutor/tutorbudget/add/"
    client.force_login(leo)
    assert client.get(add).status_code in {302, 403}
    client.force_login(sam)
    assert client.post(add, {"per_user": "-1"}).status_code == 200
    assert not TutorBudget.objects.exists()
    assert client.post(add, {"per_user": "2.50", "per_course": "", "whole_site": "100"}).status_code == 302
    row = TutorBudget.objects.get()
    assert (row.pk, row.per_user, row.per_course, row.whole_site) == (1, Decimal("2.50"), None, Decimal(100))
    assert client.get(add).status_code == 403
