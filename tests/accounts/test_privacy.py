"""The data archive and the deletion of an account."""

import io
import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.apps import apps as installed
from django.core import mail
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import BrowserSession, DataExport, Notification, Registration, Role, User
from apps.accounts.services import data_export
from apps.billing.models import BuyerDetails
from apps.courses.models import Course
from apps.files import services as services_of_files
from apps.files.models import ShareOpening
from apps.forum.models import Draft, Follow, Visit
from apps.learning.models import (
    Achievement,
    Bookmark,
    Certificate,
    Enrollment,
    LearnedDay,
    NotebookDocument,
    StaffNote,
)
from studyplatform.kit import jobs
from studyplatform.kit.errors import RateLimitExceeded
from tests.accounts.test_reauthentication import recently_authenticated
from tests.factories.accounts import PASSWORD, UserFactory
from tests.factories.courses import CourseFactory
from tests.factories.files import BinnedOriginalFactory, FileFactory, FolderFactory, ShareLinkFactory, UploadFactory
from tests.factories.forum import AnnouncementCopyFactory, BlockFactory
from tests.factories.learning import BookmarkFactory, FlashCardFactory, NoteFactory
from tests.factories.paths import LearningPathFactory
from tests.factories.seats import SeatFactory
from tests.factories.selling import CardFactory
from tests.factories.topics import make_topic
from tests.factories.tutor import ChatFactory, ExchangeFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(browser_of: Callable[[User], Client], leo: User) -> Client:
    return recently_authenticated(browser_of(leo))


def download_archive(browser: Client, user: User) -> zipfile.ZipFile:
    browser.post("/settings/privacy/export")
    jobs.run_pending("default")
    export = DataExport.objects.get(user=user)
    assert (export.state, export.progress) == ("ready", 100)
    answer = browser.get(f"/settings/privacy/export/{export.uid}")
    assert answer["Content-Disposition"].startswith("attachment")
    content = b"".join(answer.streaming_content)  # type: ignore[attr-defined]
    assert len(content) == export.size
    return zipfile.ZipFile(io.BytesIO(content))


def test_the_archive_contains_the_data_of_its_user(
    browser: Client, leo: User, enrollment: Enrollment, mia: User
) -> None:
    packed = download_archive(browser, leo)

    assert packed.testzip() is None
    account = json.loads(packed.read("account.json"))
    assert account[0]["email"] == leo.email
    assert json.loads(packed.read("learning/courses.json"))[0]["course__title"] == enrollment.course.title
    everything = b"".join(packed.read(name) for name in packed.namelist()).decode()
    assert mia.email not in everything
    for secret in (leo.password, "argon2", "session_key", "token"):
        assert secret not in everything
    assert Notification.objects.filter(user=leo, kind="account.export_ready").count() == 1


def test_the_archive_lists_sign_in_methods_without_secrets(browser: Client, leo: User) -> None:
    passkey = {
        "name": "Leo's laptop",
        "id": "abc",
        "party": "x",
        "sign_count": 7,
        "credential": {"rawId": "CREDENTIAL"},
    }
    Authenticator.objects.create(user=leo, type=Authenticator.Type.WEBAUTHN, data=passkey)
    Authenticator.objects.create(user=leo, type=Authenticator.Type.TOTP, data={"secret": "SECRET", "used": 1})
    Authenticator.objects.create(user=leo, type=Authenticator.Type.RECOVERY_CODES, data={"seed": "SEED"})
    SocialAccount.objects.create(user=leo, provider="google", uid="7", extra_data={"email": "leo@gmail.example"})
    services.save_notification_choices(user=leo, choices={"account.welcome": (False, "digest")})

    packed = download_archive(browser, leo)

    [linked] = json.loads(packed.read("linked_accounts.json"))
    assert (linked["provider"], linked["extra_data"]["email"]) == ("google", "leo@gmail.example")
    assert [one["name"] for one in json.loads(packed.read("second_step.json"))] == ["Leo's laptop", "", ""]
    welcome = {"kind": "account.welcome", "on_the_site": False, "mail": "digest"}
    assert welcome in json.loads(packed.read("notification_choices.json"))
    everything = b"".join(packed.read(name) for name in packed.namelist()).decode()
    for secret in ("CREDENTIAL", "SECRET", "SEED"):
        assert secret not in everything


