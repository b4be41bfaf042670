"""One text for many learners: each gets a message of their own, once."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from apps.courses.models import CoInstructor
from apps.forum import errors
from apps.forum.models import BulkMessage, BulkRecipient, Conversation, Message
from apps.forum.services import bulk_messages
from apps.forum.services.bulk_messages import deliver_bulk_message, send_bulk_message
from apps.forum.text.placeholders import fill_placeholders, with_plain_placeholders
from apps.learning.models import Enrollment, EnrollmentRollup
from studyplatform.kit import jobs
from studyplatform.kit.errors import RateLimitExceeded
from studyplatform.kit.models import Job
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
        recipients = Enrollment.objects.filter(pk__in=[one.pk for one in seats])
        return send_bulk_message(user=by, recipients=recipients, source=source, key=key or uuid4(), now=at)

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


def run_job_now():
    """Run the job of the bulk message, whenever it is planned for."""
    Job.objects.filter(kind="forum.deliver_bulk_message").update(run_at=timezone.now())
    jobs.run_pending("default")


@pytest.fixture
def fail_at(monkeypatch):
    """Make the message to one learner fail; returns a function that repairs it."""
    written = bulk_messages.write_of_bulk_message

    def begin(learner, error=RuntimeError):
        def fail(**facts):
            if facts["learner"] == learner:
                raise error
            return written(**facts)

        monkeypatch.setattr(bulk_messages, "write_of_bulk_message", fail)
        return lambda: monkeypatch.setattr(bulk_messages, "write_of_bulk_message", written)

    return begin


def test_few_that_are_interrupted_are_delivered_by_the_job_or_by_the_form_sent_again(send, enrollment, leo, fail_at):
    def interrupt():
        repair, key = fail_at(leo, KeyboardInterrupt), uuid4()
        with pytest.raises(KeyboardInterrupt):
            send(enrollment, source="Hello", key=key)
        repair()
        return key

    key = interrupt()
    run_job_now()
    bulk = BulkMessage.objects.get(key=key)
    assert (bulk.sent_count, bulk.done_at is None) == (1, False)
    bulk = send(enrollment, source="Hello", key=interrupt())
    assert (bulk.sent_count, bulk.done_at is None) == (1, False)
    run_job_now()
    assert Message.objects.count() == 2


def test_a_recipient_that_fails_does_not_hold_up_the_others(send, course, enrollment, leo, fail_at, now):
    repair = fail_at(leo)
    bulk = send(enrollment, *many(course, 2))
    assert (bulk.sent_count, bulk.done_at) == (2, None)
    job = Job.objects.get(kind="forum.deliver_bulk_message")
    Job.objects.filter(pk=job.pk).update(attempts=jobs.KINDS[job.kind].max_attempts - 1)
    run_job_now()
    bulk.refresh_from_db()
    assert (bulk.sent_count, bulk.refused_count, bulk.done_at is None) == (2, 1, False)
    assert bulk.recipients.get(enrollment=enrollment).refusal == errors.MessageUndelivered.code
    repair()
    job.refresh_from_db()
    assert jobs.retry(job, now=now)
    run_job_now()
    bulk.refresh_from_db()
    assert (bulk.sent_count, bulk.refused_count, bulk.done_at is None) == (3, 0, False)


def test_the_same_form_sent_twice_is_one_bulk_message_and_with_another_text_a_new_one(send, enrollment, course):
    key = uuid4()
    assert send(enrollment, key=key).pk == send(enrollment, key=key).pk
    assert Message.objects.count() == 1
    assert send(enrollment, key=key, source="And more").pk == send(enrollment, key=key, source="And more").pk
    assert Message.objects.count() == 2
    colleague = CoInstructorFactory(course=course, role=CoInstructor.Role.TEACH)
    assert send(enrollment, key=key, by=colleague.user).sender == colleague.user


def test_a_learner_of_two_courses_gets_one_text_once_and_what_differs_twice(send, ada, course, enrollment, leo):
    other = EnrollmentFactory(user=leo, course=CourseFactory(instructor=ada, status="published", title="A first one"))
    bulk = send(enrollment, other, source="Hello {first name}")
    assert list(bulk.recipients.values_list("enrollment", flat=True)) == [other.pk]
    bulk = send(enrollment, other, source="How is {course}?")
    assert bulk.sent_count == 2


def test_words_that_are_filled_in_are_in_the_language_of_the_sender(send, course, monkeypatch):
    monkeypatch.setattr(bulk_messages, "_", lambda text: f"{text} ({translation.get_language()})")
    with translation.override("de"):
        bulk = send(*many(course, 6))
    run_job_now()
    assert bulk.recipients.filter(message__source__contains="the first lesson (de)").count() == 6


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
    two = (enrollment, EnrollmentFactory(course=enrollment.course))
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "bulk-message": (1, 60), "message": (2, 60)}
    send(*two)
    with pytest.raises(RateLimitExceeded):
        send(*two)
    for _ in range(2):
        send(enrollment)  # to one learner it counts as an ordinary message
    with pytest.raises(RateLimitExceeded):
        send(enrollment)
    assert BulkMessage.objects.count() == 3


def test_there_is_a_limit_to_recipients_of_whom_only_numbers_are_read(send, course, monkeypatch):
    monkeypatch.setattr(bulk_messages, "MAX_RECIPIENTS", 2)
    seats = many(course, 3)
    with CaptureQueriesContext(connection) as asked, pytest.raises(errors.TooManyRecipients):
        send(*seats)
    [read] = [one["sql"] for one in asked if 'FROM "learning_enrollment"' in one["sql"]]
    assert '"percent"' not in read
    assert not BulkMessage.objects.exists()


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


def test_a_key_that_cannot_be_read_is_no_obstacle(browser_of, ada, enrollment):
    given = {"learner": enrollment.uid, "key": "zz", "text": "Hello"}
    assert browser_of(ada).post(f"{ADDRESS}message", given).status_code == 302
    assert Message.objects.count() == 1


def test_pages_count_messages_and_people(browser_of, ada, course, enrollment, leo):
    browser = browser_of(ada)
    other = CourseFactory(instructor=ada, status="published")
    EnrollmentFactory(user=leo, course=other)
    EnrollmentFactory(course=other)
    page = browser.get(f"{ADDRESS}message?all=1").text
    assert "Message 2 learners" in page
    assert "Send to 2 learners" in page
    assert "3 messages" in page
    assert page.count(leo.display_name) == 1
    assert "Message all 2" in browser.get(ADDRESS).text
    for text, said in (("How is {course}?", "3 messages are sent to 2 learners"), ("Hello", "2 learners have")):
        answer = browser.post(f"{ADDRESS}message", {"all": "1", "key": uuid4(), "text": text})
        assert said in browser.get(answer["Location"]).text


def test_nobody_chosen_is_not_everyone(browser_of, ada, enrollment):
    browser = browser_of(ada)
    assert "No one would get this message" in browser.get(f"{ADDRESS}message").text
    refused = browser.post(f"{ADDRESS}message", {"key": uuid4(), "text": "Hello"})
    assert refused.status_code == 422
    assert not Message.objects.exists()


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
