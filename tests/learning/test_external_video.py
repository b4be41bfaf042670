"""Learners watch videos of other hosts: counted like ours, marked where nobody tells, loaded on a press only."""

import hashlib
import re
from datetime import timedelta

import pytest
from django.test import Client

from apps.courses.models import Lesson, LinkCheck
from apps.learning import services
from apps.learning.activity import watching
from apps.learning.errors import LessonCompletesItself, WatchingTooShort
from apps.learning.models import LessonProgress
from apps.learning.queries.consumption import consumed_percents
from apps.learning.services.certificates import _attested
from tests.learning.conftest import open_lesson

SECOND = timedelta(seconds=1)
YOUTUBE = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"
STREAM = "https://media.example.org/live.m3u8"


def _show(lesson: Lesson, address: str, *, host: str = "youtube", duration: int = 0) -> None:
    Lesson.objects.filter(pk=lesson.pk).update(external_video=address, external_host=host, duration=duration)
    lesson.refresh_from_db()


@pytest.fixture
def watch(leo, video_lesson, now):
    def send(watched, *, after):
        return services.save_watching(
            user=leo, lesson_uid=video_lesson.uid, position=watched[-1][1], watched=watched, now=now + after * SECOND
        )

    return send


@pytest.fixture
def mark(leo, video_lesson, now):
    def complete(after):
        return services.complete_lesson(user=leo, lesson_uid=video_lesson.uid, now=now + after * SECOND)

    return complete


def test_the_time_that_marking_takes() -> None:
    def wait(length, watched, passed):
        needed = watching.seconds_to_watch(length=length, watched=watched)
        return watching.seconds_until_watched(needed, since_start=passed * SECOND, watched=watched)

    assert wait(1000, 0, 0) == (900 - 30) // 2
    assert wait(1000, 0, 435) == 0
    assert wait(1000, 900, 435) == 0
    assert wait(1000, 400, 200) == (500 - 30) // 2  # what was watched already doesn't count twice
    assert wait(0, 0, 0) == (120 - 30) // 2
    assert wait(0, 500, 300) == 0


def test_watching_completes_a_video_whose_length_is_known(leo, enrollment, video_lesson, watch, now):
    _show(video_lesson, YOUTUBE, duration=100)
    open_lesson(leo, video_lesson, now)

    assert not watch([[0, 80]], after=60).newly_completed
    assert watch([[0, 92]], after=70).newly_completed


def test_what_lies_before_the_start_need_not_be_watched(leo, enrollment, video_lesson, watch, now):
    _show(video_lesson, f"{YOUTUBE}&t=60s", duration=100)
    open_lesson(leo, video_lesson, now)

    assert not watch([[60, 90]], after=60).newly_completed
    assert watch([[60, 97]], after=70).newly_completed


def test_a_video_of_unknown_length_keeps_its_place_and_is_never_complete_by_watching(
    leo, enrollment, video_lesson, watch, now
):
    _show(video_lesson, STREAM, host="hls")
    open_lesson(leo, video_lesson, now)

    saved = watch([[0, 500]], after=400)

    assert not saved.newly_completed
    assert (saved.progress.position, saved.progress.watched) == (500, [[0, 500]])
    assert watch([[0, 80_000]], after=401).progress.watched_seconds <= 401 * 2 + 30


def test_marking_takes_as_long_as_watching(leo, enrollment, video_lesson, watch, mark, now):
    _show(video_lesson, YOUTUBE, duration=1000)
    open_lesson(leo, video_lesson, now)

    with pytest.raises(WatchingTooShort) as refusal:
        mark(10)
    assert refusal.value.wait == (900 - 30 - 20) // 2
    watch([[0, 500]], after=250)
    with pytest.raises(WatchingTooShort):
        mark(400)
    saved = mark(436)
    assert saved.newly_completed
    assert saved.progress.watched_seconds == 500  # a mark is no watching
    assert mark(437).newly_completed is False


def test_nobody_waits_for_a_video_that_is_gone(leo, enrollment, video_lesson, mark, now):
    _show(video_lesson, YOUTUBE, duration=3600)
    open_lesson(leo, video_lesson, now)
    digest = hashlib.sha256(YOUTUBE.encode()).hexdigest()
    check = LinkCheck.objects.create(digest=digest, address=YOUTUBE, state="unsure", due_at=now)
    with pytest.raises(WatchingTooShort):
        mark(60)
    check.state = "dead"
    check.save()

    assert mark(60).newly_completed


