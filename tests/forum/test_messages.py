"""Conversations of learners and instructors: writing, reading, unread counts, search, attachments, block and report."""

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from apps.accounts import services as accounts
from apps.accounts.errors import EmailNotVerified, RoleRequired
from apps.accounts.models import Notification, User
from apps.courses.models import Course
from apps.forum import errors
from apps.forum.message_policies import Side
from apps.forum.models import Block, Board, Conversation, Message, MessageReport
from apps.forum.queries import messages as queries
from apps.forum.queries import threads
from apps.forum.services import bans as forum_bans
from apps.forum.services import message_reading as reading
from apps.forum.services import message_safety as safety
from apps.forum.services import messages as services
from apps.forum.services.posts import delete as delete_post
from apps.learning.errors import NotEnrolled
from apps.learning.models import Enrollment
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound, RateLimitExceeded
from tests.factories.accounts import PASSWORD
from tests.factories.files import FileFactory
from tests.factories.forum import MessageFactory, MessageReportFactory
from tests.factories.learning import EnrollmentFactory
from tests.factories.topics import BoardFactory, make_topic

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def send(course: Course, learner: User, user: User, source: str = "Why is the valley wide?", **more: object) -> Message:
    return services.send_message(
        course=course, learner=learner, user=user, source=source, **({"now": timezone.now()} | more)
    )  # type: ignore[arg-type]


@pytest.fixture
def begun(course: Course, leo: User, enrollment: Enrollment) -> Conversation:
    """Leo's conversation with Ada: one question that she has not read."""
    return send(course, leo, leo).conversation


# --- Writing ----------------------------------------------------------------------------------------


def test_messages_are_numbered_and_counted_for_the_other_side(
    begun: Conversation, course: Course, leo: User, ada: User
) -> None:
    send(course, leo, leo, "And one more.")
    send(course, leo, ada, "Because of the **ice**.")
    begun.refresh_from_db()

    assert list(begun.messages.order_by("number").values_list("number", "is_by_learner")) == [
        (1, True), (2, True), (3, False),
    ]  # fmt: skip
    assert (begun.unread_by_instructor, begun.unread_by_learner) == (2, 1)
    assert (begun.last_excerpt, begun.is_last_by_learner) == ("Because of the ice.", False)
    assert "<strong>ice</strong>" in begun.messages.get(number=3).html


def test_the_same_form_sent_twice_is_one_message(course: Course, leo: User, enrollment: Enrollment) -> None:
    key = uuid4()
    first = send(course, leo, leo, key=key)
    second = send(course, leo, leo, key=key)

    assert first == second
    assert Conversation.objects.get().last_number == 1


def test_the_key_of_another_author_does_not_swallow_a_message(begun: Conversation, leo: User, ada: User) -> None:
    key = begun.messages.get().key

    message = send(begun.course, leo, ada, "Mine", key=key)

    assert (message.number, message.source) == (2, "Mine")


@pytest.mark.parametrize(
    ("source", "refusal"),
    [
        ("  \r\n ", errors.MessageEmpty),
        ("é" * 5001, errors.MessageTooLong),
        ("🙂" * 5001, errors.MessageTooLong),
    ],
)
def test_empty_and_too_long_messages_are_refused(
    course: Course, leo: User, enrollment: Enrollment, source: str, refusal: type[Exception]
) -> None:
    with pytest.raises(refusal):
        send(course, leo, leo, source)
    assert not Conversation.objects.exists()


@pytest.mark.parametrize("source", ["🙂" * 5000, "a\r\n" * 2499 + "bc"])
def test_five_thousand_characters_are_accepted(course: Course, leo: User, enrollment: Enrollment, source: str) -> None:
    assert send(course, leo, leo, source).number == 1


# --- Who may write ----------------------------------------------------------------------------------


def test_strangers_write_to_nobody(course: Course, leo: User, mia: User, eve: User, sam: User, enrollment) -> None:
    for stranger in (mia, eve, sam):
        with pytest.raises(NotFound):
            send(course, leo, stranger)
    with pytest.raises(NotEnrolled):
        send(course, mia, mia)
    assert not Conversation.objects.exists()


