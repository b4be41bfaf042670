"""Django's admin shows every model of the project, or says here why not; each list and form opens with few queries."""

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from studyplatform.kit.models import Job
from tests.factories.courses import QuestionFactory
from tests.factories.files import CaptionFactory
from tests.factories.learning import AttemptFactory, EnrollmentFactory
from tests.factories.tutor import AnswerFactory

PRIVATE = "what people write for themselves, to each other or to the tutor; admins read what is reported"
SECRET = "hashes and codes that let someone in"
COUNTER = "numbers, marks and indexes that are computed from other rows"
UNFINISHED = "work of an instructor that expires unless it is finished"
TAX = "shown with the instructor's year, to an admin who has just proved their identity"
PART = "shown with the row that it belongs to, on its own page"
HIDDEN = {
    "learning.Note": PRIVATE, "learning.StaffNote": PRIVATE, "learning.SavedFilter": PRIVATE,
    "forum.BulkMessage": PRIVATE, "forum.BulkRecipient": PRIVATE,
    "learning.Bookmark": PRIVATE, "learning.PracticeReview": PRIVATE,
    "forum.Message": PRIVATE, "forum.MessageFile": PRIVATE, "forum.AnnouncementCopy": PRIVATE, "forum.Draft": PRIVATE,
    "tutor.Exchange": PRIVATE, "tutor.Answer": PRIVATE, "tutor.Citation": PRIVATE, "tutor.SettledQuestion": PRIVATE,
    "forum.Vote": PRIVATE, "forum.Reaction": PRIVATE, "forum.Follow": PRIVATE, "learning.HelpfulVote": PRIVATE,
    "accounts.Registration": SECRET, "accounts.EmailVerification": SECRET, "accounts.SignInToken": SECRET,
    "kit.Tally": COUNTER, "kit.Version": COUNTER, "files.StorageCount": COUNTER, "learning.LearningTime": COUNTER,
    "learning.TeacherRollup": COUNTER, "learning.RollupState": COUNTER, "learning.RestartedLesson": COUNTER,
    "learning.OpeningCheck": COUNTER, "learning.OpeningSchedule": COUNTER,
    "courses.SearchDocument": COUNTER, "forum.PostDocument": COUNTER, "forum.Visit": COUNTER, "forum.ReadMark": COUNTER,
    "tutor.TodoCount": COUNTER, "files.CaptionDraft": UNFINISHED, "files.CaptionSheet": UNFINISHED,
    "files.AutomaticCaptions": UNFINISHED,
    "forum.PostFile": PART, "courses.PathCourse": PART, "courses.StatusChange": PART,
    "courses.FieldEdit": PART, "courses.OutlineChange": PART, "courses.LessonDownload": PART,
    "courses.IgnoredFinding": PART, "courses.LinkCheck": COUNTER,
    "courses.QuestionImport": PART, "courses.ReviewThread": PART, "courses.ReviewComment": PART,
    "courses.ReviewTick": PART, "courses.ReviewLink": SECRET, "courses.ReviewGuest": PART,
    "courses.Appeal": PART,
    "courses.CoInstructorInvitation": SECRET, "courses.OwnershipOffer": PART,
    "billing.LedgerLine": PART, "billing.TaxDetails": TAX, "billing.TaxDetailsReminder": COUNTER,
    "billing.PremiumContribution": COUNTER,
}  # fmt: skip
NOT_OURS = {"admin", "auth", "contenttypes", "sessions", "account", "socialaccount", "mfa", "djstripe"}
MAX_QUERIES = 14
"""The session, the counts and the row or the page of a list, with what it refers to."""


def test_every_model_is_shown_or_hidden_for_a_reason() -> None:
    ours = {model._meta.label for model in apps.get_models() if model._meta.app_label not in NOT_OURS}
    shown = {model._meta.label for model in admin.site._registry}
    assert ours - shown - set(HIDDEN) == set(), "register it, or name the reason"
    assert set(HIDDEN) - (ours - shown) == set(), "it is shown now, or gone"
    assert shown >= {"djstripe.WebhookEndpoint", "djstripe.WebhookEventTrigger"}


def test_no_secret_is_shown() -> None:
    secret = {"password", "secret", "code_hash", "token_hash", "session_key", "session_data", "key_hash", "payload"}
    request = RequestFactory().get("/admin/")
    request.user = User(role="admin")
    for model, screen in admin.site._registry.items():
        assert not screen.has_view_permission(_as(AnonymousUser())), model
        assert not secret & set(screen.get_fields(request)), model
        assert not secret & set(screen.list_display), model
        assert screen.search_fields or not screen.has_view_permission(request), model


def _as(user: Any) -> Any:
    request = RequestFactory().get("/admin/")
    request.user = user
    return request


@pytest.mark.django_db
def test_every_list_and_form_opens_with_few_queries(browser_of: Any, sam: User, leo: User) -> None:
    for _ in range(3):  # what grows with the rows shows in the count
        enrollment = EnrollmentFactory()
        question = QuestionFactory()
        AttemptFactory(enrollment=enrollment, quiz=question.quiz)
        CaptionFactory()
        AnswerFactory()
    browser = browser_of(sam)
    opened = 0
    for model, screen in admin.site._registry.items():
        # What a search finds; its page is that of the list.
        found, _ = screen.get_search_results(_as(sam), screen.get_queryset(_as(sam)), "x")
        assert found.count() >= 0, model
        label, name = model._meta.app_label, model._meta.model_name
        addresses = [f"/admin/{label}/{name}/"]
        row = model._default_manager.order_by("pk").first()
        if row is not None:
            addresses.append(f"/admin/{label}/{name}/{row.pk}/change/")
            opened += 1
        for address in addresses:
            with CaptureQueriesContext(
                connection,
            ) as queries:
                answer = browser.get(address)
            assert answer.status_code == 200, address
            assert len(queries) <= MAX_QUERIES, (address, len(queries))
    assert opened > 12
    assert browser.get("/admin/accounts/user/?q=x").status_code == 200
    assert browser.post("/admin/kit/job/add/").status_code == 403
    assert browser_of(leo).get(f"/admin/{Job._meta.app_label}/job/").status_code == 302
