"""Every page address, including those for forms only: test that its guard works."""

import re
from collections.abc import Callable, Iterator
from copy import copy
from datetime import timedelta
from functools import cache
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.messages import get_messages
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.mail import EmailMultiAlternatives
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import BrowserSession, DataExport, Notification, TeachingRequest, User
from apps.accounts.sessions import signing_in
from apps.billing.models import Bundle, Deposit, Gift, ManualEntry, Payout, PayoutRun, Refund
from apps.billing.services import post_entry
from apps.billing.services.gifts import prepare_gift
from apps.billing.services.issuing import issue_documents
from apps.billing.services.ledger import post_payout_started
from apps.billing.services.payments import book_sale
from apps.billing.services.seats import give_seat
from apps.billing.services.transfer_orders import place_transfer_order
from apps.courses.models import (
    Appeal,
    CourseVersion,
    DiscardedVersion,
    LessonDownload,
    OutlineChange,
    QuizDraw,
    StatusChange,
)
from apps.courses.services import create_review_link
from apps.courses.services.invitations import invite_co_instructor
from apps.forum.models import Tag
from apps.forum.services import ban, hide
from apps.forum.services.bulk_messages import send_bulk_message
from apps.forum.services.message_safety import report_message
from apps.forum.services.messages import send_message
from apps.learning.models import StaffNote
from apps.learning.services import schedule_report
from studyplatform.kit.caching.lru import clear_caches
from studyplatform.kit.mail import mailbox
from studyplatform.kit.models import Job
from tests.accounts.provider import configured
from tests.architecture.conftest import World
from tests.architecture.test_doors import Door, pages
from tests.courses.test_review_threads import say
from tests.factories.accounts import UserFactory
from tests.factories.billing import sale
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import CourseFileFactory, QuestionFactory, QuestionImportFactory, QuizFactory
from tests.factories.files import CaptionFactory, CourseShareFactory, FileFactory, FolderFactory
from tests.factories.forum import AnnouncementCopyFactory
from tests.factories.learning import AttemptFactory, FlashCardFactory, RatingFactory
from tests.factories.paths import LearningPathFactory, put_in
from tests.factories.seats import SeatPackFactory, open_seats
from tests.factories.selling import OrderFactory, PaymentFactory, PromoCodeFactory
from tests.factories.tokens import make_token
from tests.factories.topics import make_post, make_topic

# One process, as each finds out once which methods a page has.
pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("pages")]

