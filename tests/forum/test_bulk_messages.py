"""One text for many learners: each gets a message of their own, once."""

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.utils import timezone

from apps.courses.models import CoInstructor
from apps.forum import errors
from apps.forum.models import BulkMessage, BulkRecipient, Conversation, Message
from apps.forum.services.bulk_messages import deliver_bulk_message, send_bulk_message
from apps.forum.text.placeholders import fill_placeholders, with_plain_placeholders
from apps.learning.models import EnrollmentRollup
from studyplatform.kit import jobs
from studyplatform.kit.errors import RateLimitExceeded
from tests.factories.accounts import UserFactory
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.forum import BlockFactory
from tests.factories.learning import EnrollmentFactory

ADDRESS = "/dashboard/instructor/students/"


def test_only_known_places_are_filled_in_and_as_text():
    source = "Hello { First Name }, $\\frac{1}{2}$ of {course}. {other}"
    plain = with_plain_placeholders(source)
    assert plain == "Hello {first name}, $\\frac{1}{2}$ of {course}. {other}"
    filled = fill_placeholders(plain, {"first name": "*Ann* [x](y)", "course": "{lesson}", "lesson": "1.1"})
    assert filled == "Hello \\*Ann\\* \\[x\\](y), $\\frac{1}{2}$ of {lesson}. {other}"


pytestmark = pytest.mark.django_db


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def send(ada, now):
    def run(*seats, by=ada, source="Hello {first name}, how is {lesson} in {course}?", key=None, at=now):
        return send_bulk_message(user=by, recipients=seats, source=source, key=key or uuid4(), now=at)

    return run


def many(course, count):
    return [EnrollmentFactory(course=course) for _ in range(count)]


def test_each_learner_gets_their_own_message(send, course, enrollment, leo, ada):
    lesson = LessonFactory(section__course=course, number="2.8", title="Deltas")
    EnrollmentRollup.objects.create(enrollment=enrollment, risk="stuck", risk_lesson=lesson)
    other = EnrollmentFactory(course=course, user__first_name="Mo_")
    bulk = send(enrollment, other, enrollment)
    assert (bulk.expected, bulk.sent_count, bulk.refused_count) == (2, 2, 0)
    assert bulk.done_at is not None
    told = Message.objects.get(conversation__learner=leo)
    assert told.source == f"Hello Leo, how is 2.8 Deltas in {course.title}?"
    assert (told.author, told.is_by_learner, told.number) == (ada, False, 1)
    assert "Mo_" in Message.objects.get(conversation__learner=other.user).html
    assert Conversation.objects.get(learner=leo).unread_by_learner == 1


def test_more_are_delivered_by_a_job_that_sends_nobody_two(send, course, now):
    bulk = send(*many(course, 8))
    assert (bulk.sent_count, bulk.done_at) == (0, None)
    jobs.run_pending("default")
    bulk.refresh_from_db()
    assert (bulk.sent_count, bulk.handled_count) == (8, 8)
    assert bulk.done_at is not None
    deliver_bulk_message(bulk_message_id=bulk.pk, now=now, extend_lease=lambda: None)
    assert Message.objects.count() == 8


def test_a_run_that_was_killed_goes_on_where_it_stopped(send, course, now, monkeypatch):
    bulk = send(*many(course, 7))
    from apps.forum.services import bulk_messages

    written = bulk_messages.write_of_bulk_message

    def killed(**facts):
        if Message.objects.count() == 3:
            raise KeyboardInterrupt
        return written(**facts)

    monkeypatch.setattr(bulk_messages, "write_of_bulk_message", killed)
    with pytest.raises(KeyboardInterrupt):
        deliver_bulk_message(bulk_message_id=bulk.pk, now=now, extend_lease=lambda: None)
    monkeypatch.setattr(bulk_messages, "write_of_bulk_message", written)
    deliver_bulk_message(bulk_message_id=bulk.pk, now=now, extend_lease=lambda: None)
    bulk.refresh_from_db()
    assert (bulk.sent_count, Message.objects.count()) == (7, 7)


def test_a_few_whose_sending_was_stopped_get_it_from_a_job(send, course, monkeypatch):
    from apps.forum.services import bulk_messages

    def stopped(**facts):
        raise KeyboardInterrupt

    key, seats = uuid4(), many(course, 2)
    with monkeypatch.context() as patched:
        patched.setattr(bulk_messages, "write_of_bulk_message", stopped)
        with pytest.raises(KeyboardInterrupt):
            send(*seats, key=key)
    assert send(*seats, key=key).handled_count == 0, "the same form, sent again"
    with time_machine.travel(timezone.now() + 2 * bulk_messages.SAFETY_DELAY):
        jobs.run_pending("default")
    assert (BulkMessage.objects.get().sent_count, Message.objects.count()) == (2, 2)


def test_somebody_in_two_courses_gets_the_text_twice_only_if_it_differs(send, course, enrollment, leo, ada, now):
    other = CourseFactory(instructor=ada, status="published")
    latest = EnrollmentFactory(course=other, user=leo, last_activity_at=now + timedelta(minutes=1))
    send(enrollment, latest, source="Hello { First name }")
    assert Message.objects.get().conversation.course == other
    send(latest, enrollment, source="Hello {first name}")
    assert Message.objects.filter(conversation__course=other).count() == 2
    assert send(enrollment, latest, source="How is {course}?").sent_count == 2
    assert Message.objects.count() == 4