def test_many_marks_share_one_budget_of_time(leo, enrollment, course, video_lesson, now):
    others = [course.lessons.order_by("pk")[n] for n in range(4)]
    for lesson in [video_lesson, *others]:
        Lesson.objects.filter(pk=lesson.pk).update(kind="video")
        _show(lesson, YOUTUBE, duration=1000)
        open_lesson(leo, lesson, now)

    def complete(lesson):
        return services.complete_lesson(user=leo, lesson_uid=lesson.uid, now=now + 450 * SECOND)

    assert complete(video_lesson).newly_completed
    assert complete(others[0]).newly_completed  # two devices at double speed
    with pytest.raises(WatchingTooShort):
        complete(others[1])


def test_our_own_videos_are_not_marked(leo, enrollment, video_lesson, mark):
    with pytest.raises(LessonCompletesItself):
        mark(10_000)


def test_certificates_and_refunds_count_what_is_known(leo, enrollment, course, video_lesson, mark, watch, now):
    _show(video_lesson, YOUTUBE, duration=100)
    assert consumed_percents([(leo.pk, course.pk)])[leo.pk, course.pk] == 0
    open_lesson(leo, video_lesson, now)
    watch([[0, 20]], after=20)
    assert consumed_percents([(leo.pk, course.pk)])[leo.pk, course.pk] > 0  # its address was handed over

    mark(60)

    assert LessonProgress.objects.get(lesson=video_lesson).completed_at is not None
    assert _attested(enrollment)["video_seconds"] == 0
    watch([[0, 95]], after=95)
    assert (_attested(enrollment)["video_seconds"], _attested(enrollment)["watched_seconds"]) == (100, 95)


def _policy(response) -> str:
    return re.sub(r"'(?:sha256|nonce)-[^']+'", "", response.headers["Content-Security-Policy"])


def test_only_the_pages_of_such_videos_may_load_from_their_hosts(leo, enrollment, course, video_lesson, browser_of):
    address = f"/learn/{course.slug}/{video_lesson.slug}"
    before = browser_of(leo).get(address)
    _show(video_lesson, YOUTUBE, duration=100)
    shown = browser_of(leo).get(address)

    page = shown.content.decode()
    assert "frame-src 'self' https://www.youtube-nocookie.com" in _policy(shown)
    assert _policy(shown).replace(" https://www.youtube-nocookie.com", "") == _policy(before)
    assert "contacts www.youtube-nocookie.com only when you press Play" in page
    assert not re.search(r"<(?:iframe|script|link|img|video|source)[^>]*(?:youtube|ytimg)", page)
    assert "external" not in before.content.decode()
    assert "youtube" not in before.content.decode()

    _show(video_lesson, STREAM, host="hls")
    policy = _policy(browser_of(leo).get(address))
    assert re.search(r"media-src 'self' blob: .*https:(?:;|$)", policy) or "media-src 'self' blob: https:" in policy
    assert "connect-src 'self' https:" in policy


def test_the_api_tells_what_plays_the_video(leo, enrollment, course, video_lesson, browser_of):
    _show(video_lesson, f"{YOUTUBE}&t=60s")

    told = browser_of(leo).get(f"/api/v1/lessons/{video_lesson.uid}/player/").json()

    assert told["external"]["host"] == "youtube"
    assert told["external"]["frame"].startswith("https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?")
    assert (told["external"]["start"], told["position"], told["sources"], told["duration"]) == (60, 60, None, 0)
    assert told["external"]["may_tell_length"] is False
    as_author = browser_of(course.instructor).get(f"/api/v1/lessons/{video_lesson.uid}/player/").json()
    assert as_author["external"]["may_tell_length"] is True


def test_visitors_see_a_preview_and_search_engines_read_it(course, video_lesson, settings):
    _show(video_lesson, YOUTUBE, duration=95)
    Lesson.objects.filter(pk=video_lesson.pk).update(is_preview=True)
    address = f"/learn/{course.slug}/{video_lesson.slug}"

    page = Client().get(address).content.decode()
    assert "www.youtube-nocookie.com" in page
    assert '"@type": "VideoObject"' in page or '"@type":"VideoObject"' in page
    assert "PT95S" in page

    settings.EXTERNAL_VIDEO_HOSTS = ["vimeo"]
    closed = Client().get(address)
    assert "youtube" not in closed.content.decode()
    assert "youtube" not in _policy(closed)