PEOPLE = ["visitor", "expired", "ben", "mia", "ada", "sam"]
OUT = {"visitor", "expired", "ben"}  # ben was blocked while signed in
INSIDE = {
    "signed_in": {"mia", "ada", "sam"},
    "recently_authenticated": {"mia", "ada", "sam"},
    "confirms_identity": {"mia", "ada", "sam"},
    "teaches": {"ada", "sam"},
    "administers": {"sam"},
}
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
# Pages of an object: the users allowed to open it. Ada owns what is taught, Leo what is learned;
# Kim takes the same course, Eve teaches another one, Mia is not enrolled.
STAFF, LEARNERS, LEO, ADMIN, ALL = {"ada", "sam"}, {"leo", "kim"}, {"leo"}, {"sam"}, {"mia", "leo", "kim", "eve", "sam"}
MEMBERS = {"leo", "kim", "ada"}  # of the course: an admin does not see what its people share
OWNERS = {
    "accounts:give-role": ADMIN,
    "accounts:block": ADMIN,
    "accounts:unblock": ADMIN,
    "accounts:decide-teaching": ADMIN,
    "accounts:download-export": LEO,
    "accounts:notification-read": LEO,
    "accounts:rename-passkey": LEO,
    "accounts:remove-passkey": LEO,
    "accounts:end-session": LEO,
    "accounts:revoke-token": LEO,
    "accounts:link-provider": ALL | STAFF,  # a provider has no owner
    "accounts:unlink-provider": LEO,
    "billing:card-default": LEO,
    "billing:card-remove": LEO,
    "billing:admin-decide-refund": ADMIN,
    "billing:admin-refund": ADMIN,
    "billing:admin-bank-undo": ADMIN,
    "billing:admin-payout-mark": ADMIN,
    "billing:admin-payout-reverse": ADMIN,
    "billing:admin-payout-transfers": ADMIN,
    "billing:admin-tax-details": ADMIN,
    "billing:admin-account": ADMIN,
    "billing:admin-entry": ADMIN,
    "billing:payout-statement": STAFF,
    "billing:year-statement": {"ada"},  # everyone has their own
    "billing:bundle-edit": STAFF,
    "billing:bundle-switch": STAFF,
    **dict.fromkeys(["billing:gift", "billing:gift-send", "billing:gift-card"], LEO),
    **{f"billing:{name}": LEO for name in ("team", "team-usage", "team-seat")},
    **{f"billing:team-{name}": LEO for name in ("take-back", "invitation-send", "invitation-cancel")},
    "billing:team-settings": LEO | ADMIN,
    "billing:seat-leave": LEO,
    "billing:seat-take": ALL | STAFF,  # a team says the same to everyone to whom it offers no seat
    **dict.fromkeys(["billing:seats-add", "billing:seats-renew", "billing:seats-return", "billing:order-pay"], LEO),
    "billing:promo-code": STAFF,
    "billing:promo-code-edit": STAFF,
    "billing:promo-code-switch": STAFF,
    "billing:transaction": {"leo", "sam"},
    "billing:receipt": {"leo", "sam"},
    "billing:invoice": {"leo", "sam"},
    "billing:document": {"leo", "sam"},
    "billing:refund": LEO,
    **dict.fromkeys(["billing:order", "billing:order-pay", "billing:order-cancel"], LEO),
    "billing:refund-account": {"leo", "sam"},
    **dict.fromkeys(
        [
            "billing:admin-transfer",
            "billing:admin-transfer-cancel",
            "billing:admin-transfer-charges",
            "billing:admin-deposit-reject",
            "billing:admin-deposit-return",
            "billing:admin-return-confirm",
            "billing:admin-return-withdraw",
            "billing:admin-return-reject",
        ],
        ADMIN,
    ),
    "forum:announcement": LEO,
    "tutor:export": LEO,
    "tutor:teaching-course": STAFF,
    "tutor:switches": STAFF,
    "tutor:settle-question": STAFF,
    "forum:conversation": LEO,
    "forum:conversation-block": {"leo", "ada"},  # the two people of the conversation
    "forum:conversation-part": {"leo", "ada"},
    "forum:conversation-read": {"leo", "ada"},
    "forum:conversation-unread": {"leo", "ada"},
    "forum:message-file": {"leo", "ada"},
    "forum:message-report": {"leo", "ada"},  # it is Leo's message, and the page says so
    "forum:teaching-conversation": {"ada"},
    "forum:board-follow": ALL | STAFF,  # the board of a public course
    "forum:tag-follow": ALL | STAFF,
    "forum:topic-follow": ALL | STAFF,
    "forum:topic-posts": ALL | STAFF,
    "forum:topic-pin": STAFF,
    "forum:topic-close": STAFF,
    "forum:topic-rename": {"leo", "ada", "sam"},
    "forum:topic-move": STAFF,
    "forum:topic-merge": STAFF,
    "forum:topic-split": STAFF,
    "forum:reply": LEARNERS | STAFF,
    "forum:post-vote": {"kim", "ada", "sam"},  # not the author, Leo
    "forum:post-react": {"kim", "ada", "sam"},
    "forum:post-accept": {"leo", "ada", "sam"},
    "forum:post-edit": {"leo", "ada", "sam"},
    "forum:post-delete": {"leo", "ada", "sam"},
    "forum:post-restore": {"leo", "ada", "sam"},
    "forum:post-report": ALL | STAFF,  # of a public course; its author, Leo, sees that it is his
    "forum:post-decide": STAFF,
    "forum:decision-undo": STAFF,
    "forum:ban-lift": STAFF,
    "forum:moderation-ban": ADMIN,
    "forum:moderation-message": ADMIN,
    "learning:review-delete": LEO,
    "learning:review-restore": LEO,
    "learning:review-helpful": (ALL | STAFF) - LEO,  # of a public course; not the author
    "learning:review-report": (ALL | STAFF) - LEO,
    "learning:review-reply": {"ada"},
    "learning:review-decide": ADMIN,
    "learning:resume": ALL | STAFF,  # redirects to the course or to a lesson, which have guards
    "learning:as-learner": STAFF,
    "learning:as-learner-frame": STAFF,
    "learning:lesson-complete": LEARNERS,
    "learning:attempt-start": LEARNERS,
    "learning:attempt-hand-in": LEO,
    "learning:card": LEO,
    "learning:card-answer": LEO,
    "learning:card-rate": LEO,
    "learning:card-delete": LEO,
    "learning:card-restore": LEO,
    "learning:bookmark": ALL | STAFF,
    "learning:choose-version": LEARNERS,
    "learning:course-progress": LEARNERS,
    "learning:notebook": LEARNERS,
    "learning:notebook-markdown": LEARNERS,
    "learning:notebook-pdf": LEARNERS,
    "learning:certificate-pdf": LEO,
    "learning:certificate-badge": LEO,
    "files:download": LEO,
    "files:download-version": LEO,
    "files:folder-zip": LEO,
    "files:library-file": LEO,
    "files:rename-file": LEO,
    "files:rename-folder": LEO,
    "files:restore-version": LEO,
    "files:openings": LEO,
    "files:revoke-share": LEO,
    "files:share-file": LEO,
    "files:share-folder": LEO,
    "files:shared-entry": MEMBERS,
    "files:shared-entry-download": MEMBERS,
    "files:shared-entry-file": MEMBERS,
    "files:shared-entry-thumbnail": MEMBERS,
    "files:shared-entry-view": MEMBERS,
    "files:shared-entry-zip": MEMBERS,
    "files:thumbnail": LEO,
    "files:view": LEO,
    "site:delete-stored-file": LEO,
    "site:delete-stored-video": {"ada"},  # admins cannot delete videos of others here
    "site:learner": {"ada"},  # admins by ?course=
    "site:learner-attempt": {"ada"},
    "site:learner-note": {"ada"},
    "site:learner-note-delete": {"ada"},
    "site:learners-message-sent": {"ada"},
    **{f"site:analytics-{name}": STAFF for name in ("lesson", "lesson-file", "quiz", "quiz-file")},
    "site:analytics-file": STAFF | {"eve"},  # the figures of their own courses
    "site:analytics-report-end": {"ada"},
    "site:review": ADMIN,
    "site:review-step": ADMIN,
    "site:review-point": ADMIN,
    "site:review-appeal": ADMIN,
    "site:admin-job-retry": ADMIN,
    "site:admin-mail": ADMIN,
    "site:admin-mail-page": ADMIN,
}

