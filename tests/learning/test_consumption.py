"""How much of a course a learner has used: watched, fetched, opened, downloaded or taken, in whatever way."""

from datetime import UTC, datetime
from fractions import Fraction

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone
from redis.exceptions import RedisError

from apps.accounts.guards import SessionKey
from apps.courses.models import CourseFileUse, LessonDownload
from apps.courses.services import add_download, edit_lesson, upload_course_file
from apps.files import servings
from apps.files.services import sign_link
from apps.files.storage import video_directory
from apps.learning.activity.consumption import LessonShare, consumed_percent
from apps.learning.models import LessonUse
from apps.learning.queries.consumption import consumed_percents
from apps.learning.services.consumption import record_file, record_served, record_whole
from studyplatform.kit.caching.lru import LruCache
from tests.factories.courses import CourseFactory, CourseFileFactory, LessonFactory, QuizFactory, SectionFactory
from tests.factories.files import VideoFactory
from tests.factories.learning import AttemptFactory, EnrollmentFactory, LessonProgressFactory

pytestmark = pytest.mark.edits_in_place

NOW = datetime(2026, 11, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lessons", "percent"),
    [
        ([], 0),
        ([(600, 1), (600, 0), (600, 0), (600, 0), (600, 0)], 20),
        ([(600, "1/2"), (600, "1/2"), (600, 0)], 33),
        ([(3600, 1), (60, 0), (60, 0), (60, 0), (60, 0), (60, 0)], 92),  # the one long lesson
        ([(60, 1), (60, 1), (3600, 0)], 66),  # many short ones
        ([(60, 1), (0, 0), (0, 0), (0, 0)], 25),  # files of unknown length are as long as the text
        ([(0, 1), (0, 0)], 50),
        ([(1000, "199/1000"), (1000, "199/1000")], 19),
    ],
)
def test_the_greater_of_lessons_and_hours_decides(lessons, percent):
    assert consumed_percent([LessonShare(length, Fraction(share)) for length, share in lessons]) == percent


@pytest.fixture
def enrolled(leo):
    course = CourseFactory(status="published")
    section = SectionFactory(course=course)
    enrollment = EnrollmentFactory(user=leo, course=course)

    def add(kind, **fields):
        return LessonFactory(course=course, section=section, kind=kind, **fields)

    return enrollment, add


def percent_of(enrollment):
    return consumed_percents([(enrollment.user_id, enrollment.course_id)])[enrollment.user_id, enrollment.course_id]


@pytest.mark.django_db
def test_each_kind_of_lesson_counts_when_it_was_handed_out(enrolled, django_assert_num_queries):
    enrollment, add = enrolled
    video = VideoFactory(duration=100)
    film, text, told, file, quiz = (
        add("video", duration=100, video=video), add("text", duration=100), add("text", duration=100),
        add("file", duration=100), add("quiz", duration=100),
    )  # fmt: skip
    assert percent_of(enrollment) == 0
    LessonProgressFactory(enrollment=enrollment, lesson=film, watched=[[0, 30]], watched_seconds=30)
    record_served(enrollment.user_id, video.uid, [(20, 50), (90, 120)])  # played fast, and skipped to the end
    assert percent_of(enrollment) == 12
    LessonProgressFactory(enrollment=enrollment, lesson=text)
    record_whole(enrollment=enrollment, lesson=told, now=NOW)
    LessonProgressFactory(enrollment=enrollment, lesson=file, completed_at=NOW)
    AttemptFactory(enrollment=enrollment, quiz=QuizFactory(lesson=quiz), submitted_at=None)
    with django_assert_num_queries(5):
        assert percent_of(enrollment) == 92
    enrollment.revoke(now=NOW)
    assert percent_of(enrollment) == 92
    text.delete()  # lessons that come and go: the share is that of the present ones
    assert percent_of(enrollment) == 90
    add("text", duration=100, position=99)
    assert percent_of(enrollment) == 72


@pytest.mark.django_db
def test_downloads_and_linked_files_count_like_their_lesson(enrolled, ada, browser_of, leo, mia):
    enrollment, add = enrolled
    course, video = enrollment.course, VideoFactory(duration=100)
    course.instructor = ada
    course.save()
    film, quiz = add("video", duration=100, video=video), add("quiz", duration=100)
    add("text", duration=100), add("text", duration=100)
    QuizFactory(lesson=quiz)
    files = [
        upload_course_file(course=course, by=ada, file=ContentFile(text), name=f"{text.decode()}.txt", now=NOW)
        for text in (b"one", b"two", b"three", b"four")
    ]
    for file, lesson in ((files[0], film), (files[1], film), (files[2], quiz)):
        add_download(lesson=lesson, by=ada, file=file, now=NOW)
    body = f"[More]({files[3].address})"
    edit_lesson(lesson=film, by=ada, title=film.title, summary="", body=body, is_preview=False, now=NOW)
    reader, other = browser_of(leo), browser_of(mia)

    assert reader.head(files[0].address).status_code == 200
    assert (other.get(files[0].address).status_code, percent_of(enrollment)) == (404, 0)
    for number, percent in ((0, 8), (0, 8), (1, 16), (3, 25), (2, 50)):
        assert reader.get(files[number].address, headers={"range": "bytes=0-1"}).status_code in {200, 206}
        assert percent_of(enrollment) == percent
    record_served(enrollment.user_id, video.uid, [(0, 100)])  # what is watched beside counts once
    assert percent_of(enrollment) == 50
    assert browser_of(ada).get(files[0].address).status_code == 200
    assert set(LessonUse.objects.values_list("enrollment", flat=True)) == {enrollment.pk}
    enrollment.revoke(now=NOW)
    assert percent_of(enrollment) == 50