def fields_to_users(model: Any) -> list[str]:
    return [
        field.name for field in model._meta.get_fields()
        if getattr(field, "related_model", None) is User and field.concrete
    ]  # fmt: skip


def models_of_users() -> list[Any]:
    return [model for model in installed.get_models() if fields_to_users(model)]


def test_every_app_with_user_data_adds_it_to_the_archive() -> None:
    """Fails for a model that refers to users and is in neither an archive nor the list of exceptions."""
    exported = {
        "accounts.BrowserSession", "accounts.Notification", "accounts.NotificationChoice", "accounts.TeachingRequest",
        "accounts.PersonalToken",
        "mfa.Authenticator", "socialaccount.SocialAccount",
        "learning.Enrollment", "learning.Bookmark", "learning.Note", "learning.WatchedDay", "learning.LearnedDay",
        "learning.Achievement", "learning.PracticeCard", "learning.EssayAnswer", "learning.EssayMark", "courses.Course",
        "learning.LearnerException", "learning.StaffNote", "learning.SavedFilter", "forum.BulkMessage",
        "learning.AnalyticsReport", "learning.OfflineDevice", "learning.TakenChange",
        "courses.LearningPath", "courses.ReviewComment", "courses.Appeal",
        "courses.CoInstructor", "courses.RevenueShare",
        "learning.Rating", "learning.HelpfulVote", "learning.RatingReport", "learning.RatingDecision",
        "files.File", "files.Folder", "billing.PremiumEarning",
        "files.Upload", "files.StorageAccount", "files.VideoAsset", "files.BinnedOriginal", "files.Share",
        "files.ShareOpening", "billing.Order", "billing.OrderLine", "billing.Bundle", "billing.Gift",
        "billing.Deposit", "billing.Payment", "billing.Refund", "billing.Card", "billing.Team", "billing.Seat",
        "billing.SeatUse",
        "billing.Subscription", "billing.Grant", "billing.PromoCode", "billing.Redemption",
        "billing.EarningsMilestone", "billing.Payout", "billing.PayoutAccount", "billing.TaxDetails",
        "billing.ConnectedAccount", "billing.Document", "billing.BuyerDetails",
        "forum.Message", "forum.MessageReport", "forum.Block", "forum.Announcement", "forum.AnnouncementCopy",
        "forum.Topic", "forum.Post", "forum.Revision", "forum.Vote", "forum.Reaction",
        "forum.Follow", "forum.Visit", "forum.Draft", "forum.Report", "forum.Ban", "forum.ModerationAction",
        "tutor.Chat", "tutor.Exchange", "tutor.UsageDay",
    }  # fmt: skip
    elsewhere = {
        "forum.ReadMark": "one moment, until which everything counts as read",
        "accounts.EmailVerification": "a code that was sent",
        "accounts.SignInToken": "seconds old",
        "billing.TaxDetailsReminder": "when the user was last asked for tax details",
        "billing.Customer": "the user's number at the payment provider",
        "accounts.Registration": "not a user yet",
        "account.EmailAddress": "never filled: the email stands in the account",
        "djstripe.Customer": "never filled: nothing is sold yet",
        "admin.LogEntry": "what admins did in Django's admin is the site's",
        "billing.PremiumContribution": "the payments of the archive, spread over their months",
        "billing.ManualEntry": "what admins posted belongs to the books of the site",
        "accounts.DataExport": "the archive itself",
        "learning.NotebookDocument": "a day old at most; the notes stand in the archive",
        "learning.LearningTime": "how much time came and was not used; the lessons say what was learned",
        "learning.TeacherDay": "counts of the learners of somebody's courses",
        "learning.TeacherRollup": "which courses were counted",
        "courses.Submission": "of the course; its people are staff",
        "courses.CourseFile": "of the course; the file itself is in its owner's archive",
        "courses.CourseVersion": "of the course; its people are staff",
        "courses.FieldEdit": "of the course; its people are staff",
        "courses.DiscardedVersion": "of the course; its people are staff",
        "courses.VersionDraft": "of the course; its people are staff",
        "courses.CoInstructorInvitation": "of the course; what was accepted is in the archive",
        "courses.OwnershipOffer": "of the course; its people are staff",
        "courses.IgnoredFinding": "of the course; its people are staff",
        "courses.OutlineChange": "of the course; its people are staff",
        "courses.QuestionImport": "of the course; its people are staff",
        "courses.Section": "of the course; its people are staff",
        "courses.Lesson": "of the course; its people are staff",
        "courses.Question": "of the course; its people are staff",
        "forum.Conversation": "its messages are in the archives of those who wrote them",
        "courses.ReviewThread": "of the course; its comments are in the archives of those who wrote them",
        "courses.ReviewTick": "of the course; its people are staff",
        "courses.ReviewLink": "of the course; its people are staff",
        "files.CaptionDraft": "a day old at most; what is confirmed stands with the video",
        "files.CaptionSheet": "of the video; what is published stands with it",
        "files.StorageCount": "sums of the files in the archive",
        "courses.StatusChange": "of the course; its people are staff",
    }
    pointing = {model._meta.label for model in models_of_users()}

    assert pointing - exported - set(elsewhere) == set(), "declare where their data is exported"