def test_an_instructor_writes_only_to_learners_of_the_course(course: Course, ada: User, mia: User) -> None:
    with pytest.raises(NotFound):
        send(course, mia, ada)


def test_after_the_enrollment_ended_both_read_and_nobody_writes(
    begun: Conversation, course: Course, leo: User, ada: User, enrollment: Enrollment
) -> None:
    enrollment.revoke(now=timezone.now())

    for user in (leo, ada):
        with pytest.raises(errors.ConversationClosed):
            send(course, leo, user)
        assert queries.conversation_for(user, begun.uid) == begun


def test_only_verified_users_write(course: Course, leo: User, enrollment: Enrollment) -> None:
    leo.email_verified_at = None
    leo.save()

    with pytest.raises(EmailNotVerified):
        send(course, leo, leo)


def test_nobody_writes_to_a_blocked_account(begun: Conversation, course: Course, leo: User, ada: User) -> None:
    User.objects.filter(pk=leo.pk).update(is_active=False)
    leo.refresh_from_db()

    with pytest.raises(errors.RecipientGone):
        send(course, leo, ada)
    with pytest.raises(NotFound):
        send(course, leo, leo)


def test_an_instructor_who_takes_their_own_course_has_no_conversation_with_themselves(
    course: Course, ada: User
) -> None:
    EnrollmentFactory(user=ada, course=course)

    with pytest.raises(NotFound):
        send(course, ada, ada)


def test_the_present_instructor_continues_the_conversation(
    begun: Conversation, leo: User, ada: User, eve: User
) -> None:
    Course.objects.filter(pk=begun.course_id).update(instructor=eve)
    course = Course.objects.get(pk=begun.course_id)

    assert send(course, leo, eve, "I teach this now.").number == 2
    with pytest.raises(NotFound):
        queries.conversation_for(ada, begun.uid)


# --- Blocking ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["learner", "instructor"])
def test_after_a_block_neither_writes_to_the_other(
    begun: Conversation, course: Course, leo: User, ada: User, side: str
) -> None:
    blocker, blocked = (leo, ada) if side == "learner" else (ada, leo)
    safety.block(conversation=begun, user=blocker, now=timezone.now())
    safety.block(conversation=begun, user=blocker, now=timezone.now())

    with pytest.raises(errors.RecipientBlocked):
        send(course, leo, blocker)
    with pytest.raises(errors.SenderBlocked):
        send(course, leo, blocked)
    safety.unblock(conversation=begun, user=blocked)  # only who blocked can take it back
    with pytest.raises(errors.SenderBlocked):
        send(course, leo, blocked)
    safety.unblock(conversation=begun, user=blocker)
    assert send(course, leo, blocked).number == 2


def test_a_block_holds_in_all_courses_of_the_instructor(begun: Conversation, leo: User, ada: User) -> None:
    other = EnrollmentFactory(user=leo, course__instructor=ada).course
    safety.block(conversation=begun, user=ada, now=timezone.now())

    with pytest.raises(errors.SenderBlocked):
        send(other, leo, leo)


def test_strangers_block_nobody(begun: Conversation, mia: User, sam: User) -> None:
    for stranger in (mia, sam):
        with pytest.raises(NotFound):
            safety.block(conversation=begun, user=stranger, now=timezone.now())
    assert not Block.objects.exists()


# --- Rate limits ------------------------------------------------------------------------------------


def test_messages_are_limited_per_user_over_all_conversations(settings, leo: User, ada: User, course: Course) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "message": (2, 600)}
    learners = [EnrollmentFactory(course=course).user for _ in range(3)]
    for learner in learners[:2]:
        send(course, learner, ada)

    with pytest.raises(RateLimitExceeded):
        send(course, learners[2], ada)
    assert Message.objects.count() == Conversation.objects.count() == 2
    assert send(course, learners[2], ada, now=timezone.now() + timedelta(minutes=11)).number == 1


