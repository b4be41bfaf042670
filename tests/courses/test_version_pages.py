"""The pages of a course's versions, and what the studio does with a course that was published."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.courses import services
from apps.courses.models import Course
from apps.courses.queries.replaced_videos import replaced_videos
from tests.courses.test_review_threads import say
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import CaptionFactory, VideoFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
OWN = "/dashboard/instructor/courses/rivers"
Browser = Callable[[User], Client]


@pytest.fixture
def live(ada: User) -> Course:
    course = CourseFactory(title="Rivers", slug="rivers", instructor=ada, status="published")
    LessonFactory(section__course=course, title="Springs", slug="springs", body="Water rises.\n\nIt is cold.")
    LessonFactory(section=course.sections.get(), title="Deltas", slug="deltas", body="Water spreads.")
    return course


def rewrite(course: Course, slug: str, body: str) -> None:
    lesson = course.lessons.get(slug=slug)
    services.edit_lesson(
        lesson=lesson, by=course.instructor, title=lesson.title, summary="", body=body, is_preview=False, now=NOW
    )


def test_the_studio_offers_the_next_version_and_leads_to_it(live: Course, ada: User, browser_of: Browser) -> None:
    browser = browser_of(ada)
    for page in ("edit", "lectures", "lectures/springs", "bank"):
        assert b"Edit as version 2" in browser.get(f"{OWN}/{page}").content, page
    assert browser.get(f"{OWN}/version").url == f"{OWN}/versions"
    answer = browser.post(f"{OWN}/version/begin", {"lesson": "springs"})
    assert answer.url == f"{OWN}-version-2/lectures/springs"
    for page in (f"{OWN}/lectures/springs", f"{OWN}-version-2/lectures", f"{OWN}/edit"):
        content = browser.get(page).content.decode()
        assert "You're writing version 2" in content, page
        assert "Edit as version" not in content
    services.discard_version(course=live, by=ada, now=NOW)
    assert browser.get(f"{OWN}-version-2/edit").status_code == 200


def test_its_page_shows_what_changes_and_submits_it(
    live: Course, ada: User, sam: User, browser_of: Browser, django_assert_max_num_queries
) -> None:
    copy = services.begin_version(course=live, by=ada, now=NOW)
    browser = browser_of(ada)
    assert b"Nothing has changed yet" in browser.get(f"{OWN}/version").content
    rewrite(copy, "springs", "Water rises slowly.\n\nIt is cold.")
    services.delete_lesson(lesson=copy.lessons.get(slug="deltas"), by=ada, now=NOW)
    with django_assert_max_num_queries(90):
        content = browser.get(f"{OWN}/version").content.decode()
    assert "<ins>slowly</ins>" in content.replace("<ins> slowly</ins>", "<ins>slowly</ins>")
    assert "1 changed, 1 removed" in content
    said = say(copy, sam, "How slowly?", lesson=copy.lessons.get(slug="springs"))
    assert (said.course, said.lesson_uid) == (live, live.lessons.get(slug="springs").uid)
    shown = browser.get(f"{OWN}/version").content.decode()
    assert shown.count(f'id="t-{said.uid}"') == 1, "the comment stands with what it is about"
    assert "By kind" in browser.get(f"{OWN}/version?by=kind").content.decode()
    sent = {"note": "Clearer.", "transition": "finish", "is_announced": "on"}
    assert browser.post(f"{OWN}/version", {**sent, "transition": "fly"}).status_code == 200
    browser.post(f"{OWN}/version", sent)
    copy.draft.refresh_from_db()
    assert (copy.draft.note, copy.draft.transition, copy.draft.gives_points) == ("Clearer.", "finish", False)
    browser.post(f"{OWN}/version", {**sent, "submit": "1", "reviewer_note": "Please look."})
    content = browser.get(f"{OWN}/version").content.decode()
    assert "Withdraw and edit" in content
    review = browser_of(sam).get("/dashboard/admin/courses/rivers/review").content.decode()
    assert "Version 2" in review
    assert "1 changed, 1 removed" in review
    assert f'id="t-{said.uid}"' in review
    browser_of(sam).post("/dashboard/admin/courses/rivers/review", {"outcome": "approved", "comment": ""})
    live.refresh_from_db()
    assert live.lessons.get(slug="springs").body.startswith("Water rises slowly.")


def test_history_compares_and_restores(live: Course, ada: User, sam: User, browser_of: Browser) -> None:
    browser = browser_of(ada)
    assert b"One version so far" in browser.get(f"{OWN}/versions").content
    rewrite(services.begin_version(course=live, by=ada, now=NOW), "springs", "New words.")
    services.submit_course(course=live, by=ada, now=NOW)
    services.decide_submission(course=live, by=sam, outcome="approved", now=NOW)
    content = browser.get(f"{OWN}/versions?from=1&to=2").content.decode()
    assert "From version 1 to version 2" in content
    assert "New" in content
    for label in ("x", "1.²", "1.", "²", "1" * 30, "1.1.1"):
        assert browser.get(f"{OWN}/versions", {"from": label, "to": "2"}).status_code == 200, label
    first = live.versions.get(number=1)
    answer = browser.post(f"{OWN}/versions/{first.uid}/restore")
    assert answer.url == f"{OWN}-version-3/version"
    assert live.working_copy.lessons.get(slug="springs").body.startswith("Water rises.")
    assert browser.get(f"{OWN}/version/discard").status_code == 200
    assert browser.post(f"{OWN}/version/discard").url == f"{OWN}/versions"
    assert not Course.with_working_copies.exclude(next_version_of=None).exists()


def test_only_staff_see_versions(live: Course, ada: User, eve: User, browser_of: Browser) -> None:
    services.begin_version(course=live, by=ada, now=NOW)
    for page in ("version", "versions", "version/discard"):
        assert browser_of(eve).get(f"{OWN}/{page}").status_code in {302, 403}, page
    for page in ("version/begin", "version/discard"):
        assert browser_of(eve).post(f"{OWN}/{page}").status_code in {302, 403}, page
    assert live.working_copy is not None


def test_a_typing_error_is_corrected_for_learners_by_one_press(live: Course, ada: User, browser_of: Browser) -> None:
    browser = browser_of(ada)
    browser.post(f"{OWN}/version/begin", {"lesson": "springs"})
    copy = Course.with_working_copies.get(next_version_of=live)
    rewrite(copy, "springs", "Water rises up.\n\nIt is cold.")
    services.delete_lesson(lesson=copy.lessons.get(slug="deltas"), by=ada, now=NOW)
    for page in ("version", "lectures", "lectures/springs"):
        assert browser.get(f"{OWN}/{page}").content.decode().count("Publish 1 correction now") == 1, page
    lesson = f"{OWN}-version-2/lectures/springs"
    assert browser.post(f"{OWN}/version/corrections", {"back": lesson}).url == lesson
    assert "Publish 1 correction now" not in browser.get(lesson).content.decode()
    assert live.lessons.get(slug="springs").body.startswith("Water rises up.")
    assert live.lessons.filter(slug="deltas").exists()
    content = browser.get(f"{OWN}/versions").content.decode()
    assert "1 text corrected" in content
    browser.post(f"{OWN}/versions/{live.versions.get(correction=1).uid}/undo")
    assert live.lessons.get(slug="springs").body.startswith("Water rises.")


def test_both_videos_of_a_lesson_play_beside_each_other(
    live: Course, ada: User, sam: User, browser_of: Browser
) -> None:
    old, new = (VideoFactory(owner=ada, duration=seconds, is_playable=True) for seconds in (60.0, 71.0))
    CaptionFactory(video=old, language="de", label="Deutsch")
    film = LessonFactory(section=live.sections.get(), kind="video", title="Film", slug="film", video=old, duration=60)
    copy = services.begin_version(course=live, by=ada, now=NOW)
    services.attach_video(lesson=copy.lessons.get(slug="film"), by=ada, video=new, now=NOW)
    content = browser_of(ada).get(f"{OWN}/version").content.decode()
    addresses = re.findall(r'data-master="(/media/v/[^"]+)"', content)
    assert len(set(addresses)) == 2
    assert "1:00" in content
    assert "1:11" in content
    assert "No captions for the new video: Deutsch" in content
    assert "data-compared-both" in content
    choices = {"watched": {replaced.key: "keep" for replaced in replaced_videos(copy)}}
    services.choose_for_learners(course=copy, by=ada, choices=choices)
    services.submit_course(course=copy, by=ada, now=NOW)
    content = browser_of(sam).get("/dashboard/admin/courses/rivers/review").content.decode()
    assert content.count("data-compared-start") == 2
    new.delete()
    content = browser_of(sam).get("/dashboard/admin/courses/rivers/review").content.decode()
    assert "No video here anymore" in content
    assert film.video == old
