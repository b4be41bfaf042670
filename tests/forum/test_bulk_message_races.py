"""Messages to many that are sent and delivered at the same moment; notes and filters of two requests at once."""

from functools import partial
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course
from apps.forum.models import BulkMessage, Message
from apps.forum.services.bulk_messages import deliver_bulk_message, send_bulk_message
from apps.forum.services.messages import send_message
from apps.learning import services
from apps.learning.models import MAX_SAVED_FILTERS, Enrollment, SavedFilter, StaffNote
from tests.factories.learning import EnrollmentFactory
from tests.learning.test_races import run_simultaneously

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


def test_one_form_sent_three_times_at_once_is_one_message_for_each(ada: User, course: Course) -> None:
    now, seats = timezone.now(), course.enrollments.all()
    EnrollmentFactory.create_batch(3, course=course)
    send = partial(send_bulk_message, user=ada, recipients=seats, source="Hello", key=uuid4(), now=now)

    outcomes = run_simultaneously(send, send, send)

    assert not [one for one in outcomes if isinstance(one, Exception)]
    assert BulkMessage.objects.count() == 1
    assert Message.objects.count() == 3


def test_two_workers_and_a_reply_leave_each_learner_one_message(ada: User, course: Course) -> None:
    now, seats = timezone.now(), EnrollmentFactory.create_batch(8, course=course)
    bulk = send_bulk_message(user=ada, recipients=course.enrollments.all(), source="Hello", key=uuid4(), now=now)
    deliver = partial(deliver_bulk_message, bulk_message_id=bulk.pk, now=now, extend_lease=lambda: None)
    learner = seats[0].user

    outcomes = run_simultaneously(
        deliver, deliver, partial(send_message, course=course, learner=learner, user=learner, source="Why?", now=now)
    )

    assert not [one for one in outcomes if isinstance(one, Exception)]
    bulk.refresh_from_db()
    assert (bulk.sent_count, bulk.refused_count) == (8, 0)
    assert Message.objects.filter(author=ada).count() == 8
    assert sorted(Message.objects.filter(conversation__learner=learner).values_list("number", flat=True)) == [1, 2]


def test_notes_and_filters_of_two_requests_are_one_each(
    ada: User, leo: User, course: Course, enrollment: Enrollment
) -> None:
    now, key = timezone.now(), uuid4()
    note = partial(services.write_staff_note, learner=leo, course=course, by=ada, text="Trains", key=key, now=now)
    save = partial(services.save_filter, user=ada, query="tab=new", now=now)
    for number in range(MAX_SAVED_FILTERS - 1):
        save(name=f"Filter {number}")

    outcomes = run_simultaneously(note, note, partial(save, name="One"), partial(save, name="Two"))

    assert StaffNote.objects.count() == 1
    assert SavedFilter.objects.count() == MAX_SAVED_FILTERS
    assert [getattr(one, "code", "") for one in outcomes if isinstance(one, Exception)] == ["TOO_MANY_SAVED_FILTERS"]