def test_the_same_form_sent_twice_is_one_bulk_message(send, course, enrollment):
    key = uuid4()
    assert send(enrollment, key=key).pk == send(enrollment, key=key).pk
    assert Message.objects.count() == 1


def test_whom_nobody_can_write_to_is_counted_with_the_reason(send, course, enrollment, leo, ada):
    BlockFactory(blocker=leo, blocked=ada)
    gone = EnrollmentFactory(course=course, user__is_active=False)
    fine = EnrollmentFactory(course=course)
    bulk = send(enrollment, gone, fine)
    assert (bulk.sent_count, bulk.refused_count) == (1, 2)
    reasons = dict(BulkRecipient.objects.exclude(refusal="").values_list("enrollment", "refusal"))
    assert reasons == {enrollment.pk: "MESSAGE_SENDER_BLOCKED", gone.pk: "MESSAGE_RECIPIENT_GONE"}
    assert Conversation.objects.count() == 1, "a refused message begins no conversation"


def test_only_learners_of_courses_that_one_teaches_now(send, course, enrollment, eve, ada):
    with pytest.raises(errors.NoLearnersChosen):
        send(EnrollmentFactory())
    viewer = CoInstructorFactory(course=course, role=CoInstructor.Role.VIEW)
    with pytest.raises(errors.NoLearnersChosen):
        send(enrollment, by=viewer.user)
    teacher = CoInstructorFactory(course=course, role=CoInstructor.Role.TEACH)
    bulk = send(*many(course, 6), by=teacher.user)
    CoInstructor.objects.filter(pk=teacher.pk).update(removed_at=timezone.now())
    deliver_bulk_message(bulk_message_id=bulk.pk, now=timezone.now(), extend_lease=lambda: None)
    bulk.refresh_from_db()
    assert (bulk.sent_count, bulk.refused_count) == (0, 6)


def test_text_and_rate_are_limited(send, enrollment, settings):
    for source, refusal in ((" \n", errors.MessageEmpty), ("x" * 2_001, errors.MessageTooLong)):
        with pytest.raises(refusal):
            send(enrollment, source=source)
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "bulk-message": (1, 60)}
    send(enrollment)
    with pytest.raises(RateLimitExceeded):
        send(enrollment)
    assert BulkMessage.objects.count() == 1


# The pages.


def test_the_form_names_whom_it_will_not_reach_and_sends(browser_of, ada, course, enrollment, leo):
    browser = browser_of(ada)
    shy = EnrollmentFactory(course=course, user=UserFactory(first_name="Shy", last_name="Person"))
    BlockFactory(blocker=shy.user, blocked=ada)
    page = browser.get(f"{ADDRESS}message?all=1").text
    assert "Message 2 learners" in page
    assert "1 learner won&#39;t get it" in page or "1 learner won't get it" in page
    assert "Shy Person" in page
    key = str(uuid4())
    answer = browser.post(f"{ADDRESS}message", {"all": "1", "key": key, "text": "Hello {first name}"})
    assert answer.status_code == 302
    sent = browser.get(answer["Location"]).text
    assert "1 learner has your message" in sent
    assert "Shy Person" in sent
    assert Message.objects.get().source == "Hello Leo"
    assert browser_of(UserFactory(role="instructor")).get(answer["Location"]).status_code == 404


def test_a_form_without_any_choice_is_for_nobody(browser_of, ada, enrollment):
    browser = browser_of(ada)
    for query in ("", "?tab=all", "?learner=nonsense"):
        assert "No learners chosen" in browser.get(f"{ADDRESS}message{query}").text
    browser.post(f"{ADDRESS}message", {"key": uuid4(), "text": "Hello"})
    assert not BulkMessage.objects.exists()
    answer = browser.get("/dashboard/instructor/exceptions/many?kind=time", follow=True)
    assert "No one would get it" in answer.text


def test_the_form_counts_people(browser_of, ada, enrollment, leo):
    EnrollmentFactory(course=CourseFactory(instructor=ada, status="published"), user=leo)
    EnrollmentFactory(course=enrollment.course)
    browser = browser_of(ada)
    page = browser.get(f"{ADDRESS}message?all=1").text
    assert "Message 2 learners" in page
    assert "or one for each course if the text has {course} or {lesson}" in page
    answer = browser.post(f"{ADDRESS}message", {"all": "1", "key": uuid4(), "text": "On {course}"})
    assert "2 learners have your message" in browser.get(answer["Location"]).text
    assert Message.objects.count() == 3


def test_a_refused_text_stays_in_the_form(browser_of, ada, enrollment):
    answer = browser_of(ada).post(f"{ADDRESS}message", {"learner": enrollment.uid, "key": uuid4(), "text": "y" * 2_001})
    assert answer.status_code == 422
    assert "y" * 2_001 in answer.text
    assert str(enrollment.uid) in answer.text


def test_the_page_waits_while_a_job_sends(browser_of, ada, course):
    browser = browser_of(ada)
    many(course, 8)
    answer = browser.post(f"{ADDRESS}message", {"all": "1", "key": uuid4(), "text": "Hello"})
    waiting = browser.get(answer["Location"])
    assert waiting.status_code == 202
    assert "0 of 8" in waiting.text
    jobs.run_pending("default")
    assert browser.get(answer["Location"]).status_code == 200


def test_the_form_costs_the_same_with_many_learners(browser_of, ada, course, django_assert_max_num_queries):
    browser = browser_of(ada)
    many(course, 30)
    browser.get(f"{ADDRESS}message?all=1")
    with django_assert_max_num_queries(12):
        browser.get(f"{ADDRESS}message?all=1")
