"""The admin pages of past reviews and background jobs: permissions, queries and retries."""

import re
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from apps.courses import services
from apps.courses.models import Course, Submission
from apps.files.models import VideoAsset
from studyplatform.kit import jobs
from studyplatform.kit.models import Job
from studyplatform.site.governing.jobs import job_label
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import UploadFactory, VideoFactory

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
JOBS, REVIEWS = "/dashboard/admin/jobs/", "/dashboard/admin/reviews/"


@pytest.fixture
def as_sam(browser_of, sam):
    return browser_of(sam)


def failed_job(
    kind="files.remove", error="Traceback (most recent call last):\n  File\nOSError: disk on fire", **payload
):
    return Job.objects.create(
        kind=kind, payload=payload, state="failed", attempts=5, error=error, run_at=NOW, created_at=NOW, finished_at=NOW
    )


@pytest.mark.parametrize("address", [JOBS, REVIEWS])
def test_only_admins_can_see_the_jobs_and_the_past_reviews(browser_of, client, ada, leo, address):
    assert client.get(address)["Location"] == f"/auth/login?next={address}"
    for person in (ada, leo):
        assert browser_of(person).get(address)["Location"] == "/"


def test_only_admins_can_retry_a_job(browser_of, client, ada, leo):
    job = failed_job(versions=[], names=[])

    for browser in (client, browser_of(ada), browser_of(leo)):
        browser.post(f"{JOBS}{job.uid}/retry")

    job.refresh_from_db()
    assert job.state == "failed"


def test_every_kind_of_job_has_a_label():
    assert all(str(kind.label) != name for name, kind in jobs.KINDS.items() if not name.startswith("test."))
    assert job_label("gone.long_ago") == "gone.long_ago"


def test_a_job_is_shown_with_its_label_and_subject(as_sam, ada, leo):
    course, video = CourseFactory(title="Rivers", slug="rivers"), VideoFactory(owner=ada, filename="fall.mp4")
    failed_job("learning.recount_course", course_id=course.pk)
    failed_job("files.process_video", video=video.pk, version=uuid.uuid4().hex)
    failed_job("files.expire_upload", upload=UploadFactory(owner=ada, filename="half.mp4").uid.hex)
    failed_job("accounts.send_email_proof", user_id=leo.pk)
    failed_job("files.expire_upload", upload=uuid.uuid4().hex)

    page = as_sam.get(JOBS).content.decode()

    for words in ("Process a video", "fall.mp4", "Rivers", "/courses/rivers/review", "half.mp4", leo.username):
        assert words in page
    assert "files.process_video</" not in page
    assert "OSError: disk on fire" in page


def test_every_kind_of_job_is_listed_even_without_its_payload(as_sam):
    kinds = [name for name in jobs.KINDS if not name.startswith("test.")]
    for kind in kinds[:20]:
        failed_job(kind)

    assert as_sam.get(JOBS).content.decode().count('class="jobs__what"') == min(20, len(kinds))


def test_a_retried_job_gets_all_its_attempts_back(as_sam, django_capture_on_commit_callbacks, monkeypatch):
    woken = []
    monkeypatch.setattr(jobs.queue, "wake_worker", woken.append)
    job = failed_job(versions=[], names=[])

    with django_capture_on_commit_callbacks(execute=True):
        page = as_sam.post(f"{JOBS}{job.uid}/retry", {"next": f"{JOBS}?state=failed"}, follow=True)

    job.refresh_from_db()
    assert (job.state, job.attempts, job.finished_at, woken) == ("queued", 0, None, ["default"])
    assert page.redirect_chain[-1][0] == f"{JOBS}?state=failed"
    assert "is back in the queue" in page.content.decode()


@pytest.mark.parametrize("state", ["done", "queued", "running"])
def test_a_job_that_has_not_failed_cannot_be_retried(as_sam, state):
    job = failed_job(versions=[], names=[])
    Job.objects.filter(pk=job.pk).update(state=state)

    page = as_sam.post(f"{JOBS}{job.uid}/retry", follow=True).content.decode()

    job.refresh_from_db()
    assert (job.state, job.attempts) == (state, 5)
    assert "Nothing was changed" in page


def test_a_job_is_not_retried_while_the_same_work_is_queued(as_sam):
    job = failed_job("learning.recount_course", course_id=1)
    Job.objects.filter(pk=job.pk).update(key="1")
    jobs.enqueue("learning.recount_course", key="1", course_id=1)

    as_sam.post(f"{JOBS}{job.uid}/retry")

    job.refresh_from_db()
    assert job.state == "failed"