# These give every user the same response, and write only the user's own rows.
SILENT = {"accounts:notification-read", "accounts:rename-passkey", "accounts:end-session", "accounts:unlink-provider"}
SILENT |= {"site:analytics-report-end"}


def owners_of(door: Door) -> set[str] | None:
    is_studio = door.name.startswith(("courses:studio-", "site:course-preview"))
    return STAFF if is_studio and "<" in door.address else OWNERS.get(door.name)


def guarded() -> list[Door]:
    return [door for door in pages() if getattr(door.view, "guard", "everyone") != "everyone"]


@pytest.fixture
def fill(world: World, leo: User, settings: Any, tmp_path: Path) -> Callable[[Door], str]:
    """An address filled in with Ada's course and lessons, or Leo's attempt and certificate."""
    settings.SIGN_IN_PROVIDERS = [configured("", slug="github", title="GitHub")]
    settings.EMAIL_BACKEND, settings.EMAIL_FILE_PATH = mailbox.BACKEND, str(tmp_path / "mail")
    EmailMultiAlternatives("Tides", "Words", to=[leo.email], alternatives=[("<p>Words</p>", "text/html")]).send()
    asked = TeachingRequest.objects.create(user=leo, reason="Rivers " * 10, created_at=timezone.now())
    now = timezone.now()
    export = DataExport(user=leo, created_at=now, state=DataExport.State.READY, expires_at=now + timedelta(days=1))
    export.file.save("archive.zip", ContentFile(b"all of it"))
    failed = Job.objects.create(kind="nothing", state=Job.State.FAILED, run_at=now, created_at=now)
    notice = Notification.objects.create(user=leo, kind="role", created_at=now)
    passkey = Authenticator.objects.create(user=leo, type=Authenticator.Type.WEBAUTHN, data={"name": "Key"})
    Client().force_login(leo)  # another session of Leo
    thumbnail = default_storage.save("thumbnails/one.webp", ContentFile(b"RIFF"))
    own_file, own_folder = FileFactory(owner=leo, thumbnail=thumbnail), FolderFactory(owner=leo)
    share = CourseShareFactory(owner=leo, file=own_file, course=world.course.uid)
    payment, other = PaymentFactory(user=leo, paid_at=now), PaymentFactory(user=leo)
    book_sale(payment)
    (document,) = issue_documents(payment=payment, now=now)
    run = PayoutRun.objects.create(day=now.date(), created_at=now)
    owed = {"amount": 100, "currency": "usd", "sales_until": now, "method": "bank", "created_at": now}
    payout = Payout.objects.create(run=run, instructor=world.course.instructor, started_at=now, **owed)
    sold = sale(world.course.instructor_id, at=now, payment_key="pi_of_ada")
    post_payout_started(payout.key, world.course.instructor_id, 100, "usd", occurred_at=now)
    waiting = Refund.objects.create(payment=other, amount=100, status=Refund.Status.REQUESTED, requested_at=now)
    order = place_transfer_order(order=OrderFactory(user=leo), due_at=now + timedelta(days=14), now=now)
    deposit = Deposit.objects.create(
        order=order, amount=100, received_on=now.date(), recorded_by=world.course.instructor, recorded_at=now
    )
    going = Refund.objects.create(
        payment=PaymentFactory(user=leo), amount=100, status="processing", method="transfer", requested_at=now
    )
    teacher = world.course.instructor
    named = {"title": "Both", "instructor": teacher, "created_by": teacher, "created_at": now, "updated_at": now}
    bundle = Bundle.objects.create(slug="both", price=9_000, currency="usd", **named)
    given = PaymentFactory(user=leo, order=OrderFactory(user=leo, status="paid"))
    said = {"sender_name": "Leo", "recipient_name": "Ben", "recipient_email": "ben@example.com", "send_at": now}
    gift = Gift.objects.create(order=given.order, created_at=now, **said)
    prepare_gift(gift=gift, payment=given, now=now)
    seats = open_seats(owner=leo, now=now)
    own_seat = seats.rows.first()
    give_seat(seat=own_seat, user=leo, by=leo, now=now)
    ordered = SeatPackFactory(team=seats.team, order=OrderFactory(user=leo, is_for_team=True)).order
    code = PromoCodeFactory(scope="course", course=world.course, created_by=world.course.instructor)
    message = send_message(
        course=world.course,
        learner=leo,
        user=leo,
        source="Why?",
        files=[FileFactory(owner=leo)],
        now=now,
    )
    told = AnnouncementCopyFactory(user=leo, announcement__course=world.course).announcement
    topic = make_topic(board=world.topic.board, author=leo)
    rating = RatingFactory(enrollment=leo.enrollments.get(course=world.course))
    reply, deleted = make_post(topic, author=leo), make_post(topic, author=leo, state="deleted", changed_by=leo)
    teacher = world.course.instructor
    bank = QuizFactory(lesson=None, course=world.course)
    banked = QuizDraw.objects.create(quiz=world.quiz.quiz, position=1, question=QuestionFactory(quiz=bank))
    hide(post=make_post(topic, author=leo), by=teacher, now=now)
    banned = ban(user=UserFactory(), by=teacher, board=topic.board, days=1, reason="Adverts", now=now)
    complaint = report_message(message=message, user=teacher, reason="spam", note="", now=now)
    topic.tags.add(Tag.objects.create(slug="tides", name="tides"))
    posted = post_entry(
        uid=uuid4(), kind=ManualEntry.Kind.TAX_PAID, amount=5, currency="usd", day=now.date(), period="", reference="",
        admin=None, now=now,
    )  # fmt: skip
    offered = LessonDownload.objects.create(
        lesson=world.text, file=CourseFileFactory(course=world.course), name="tables.pdf", position=1
    )
    joined = CoInstructorFactory(course=world.course)
    invited = invite_co_instructor(course=world.course, by=teacher, email="bo@example.com", role="view", now=now)
    things: dict[str, Any] = {
        **{name: message.conversation.uid for name in OWNERS if "conversation" in name},
        "forum:message-file": message.files.get().uid,
        "forum:message-report": message.uid,
        "forum:moderation-message": complaint.uid,
        "forum:announcement": told.uid,
        "billing:document": document.uid,
        "tutor:export": world.chat_answer.exchange.chat.uid,
        **{name: own_file.uid for name in OWNERS if name.startswith("files:")},
        **{name: share.uid for name in OWNERS if name.startswith("files:shared-entry")},
        "files:openings": share.uid,
        "files:shared-entry-zip": CourseShareFactory(owner=leo, folder=own_folder, course=world.course.uid).uid,
        "files:revoke-share": share.uid,
        "files:rename-folder": own_folder.uid,
        "files:folder-zip": own_folder.uid,
        "files:share-folder": own_folder.uid,
        **dict.fromkeys(["billing:transaction", "billing:receipt", "billing:invoice", "billing:refund"], payment.uid),
        "billing:admin-refund": payment.uid,
        **dict.fromkeys(["billing:order", "billing:order-pay", "billing:order-cancel"], order.uid),
        **{f"billing:admin-transfer{act}": order.uid for act in ("", "-cancel", "-charges")},
        **{f"billing:admin-deposit-{act}": deposit.uid for act in ("return", "reject")},
        **{f"billing:admin-return-{act}": going.uid for act in ("confirm", "withdraw", "reject")},
        "billing:refund-account": going.uid,
        "billing:admin-decide-refund": waiting.uid,
        "billing:admin-bank-undo": posted.uid,
        "billing:admin-payout-mark": payout.uid,
        "billing:admin-payout-reverse": payout.uid,
        "billing:payout-statement": payout.uid,
        "billing:admin-entry": sold.uid,
        **dict.fromkeys(["billing:bundle-edit", "billing:bundle-switch"], bundle.uid),
        **dict.fromkeys(["billing:gift", "billing:gift-send", "billing:gift-card"], gift.uid),
        **dict.fromkeys([name for name in OWNERS if name.startswith("billing:team")], seats.team.uid),
        "billing:seat-take": seats.team.uid,
        "billing:seat-leave": own_seat.uid,
        **dict.fromkeys(["billing:seats-add", "billing:seats-renew", "billing:seats-return"], seats.team.uid),
        "billing:order-pay": ordered.uid,
        **dict.fromkeys(["billing:promo-code", "billing:promo-code-edit", "billing:promo-code-switch"], code.uid),
        "billing:card-default": world.card.uid,
        "billing:card-remove": world.card.uid,
        "accounts:notification-read": notice.uid,
        "accounts:revoke-token": make_token(leo)[0].uid,
        "accounts:end-session": BrowserSession.objects.of(leo).get().uid,
        "site:admin-job-retry": failed.uid,
        "site:delete-stored-file": world.kept.uid,
        "site:delete-stored-video": world.video.uid,
        "accounts:decide-teaching": asked.uid,
        "accounts:download-export": export.uid,
        "learning:attempt-hand-in": world.attempt.uid,
        "learning:card": FlashCardFactory(user=leo).uid,
        "learning:card-answer": FlashCardFactory(user=leo).uid,
        "learning:card-rate": FlashCardFactory(user=leo).uid,
        "learning:card-delete": FlashCardFactory(user=leo).uid,
        "learning:card-restore": FlashCardFactory(user=leo, deleted_at=now).uid,
        **{
            f"courses:studio-path{rest}": put_in(LearningPathFactory(owner=teacher), world.course).uid
            for rest in ("", "-add", "-move", "-remove", "-publish", "-delete")
        },
        "courses:studio-caption-track": CaptionFactory(video=world.video_lesson.video).uid,
        **{f"courses:studio-people-{act}": joined.uid for act in ("change", "remove", "give")},
        "courses:studio-version-undo": CourseVersion.objects.create(
            course=world.course, number=1, correction=1, tree={}, published_at=now
        ).uid,
        "courses:studio-version-restore": (
            former := CourseVersion.objects.create(course=world.course, number=1, tree={}, published_at=now)
        ).uid,
        "courses:studio-version-forget": former.uid,
        "courses:studio-version-back": DiscardedVersion.objects.create(
            course=world.course, number=2, tree={}, base={}, discarded_at=now
        ).uid,
        **{f"courses:studio-people-{act}": invited.uid for act in ("send", "revoke")},
        "courses:studio-section-rename": world.section.uid,
        "courses:studio-section-move": world.section.uid,
        "courses:studio-section-duplicate": world.section.uid,
        "courses:studio-download-remove": offered.uid,
        "courses:studio-download-move": offered.uid,
        "courses:studio-section-delete": world.spare.uid,
        **dict.fromkeys(
            [f"courses:studio-bank-{act}" for act in ("question", "copy", "delete", "use")], banked.question.uid
        ),
        "courses:studio-draw": banked.uid,
        "courses:studio-import": QuestionImportFactory(course=world.course).uid,
        "courses:studio-import-undo": QuestionImportFactory(course=world.course, imported_at=now).uid,
    }
    thread = say(world.course, teacher)
    spoken = thread.comments.get()
    spoken.picture_key, spoken.picture_width, spoken.picture_height = "0" * 24, 1, 1
    spoken.save()
    default_storage.save(spoken.picture_name, ContentFile(b"RIFF"))
    suspension = StatusChange.objects.create(
        course=world.course, was="published", became="suspended", changed_by=teacher, changed_at=now
    )
    appeal = Appeal.objects.create(
        course=world.course, suspension=suspension, text="Why?", written_by=teacher, written_at=now
    )
    leos = leo.enrollments.get(course=world.course)
    handed_in = AttemptFactory(enrollment=leos, quiz=world.quiz.quiz, number=90, submitted_at=now)
    noted = StaffNote.objects.create(
        learner=leo, course=world.course, author=teacher, text="Night shifts", created_at=now
    )
    things |= {
        "site:learners-message-sent": send_bulk_message(
            user=teacher,
            recipients=leo.enrollments.filter(pk=leos.pk),
            source="Hello {first name}",
            key=uuid4(),
            now=now,
        ).uid,
        "site:review-appeal": appeal.uid,
        "site:analytics-report-end": schedule_report(user=teacher, course=None, frequency="weekly", now=now).uid,
        "courses:studio-review-link-revoke": create_review_link(
            course=world.course, by=teacher, recipient="Mori", days=3, now=now
        )[0].uid,
        "courses:studio-review-answer": thread.uid,
        "courses:studio-review-state": thread.uid,
        "courses:studio-review-picture": spoken.uid,
    }
    change = OutlineChange.objects.create(
        course=world.course, made_by=teacher, made_at=now, kind=OutlineChange.Kind.RENAME, facts={"fields": []}
    )
    lessons = {"attempt": world.quiz, "quiz": world.quiz, "question": world.quiz, "video": world.video_lesson}
    lessons["caption-track"] = world.video_lesson
    lessons |= dict.fromkeys(["studio-captions"], world.video_lesson)
    lessons["draw"] = world.quiz
    lessons["analytics-lesson"] = world.video_lesson

    @cache
    def address(door: Door) -> str:
        lesson = next((lesson for word, lesson in lessons.items() if word in door.name), world.text)
        uid = things.get(door.name, world.question.uid if "question" in door.name else leo.uid)
        names = {"slug": world.course.slug, "course": world.course.slug, "lesson": lesson.slug, "uid": uid}
        names |= {"file": own_file.uid, "code": world.certificate.code, "pk": passkey.pk, "day": run.day.isoformat()}
        names["seat"] = own_seat.uid
        names |= {"attempt": handed_in.uid, "note": noted.uid}
        names["pack"] = seats.uid
        names["change"] = change.uid
        names |= {"rating": rating.pk, "topic": topic.pk, "post": deleted.pk if "restore" in door.name else reply.pk}
        if door.name.startswith("forum:"):
            names |= {"board": topic.board.slug, "tag": "tides", "user": leo.pk, "ban": banned.pk}
            names["action"] = topic.decisions.get().pk
        if door.name == "accounts:link-provider":
            names["slug"] = "github"
        if door.name == "billing:admin-account":
            names["code"] = "provider"
        names["year"] = now.year
        names["language"] = "en"
        if door.name.startswith("site:admin-mail"):
            names["name"] = mailbox.names()[0]
        if door.name == "site:analytics-file":
            names["name"] = "metrics"

        def value(match: re.Match[str]) -> str:
            return str(names.get(match["name"], uuid4() if match["kind"] == "uuid" else "1"))

        return re.sub(r"<(?:(?P<kind>\w+):)?(?P<name>\w+)>", value, door.address)

    return address