def test_each_account_field_is_archived_or_listed_here(browser: Client, leo: User) -> None:
    elsewhere = {
        "id": "the number of the row",
        "uid": "a random name for programs",
        "password": "its hash would help somebody to find it out",
        "avatar": "the picture itself is in the archive",
        "is_active": "only a user with an active account gets an archive",
        "blocked_at": "as is_active",
        "block_reason": "as is_active",
        "deleted_at": "a deleted account gets no archive",
        "groups": "never filled: roles decide (accounts.policies)",
        "user_permissions": "as groups",
    }
    with download_archive(browser, leo).open("account.json") as file:
        [account] = json.load(file)

    assert {field.name for field in fields_of_an_account()} - set(account) - set(elsewhere) == set()


def fields_of_an_account() -> list[Any]:
    return [*User._meta.concrete_fields, *User._meta.many_to_many]


def test_a_new_archive_replaces_the_old_one(browser: Client, leo: User) -> None:
    download_archive(browser, leo)
    first = DataExport.objects.get(user=leo).file.name
    browser.post("/settings/privacy/export")
    answer = browser.post("/settings/privacy/export")

    assert 'data-error="EXPORT_UNDER_WAY"' in answer.content.decode()
    assert DataExport.objects.filter(user=leo).count() == 1
    assert not default_storage.exists(first)


def test_an_archive_can_be_downloaded_by_its_user_for_a_week(
    browser: Client, browser_of: Callable[[User], Client], leo: User, mia: User, sam: User, client: Client
) -> None:
    download_archive(browser, leo)
    export = DataExport.objects.get(user=leo)
    address = f"/settings/privacy/export/{export.uid}"

    assert recently_authenticated(browser_of(mia)).get(address).status_code == 404
    assert recently_authenticated(browser_of(sam)).get(address).status_code == 404
    assert client.get(address).status_code == 302
    assert not export.file.name.startswith("avatars")
    services.delete_expired_exports(now=timezone.now() + timedelta(days=8))
    assert browser.get(address).status_code == 404
    assert not default_storage.exists(export.file.name)


def test_each_archive_is_deleted_after_its_own_week(leo: User, mia: User) -> None:
    for day, user in enumerate((leo, mia)):
        with time_machine.travel(timezone.now() + timedelta(days=3 * day), tick=False):
            services.request_export(user=user, now=timezone.now())
            jobs.run_pending("default")
    kept = [export.file.name for export in DataExport.objects.all()]

    for hours in (7 * 24 + 1, 10 * 24 + 1):
        with time_machine.travel(timezone.now() + timedelta(hours=hours), tick=False):
            jobs.run_pending("default")

    assert len(kept) == 2
    assert not any(default_storage.exists(name) for name in kept)