def test_a_retried_job_processes_a_failed_video_again(as_sam, ada):
    version = uuid.uuid4()
    video = VideoFactory(owner=ada, stage="failed", failure="processing_failed", version=version)
    job = failed_job("files.process_video", video=video.pk, version=version.hex)

    as_sam.post(f"{JOBS}{job.uid}/retry")

    assert VideoAsset.objects.get(pk=video.pk).stage == "queued"


def test_a_retried_job_does_not_change_a_replaced_video(as_sam, ada):
    video = VideoFactory(owner=ada, stage="failed", failure="corrupt_file", version=uuid.uuid4())
    job = failed_job("files.process_video", video=video.pk, version=uuid.uuid4().hex)

    as_sam.post(f"{JOBS}{job.uid}/retry")

    assert VideoAsset.objects.get(pk=video.pk).stage == "failed"


def test_a_job_of_an_unknown_kind_cannot_be_retried(as_sam):
    job = failed_job("gone.long_ago")

    assert "Nothing was changed" in as_sam.post(f"{JOBS}{job.uid}/retry", follow=True).content.decode()
    assert as_sam.post(f"{JOBS}{uuid.uuid4()}/retry", headers={"Accept": "text/html"}).status_code == 302
    assert as_sam.get(f"{JOBS}{job.uid}/retry").status_code == 405


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "/me/evil", "javascript:evil"])
def test_the_redirect_after_a_retry_stays_on_the_admin_pages(as_sam, target):
    job = failed_job(versions=[], names=[])

    answer = as_sam.post(f"{JOBS}{job.uid}/retry", {"next": target})

    assert "evil" not in answer["Location"]
    assert answer["Location"].startswith("/dashboard/admin/")


def test_the_list_of_jobs_is_filtered_and_paginated_with_few_queries(as_sam, ada, django_assert_max_num_queries):
    for n in range(45):
        failed_job("files.process_video", video=VideoFactory(owner=ada).pk, version=uuid.uuid4().hex)
        failed_job("learning.recount_course", course_id=CourseFactory().pk)
        Job.objects.create(kind="files.remove", state="done", run_at=NOW, created_at=NOW - timedelta(hours=n))

    with django_assert_max_num_queries(12):
        page = as_sam.get(JOBS).content.decode()
    assert page.count('class="jobs__what"') == 20
    assert as_sam.get(f"{JOBS}?state=done&page=3").content.decode().count('class="jobs__what"') == 5
    assert 'class="jobs__what"' not in as_sam.get(f"{JOBS}?state=running&kind=files.remove").content.decode()
    assert as_sam.get(f"{JOBS}?state=%27&kind=none&page=x").status_code == 200


@pytest.fixture
def reviewed_courses(ada, sam):
    """A rejected and an approved course."""
    later = NOW + timedelta(hours=30)
    for title, outcome in (("Rivers", "rejected"), ("Glaciers", "approved")):
        course = LessonFactory(section__course__instructor=ada, section__course__title=title).course
        services.submit_course(course=course, by=ada, now=NOW)
        services.decide_submission(course=course, by=sam, outcome=outcome, comment="See **2.1**.", now=later)


def test_past_reviews_name_the_reviewer_the_outcome_and_the_time(as_sam, reviewed_courses):
    page = as_sam.get(REVIEWS).content.decode()

    assert page.index("Glaciers") < page.index("Rivers")
    for words in ("30 h", "See 2.1.", "Sam"):
        assert words in page
    assert re.findall(r'<th scope="col"[^>]*>(.*?)</th>', page) == ["Course", "Outcome", "Time taken", "Decided by"]
    Submission.objects.filter(course__title="Rivers").update(comment="")
    assert as_sam.get(REVIEWS).content.decode().count("See 2.1.") == 1  # a missing comment leaves no empty element
    assert "Glaciers" not in as_sam.get(f"{REVIEWS}?outcome=rejected").content.decode()
    assert "Rivers" not in as_sam.get(f"{REVIEWS}?q=glac byron").content.decode()
    assert "No results" in as_sam.get(f"{REVIEWS}?q=desert").content.decode()


def test_past_reviews_are_paginated_with_few_queries(as_sam, ada, sam, django_assert_max_num_queries):
    for _ in range(45):
        course = CourseFactory(instructor=ada)
        Submission.objects.create(
            course=course,
            submitted_by=ada,
            submitted_at=NOW,
            outcome="rejected",
            decided_by=sam,
            decided_at=NOW,
        )

    with django_assert_max_num_queries(8):
        page = as_sam.get(REVIEWS).content.decode()
    assert page.count("table__title") == 20
    assert Course.objects.count() == 45