def proved(browser: Client) -> Client:
    """The user has just confirmed their identity."""
    session = browser.session
    session[signing_in._AUTHENTICATED_AT] = timezone.now().isoformat()
    session.save()
    return browser


def ask(browser: Client, method: str, address: str) -> tuple[Any, list[str]]:
    """The response and what it wrote, which is rolled back."""
    with transaction.atomic(), CaptureQueriesContext(connection) as seen:
        answer = browser.generic(method, address, content_type="application/x-www-form-urlencoded")
        transaction.set_rollback(True)
    writes = [one["sql"] for one in seen.captured_queries if one["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    if writes:
        clear_caches()  # caches may contain rows that were rolled back
    return answer, writes


def fresh(browser: Client) -> Client:
    """The same browser with its cookies restored. It shares the loaded middleware, which would be loaded each time."""
    again = copy(browser)
    again.cookies = SimpleCookie()
    if "sessionid" in browser.cookies:
        again.cookies["sessionid"] = browser.cookies["sessionid"].value
    return again


REFUSALS = {"ENROLLMENT_REQUIRED", "NOT_FOUND", "COURSE_NOT_FOUND", "LECTURE_UNAVAILABLE"}
REFUSALS |= {"BUNDLE_NOT_FOUND", "FORUM_NOT_YOUR_POST", "FORUM_OWN_POST", "RATING_OWN", "PRACTICE_CARD_NOT_FOUND"}


def word(answer: Any) -> str:
    """The outcome of the request in one word."""
    codes = {message.extra_tags for message in get_messages(answer.wsgi_request)}
    if answer.status_code == 302:
        to = urlsplit(answer["Location"]).path
        if to == "/auth/login":
            return "sign in"
        if to == "/" and codes & {"ROLE_REQUIRED", "COURSE_STAFF_ONLY"}:
            return "home"
        if codes & REFUSALS:
            return "refused"
    return "refused" if answer.status_code in {401, 403, 404} else str(answer.status_code)


_ALLOWED: dict[Door, list[str]] = {}


def allowed(fill: Callable[[Door], str], browser: Client, door: Door) -> list[str]:
    """The methods of a page, from its Allow header. Requested once per page and process."""
    if door not in _ALLOWED:
        answer, _ = ask(fresh(browser), "PROPFIND", fill(door))
        named = answer["Allow"].split(",") if "Allow" in answer else []
        _ALLOWED[door] = [one.strip() for one in named if one.strip() in METHODS]
    return _ALLOWED[door]


@pytest.mark.parametrize(
    "person", [pytest.param(one, marks=pytest.mark.long if one in {"expired", "ben", "ada"} else ()) for one in PEOPLE]
)
def test_each_guard_holds_for_each_method(
    person: str, browser_as: Callable[[str], Client], fill: Callable[[Door], str], sam: User
) -> None:
    admin, browser, wrong = proved(browser_as("sam")), browser_as(person), []
    prove = reverse("accounts:prove")
    for door in guarded():
        if door.name.startswith("admin:"):
            continue
        may = person in INSIDE[door.view.guard]
        for method in allowed(fill, admin, door) or ["GET"]:
            answer, writes = ask(fresh(browser), method, fill(door))
            found = word(answer)
            expected = "sign in" if person in OUT else "home"
            if may and found in {"sign in"} | ({"home"} if person == "sam" else set()):
                wrong.append(f"{method} {door.address} ({door.name}): {found}, but {door.view.guard} lets them in")
            if may and door.view.guard == "recently_authenticated" and not answer.get("Location", "").startswith(prove):
                wrong.append(f"{method} {door.address} ({door.name}): {found}, though nothing was proved")
            if not may and found != expected:
                wrong.append(f"{method} {door.address} ({door.name}): {found}, not {expected}")
            if not may and writes:
                wrong.append(f"{method} {door.address} ({door.name}): refused, and wrote {writes[0][:120]}")
            if answer.status_code >= 500:
                wrong.append(f"{method} {door.address} ({door.name}): {answer.status_code}")

    assert not wrong, f"{person}:\n" + "\n".join(wrong)


def test_each_page_refuses_the_wrong_method(browser_as: Callable[[str], Client], fill: Callable[[Door], str]) -> None:
    admin, wrong = proved(browser_as("sam")), []
    for door in pages():
        if door.name.startswith("admin:") or not hasattr(door.view, "guard"):
            continue
        takes = allowed(fill, admin, door)
        if not takes:
            wrong.append(f"{door.address} ({door.name}): takes any method")
        for method in {"GET", "POST", "DELETE"} - set(takes):  # one decorator refuses all others alike
            answer, writes = ask(fresh(admin), method, fill(door))
            if takes and (answer.status_code != 405 or writes):
                wrong.append(f"{method} {door.address} ({door.name}): {answer.status_code}")

    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "person", ["mia", "eve", "ada", *(pytest.param(one, marks=pytest.mark.long) for one in ("kim", "leo", "sam"))]
)
def test_objects_of_a_page_belong_to_its_owner(
    person: str, browser_as: Callable[[str], Client], fill: Callable[[Door], str]
) -> None:
    admin, browser, wrong = proved(browser_as("sam")), proved(browser_as(person)), []
    for door in guarded():
        owners = owners_of(door)
        if owners is None:
            continue
        for method in allowed(fill, admin, door):
            answer, writes = ask(fresh(browser), method, fill(door))
            is_refused = word(answer) in {"home", "refused"}
            if person not in owners and not is_refused and door.name not in SILENT:
                wrong.append(f"{method} {door.address} ({door.name}): {word(answer)}")
            own = f'"user_id" = {User.objects.get(username=person).pk} '
            if person not in owners and [one for one in writes if door.name not in SILENT or own not in one]:
                wrong.append(f"{method} {door.address} ({door.name}): wrote {writes[0][:120]}")
            if person in owners and is_refused:
                wrong.append(f"{method} {door.address} ({door.name}): {word(answer)}, but it is theirs")

    assert not wrong, f"{person}:\n" + "\n".join(wrong)


def test_each_page_of_an_object_states_its_owner() -> None:
    nameless = [
        f"{door.address} ({door.name})"
        for door in guarded()
        if "<" in door.address and owners_of(door) is None and not door.name.startswith("admin:")
    ]

    assert not nameless, "say in OWNERS who may:\n" + "\n".join(nameless)
    assert set(OWNERS) - {door.name for door in guarded()} == set(), "no longer an address"


# The open addresses: the sign-in page, what it replaces, and signing out.
ADMIN_OPEN = {"sign-in-for-admin", "admin:login", "admin:logout"}


def admin_addresses() -> Iterator[tuple[str, str]]:
    for door in pages():
        if door.address.startswith("/admin/") and door.name not in ADMIN_OPEN:
            yield door.name, re.sub(r"<[^>]+>|\(\?P<\w+>[^)]*\)|[$^]", "1", door.address)


@pytest.mark.parametrize(
    "person", ["visitor", "mia", "ada", *(pytest.param(one, marks=pytest.mark.long) for one in ("expired", "ben"))]
)
def test_django_admin_is_only_for_admins(person: str, browser_as: Callable[[str], Client]) -> None:
    browser, wrong, tried = browser_as(person), [], 0
    for name, address in admin_addresses():
        for method in ("GET", "POST"):
            answer, writes = ask(fresh(browser), method, address)
            tried += 1
            led = urlsplit(answer.get("Location", "/")).path in {"/", "/auth/login", "/admin/login/"}
            is_bare = address.endswith("/1/")  # the old address of a row redirects to its new one
            if answer.status_code not in {302, 301, 403, 404, 405} or writes or not (led or is_bare):
                wrong.append(f"{method} {address} ({name}): {answer.status_code}, {len(writes)} writes")

    assert tried > 50
    assert not wrong, f"{person}:\n" + "\n".join(wrong)


# Forms that other sites may submit, each with its reason.
WITHOUT_TOKEN = {
    "assistants:mcp": "no cookie counts: programs send a token in a header",
    "samples:todos-mcp": "as assistants:mcp, with the key of a list",
    "learning:visit": "a beacon of cached pages; it adds one visitor, and only a page of this site counts",
    "accounts:unsubscribe": "mail programs press it (RFC 8058); the signed link is the right to it",
    "djstripe:djstripe_webhook_by_uuid": "the payment provider signs what it sends",
}
# Forms that lead a user with an outdated token elsewhere and do nothing, each with its reason.
REDIRECTS_WITHOUT_TOKEN = {"accounts:sign-in": "the user has signed in in another tab and continues"}


def test_each_form_needs_a_csrf_token(browser_as: Callable[[str], Client], fill: Callable[[Door], str]) -> None:
    admin, wrong, tried = proved(browser_as("sam")), [], 0
    checking = Client(enforce_csrf_checks=True)
    checking.cookies = admin.cookies
    for door in pages():
        is_admin = door.name.startswith("admin:")
        takes = ["POST"] if is_admin else allowed(fill, admin, door)
        if "POST" not in takes or door.name in WITHOUT_TOKEN:
            continue
        address = re.sub(r"\(\?P<\w+>[^)]*\)|[$^]", "1", fill(door))
        answer, writes = ask(fresh(checking), "POST", address)
        tried += 1
        refusals = {403, 302, 404, 405} if is_admin else {302} if door.name in REDIRECTS_WITHOUT_TOKEN else {403}
        if writes or answer.status_code not in refusals:
            wrong.append(f"{door.address} ({door.name}): {answer.status_code}, {len(writes)} writes")

    assert tried > 40
    assert not wrong, "\n".join(wrong)