def test_messages_are_limited_per_conversation(settings, begun: Conversation, leo: User, ada: User) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "message-conversation": (2, 600)}
    send(begun.course, leo, leo)

    with pytest.raises(RateLimitExceeded):
        send(begun.course, leo, leo)
    assert send(begun.course, leo, ada).number == 3  # each has their own count


def test_conversations_that_begin_are_limited(settings, ada: User, course: Course) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "conversation": (1, 600)}
    first, second = (EnrollmentFactory(course=course).user for _ in range(2))
    send(course, first, ada)

    with pytest.raises(RateLimitExceeded):
        send(course, second, ada)


# --- Reading ----------------------------------------------------------------------------------------


def test_reading_counts_down_and_never_back(begun: Conversation, leo: User, ada: User) -> None:
    send(begun.course, leo, leo, "Second")
    reading.mark_read(conversation=begun, user=ada, number=1, now=timezone.now())
    begun.refresh_from_db()
    assert (begun.read_by_instructor, begun.unread_by_instructor) == (1, 1)

    reading.mark_read(conversation=begun, user=ada, number=99, now=timezone.now())
    reading.mark_read(conversation=begun, user=ada, number=1, now=timezone.now())
    begun.refresh_from_db()
    assert (begun.read_by_instructor, begun.unread_by_instructor) == (2, 0)


def test_opening_a_conversation_reads_it_and_shows_the_other_that_it_was_read(
    begun: Conversation, leo: User, ada: User, browser_of: Callable[[User], Client]
) -> None:
    browser = browser_of(ada)
    assert "data-messages-new><span>1</span>" in browser.get("/dashboard/instructor/").content.decode()

    page = browser.get(f"/dashboard/instructor/messages/{begun.uid}").content.decode()
    again = browser.get("/dashboard/instructor/messages/").content.decode()
    seen = browser_of(leo).get(f"/me/messages/{begun.uid}").content.decode()

    assert "Why is the valley wide?" in page
    assert "data-messages-new hidden" in again
    assert "is-new" not in again
    assert 'class="is-read"' in seen


def test_a_page_loaded_in_advance_reads_nothing(begun: Conversation, ada: User, browser_of) -> None:
    browser_of(ada).get(f"/dashboard/instructor/messages/{begun.uid}", headers={"Sec-Purpose": "prefetch"})
    browser_of(ada).head(f"/dashboard/instructor/messages/{begun.uid}")

    begun.refresh_from_db()
    assert begun.unread_by_instructor == 1


def test_a_conversation_can_be_marked_as_unread(begun: Conversation, leo: User, ada: User, browser_of) -> None:
    reading.mark_read(conversation=begun, user=ada, number=1, now=timezone.now())

    answer = browser_of(ada).post(f"/me/messages/{begun.uid}/unread", {"leave": "1"})

    begun.refresh_from_db()
    assert answer["Location"] == "/dashboard/instructor/messages/"
    assert (begun.read_by_instructor, begun.unread_by_instructor) == (0, 1)
    reading.mark_unread(conversation=begun, user=leo, now=timezone.now())  # nobody has written to Leo
    begun.refresh_from_db()
    assert begun.unread_by_learner == 0


def test_long_conversations_are_read_in_parts(begun: Conversation, leo: User, ada: User) -> None:
    Message.objects.bulk_create(
        [MessageFactory.build(conversation=begun, author=leo, is_by_learner=True, number=n) for n in range(2, 72)]
    )
    Conversation.objects.filter(pk=begun.pk).update(last_number=71)
    begun.refresh_from_db()

    newest = threads.thread(begun, ada, now=NOW)
    middle = threads.thread(begun, ada, before=newest.earlier, now=NOW)
    found = threads.thread(begun, ada, at=5, now=NOW)

    assert (newest.last, newest.earlier, newest.later) == (71, 42, None)
    assert (middle.last, middle.earlier, middle.later) == (41, 12, 41)
    assert (found.earlier, found.last, found.later) == (None, 30, 30)


