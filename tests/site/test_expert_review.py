"""The link with which an outside expert reviews a course without an account."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Notification, User
from apps.courses import services
from apps.courses.models import Course, Lesson, ReviewComment, ReviewGuest, ReviewLink
from apps.courses.queries.review_links import links_of
from apps.files.storage import video_directory
from studyplatform.kit.errors import AppError
from studyplatform.kit.web.private_text import hide_secrets
from studyplatform.site.public.expert_forms import MAX_EXPERT_PICTURE_BYTES
from tests.courses.test_review_threads import picture, say
from tests.factories.courses import CourseFactory, CourseFileFactory, LessonFactory, QuestionFactory, QuizFactory
from tests.factories.files import CaptionFactory, StoredFileFactory, VideoFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def film(course: Course) -> Lesson:
    course.status, course.published_at = "draft", None
    course.save()
    section = course.sections.order_by("position").last()
    video = VideoFactory(duration=734)
    video.directory = video_directory(video.uid, uuid4())
    video.save()
    lesson = LessonFactory(section=section, kind="video", video=video, slug="film")
    CaptionFactory(video=lesson.video)
    default_storage.save(f"{lesson.video.directory}/master.m3u8", ContentFile(b"#EXTM3U"))
    return lesson


def make(course: Course, by: User, **more: Any) -> tuple[ReviewLink, str]:
    link, token = services.create_review_link(
        course=course, by=by, recipient="Prof. Mori", days=7, now=timezone.now(), **more
    )
    return link, f"/review/{token}/"


def enter(page: str, name: str = "Aki Mori") -> Client:
    browser = Client()
    assert browser.post(page, {"name": name})["Location"] == page
    return browser


def test_an_expert_reads_everything_and_comments(course: Course, film: Lesson, ada: User, sam: User) -> None:
    say(course, sam, "Only for authors")
    quiz = QuizFactory(lesson__section=film.section, lesson__course=course, lesson__slug="quiz")
    QuestionFactory(quiz=quiz, prompt="Which lines stay?")
    shown = CourseFileFactory(course=course, width=10, height=10)
    Lesson.objects.filter(slug="lesson-1-1", course=course).update(body=f"![Map](/course-files/{shown.uid})")
    file = LessonFactory(section=film.section, kind="file", file=StoredFileFactory(), slug="paper")
    default_storage.save(file.file.stored_as, ContentFile(b"%PDF"))
    link, page = make(course, ada)

    first = Client().get(page)
    assert course.title not in first.content.decode(), "chat apps preview what a link shows"
    assert "noindex" in first["X-Robots-Tag"]
    assert "no-store" in first["Cache-Control"]
    assert Client().post(page, {"name": " "}).status_code == 422
    browser = enter(page)
    text = browser.get(page).content.decode()
    assert "Only for authors" not in text
    assert f'src="{page}files/{shown.uid}' in text
    assert 'src="/course-files/' not in text
    assert "Which lines stay?" in browser.get(f"{page}?lesson=quiz").content.decode()
    assert browser.get(f"{page}lessons/{file.uid}/file").status_code == 200
    assert f"{page}media/{film.video.uid}/master.m3u8" in browser.get(f"{page}?lesson=film").content.decode()
    playlist = browser.get(f"{page}media/{film.video.uid}/master.m3u8")
    assert b"".join(playlist.streaming_content) == b"#EXTM3U"  # type: ignore[attr-defined]
    assert "no-store" in playlist["Cache-Control"]
    track = film.video.captions.get()
    assert browser.get(f"{page}media/{film.video.uid}/captions/{track.uid.hex}.vtt").status_code == 200

    said = {
        "uid": uuid4().hex,
        "text": "Wrong. <script>x</script>",
        "lesson": film.uid,
        "at": "4:12",
        "is_required": "1",
    }
    sent = browser.post(f"{page}comments", said)
    comment = ReviewComment.objects.get(link=link)
    assert sent["Location"] == f"{page}?lesson=film#t-{comment.thread.uid}"
    assert (comment.expert_name, comment.author, comment.thread.is_required) == ("Aki Mori", None, False)
    assert {one.user for one in Notification.objects.filter(kind="courses.review_comment", user=ada)} == {ada}
    services.answer_thread(
        thread=comment.thread,
        writer=services.Writer(user=ada),
        said=services.Said(uid=uuid4(), text="Thank you!"),
        now=timezone.now(),
    )
    mine = browser.get(f"{page}?lesson=film").content.decode()
    assert "Thank you!" in mine
    assert "<script>x" not in mine
    answered = browser.post(f"{page}threads/{comment.thread.uid}", {"uid": uuid4().hex, "text": "Gladly."})
    assert answered["Location"].startswith(f"{page}?lesson=film#t-")
    refused = browser.post(f"{page}comments", {**said, "uid": uuid4().hex, "at": "59:00"})
    assert refused.status_code == 422
    assert "The video ends at 12:14." in refused.content.decode()
    too_long = browser.post(f"{page}comments", {**said, "uid": uuid4().hex, "text": "a" * 5_001})
    assert too_long.status_code == 422


def test_a_link_opens_its_own_course_alone(course: Course, film: Lesson, ada: User, sam: User) -> None:
    _, page = make(course, ada)
    browser = enter(page)
    other = LessonFactory(section__course=CourseFactory(), kind="video", video=VideoFactory())
    other_file = CourseFileFactory(course=other.course)
    foreign = say(course, sam, "Internal")
    for address in (
        f"{page}media/{other.video.uid}/master.m3u8",
        f"{page}media/{film.video.uid}/../secret",
        f"{page}media/{film.video.uid}/1080p/other.mp4",
        f"{page}files/{other_file.uid}",
        f"{page}pictures/{foreign.comments.get().uid}",
    ):
        assert browser.get(address).status_code == 404, address
    assert browser.post(f"{page}threads/{foreign.uid}", {"uid": uuid4().hex, "text": "Hi"}).status_code == 404
    gone = browser.post(f"{page}comments", {"uid": uuid4().hex, "text": "Hi", "lesson": other.uid})
    assert gone.status_code == 422
    for address in (f"/learn/{course.slug}/film", f"/api/v1/lessons/{film.uid}/player/", "/dashboard/admin/"):
        assert browser.get(address).status_code in {302, 401, 403, 404}, address
    assert Client().get("/review/" + "a" * 43 + "/").status_code == 404
    assert "Disallow: /review/" in Client().get("/robots.txt").content.decode()


def stored_pictures() -> set[str]:
    """Return the names of the pictures of comments; other tests of this process may have stored some."""
    return set(default_storage.listdir("review-pictures")[1]) if default_storage.exists("review-pictures") else set()


def test_an_expert_sends_a_picture_within_limits(
    course: Course, film: Lesson, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = stored_pictures()
    link, page = make(course, ada)
    browser = enter(page)
    said = {"uid": uuid4().hex, "text": "Look at the left edge.", "lesson": film.uid, "picture": picture()}
    assert browser.post(f"{page}comments", said).status_code == 302
    comment = ReviewComment.objects.get(link=link)
    shown = browser.get(f"{page}pictures/{comment.uid}")
    assert (shown.status_code, shown["Content-Type"], comment.picture_width) == (200, "image/webp", 1600)
    again = {"uid": uuid4().hex, "text": "And this", "picture": picture()}
    answers = f"{page}threads/{comment.thread.uid}"
    for wrong in (
        SimpleUploadedFile("a.png", b"<svg onload=alert(1)>"),
        SimpleUploadedFile("a.png", picture().read() + b"0" * MAX_EXPERT_PICTURE_BYTES),
        SimpleUploadedFile("a.png", b""),
    ):
        refused = browser.post(answers, {**again, "picture": wrong})
        assert (refused.status_code, "And this" in refused.content.decode()) == (422, True)
    monkeypatch.setattr(services.review_threads, "MAX_PICTURES_AT_LINK", 1)
    assert "No more pictures" in browser.post(answers, {**again, "picture": picture()}).content.decode()
    assert browser.post(answers, {key: again[key] for key in ("uid", "text")}).status_code == 302
    assert stored_pictures() - before == {comment.picture_name.split("/")[1]}, "no orphans"


def test_names_of_experts_are_only_text(course: Course, ada: User, browser_of: Callable[[User], Client]) -> None:
    _, page = make(course, ada)
    name = '<img src=x onerror="a()">\u202e' + "m" * 40
    browser = enter(page, name)
    assert browser.post(f"{page}comments", {"uid": uuid4().hex, "text": "Hello"}).status_code == 302
    for shown in (browser.get(page), browser_of(ada).get(f"/dashboard/instructor/courses/{course.slug}/review")):
        assert "<img src=x" not in shown.content.decode()
        assert "&lt;img src=x" in shown.content.decode()
    assert Client().post(page, {"name": "m" * 81}).status_code == 422


def test_the_token_of_a_link_is_told_to_nobody(course: Course, ada: User) -> None:
    link, page = make(course, ada)
    browser, token = enter(page), page.split("/")[2]
    for answer in (browser.get(page), browser.get(f"{page}pictures/{uuid4()}")):
        assert answer["Referrer-Policy"] == "same-origin"
    for address in (page, f"{page}pictures/{uuid4()}", f"{page}elsewhere", f"{page[:-1]})."):
        assert token not in hide_secrets(f"Not Found: {address}"), address
    assert f"/{link.uid}/elsewhere" in hide_secrets(f"Not Found: /x/{link.uid}/elsewhere")


def test_a_forwarded_link_is_full_after_five_browsers(course: Course, ada: User) -> None:
    link, page = make(course, ada)
    for number in range(services.MAX_GUESTS):
        enter(page, f"Reader {number}")
    refused = Client().post(page, {"name": "One more"})
    assert refused.status_code == 409
    assert ReviewGuest.objects.filter(link=link).count() == services.MAX_GUESTS


def test_a_link_that_ended_shows_nothing_any_longer(
    course: Course, film: Lesson, ada: User, browser_of: Callable[[User], Client]
) -> None:
    link, page = make(course, ada)
    browser, part = enter(page), f"{page}media/{film.video.uid}/master.m3u8"
    with time_machine.travel(timezone.now() + timedelta(days=7, minutes=1)):
        expired = browser.get(page)
        assert (expired.status_code, "expired" in expired.content.decode()) == (410, True)
        assert browser.get(part).status_code == 410
        said = {"uid": uuid4().hex, "text": "Too late, an hour of words"}
        late = browser.post(f"{page}comments", said)
        assert (late.status_code, "an hour of words" in late.content.decode()) == (410, True)
    ada.is_active = False
    ada.save()
    assert browser.get(part).status_code == 404, "who made it may no longer edit the course"
    ada.is_active = True
    ada.save()
    staff = browser_of(ada)
    staff.post(f"/dashboard/instructor/courses/{course.slug}/review/links/{link.uid}/revoke")
    assert browser.get(page).status_code == browser.get(part).status_code == 404
    assert browser.post(f"{page}comments", said).status_code == 404
    assert not ReviewComment.objects.exists()


def test_a_link_says_when_its_version_is_outdated(course: Course, film: Lesson, ada: User, sam: User) -> None:
    link, page = make(course, ada)
    browser = enter(page)
    assert "outdated" not in browser.get(page).content.decode()
    services.submit_course(course=course, by=ada, now=timezone.now())
    assert "outdated" not in browser.get(page).content.decode(), "its contents are the same"
    services.withdraw_course(course=course, by=ada, now=timezone.now())
    services.edit_lesson(
        lesson=Lesson.objects.get(pk=film.pk), by=ada, now=timezone.now(), title="New", summary="", body="",
        is_preview=False,
    )  # fmt: skip
    assert "outdated" in browser.get(page).content.decode()
    ReviewLink.objects.filter(pk=link.pk).update(shown_course=None)
    gone = browser.get(page)
    assert gone.status_code == 410
    assert "published or discarded" in gone.content.decode()
    assert browser.get(f"{page}media/{film.video.uid}/master.m3u8").status_code == 410
    typed = browser.post(f"{page}comments", {"uid": uuid4().hex, "text": "Typed <b>meanwhile</b>"})
    assert typed.status_code == 410
    assert "Typed &lt;b&gt;meanwhile" in typed.content.decode()
    assert "outdated" in typed.content.decode()


def test_staff_make_links_and_see_who_opened_them(
    course: Course, ada: User, eve: User, browser_of: Callable[[User], Client], settings: Any
) -> None:
    browser, address = browser_of(ada), f"/dashboard/instructor/courses/{course.slug}/review/links"
    made = browser.post(address, {"recipient": "Prof. Mori", "days": "3"}, follow=True).content.decode()
    page = re.search(r"/review/[\w-]{43}/", made)
    assert page is not None
    enter(page.group(), "Aki")
    shown = browser.get(address).content.decode()
    assert page.group() not in shown, "the address is shown once"
    assert "Aki" in shown
    assert browser.post(address, {"recipient": "", "days": "3"}).status_code == 422
    assert browser.post(address, {"recipient": "A", "days": "900"}).status_code == 422
    assert links_of(course).count() == 1
    with pytest.raises(AppError):
        make(course, eve)
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "review_link": (1, 3600)}
    limited = browser.post(address, {"recipient": "B", "days": "3"})
    assert limited.status_code == 422