@pytest.mark.django_db
def test_pictures_in_a_text_are_no_downloads(enrolled, leo):
    enrollment, add = enrolled
    film = add("video", duration=100)
    picture = CourseFileFactory(course=enrollment.course, width=10, height=10)
    use = CourseFileUse.objects.create(file=picture, place="lesson", lesson=film)
    record_file(user_id=leo.pk, file=picture, now=NOW)
    assert percent_of(enrollment) == 0
    download = LessonDownload.objects.create(lesson=film, file=picture, name="Map", position=1)
    record_file(user_id=leo.pk, file=picture, now=NOW)
    assert percent_of(enrollment) == 100
    download.delete()
    use.delete()
    assert percent_of(enrollment) == 100  # what was used stays used


@pytest.mark.django_db
def test_fetched_segments_are_recorded_in_few_writes(enrolled, settings, tmp_path, client: Client, leo):
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(tmp_path)},
        },
    }  # fmt: skip
    enrollment, add = enrolled
    video = VideoFactory(duration=240, is_playable=True, has_audio=True)
    video.directory = video_directory(video.uid, video.uid)
    video.version = video.uid
    video.save()
    lesson = add("video", duration=240, video=video)
    playlist = "#EXTM3U\n" + "#EXTINF:4.0,\n00000.m4s\n" * 60 + "#EXT-X-ENDLIST\n"
    for name in ("480p", "audio"):
        folder = tmp_path / video.directory / name
        folder.mkdir(parents=True)
        (folder / "index.m3u8").write_text(playlist)
        (folder / "init.mp4").write_bytes(b"head")
        for number in range(60):
            (folder / f"{number:05d}.m4s").write_bytes(b"data")
    assert default_storage.exists(f"{video.directory}/480p/index.m3u8")
    client.force_login(leo)
    key = SessionKey(client.session.session_key)
    sources = sign_link(video=video, now=timezone.now(), audience=key)
    base = sources.master.removesuffix("/master.m3u8")
    writes = []
    servings.register_report(lambda *given: writes.append(given))
    try:
        for number in [*range(10, 40), *range(10, 40)]:  # the second time from another rendition
            folder = "480p" if len(writes) < 6 else "audio"
            assert client.get(f"{base}/{folder}/{number:05d}.m4s").status_code == 200
    finally:
        servings._reports.pop()
    assert len(writes) <= 8
    assert percent_of(enrollment) == 50  # also what was not written yet
    assert LessonUse.objects.get(lesson=lesson).served == [[40, 160]]
    assert client.head(f"{base}/480p/00059.m4s").status_code == 200
    assert percent_of(enrollment) == 50
    assert client.get(f"{base}/sound.m4a", headers={"Range": "bytes=0-23"}).status_code == 206
    assert 50 <= percent_of(enrollment) <= 60
    assert client.get(f"{base}/sound.m4a").status_code == 200
    assert percent_of(enrollment) == 100


class Process:
    """The memory of one of several processes that serve videos."""

    def __init__(self):
        self.served, self.last = LruCache(100), LruCache(100)

    def enter(self, monkeypatch):
        monkeypatch.setattr(servings, "_served", self.served)
        monkeypatch.setattr(servings, "_last_videos", self.last)


@pytest.mark.django_db
def test_what_several_processes_served_counts_whichever_is_asked(enrolled, monkeypatch):
    enrollment, add = enrolled
    video, other = VideoFactory(duration=240), VideoFactory(duration=240)
    first, second = add("video", duration=240, video=video), add("video", duration=240, video=other)
    monkeypatch.setattr(servings, "_starts_of", lambda _folder: [4.0 * number for number in range(61)])
    writes = []
    monkeypatch.setattr(servings, "_reports", [*servings._reports, lambda *given: writes.append(given)])
    processes = [Process() for _ in range(4)]

    def fetch(video, numbers):
        for number in numbers:
            processes[number % 4].enter(monkeypatch)
            servings.record_segment(enrollment.user_id, video.uid, "x/480p", number)

    fetch(video, range(60))
    assert len(writes) <= 20  # not one for each segment
    Process().enter(monkeypatch)  # the one that answers the request of a refund
    assert percent_of(enrollment) == 50
    assert LessonUse.objects.get(lesson=first).served == [[0, 240]]

    fetch(other, range(60))
    assert LessonUse.objects.get(lesson=second).served != [[0, 240]]
    fetch(VideoFactory(), range(4))  # opening another video leaves nothing behind
    assert LessonUse.objects.get(lesson=second).served == [[0, 240]]


@pytest.mark.django_db
def test_a_video_plays_without_the_shared_cache(enrolled, monkeypatch):
    enrollment, add = enrolled
    video = VideoFactory(duration=240)
    add("video", duration=240, video=video)
    monkeypatch.setattr(servings, "_starts_of", lambda _folder: [4.0 * number for number in range(61)])

    class Down:
        def __getattr__(self, _name):
            raise RedisError("down")

    monkeypatch.setattr(servings, "_shared", Down())
    for number in range(30):
        servings.record_segment(enrollment.user_id, video.uid, "x/480p", number)
    assert percent_of(enrollment) == 50


@pytest.mark.django_db
def test_only_learners_are_recorded(enrolled, mia):
    _enrollment, add = enrolled
    video = VideoFactory(duration=100)
    add("video", duration=100, video=video)
    record_served(mia.pk, video.uid, [(0, 100)])
    assert not LessonUse.objects.exists()