def test_days_are_those_of_the_reader(begun: Conversation, leo: User) -> None:
    late = NOW.replace(hour=23, minute=30)
    begun.messages.update(created_at=late)
    leo.time_zone = "Asia/Tokyo"

    [day] = threads.thread(begun, leo, now=late).days

    assert day.day == late.date() + timedelta(days=1)
    assert (day.name, day.said[0].time) == ("Today", "08:30")


# --- The list ---------------------------------------------------------------------------------------


def test_the_list_is_read_in_parts_and_shows_each_conversation_once(course: Course, ada: User) -> None:
    at = timezone.now()
    for _ in range(queries.PIECE + 5):  # all at the same moment
        send(course, EnrollmentFactory(course=course).user, ada, now=at)

    first = queries.conversations(ada, Side.INSTRUCTOR)
    second = queries.conversations(ada, Side.INSTRUCTOR, cursor=first.next)

    pks = [line.conversation.pk for line in [*first.lines, *second.lines]]
    assert len(first.lines) == queries.PIECE
    assert (len(pks), len(set(pks)), second.next) == (queries.PIECE + 5, queries.PIECE + 5, "")


@pytest.mark.parametrize("cursor", ["x", "2026-99-99T00:00:00+00:00_1", "2026-01-01T00:00:00_1", "9" * 50, "_"])
def test_a_cursor_of_somebody_else_begins_at_the_start(begun: Conversation, ada: User, cursor: str) -> None:
    assert len(queries.conversations(ada, Side.INSTRUCTOR, cursor=cursor).lines) == 1


def test_search_finds_words_names_and_courses_and_marks_them(begun: Conversation, leo: User, ada: User) -> None:
    send(begun.course, leo, ada, "Because of <b>glaciers</b> & time.")

    def found(text: str) -> list[str]:
        return [str(line.words) for line in queries.conversations(ada, Side.INSTRUCTOR, text=text).lines]

    assert found("glaciers") == ["Because of &lt;b&gt;<mark>glaciers</mark>&lt;/b&gt; &amp; time."]
    assert found("VALLEY") == ["Why is the <mark>valley</mark> wide?"]
    assert len(found("Marsh")) == len(found("marsh  Léo")) == len(found("Rivers")) == 1
    assert found("%") == []


def test_nobody_finds_messages_of_others(begun: Conversation, eve: User, mia: User) -> None:
    for user in (eve, mia):
        for side in Side:
            assert queries.conversations(user, side, text="valley").lines == []


@pytest.mark.parametrize("size", [1, 12])
def test_the_pages_cost_the_same_with_many_rows(
    course: Course, leo: User, ada: User, enrollment: Enrollment, browser_of, django_assert_max_num_queries, size: int
) -> None:
    for _ in range(size):
        send(course, EnrollmentFactory(course=course).user, ada)
        send(course, leo, leo, files=[FileFactory(owner=leo)])
    begun = Conversation.objects.get(learner=leo)
    reading.mark_read(conversation=begun, user=ada, number=99, now=timezone.now())
    browser = browser_of(ada)

    with django_assert_max_num_queries(3):
        assert browser.get("/dashboard/instructor/messages/").status_code == 200
    with django_assert_max_num_queries(11):
        assert browser.get(f"/dashboard/instructor/messages/{begun.uid}").status_code == 200


# --- Notifications ----------------------------------------------------------------------------------


def deliver_notices(at: timedelta = timedelta(minutes=1)) -> None:
    with time_machine.travel(timezone.now() + at, tick=False):
        jobs.run_pending("default")


def told(user: User) -> list[str]:
    return [row.link for row in Notification.objects.filter(user=user, kind="forum.message").order_by("pk")]


def test_the_recipient_is_notified_once_until_they_have_read(
    begun: Conversation, leo: User, ada: User, mailoutbox
) -> None:
    send(begun.course, leo, leo, "Second")
    deliver_notices()
    send(begun.course, leo, leo, "Third")
    deliver_notices()
    assert told(ada) == [f"/dashboard/instructor/messages/{begun.uid}"]
    assert told(leo) == []

    reading.mark_read(conversation=begun, user=ada, number=3, now=timezone.now())
    assert not Notification.objects.filter(user=ada, read_at=None, kind="forum.message").exists()
    send(begun.course, leo, leo, "Fourth")
    deliver_notices()
    assert len(told(ada)) == 2


