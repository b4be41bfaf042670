"""Which lesson an upload is for: chosen on the upload page, also in place of a video that the lesson shows."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection

from apps.accounts.models import User
from apps.courses import services
from apps.courses.models import CoInstructor, Course, Lesson
from apps.courses.queries.video_lessons import token_of
from apps.courses.services import video_assignment
from apps.files.models import VideoAsset
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import UploadFactory, VideoFactory
from tests.learning.test_races import run_simultaneously

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
EARLIER = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)


@pytest.fixture
def lesson(ada: User) -> Lesson:
    video = VideoFactory(owner=ada, filename="old.mp4", duration=600, created_at=EARLIER)
    return LessonFactory(section__course__instructor=ada, kind="video", video=video, duration=600)


def new_video(owner: User, **facts: Any) -> VideoAsset:
    video = VideoFactory(owner=owner, **{"created_at": NOW, **facts})
    UploadFactory(owner=owner, purpose="video", video=video)
    return video


def put(browser: Any, lesson: Lesson, body: dict[str, Any]) -> Any:
    return browser.put(f"/api/v1/lessons/{lesson.uid}/video/", body, content_type="application/json")


def seen_by(browser: Any, query: str = "?editable=1&page_size=100") -> dict[str, dict[str, Any]]:
    answer = browser.get(f"/api/v1/teaching/lessons/{query}")
    return {one["uid"]: one for one in answer.json()["results"]}


def replace(browser: Any, lesson: Lesson, video: VideoAsset) -> Any:
    token = seen_by(browser)[str(lesson.uid)]["token"]
    return put(browser, lesson, {"video": str(video.uid), "token": token})


def test_lessons_that_have_a_video_are_offered_and_say_which(lesson: Lesson, ada: User, browser_of: Any) -> None:
    section = lesson.section
    LessonFactory(section=section, kind="video", title="empty")
    elsewhere = {"external_video": "https://www.youtube.com/watch?v=aqz-KE-bpKQ", "external_host": "youtube"}
    LessonFactory(section=section, kind="video", title="elsewhere", **elsewhere)
    broken = VideoFactory(owner=ada, stage="failed", failure="corrupt_file")
    LessonFactory(section=section, kind="video", title="failed", video=broken)
    LessonFactory(section__course=CourseFactory(instructor=ada, status="review"), kind="video", title="in review")
    LessonFactory(section__course=CourseFactory(instructor=ada, status="published"), kind="video", title="published")

    offered = seen_by(browser_of(ada)).values()

    shown = {one["title"]: one["shows"] for one in offered}
    assert shown == {lesson.title: "old.mp4", "elsewhere": "YouTube", "empty": "", "failed": ""}
    assert seen_by(browser_of(ada))[str(lesson.uid)]["duration"] == 600


def test_many_lessons_take_few_queries(lesson: Lesson, ada: User, browser_of: Any, django_assert_max_num_queries: Any):
    for _ in range(30):
        row = LessonFactory(section=lesson.section, kind="video", video=VideoFactory(owner=ada))
        UploadFactory(owner=ada, purpose="video", target=str(row.uid), video=VideoFactory(owner=ada, stage="audio"))
    browser = browser_of(ada)

    with django_assert_max_num_queries(5):
        found = seen_by(browser)

    assert sum(one["next_video"] is not None for one in found.values()) == 30


def test_a_complete_video_replaces_at_once_and_both_stay_with_their_owner(
    lesson: Lesson, ada: User, browser_of: Any
) -> None:
    old, video = lesson.video, new_video(ada, stage="complete", duration=540)

    answer = replace(browser_of(ada), lesson, video).json()

    lesson.refresh_from_db()
    assert (lesson.video, lesson.duration, answer["video"]) == (video, 540, str(video.uid))
    assert VideoAsset.objects.filter(pk__in=[old.pk, video.pk], owner=ada).count() == 2


@pytest.mark.parametrize("stage", ["uploading", "audio"])
def test_a_lesson_keeps_its_video_until_the_new_one_is_complete(
    lesson: Lesson, ada: User, browser_of: Any, stage: str
) -> None:
    old, video, browser = lesson.video, new_video(ada, stage=stage), browser_of(ada)

    answer = replace(browser, lesson, video).json()

    lesson.refresh_from_db()
    assert (lesson.video, answer["next_video"]) == (old, str(video.uid))
    VideoAsset.objects.filter(pk=video.pk).update(stage="complete", is_playable=True)
    services.show_uploaded_video(video_id=video.pk, may_replace=True, now=NOW)
    lesson.refresh_from_db()
    assert lesson.video == video
    assert seen_by(browser)[str(lesson.uid)]["next_video"] is None


def test_a_replacement_is_withdrawn_before_it_is_complete(lesson: Lesson, ada: User, browser_of: Any) -> None:
    old, video, browser = lesson.video, new_video(ada, stage="audio"), browser_of(ada)
    replace(browser, lesson, video)

    for _ in range(2):  # idempotent
        answer = put(browser, lesson, {"video": None, "withdraws": str(video.uid)}).json()
        assert (answer["video"], answer["next_video"]) == (str(old.uid), None)
    put(browser, lesson, {"video": None, "withdraws": str(old.uid)})

    lesson.refresh_from_db()
    assert lesson.video is None


def test_a_video_older_than_the_shown_one_replaces_it_too(lesson: Lesson, ada: User, browser_of: Any) -> None:
    lesson.video.created_at = NOW
    lesson.video.save()
    video = new_video(ada, stage="audio", created_at=EARLIER)

    replace(browser_of(ada), lesson, video)

    lesson.refresh_from_db()
    assert lesson.video == video


def test_what_somebody_has_not_seen_is_not_replaced(lesson: Lesson, ada: User, browser_of: Any) -> None:
    browser, first, second = browser_of(ada), new_video(ada, stage="audio"), new_video(ada, stage="complete")
    token = seen_by(browser)[str(lesson.uid)]["token"]
    replace(browser, lesson, first)

    refused = put(browser, lesson, {"video": str(second.uid), "token": token})

    assert (refused.status_code, refused.json()["code"]) == (409, "LESSON_VIDEO_CHANGED")
    assert seen_by(browser)[str(lesson.uid)]["next_video"] == str(first.uid)
    assert replace(browser, lesson, second).status_code == 200
    lesson.refresh_from_db()
    assert (lesson.video, first.uploads.get().target) == (second, "")


@pytest.mark.parametrize(
    ("role", "status", "code"),
    [("edit", 200, None), ("teach", 403, "RIGHT_NOT_GIVEN"), ("view", 403, "RIGHT_NOT_GIVEN"), ("former", 404, "")],
)
def test_only_those_who_may_edit_replace_a_video(
    lesson: Lesson, eve: User, browser_of: Any, role: str, status: int, code: str | None
) -> None:
    right = "edit" if role == "former" else role
    member: CoInstructor = CoInstructorFactory(course=lesson.course, user=eve, role=right)
    old, browser, video = lesson.video, browser_of(eve), new_video(eve, stage="complete")
    if role == "former":
        CoInstructor.objects.filter(pk=member.pk).update(removed_at=NOW)

    assert (str(lesson.uid) in seen_by(browser)) is (status == 200)
    answer = put(browser, lesson, {"video": str(video.uid), "token": token_of(lesson)})

    assert answer.status_code == status
    assert not code or answer.json()["code"] == code
    lesson.refresh_from_db()
    assert lesson.video == (video if status == 200 else old)


def test_another_course_and_one_under_review_are_refused(lesson: Lesson, ada: User, eve: User, browser_of: Any) -> None:
    foreign = LessonFactory(section__course__instructor=eve, kind="video", video=VideoFactory(owner=eve))
    browser, video = browser_of(ada), new_video(ada, stage="complete")
    body = {"video": str(video.uid), "token": token_of(foreign)}
    assert put(browser, foreign, body).status_code == 404

    Course.objects.filter(pk=lesson.course_id).update(status="review")
    for sent in ({"video": str(video.uid), "token": token_of(lesson)}, {"video": None, "withdraws": str(video.uid)}):
        answer = put(browser, lesson, sent)
        assert (answer.status_code, answer.json()["code"]) == (409, "COURSE_UNDER_REVIEW")
    foreign_video = new_video(eve, stage="complete")
    Course.objects.filter(pk=lesson.course_id).update(status="draft")
    for sent in (
        {"video": str(foreign_video.uid), "token": token_of(lesson)},
        {"video": None, "withdraws": str(foreign_video.uid)},
    ):
        assert put(browser, lesson, sent).json()["code"] == "VIDEO_NOT_FOUND"


def test_a_published_course_is_changed_by_its_working_copy_and_asks_what_counts(ada: User, browser_of: Any) -> None:
    live = CourseFactory(instructor=ada, status="published")
    LessonFactory(section__course=live, kind="video", video=VideoFactory(owner=ada, duration=600), duration=600)
    copy = services.begin_version(course=live, by=ada, now=NOW)
    browser, lesson, published = browser_of(ada), copy.lessons.get(), live.lessons.get()
    assert list(seen_by(browser)) == [str(lesson.uid)]
    refused = put(browser, published, {"video": None, "withdraws": str(published.video.uid)})
    assert refused.json()["code"] == "COURSE_NEEDS_NEW_VERSION"

    same = replace(browser, lesson, new_video(ada, stage="complete", duration=601)).json()
    assert same["decide_href"] is None
    other = replace(browser, lesson, new_video(ada, stage="complete", duration=540)).json()
    assert other["decide_href"] == f"/dashboard/instructor/courses/{copy.slug}/version"

    choices = {"watched": {lesson.uid.hex: "restart"}}
    services.choose_for_learners(course=live, by=ada, choices=choices)
    assert seen_by(browser)[str(lesson.uid)]["decide_href"] is None
    assert live.lessons.get().video == published.video


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("stages", [("complete", "complete"), ("audio", "complete"), ("audio", "audio")])
def test_one_of_two_simultaneous_replacements_is_told_of_the_other(
    lesson: Lesson, ada: User, eve: User, stages: tuple[str, str]
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite lets one writer in at a time")
    CoInstructorFactory(course=lesson.course, user=eve, role="edit")
    token = token_of(lesson)
    videos = [new_video(owner, stage=stage) for owner, stage in zip((ada, eve), stages, strict=True)]

    def choose(video: VideoAsset) -> str:
        video_assignment.assign_video(lesson=lesson, by=video.owner, video=video, token=token, now=NOW)
        return "chosen"

    found = [str(getattr(one, "code", one)) for one in run_simultaneously(*(lambda v=v: choose(v) for v in videos))]

    assert sorted(found) == ["LESSON_VIDEO_CHANGED", "chosen"]
    winner = videos[found.index("chosen")]
    lesson.refresh_from_db()
    assert lesson.video == winner if winner.is_complete else winner.uploads.get().target == str(lesson.uid)