def test_a_killed_worker_leaves_no_second_archive(leo: User, monkeypatch: pytest.MonkeyPatch) -> None:
    export = services.request_export(user=leo, now=timezone.now())
    running = jobs.claim("default", now=timezone.now())
    assert running is not None

    def kill(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(data_export, "notify", kill)
        with pytest.raises(KeyboardInterrupt):
            services.build_export(running, uid=export.uid.hex)
    services.build_export(running, uid=export.uid.hex)

    assert len(default_storage.listdir(f"exports/{leo.uid.hex}")[1]) == 1
    assert default_storage.exists(DataExport.objects.get(state="ready").file.name)


# --- Deleting an account ------------------------------------------------------------------------


def request_deletion(browser: Client, password: str = PASSWORD, **more: str):
    answer = browser.post("/settings/privacy/delete", {"password": password, "sure": "on"} | more)
    jobs.run_pending("default")
    return answer


def test_deletion_removes_personal_data_and_keeps_what_other_users_need(
    browser: Client, leo: User, enrollment: Enrollment, django_capture_on_commit_callbacks: Callable, client: Client
) -> None:
    Bookmark.objects.create(user=leo, course=enrollment.course, created_at=timezone.now())
    certificate = Certificate.objects.create(
        enrollment=enrollment,
        learner_name="Leo Marsh",
        course_title="Rivers",
        instructor_name="Ada Byron",
        issued_at=timezone.now(),
    )
    with django_capture_on_commit_callbacks(execute=True):
        answer = request_deletion(browser)

    assert answer["Location"] == "/"
    gone = User.objects.get(pk=leo.pk)
    assert gone.display_name == "Deleted user"
    assert not {leo.email, leo.username, leo.first_name, leo.last_name, leo.password} & {
        gone.email, gone.username, gone.first_name, gone.last_name, gone.password,
    }  # fmt: skip
    assert not gone.is_active
    assert not gone.has_usable_password()
    assert not BrowserSession.objects.filter(user=leo).exists()
    assert not Bookmark.objects.filter(user=leo).exists()
    assert Enrollment.objects.filter(user=leo).exists()
    assert "Leo Marsh" in client.get(f"/certificates/{certificate.code}").content.decode()
    assert browser.get("/settings/").status_code == 302
    assert "AUTH_INVALID" in client.post("/auth/login", {"email": leo.email, "password": PASSWORD}).content.decode()
    assert [message.to for message in mail.outbox if "deleted" in message.subject] == [[leo.email]]
    assert UserFactory(email=leo.email, username=leo.username)  # both are available again


def create_row(model: Any, user: User) -> None:
    """Create a row that belongs to the user; fields without a default get a value of their type."""
    samples = {"CharField": "x", "TextField": "x", "JSONField": {"x": 1}, "DateTimeField": timezone.now()}
    samples["DateField"] = timezone.now().date()
    samples["UUIDField"] = uuid4()
    given: dict[str, Any] = {"user": user}
    for field in model._meta.concrete_fields:
        if not field.has_default() and not field.null and field.get_internal_type() in samples:
            given[field.name] = samples[field.get_internal_type()]
    model.objects.bulk_create([model(**given)])


def opening_by(user: User) -> None:
    now = timezone.now()
    services_of_files.record_opening(share=ShareLinkFactory(), user=user, what=ShareOpening.What.VIEW, now=now)


def test_each_model_of_users_is_deleted_with_the_account_or_listed_here(
    leo: User, django_capture_on_commit_callbacks: Callable
) -> None:
    kept = {
        "forum.Topic": "others have answered it; by a deleted user",
        "forum.Post": "others have answered it; by a deleted user",
        "forum.Revision": "of the post; by a deleted user",
        "forum.Vote": "part of the score of a post; refers to the tombstone",
        "forum.Reaction": "part of the count of a post; refers to the tombstone",
        "forum.Report": "of the moderators who decide; refers to the tombstone",
        "forum.Ban": "of the log of moderation; refers to the tombstone",
        "forum.ModerationAction": "the log of moderation is complete; refers to the tombstone",
        "billing.Order": "accounts of the site; refers to the tombstone, without its email",
        "billing.OrderLine": "of the order; refers to the tombstone",
        "billing.Bundle": "of its orders; not for sale, refers to the tombstone",
        "billing.Gift": "of its order; refers to the tombstone, without names, address and message",
        "billing.Payment": "accounts of the site; refers to the tombstone, without its email",
        "billing.Team": "of its orders and its people's seats; refers to the tombstone, without its name",
        "billing.SeatUse": "of the books, by which Premium is shared; refers to the tombstone",
        "billing.Refund": "of the payment; refers to the tombstone, without the account it went to",
        "billing.Deposit": "of the order; refers to the admins who recorded it",
        "billing.Document": "invoices are kept as they were issued, as the law demands",
        "billing.Subscription": "of its payments; canceled, refers to the tombstone",
        "billing.Grant": "of the payment; refers to the tombstone",
        "billing.PromoCode": "of the orders in which it was used; refers to the tombstone",
        "billing.Redemption": "of the promo code; refers to the tombstone",
        "forum.Conversation": "the instructor's too; refers to the tombstone",
        "forum.Message": "of those to whom they were written; refers to the tombstone",
        "forum.MessageReport": "of the admins who decide; refers to the tombstone",
        "forum.Announcement": "of its recipients; refers to the tombstone",
        "forum.BulkMessage": "of its recipients, as its messages; refers to the tombstone",
        "learning.Enrollment": "certificates and the numbers of the course rest on it",
        "learning.Rating": "shown as written by a deleted user",
        "learning.HelpfulVote": "part of the count of a review; refers to the tombstone",
        "learning.RatingReport": "of the admins who decide; refers to the tombstone",
        "learning.RatingDecision": "the log of decisions is complete; refers to the tombstone",
        "learning.LearningTime": "seconds; part of the numbers of the course",
        "learning.WatchedDay": "seconds, by which Premium is shared; refers to the tombstone",
        "billing.PremiumEarning": "of the books, as the sales of a course",
        "billing.PremiumContribution": "of the books, by which Premium is shared; refers to the tombstone",
        "files.VideoAsset": "goes when no lesson shows it (tests/courses/test_leaving.py)",
        "files.CaptionDraft": "a day old at most; what is confirmed stands with the video",
        "files.CaptionSheet": "of the video; what is published stands with it",
        "files.StorageCount": "sums of what is left, kept by triggers (tests/files/test_counts.py)",
        "courses.Course": "a user who still teaches cannot leave (STILL_TEACHING)",
        "courses.Submission": "of the course; refers to the tombstone",
        "courses.ReviewThread": "of the course; refers to the tombstone",
        "courses.ReviewComment": "of the course, whose authors answered it; refers to the tombstone",
        "courses.ReviewTick": "of the submission; refers to the tombstone",
        "courses.ReviewLink": "of the course; refers to the tombstone",
        "courses.Appeal": "of the course; refers to the tombstone",
        "courses.CourseFile": "of the course; refers to the tombstone",
        "courses.CourseVersion": "of the course; refers to the tombstone",
        "courses.FieldEdit": "of the course; refers to the tombstone",
        "courses.DiscardedVersion": "of the course; refers to the tombstone",
        "courses.VersionDraft": "of the course; refers to the tombstone",
        "courses.CoInstructor": "of the course, ended; refers to the tombstone",
        "courses.RevenueShare": "of the books, by which Premium is shared; refers to the tombstone",
        "courses.CoInstructorInvitation": "of the course; those of the deleted account are deleted",
        "courses.OwnershipOffer": "of the course; refers to the tombstone",
        "courses.IgnoredFinding": "of the course; refers to the tombstone",
        "courses.OutlineChange": "of the course; refers to the tombstone",
        "courses.QuestionImport": "of the course; refers to the tombstone",
        "courses.Section": "of the course; refers to the tombstone",
        "courses.Lesson": "of the course; refers to the tombstone",
        "courses.Question": "of the course; refers to the tombstone",
        "learning.EssayAnswer": "of the attempt, without its text and comment (tests/learning/test_essays.py)",
        "learning.EssayMark": "of the attempt; refers to the tombstone",
        "learning.LearnerException": "of its learner, with whom it is deleted (tests/learning/test_exceptions.py)",
        "courses.StatusChange": "of the course; refers to the tombstone",
        "admin.LogEntry": "what admins did is the site's",
        "billing.ManualEntry": "of the books; refers to the tombstone",
        "account.EmailAddress": "never filled: the email is in the account",
        "billing.Payout": "what was paid out belongs to the books",
        "tutor.UsageDay": "numbers, part of the budgets of courses; refers to the tombstone",
        "djstripe.Customer": "never filled: nothing is sold yet",
    }
    to_delete = [model for model in models_of_users() if model._meta.label not in kept]
    factories: dict[str, Callable[..., Any]] = {
        "learning.NotebookDocument": lambda: NotebookDocument.objects.create(
            user=leo, course=CourseFactory(), fingerprint="x", created_at=timezone.now()
        ),
        "learning.LearnedDay": lambda: LearnedDay.objects.create(user=leo, day=timezone.now().date(), lessons=1),
        "learning.Achievement": lambda: Achievement.objects.create(
            user=leo, kind="late", earned_at=timezone.now(), day=timezone.now().date()
        ),
        "forum.Visit": lambda: Visit.objects.create(
            user=leo, topic=make_topic(), last_number=1, seen_at=timezone.now()
        ),
        "forum.Follow": lambda: Follow.objects.create(
            user=leo, topic=make_topic(), level="watching", created_at=timezone.now()
        ),
        "forum.Draft": lambda: Draft.objects.create(user=leo, key="new", source="Half a", saved_at=timezone.now()),
        "billing.Card": partial(CardFactory, user=leo),
        "billing.BuyerDetails": lambda: BuyerDetails.objects.create(user=leo, updated_at=timezone.now()),
        "billing.Seat": partial(SeatFactory, holder=leo),
        "learning.Bookmark": partial(BookmarkFactory, user=leo),
        "learning.Note": partial(NoteFactory, user=leo),
        "learning.PracticeCard": partial(FlashCardFactory, user=leo),
        # A published one stays for its learners, owned by the tombstone (tests/courses/test_paths.py).
        "courses.LearningPath": partial(LearningPathFactory, owner=leo, is_published=False),
        "files.BinnedOriginal": partial(BinnedOriginalFactory, owner=leo),
        "files.File": partial(FileFactory, owner=leo),
        "files.Folder": partial(FolderFactory, owner=leo),
        "files.Upload": partial(UploadFactory, owner=leo),
        "files.Share": partial(ShareLinkFactory, owner=leo),
        "files.ShareOpening": partial(opening_by, leo),
        "forum.Block": partial(BlockFactory, blocker=leo),
        "forum.AnnouncementCopy": partial(AnnouncementCopyFactory, user=leo),
        "learning.StaffNote": partial(
            StaffNote.objects.create, learner=leo, course=CourseFactory(), text="x", created_at=timezone.now()
        ),
        "tutor.Chat": partial(ChatFactory, user=leo),
        "tutor.Exchange": partial(ExchangeFactory, chat__user=leo),
    }
    for model in to_delete:
        factories.get(model._meta.label, partial(create_row, model, leo))()

    with django_capture_on_commit_callbacks(execute=True):
        services.delete_account(user=leo, password=PASSWORD, browser="", now=timezone.now())
        jobs.run_pending("default")

    assert len(to_delete) > 9
    left = [
        model._meta.label for model in to_delete for field in fields_to_users(model)
        if model._default_manager.filter(**{field: leo.pk}).exists()
    ]  # fmt: skip
    assert left == [], (
        "delete them in services.account_deletion or on AccountDeleted, or give the reason for keeping them"
    )


# A value for each field of User, other than its default.
NOW = timezone.now()
FILLED: dict[str, Any] = {
    "avatar": "avatars/leo.webp",
    "bio": "By the river.",
    "block_reason": "Spam",
    "blocked_at": NOW,
    "daily_minutes": 55,
    "email_verified_at": NOW,
    "former_zone": "Asia/Seoul",
    "former_zone_until": NOW,
    "headline": "Hydrologist",
    "last_login": NOW,
    "role": Role.INSTRUCTOR,
    "shares_email": True,
    "style": "academic",
    "terms_accepted_at": NOW,
    "theme": "dark",
    "time_zone": "Asia/Tokyo",
    "weekly_lessons": 12,
}


def test_each_account_field_is_cleared_or_listed_here(leo: User) -> None:
    kept = {
        "billing.Order": "accounts of the site; refers to the tombstone, without its email",
        "billing.OrderLine": "of the order; refers to the tombstone",
        "billing.Bundle": "of its orders; not for sale, refers to the tombstone",
        "billing.Gift": "of its order; refers to the tombstone, without names, address and message",
        "billing.Payment": "accounts of the site; refers to the tombstone, without its email",
        "billing.Team": "of its orders and its people's seats; refers to the tombstone, without its name",
        "billing.SeatUse": "of the books, by which Premium is shared; refers to the tombstone",
        "billing.Refund": "of the payment; refers to the tombstone, without the account it went to",
        "billing.Deposit": "of the order; refers to the admins who recorded it",
        "billing.Document": "invoices are kept as they were issued, as the law demands",
        "billing.Subscription": "of its payments; canceled, refers to the tombstone",
        "billing.Grant": "of the payment; refers to the tombstone",
        "billing.PromoCode": "of the orders in which it was used; refers to the tombstone",
        "billing.Redemption": "of the promo code; refers to the tombstone",
        "id": "courses, certificates and ledgers refer to it",
        "uid": "as id",
        "date_joined": "names nobody, and months are counted by it",
        "deleted_at": "set by deletion",
        "groups": "never filled: roles decide (accounts.policies)",
        "user_permissions": "as groups",
    }
    now = timezone.now()
    User.objects.filter(pk=leo.pk).update(**FILLED)
    before = User.objects.get(pk=leo.pk)

    services.delete_account(user=before, password=PASSWORD, browser="", now=now)

    before, after = User(**FILLED | {"username": leo.username, "email": leo.email}), User.objects.get(pk=leo.pk)
    before.first_name, before.last_name, before.password = leo.first_name, leo.last_name, leo.password
    same = {
        field.name for field in fields_of_an_account()
        if field.name not in kept and getattr(after, field.name) == getattr(before, field.name)
    }  # fmt: skip
    assert same == set(), (
        "add them to FILLED and empty them in services.account_deletion, or give the reason for keeping them"
    )


def test_deletion_removes_all_registration_data(browser: Client, leo: User, mia: User) -> None:
    now = timezone.now()
    for email, user in ((leo.email, None), ("leo@old.example", leo), (mia.email, None)):
        Registration.objects.create(email=email, first_name="Leo", last_name="Marsh", asked_at=now, user=user)

    request_deletion(browser)

    assert list(Registration.objects.values_list("email", flat=True)) == [mia.email]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"password": "WrongGuess1"}, "Current password is incorrect"),
        ({"password": ""}, "Enter your current password."),
        ({"sure": ""}, "Check this box to continue."),
    ],
)
def test_an_unconfirmed_request_deletes_nothing(browser: Client, leo: User, given: dict, words: str) -> None:
    answer = request_deletion(browser, **given)

    assert answer.status_code == 422
    assert words in answer.content.decode()
    leo.refresh_from_db()
    assert leo.is_active
    assert leo.deleted_at is None


