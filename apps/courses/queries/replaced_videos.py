"""Videos that the next version of a course replaces, and what becomes of what learners watched of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from apps.courses.models import Course, Lesson
from apps.files.models import Upload, VideoAsset

MAX_LENGTH_DIFFERENCE = 2
"""Seconds by which two videos may differ in length so that what was watched of one counts for the other."""


class Watched(StrEnum):
    """What becomes of the seconds that learners have watched, if they have not completed the lesson."""

    KEEP = "keep"
    RESTART = "restart"


@dataclass(frozen=True)
class ReplacedVideo:
    """A lesson of a working copy whose video is another one than that of the published lesson.

    ``before`` and ``after`` are seconds. ``choice`` is that of the author for these two videos; empty if there is none.
    """

    lesson: Lesson
    live_lesson_id: int
    before: int
    after: int
    choice: str

    @property
    def key(self) -> str:
        """Names the lesson in forms and in the draft."""
        return self.lesson.uid.hex

    @property
    def video(self) -> str:
        """Names the new video, so that a choice isn't taken for another one."""
        return _name_video(self.lesson)

    @property
    def needs_choice(self) -> bool:
        """Whether the lengths differ so much that the author has to say what counts."""
        return abs(self.before - self.after) > MAX_LENGTH_DIFFERENCE

    @property
    def is_undecided(self) -> bool:
        return self.needs_choice and not self.choice

    @property
    def is_restarted(self) -> bool:
        return self.needs_choice and self.choice == Watched.RESTART


def replaced_videos(copy: Course) -> list[ReplacedVideo]:
    """Return the lessons of a working copy that have another video than the published ones. Two queries.

    A video that isn't processed has no length yet, and is no replacement until it has.
    """
    columns = ("uid", "video_id", "external_video", "duration")
    published = {
        row.uid: row
        for row in Lesson.objects.filter(course=copy.live_id, kind=Lesson.Kind.VIDEO, duration__gt=0).only(*columns)
    }
    rows = Lesson.objects.filter(course=copy, kind=Lesson.Kind.VIDEO, duration__gt=0).exclude(origin=None)
    found = []
    for row in rows.select_related("course__draft", "section", "video").order_by("section__position", "position"):
        before = published.get(row.origin) if row.origin is not None else None
        if before is None or _name_video(before) == _name_video(row):
            continue
        found.append(ReplacedVideo(row, before.pk, before.duration, row.duration, _choice_for(row)))
    return found


def lessons_to_decide(lessons: Sequence[Lesson]) -> set[int]:
    """Return the ids of those lessons for whose new video the author has to say what counts. At most one query.

    :param lessons: of any courses, with ``course__draft`` selected
    """
    own = [one for one in lessons if one.origin is not None and one.duration > 0 and one.course.is_working_copy]
    if not own:
        return set()
    published = Lesson.objects.filter(uid__in=[one.origin for one in own], kind=Lesson.Kind.VIDEO, duration__gt=0)
    before = {(row.course_id, row.uid): row for row in published}
    found = set()
    for one in own:
        live = before.get((one.course.live_id, one.origin)) if one.origin is not None else None
        if live is None or _name_video(live) == _name_video(one):
            continue
        if ReplacedVideo(one, live.pk, live.duration, one.duration, _choice_for(one)).is_undecided:
            found.add(one.pk)
    return found


def lessons_with_uploads(copy: Course) -> list[str]:
    """Return the titles of lessons whose new video is being uploaded or processed. Two queries."""
    titles = {str(uid): title for uid, title in copy.lessons.values_list("uid", "title")}
    running = Upload.objects.filter(target__in=titles).exclude(video=None)
    ended = [VideoAsset.Stage.COMPLETE, VideoAsset.Stage.FAILED]
    found = running.exclude(video__stage__in=ended).values_list("target", flat=True).distinct()
    return [titles[target] for target in found]


def read_watched_choices(sent: Mapping[str, str]) -> dict[str, Watched]:
    """Return the choices of a form, by the key of their lessons: its fields are called ``watched-KEY``."""
    prefix = "watched-"
    return {
        name.removeprefix(prefix): Watched(value)
        for name, value in sent.items()
        if name.startswith(prefix) and value in set(Watched)
    }


def _choice_for(lesson: Lesson) -> str:
    """The choice of the author for the lesson's present video; empty if there is none."""
    chosen = lesson.course.draft.watched_choices.get(lesson.uid.hex, {})
    return str(chosen.get("choice", "")) if chosen.get("video") == _name_video(lesson) else ""


def _name_video(lesson: Lesson) -> str:
    return lesson.external_video or str(lesson.video_id or "")