def test_who_reads_at_once_gets_no_notification(begun: Conversation, ada: User) -> None:
    reading.mark_read(conversation=begun, user=ada, number=1, now=timezone.now())
    deliver_notices()

    assert told(ada) == []


def test_who_blocked_the_author_gets_no_notification(begun: Conversation, ada: User) -> None:
    safety.block(conversation=begun, user=ada, now=timezone.now())
    deliver_notices()

    assert told(ada) == []


# --- Attachments ------------------------------------------------------------------------------------


def test_only_the_two_people_download_an_attachment(
    course: Course, leo: User, ada: User, eve: User, mia: User, sam: User, enrollment: Enrollment, browser_of, client
) -> None:
    message = send(course, leo, leo, "My drawing", files=[FileFactory(owner=leo)])
    address = f"/me/messages/files/{message.files.get().uid}"

    for user in (leo, ada):
        assert browser_of(user).get(address)["Location"].startswith("/media/f/")
    for user in (eve, mia, sam):
        assert browser_of(user).get(address).status_code == 404
    assert client.get(address)["Location"].startswith("/auth/login")


def test_files_of_others_cannot_be_attached(course: Course, leo: User, mia: User, enrollment: Enrollment) -> None:
    with pytest.raises(NotFound):
        send(course, leo, leo, files=[FileFactory(owner=mia)])
    assert not Message.objects.exists()


def test_a_message_has_at_most_five_files(course: Course, leo: User, enrollment: Enrollment) -> None:
    with pytest.raises(errors.TooManyAttachments):
        send(course, leo, leo, files=FileFactory.create_batch(6, owner=leo))


# --- Reports ----------------------------------------------------------------------------------------


def test_a_report_reaches_the_admins_once(begun: Conversation, ada: User, sam: User, browser_of) -> None:
    message = begun.messages.get()
    address = f"/me/messages/reports/{message.uid}"
    browser = browser_of(ada)

    assert browser.post(address, {}).status_code == 422
    for _ in range(2):
        assert browser.post(address, {"reason": "spam", "note": "Sells essays"}).status_code == 302
    [report] = queries.open_reports()
    assert (report.reporter, report.reason, report.note) == (ada, "spam", "Sells essays")

    safety.decide_report(report=report, by=sam, is_upheld=True, now=timezone.now())
    assert not queries.open_reports()
    with pytest.raises(errors.ReportDecided):
        safety.decide_report(report=report, by=sam, is_upheld=False, now=timezone.now())


def test_reports_need_the_recipient(begun: Conversation, leo: User, eve: User, sam: User) -> None:
    message = begun.messages.get()
    given = {"message": message, "reason": "spam", "note": "", "now": timezone.now()}

    with pytest.raises(errors.OwnMessage):
        safety.report_message(user=leo, **given)
    for stranger in (eve, sam):
        with pytest.raises(NotFound):
            safety.report_message(user=stranger, **given)
    assert not MessageReport.objects.exists()


def test_only_admins_decide_reports(ada: User, leo: User) -> None:
    report = MessageReportFactory()

    for user in (ada, leo):
        with pytest.raises(RoleRequired):
            safety.decide_report(report=report, by=user, is_upheld=True, now=timezone.now())
    report.refresh_from_db()
    assert report.state == "open"


# --- Pages ------------------------------------------------------------------------------------------


def test_a_learner_begins_a_conversation_from_the_course(
    course: Course, leo: User, enrollment: Enrollment, browser_of, ada: User
) -> None:
    browser = browser_of(leo)
    address = f"/me/messages/new?course={course.slug}"
    assert address in browser.get(f"/courses/{course.slug}").content.decode()
    assert "Write to Ada Byron" in browser.get(address).content.decode()

    answer = browser.post(address, {"source": "Hello"})

    begun = Conversation.objects.get()
    assert answer["Location"] == f"/me/messages/{begun.uid}#m-1"
    assert browser.get(address)["Location"] == f"/me/messages/{begun.uid}"
    assert "Leo Marsh" in browser_of(ada).get("/dashboard/instructor/messages/").content.decode()


