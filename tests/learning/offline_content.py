"""Lessons of all kinds that a device stores, and what reads the HTML of their packages."""

from html.parser import HTMLParser
from uuid import uuid4

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from apps.courses.models import Course, CourseFile, Lesson, LessonDownload
from tests.factories.courses import CourseFileFactory, LessonFactory, SectionFactory
from tests.factories.files import CaptionFactory, RenditionFactory, StoredFileFactory, VideoFactory

SEGMENTS = 3


def make_video_lesson(course: Course, *, names=("720p", "480p", "audio"), **facts) -> Lesson:
    """A video lesson whose files are stored: three segments of 30 s, poster, storyboard with two sheets, captions."""
    section = SectionFactory(course=course)
    video = VideoFactory(poster="poster.jpg", storyboard="storyboard.vtt", stored_bytes=10_000)
    video.directory = f"videos/{video.uid.hex}/{uuid4().hex}"
    video.save()
    for name in names:
        RenditionFactory(video=video, name=name, playlist=f"{name}/index.m3u8", stored_bytes=1000 * len(name))
        store_rendition(video.directory, name)
    store(f"{video.directory}/poster.jpg", b"p" * 70)
    store(f"{video.directory}/storyboard.vtt", b"WEBVTT\n")
    for number in (1, 2):
        store(f"{video.directory}/storyboard-{number}.jpg", b"s" * 50)
    CaptionFactory(video=video)
    CaptionFactory(video=video, language="de", label="Deutsch")
    return LessonFactory(section=section, course=course, kind="video", duration=90, video=video, **facts)


def store_rendition(directory: str, name: str, *, end: str = "#EXT-X-ENDLIST\n") -> None:
    """Store the files of one quality of a video."""
    lines = "".join(f"#EXTINF:30.0,\n{number:05}.m4s\n" for number in range(SEGMENTS))
    playlist = f'#EXTM3U\n#EXT-X-MAP:URI="init.mp4"\n{lines}{end}'
    store(f"{directory}/{name}/index.m3u8", playlist.encode())
    store(f"{directory}/{name}/init.mp4", b"i" * 20)
    for number in range(SEGMENTS):
        store(f"{directory}/{name}/{number:05}.m4s", b"m" * (100 + number))


def store(name: str, content: bytes) -> None:
    default_storage.delete(name)
    default_storage.save(name, ContentFile(content))


def make_course_file(course: Course, **facts) -> CourseFile:
    """A file that texts link; with ``width`` a picture."""
    facts = {
        "width": None,
        "height": None,
        "rendition_width": 0,
        "name": "sheet.pdf",
        "media_type": "application/pdf",
    } | facts
    return CourseFileFactory(course=course, upload=StoredFileFactory(owner=course.instructor), **facts)


def offer(lesson: Lesson, file: CourseFile, name: str) -> LessonDownload:
    return LessonDownload.objects.create(lesson=lesson, file=file, name=name, position=lesson.downloads.count() + 1)


class PageReader(HTMLParser):
    """Reads what HTML refers to: (tag, attribute, address), and the JSON in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.addresses: list[tuple[str, str, str]] = []
        self.marked: list[str] = []
        self.json: list[str] = []
        self.tags: list[str] = []
        self._in_json = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = dict(attrs)
        self._in_json = tag == "script" and given.get("type") == "application/json"
        for name, value in attrs:
            if name in {"href", "src", "poster", "action", "xlink:href", "data"} and value is not None:
                self.addresses.append((tag, name, value))
            if name in {"srcset", "style", "data-fetch-part", "data-new-version", "popovertarget"}:
                self.addresses.append((tag, name, value or ""))
        if "data-needs-connection" in given:
            self.marked.append(given.get("href") or "")

    def handle_endtag(self, tag: str) -> None:
        self._in_json = False

    def handle_data(self, data: str) -> None:
        if self._in_json:
            self.json.append(data)
