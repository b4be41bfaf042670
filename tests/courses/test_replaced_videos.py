"""What learners watched of a video that the next version replaces."""

from datetime import UTC, datetime
from typing import Any

import pytest

from apps.accounts.models import User
from apps.courses import services
from apps.courses.errors import UploadsUnderWay, WatchedChoiceMissing
from apps.courses.models import Course, Lesson
from apps.courses.queries.replaced_videos import replaced_videos
from apps.files.models import Upload
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import UploadFactory, VideoFactory
from tests.factories.learning import EnrollmentFactory, LessonProgressFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
LENGTH = 600


@pytest.fixture
def live(ada: User) -> Course:
    course = CourseFactory(instructor=ada, status="published")
    video = VideoFactory(owner=ada, duration=LENGTH)
    LessonFactory(section__course=course, kind="video", slug="springs", video=video, duration=LENGTH)
    LessonFactory(section=course.sections.get(), kind="video", slug="deltas", video=VideoFactory(owner=ada))
    return course


def replace(live: Course, seconds: float) -> Course:
    copy = services.begin_version(course=live, by=live.instructor, now=NOW)
    new = VideoFactory(owner=live.instructor, duration=seconds)
    services.attach_video(lesson=copy.lessons.get(slug="springs"), by=live.instructor, video=new, now=NOW)
    return copy


def publish_version(live: Course, by: User) -> None:
    services.submit_course(course=live, by=live.instructor, now=NOW)
    services.decide_submission(course=live, by=by, outcome="approved", now=NOW)


def watched(live: Course, user: User, **facts: Any) -> Any:
    enrollment = EnrollmentFactory(user=user, course=live)
    lesson = Lesson.objects.get(course=live, slug="springs")
    facts = {"watched": [[0, 300]], "watched_seconds": 300, "position": 300, **facts}
    return LessonProgressFactory(enrollment=enrollment, lesson=lesson, **facts)


@pytest.mark.parametrize("seconds", [598, 601.9, 602])
def test_what_was_watched_counts_for_a_video_of_the_same_length(
    live: Course, sam: User, leo: User, django_capture_on_commit_callbacks: Any, seconds: float
) -> None:
    row = watched(live, leo)
    copy = replace(live, seconds)
    assert [one.needs_choice for one in replaced_videos(copy)] == [False]

    with django_capture_on_commit_callbacks(execute=True):
        publish_version(live, sam)

    row.refresh_from_db()
    assert (row.watched_seconds, row.position) == (300, 300)
    assert Lesson.objects.get(pk=row.lesson_id).duration == round(seconds)


@pytest.mark.parametrize("choice", ["keep", "restart"])
def test_the_author_is_asked_where_the_lengths_differ(
    live: Course, sam: User, leo: User, eve: User, django_capture_on_commit_callbacks: Any, choice: str
) -> None:
    row, done = watched(live, leo), watched(live, eve, completed_at=NOW)
    copy = replace(live, 540)
    [replaced] = replaced_videos(copy)
    assert (replaced.before, replaced.after, replaced.is_undecided) == (600, 540, True)
    with pytest.raises(WatchedChoiceMissing, match="Lesson"):
        services.submit_course(course=live, by=live.instructor, now=NOW)

    services.choose_for_learners(course=live, by=live.instructor, choices={"watched": {replaced.key: choice}})
    with django_capture_on_commit_callbacks(execute=True):
        publish_version(live, sam)

    row.refresh_from_db()
    done.refresh_from_db()
    assert row.watched_seconds == (300 if choice == "keep" else 0)
    assert (done.watched_seconds, done.completed_at) == (300, NOW)


def test_a_choice_is_for_one_video(live: Course) -> None:
    copy = replace(live, 540)
    key = replaced_videos(copy)[0].key
    services.choose_for_learners(course=live, by=live.instructor, choices={"watched": {key: "restart"}})
    assert replaced_videos(Course.with_working_copies.get(pk=copy.pk))[0].is_restarted

    replace(live, 500)

    assert replaced_videos(Course.with_working_copies.get(pk=copy.pk))[0].is_undecided


def test_choices_for_what_is_no_replaced_video_are_left_out(live: Course) -> None:
    copy = replace(live, 540)
    services.choose_for_learners(course=live, by=live.instructor, choices={"watched": {"0" * 32: "restart"}})

    assert Course.with_working_copies.get(pk=copy.pk).draft.watched_choices == {}


@pytest.mark.parametrize("stage", ["uploading", "audio", "complete"])
def test_a_version_waits_for_its_videos(live: Course, stage: str) -> None:
    copy = services.begin_version(course=live, by=live.instructor, now=NOW)
    services.rename_section(section=copy.sections.get(), by=live.instructor, title="New", now=NOW)
    target = str(copy.lessons.get(slug="springs").uid)
    upload = UploadFactory(owner=live.instructor, purpose="video", target=target)
    Upload.objects.filter(pk=upload.pk).update(video=VideoFactory(owner=live.instructor, stage=stage))

    if stage in {"uploading", "audio"}:
        with pytest.raises(UploadsUnderWay):
            services.submit_course(course=live, by=live.instructor, now=NOW)
    else:
        services.submit_course(course=live, by=live.instructor, now=NOW)


def test_the_page_asks_and_keeps_the_choice(live: Course, browser_of: Any) -> None:
    copy = replace(live, 540)
    key = replaced_videos(copy)[0].key
    page, browser = f"/dashboard/instructor/courses/{copy.slug}/version", browser_of(live.instructor)
    assert "The new video is 9:00 long, the published one 10:00." in browser.get(page).content.decode()

    sent = {"transition": "move", "submit": "1"}
    refused = browser.post(page, sent, follow=True).content.decode()
    assert "Choose for" in refused
    browser.post(page, {**sent, f"watched-{key}": "restart"})

    copy = Course.with_working_copies.get(pk=copy.pk)
    assert (copy.status, replaced_videos(copy)[0].is_restarted) == ("review", True)
