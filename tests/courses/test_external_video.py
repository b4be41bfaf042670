"""Videos of other hosts: which addresses name one, and how a lesson comes to show it."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, transaction
from django.test import Client

from apps.courses import services
from apps.courses.errors import WrongLessonKind
from apps.courses.external_video import (
    AddressProblem,
    ExternalVideo,
    Host,
    is_allowed,
    policy_sources,
    read_address,
    read_length,
    stored_video,
)
from apps.courses.field_values import lesson_values, version_of
from apps.courses.models import Course, Lesson
from tests.factories.courses import THEN, LessonFactory
from tests.factories.files import VideoFactory

ID = "dQw4w9WgXcQ"
WATCH = f"https://www.youtube.com/watch?v={ID}"
VIMEO = "https://vimeo.com/76979871"
FILE = "https://media.example.org/films/one.mp4"

ADDRESSES = [
    (f"https://youtu.be/{ID}", WATCH),
    (f"https://youtu.be/{ID}?si=tracking&t=90", f"{WATCH}&t=90s"),
    (f"http://youtube.com/watch?v={ID}&list=PL1&index=3", WATCH),
    (f"https://m.youtube.com/watch?feature=share&v={ID}&t=1m30s", f"{WATCH}&t=90s"),
    (f"https://music.youtube.com/watch?v={ID}#t=1h2m3s", f"{WATCH}&t=3723s"),
    (f"https://www.youtube.com/shorts/{ID}?feature=share", WATCH),
    (f"https://www.youtube.com/live/{ID}", WATCH),
    (f"https://www.youtube.com/embed/{ID}?start=12", f"{WATCH}&t=12s"),
    (f"https://www.youtube-nocookie.com/embed/{ID}/", WATCH),
    (f"https://www.youtube.com/v/{ID}", WATCH),
    (f"youtube.com/watch?v={ID}", WATCH),
    (f"//www.youtube.com/embed/{ID}", WATCH),
    (f"HTTPS://WWW.YouTube.COM/watch?v={ID}", WATCH),
    (f"https://www.youtube.com./watch?v={ID}", WATCH),
    (f'<iframe width="9" src="https://www.youtube.com/embed/{ID}?si=x&amp;start=5"></iframe>', f"{WATCH}&t=5s"),
    (f"{WATCH}&t=90s", f"{WATCH}&t=90s"),
    (VIMEO, VIMEO),
    ("http://www.vimeo.com/76979871/", VIMEO),
    ("https://vimeo.com/76979871/0fc11c0ffe", f"{VIMEO}/0fc11c0ffe"),
    ("https://vimeo.com/76979871?h=0fc11c0ffe&share=copy", f"{VIMEO}/0fc11c0ffe"),
    ("https://player.vimeo.com/video/76979871?h=0fc11c0ffe", f"{VIMEO}/0fc11c0ffe"),
    ("https://vimeo.com/channels/staffpicks/76979871#t=1m5s", f"{VIMEO}#t=65s"),
    ("https://vimeo.com/manage/videos/76979871", VIMEO),
    ("https://vimeo.com/showcase/123/video/76979871", VIMEO),
    (FILE, FILE),
    ("https://media.example.org:443/a.webm?token=a%2Fb&expires=9#t=30", "https://media.example.org/a.webm?token=a%2Fb&expires=9#t=30"),
    ("https://MEDIA.example.org/Live/Index.M3U8", "https://media.example.org/Live/Index.M3U8"),
    ("https://media.example.org/vidéo.mp4", "https://media.example.org/vid%C3%A9o.mp4"),
]  # fmt: skip

REFUSED = [
    "", "   ", "hello", "javascript:alert(1)", "JavaScript:alert(1)//.mp4", "data:video/mp4;base64,AAAA", "file:///etc/x.mp4",
    "ftp://example.org/a.mp4", "blob:https://example.org/a.mp4", "https://", "https:///a.mp4", "http://[::1/a.mp4",
    "https://user:secret@example.org/a.mp4", f"https://www.youtube.com@evil.example/watch?v={ID}",
    "https://example.org:8443/a.mp4", "https://example.org:99999/a.mp4", "example.org:8080/a.mp4",
    "http://example.org/a.mp4",
    "https://127.0.0.1/a.mp4", "https://2130706433/a.mp4", "https://0x7f.1/a.mp4", "https://[::1]/a.mp4",
    "https://169.254.169.254/latest/a.mp4", "https://8.8.8.8/a.mp4", "https://localhost/a.mp4", "https://localhost./a.mp4",
    "https://intranet/a.mp4", "https://nas.local/a.mp4", "https://db.internal/a.m3u8", "https://router.home.arpa/a.mp4",
    f"https://уoutube.com/watch?v={ID}", f"https://xn--outube-rtd.com/watch?v={ID}", "https://ｅxample.org/a.mp4",
    "https://exa_mple.org/a.mp4", "https://example.org%2f.evil/a.mp4", r"https://example.org\@evil.example/a.mp4",
    "https://example.org/a b.mp4", "https://example.org/a.mp4\nhttps://example.org/b.mp4", 'https://example.org/"a.mp4',
    "https://www.youtube.com/playlist?list=PL1234567890", "https://www.youtube.com/@channel/live",
    "https://www.youtube.com/embed/videoseries?list=PL1", "https://www.youtube.com/embed/live_stream?channel=UC1",
    "https://www.youtube.com/watch?v=tooshort", f"https://www.youtube.com/watch?v={ID}more", "https://youtu.be/",
    f"https://www.youtube.com.evil.example/watch?v={ID}",
    "https://vimeo.com/event/123456", "https://vimeo.com/showcase/123", "https://vimeo.com/staff", "https://vimeo.com/",
    "https://vimeo.com/76979871/<script>", "https://vimeo.com/1234567890123456",
    "https://example.org/watch?file=a.mp4", "https://example.org/a.mpd", "https://example.org/a.mp4/",
    f"{FILE}?{'x' * 1000}",
]  # fmt: skip


def test_addresses_have_one_spelling() -> None:
    for given, canonical in ADDRESSES:
        found = read_address(given)
        assert found.address == canonical, given
        assert read_address(canonical) == found, given


def test_what_names_no_public_video_is_refused() -> None:
    for given in REFUSED:
        with pytest.raises(AddressProblem):
            assert not read_address(given).address, given


def test_only_the_site_chooses_the_hosts(settings) -> None:
    everything = [read_address(one) for one in (WATCH, VIMEO, FILE, "https://a.example.net/b.m3u8")]

    def allowed(*hosts: str) -> list[bool]:
        settings.EXTERNAL_VIDEO_HOSTS = list(hosts)
        return [is_allowed(one) for one in everything]

    assert allowed("youtube", "vimeo", "https") == [True, True, True, True]
    assert allowed("vimeo") == [False, True, False, False]
    assert allowed("media.example.org") == [False, False, True, False]
    assert allowed("*.example.net", "youtube") == [True, False, False, True]
    assert allowed() == [False, False, False, False]
    assert stored_video(WATCH) is None
    with pytest.raises(AddressProblem, match="YouTube"):
        read_address(WATCH)


def test_a_page_may_load_only_what_its_video_needs(settings) -> None:
    def sources(address: str) -> dict[str, list[str]]:
        return policy_sources(read_address(address))

    assert sources(WATCH) == {"frame-src": ["https://www.youtube-nocookie.com"]}
    assert sources(VIMEO) == {"frame-src": ["https://player.vimeo.com"]}
    assert sources(FILE) == {"media-src": ["https:"]}
    settings.EXTERNAL_VIDEO_HOSTS = ["*.example.org"]
    stream = "https://media.example.org/a.m3u8"
    assert sources(stream) == {"media-src": ["https://*.example.org"], "connect-src": ["https://*.example.org"]}


def test_the_players_of_hosts_are_asked_for_privacy() -> None:
    private = read_address(f"{VIMEO}/0fc11c0ffe")

    assert read_address(WATCH).frame_address.startswith(f"https://www.youtube-nocookie.com/embed/{ID}?enablejsapi=1")
    assert private.frame_address == "https://player.vimeo.com/video/76979871?h=0fc11c0ffe&dnt=1&playsinline=1"
    assert (private.host_name, private.contacted_host) == ("Vimeo", "player.vimeo.com")
    assert read_address(FILE).host_name == "media.example.org"


@pytest.mark.parametrize("word", ["youtube.com/watch", "http://x.org", "*.*", "localhost", "*"])
def test_a_setting_that_names_no_host_stops_the_start(word: str, monkeypatch) -> None:
    import importlib

    from studyplatform.settings.parts import external_video

    monkeypatch.setenv("EXTERNAL_VIDEO_HOSTS", word)
    with pytest.raises(ImproperlyConfigured):
        importlib.reload(external_video)


def test_lengths_are_read_as_people_write_them() -> None:
    written = {"12:30": 750, "1:02:30": 3750, " 45s ": 45, "12m30s": 750, "1h": 3600, "": 0}
    assert {text: read_length(text) for text in written} == written
    for wrong in ("12", "1:75", "0:00", "-1:00", "13:00:00", "1e9s", "a while", "٣:٠٠"):
        with pytest.raises(AddressProblem):
            read_length(wrong)


pytestmark = pytest.mark.database


@pytest.fixture
def lesson(db: None) -> Lesson:
    return LessonFactory(kind="video")


def _save(lesson: Lesson, **fields: object) -> dict[str, dict[str, object]]:
    client = Client()
    client.force_login(lesson.course.instructor)
    lesson.refresh_from_db()
    versions = {name: version_of(value) for name, value in lesson_values(lesson).items()}
    body = {
        "client": "tab",
        "fields": {name: {"value": value, "base": versions[name]} for name, value in fields.items()},
    }
    answer = client.patch(f"/api/v1/studio/lessons/{lesson.uid}/", body, content_type="application/json")
    assert answer.status_code == 200, answer.content
    lesson.refresh_from_db()
    return {outcome["name"]: outcome for outcome in answer.json()["outcomes"]}


def test_the_studio_saves_an_address_in_its_one_spelling(lesson: Lesson) -> None:
    outcome = _save(lesson, external_video=f"https://youtu.be/{ID}?list=PL1")["external_video"]

    assert (outcome["state"], outcome["value"]) == ("saved", WATCH)
    assert (lesson.external_video, lesson.external_host, lesson.duration) == (WATCH, "youtube", 0)
    assert _save(lesson, external_length="2:05")["external_length"]["value"] == "2:05"
    assert lesson.duration == lesson.course.lessons.get().duration == 125
    refused = _save(lesson, external_video="http://localhost/a.mp4")["external_video"]
    assert refused["state"] == "refused"
    assert "can't reach" in str(refused["problem"])
    assert (lesson.external_video, lesson.duration) == (WATCH, 125)
    assert _save(lesson, external_video=[1])["external_video"]["state"] == "refused"
    _save(lesson, external_video="")
    assert (lesson.external_video, lesson.external_host, lesson.duration) == ("", "", 0)
    assert _save(lesson, external_length="2:05")["external_length"]["state"] == "refused"


def test_a_player_tells_the_unknown_length_of_a_published_video_once(lesson: Lesson) -> None:
    _save(lesson, external_video=WATCH)
    Course.objects.update(published_at=THEN, status=Course.Status.PUBLISHED)

    assert _save(lesson, external_length="2:05")["external_length"]["state"] == "saved"
    assert lesson.duration == 125
    with pytest.raises(AssertionError, match="COURSE_NEEDS_NEW_VERSION"):
        _save(lesson, external_length="3:00")
    with pytest.raises(AssertionError, match="COURSE_NEEDS_NEW_VERSION"):
        _save(lesson, external_video="")
    assert (lesson.external_video, lesson.duration) == (WATCH, 125)


def test_one_video_takes_the_place_of_the_other(lesson: Lesson) -> None:
    author, video = lesson.course.instructor, VideoFactory(owner=lesson.course.instructor, duration=90)

    services.set_external_video(lesson=lesson, by=author, video=read_address(FILE), length=30, now=THEN)
    services.attach_video(lesson=lesson, by=author, video=None, now=THEN)
    assert (lesson.external_host, lesson.duration) == ("file", 30)
    services.attach_video(lesson=lesson, by=author, video=video, now=THEN)
    assert (lesson.external_video, lesson.external_host, lesson.duration) == ("", "", 90)
    services.set_external_video(lesson=lesson, by=author, video=None, now=THEN)
    assert lesson.video == video
    services.set_external_video(lesson=lesson, by=author, video=read_address(WATCH), now=THEN)
    lesson.refresh_from_db()
    assert (lesson.video, lesson.external_video, lesson.duration) == (None, WATCH, 0)
    with pytest.raises(IntegrityError), transaction.atomic():
        Lesson.objects.filter(pk=lesson.pk).update(video=video)
    with pytest.raises(WrongLessonKind):
        services.set_external_video(
            lesson=LessonFactory(kind="text", section=lesson.section), by=author, video=read_address(WATCH), now=THEN
        )


def test_the_form_works_without_scripts(lesson: Lesson) -> None:
    client = Client()
    client.force_login(lesson.course.instructor)
    panel = f"/dashboard/instructor/courses/{lesson.course.slug}/lectures/{lesson.slug}"

    wrong = client.post(
        f"{panel}/external-video", {"external_video": "https://example.org/page", "external_length": ""}
    )
    assert wrong.status_code == 200
    assert "not of the page that shows it" in wrong.content.decode()
    assert "https://example.org/page" in wrong.content.decode()  # nothing that was typed is lost
    client.post(f"{panel}/external-video", {"external_video": FILE, "external_length": "0:40"})
    lesson.refresh_from_db()
    assert (lesson.external_video, lesson.duration) == (FILE, 40)
    page = client.get(panel).content.decode()
    assert f'value="{FILE}"' in page
    assert 'value="0:40"' in page
    client.post(f"{panel}/external-video", {"remove": "1"})
    lesson.refresh_from_db()
    assert lesson.external_video == ""
    stranger = Client()
    assert stranger.post(f"{panel}/external-video", {"external_video": FILE}).status_code in {302, 401, 403}


def test_frames_of_files_are_empty() -> None:
    video = ExternalVideo(host=Host.FILE, address=f"{FILE}#t=5", start=5)
    assert (video.frame_address, video.media_address) == ("", FILE)
