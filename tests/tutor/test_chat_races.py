"""Simultaneous questions, on a real database with threads."""

from uuid import uuid4

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.tutor import services
from apps.tutor.models import Answer, Chat, Exchange, UsageDay
from apps.tutor.services import generating
from studyplatform.kit.errors import RateLimitExceeded
from tests.factories.tutor import AnswerFactory, ChatFactory
from tests.learning.test_races import run_simultaneously

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


def start(user: User, key=None) -> Exchange:
    asked = services.Asked(question="Why does a river bend?", key=key or uuid4())
    return services.start_chat(user=user, asked=asked, course=None, now=timezone.now())


def test_parallel_questions_do_not_evade_the_limit(leo: User, settings) -> None:
    settings.TUTOR_SEARCHES_PER_HOUR = 3
    outcomes = run_simultaneously(*[lambda: start(leo)] * 6)

    assert sorted(type(one).__name__ for one in outcomes) == ["Exchange"] * 3 + ["RateLimitExceeded"] * 3
    assert all(one.wait > 0 for one in outcomes if isinstance(one, RateLimitExceeded))
    assert (Chat.objects.count(), UsageDay.objects.get().questions) == (3, 3)


def test_one_question_sent_by_several_clicks_is_one(leo: User) -> None:
    key = uuid4()
    outcomes = run_simultaneously(*[lambda: start(leo, key)] * 5)

    assert {one.pk for one in outcomes} == {Exchange.objects.get().pk}
    assert (Chat.objects.count(), Answer.objects.count(), UsageDay.objects.get().questions) == (1, 1, 1)


def test_questions_of_several_tabs_get_positions_of_their_own(leo: User) -> None:
    chat = ChatFactory(user=leo)

    def ask() -> Exchange:
        asked = services.Asked(question="So?", key=uuid4())
        return services.ask_in_chat(user=leo, uid=chat.uid, asked=asked, now=timezone.now())

    outcomes = run_simultaneously(*[ask] * 5)
    assert sorted(one.position for one in outcomes) == [1, 2, 3, 4, 5]
    assert Answer.objects.filter(state="waiting").count() == 1


def test_one_of_several_processes_generates_an_answer(leo: User) -> None:
    answer = AnswerFactory(exchange__chat__user=leo, state="waiting")
    outcomes = run_simultaneously(*[lambda: generating.claim(answer.uid, timezone.now())] * 5)

    assert len([one for one in outcomes if one is not None]) == 1