def test_an_instructor_begins_a_conversation_with_a_learner(
    course: Course, leo: User, ada: User, enrollment: Enrollment, browser_of
) -> None:
    browser = browser_of(ada)
    address = f"/dashboard/instructor/messages/new?course={course.slug}"
    assert "Leo Marsh" in browser.get(f"{address}&q=leo").content.decode()
    assert "Leo Marsh" not in browser.get(f"{address}&q=nobody").content.decode()

    answer = browser.post(f"{address}&learner={leo.uid}", {"source": "Hello Leo"})

    assert answer["Location"] == f"/dashboard/instructor/messages/{Conversation.objects.get().uid}#m-1"


def test_a_refused_message_is_not_lost(begun: Conversation, leo: User, browser_of) -> None:
    text = "long " * 1200
    answer = browser_of(leo).post(f"/me/messages/{begun.uid}", {"source": text})

    page = answer.content.decode()
    assert answer.status_code == 400
    assert 'data-error="MESSAGE_TOO_LONG"' in page
    assert text in page


@pytest.mark.parametrize("given", [{"key": "x"}, {"attached": "x"}, {"source": "a\x00b"}])
def test_a_broken_form_is_refused(begun: Conversation, leo: User, browser_of, given: dict) -> None:
    answer = browser_of(leo).post(f"/me/messages/{begun.uid}", {"source": "Hello"} | given)

    assert answer.status_code == 422
    assert 'data-error="MESSAGE_UNREADABLE"' in answer.text
    assert begun.messages.count() == 1


def test_a_file_that_is_gone_does_not_lose_the_text(begun: Conversation, leo: User, mia: User, browser_of) -> None:
    browser, address = browser_of(leo), f"/me/messages/{begun.uid}"
    for gone in (uuid4(), FileFactory(owner=mia).uid):
        answer = browser.post(address, {"source": "My long text", "attached": str(gone)})
        assert answer.status_code == 409
        assert "A file is no longer there" in answer.text
        assert "My long text" in answer.text
    answer = browser.post(address, {"source": "Text", "attached": str(uuid4())}, headers={"Accept": "application/json"})
    assert answer.json()["code"] == "MESSAGE_FILE_GONE"


def test_files_are_counted_before_they_are_looked_up(leo: User, django_assert_num_queries: Callable) -> None:
    with django_assert_num_queries(0), pytest.raises(errors.TooManyAttachments):
        services.files_to_attach(leo, [uuid4() for _ in range(6)])


@pytest.mark.parametrize("query", ["before=0", "before=1", "at=999999999", "after=7"])
def test_a_number_that_no_message_has_shows_the_newest(begun: Conversation, leo: User, browser_of, query: str) -> None:
    page = browser_of(leo).get(f"/me/messages/{begun.uid}?{query}").text
    assert 'id="m-1"' in page
    assert "Write the first message." not in page


def test_the_new_messages_come_as_a_part_of_the_page(begun: Conversation, leo: User, ada: User, browser_of) -> None:
    send(begun.course, leo, ada, "Ice.")
    browser = browser_of(leo)

    part = browser.get(f"/me/messages/{begun.uid}/part?after=1").content.decode()
    none = browser.get(f"/me/messages/{begun.uid}/part?after=2").content.decode()

    assert 'data-number="2"' in part
    assert 'data-number="1"' not in part
    assert "<html" not in part
    assert "data-number" not in none


def test_an_instructor_sees_the_topics_of_the_learner_that_everyone_sees(
    begun: Conversation, leo: User, ada: User, mia: User, browser_of
) -> None:
    board = Board.objects.get_or_create(course=begun.course, defaults={"slug": "rivers", "title": "Rivers"})[0]
    seen = make_topic(board=board, author=leo, title="Where is the spring?")
    make_topic(board=board, author=mia, title="Of somebody else")
    deleted = make_topic(board=board, author=leo, title="Taken back")
    delete_post(post=deleted.posts.get(), by=leo, now=timezone.now())

    page = browser_of(ada).get(f"/dashboard/instructor/messages/{begun.uid}").content.decode()

    assert seen.path in page
    assert "No reply yet" in page
    assert "Of somebody else" not in page
    assert "Taken back" not in page