def test_instructors_must_settle_their_courses_before_deletion(
    browser_of: Callable[[User], Client], ada: User, course: Course
) -> None:
    answer = request_deletion(browser_of(ada))

    assert 'data-error="STILL_TEACHING"' in answer.content.decode()
    assert course.title in answer.content.decode()
    ada.refresh_from_db()
    assert ada.deleted_at is None
    Course.objects.filter(pk=course.pk).update(status="archived")
    assert request_deletion(browser_of(ada)).status_code == 302


def test_the_last_admin_cannot_delete_their_account(browser_of: Callable[[User], Client], sam: User) -> None:
    assert 'data-error="LAST_ADMIN"' in request_deletion(browser_of(sam)).content.decode()
    UserFactory(role=Role.ADMIN)
    assert request_deletion(browser_of(sam)).status_code == 302


def test_a_deleted_account_cannot_be_opened_again(leo: User, browser: Client) -> None:
    request_deletion(browser)
    gone = User.objects.get(pk=leo.pk)

    services.unblock(user=gone)

    assert not User.objects.get(pk=leo.pk).is_active


def test_an_archive_being_built_is_discarded_when_the_account_is_deleted(
    leo: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = services.request_export(user=leo, now=timezone.now())
    running = jobs.claim("default", now=timezone.now())
    assert running is not None

    def delete_meanwhile(user: User) -> list[services.Part]:
        services.delete_account(user=leo, password=PASSWORD, browser="", now=timezone.now())
        return []

    monkeypatch.setitem(data_export._sources, "files", delete_meanwhile)
    services.build_export(running, uid=export.uid.hex)

    assert not DataExport.objects.exists()
    assert not default_storage.exists(f"exports/{leo.uid.hex}/{export.uid.hex}.zip")
    assert not Notification.objects.filter(user=leo).exists()


def test_a_user_must_wait_before_requesting_another_archive(leo, settings) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "export": (1, 600)}
    now = timezone.now()
    first = services.request_export(user=leo, now=now)
    DataExport.objects.update(state="ready")

    with pytest.raises(RateLimitExceeded):
        services.request_export(user=leo, now=now + timedelta(minutes=9))
    assert DataExport.objects.get() == first

    services.request_export(user=leo, now=now + timedelta(minutes=11))