def test_each_side_has_its_own_address(begun: Conversation, leo: User, ada: User, browser_of) -> None:
    assert browser_of(ada).get(f"/me/messages/{begun.uid}").status_code == 404
    assert browser_of(leo).get(f"/dashboard/instructor/messages/{begun.uid}").status_code in {302, 403}


def test_a_deleted_learner_leaves_their_messages_without_a_name(
    begun: Conversation, leo: User, ada: User, browser_of
) -> None:
    safety.block(conversation=begun, user=leo, now=timezone.now())
    accounts.delete_account(user=leo, password=PASSWORD, browser="", now=timezone.now())
    jobs.run_pending("default")

    page = browser_of(ada).get(f"/dashboard/instructor/messages/{begun.uid}").content.decode()
    assert "Deleted user" in page
    assert "Why is the valley wide?" in page
    assert 'data-error="MESSAGE_RECIPIENT_GONE"' in page
    assert "Leo" not in page


# --- Bans -------------------------------------------------------------------------------------------


def ban(user: User, by: User, board: Board | None = None) -> None:
    forum_bans.ban(user=user, by=by, board=board, days=3, reason="Adverts", now=timezone.now())


def test_a_banned_learner_reads_but_does_not_write(
    begun: Conversation, course: Course, leo: User, sam: User, browser_of: Callable[[User], Client]
) -> None:
    ban(leo, sam)
    browser, address = browser_of(leo), f"/me/messages/{begun.uid}"
    page = browser.get(address)
    assert page.status_code == 200
    assert "You can&#39;t write messages" in page.text
    assert "Adverts" in page.text
    assert 'name="source"' not in page.text
    answer = browser.post(address, {"source": "Buy this"}, headers={"Accept": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (403, "MESSAGE_SENDER_BANNED")
    assert browser.post(address, {"source": "Buy this"}).status_code == 403
    with pytest.raises(errors.MessagesBanned):
        reading.tell_of_writing(conversation=begun, user=leo)
    assert Message.objects.count() == 1


def test_a_banned_user_begins_no_conversation(
    course: Course, enrollment: Enrollment, leo: User, ada: User, sam: User, browser_of: Callable[[User], Client]
) -> None:
    ban(leo, sam)
    ban(ada, sam)
    for person, address in (
        (leo, f"/me/messages/new?course={course.slug}"),
        (ada, f"/dashboard/instructor/messages/new?course={course.slug}&learner={leo.uid}"),
    ):
        assert browser_of(person).get(address).status_code == 403
        answer = browser_of(person).post(address, {"source": "Hello"}, headers={"Accept": "application/json"})
        assert (answer.status_code, answer.json()["code"]) == (403, "MESSAGE_SENDER_BANNED")
    assert not Message.objects.exists()


def test_a_ban_from_the_board_of_a_course_is_for_its_messages_only(
    begun: Conversation, course: Course, leo: User, ada: User, sam: User
) -> None:
    ban(leo, ada, BoardFactory(course=course))
    with pytest.raises(errors.MessagesBanned):
        send(course, leo, leo)
    other = EnrollmentFactory(user=leo, course__status="published").course
    assert send(other, leo, leo).number == 1
    assert send(course, leo, ada, "You may read this.").number == 2


def test_a_banned_user_replies_to_an_admin(
    begun: Conversation, course: Course, leo: User, ada: User, sam: User
) -> None:
    User.objects.filter(pk=ada.pk).update(role="admin")
    course.instructor.refresh_from_db()
    ban(leo, sam)
    with pytest.raises(errors.MessagesBanned):
        send(course, leo, leo)
    send(course, leo, course.instructor, "Why did you do that?")
    assert send(course, leo, leo, "I am sorry.").number == 3
