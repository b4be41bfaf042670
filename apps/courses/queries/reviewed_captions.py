"""Captions that wait for the review of a next version, where the site reviews corrections too (``REVIEW_RULE=all``)."""

from dataclasses import dataclass, replace

from django.conf import settings
from django.utils.translation import gettext as _

from apps.courses.content_tree.text_differences import compare_texts
from apps.courses.models import Course, Lesson
from apps.courses.queries.version_differences import Entry, VersionDifference
from apps.courses.queries.version_lines import Block, lines_of
from apps.files.models import CaptionSheet
from apps.files.queries import caption_cues
from apps.files.services.caption_sheets import edited_webvtt
from apps.files.services.captions import language_name
from studyplatform.kit.text.durations import clock


@dataclass(frozen=True)
class ReviewedCaptions:
    """Captions of a lesson as they were edited, and as learners have them. Both are WebVTT; "" where there are none."""

    lesson: Lesson
    sheet: CaptionSheet
    before: str
    after: str


def captions_for_review(copy: Course) -> list[ReviewedCaptions]:
    """Return what was edited of captions in a working copy, of videos that learners have. At most four queries.

    Under review, what was edited after the submission isn't part of it: a model may have written captions since.
    """
    if settings.REVIEW_RULE != "all" or not copy.is_working_copy:
        return []
    lessons = copy.lessons.filter(video__lessons__course=copy.live_id, video__lessons__removed_at=None)
    by_video = {lesson.video_id: lesson for lesson in lessons.select_related("section").distinct()}
    sheets = CaptionSheet.objects.filter(video__in=by_video, is_changed=True).select_related("video")
    if copy.status == Course.Status.REVIEW:
        submitted = copy.live.submissions.order_by("-pk").values_list("submitted_at")[:1]
        sheets = sheets.filter(edited_at__lte=submitted)
    found = []
    for sheet in sheets.prefetch_related("video__captions").order_by("video", "language"):
        tracks = {track.language: track.webvtt for track in sheet.video.captions.all()}
        before, after = tracks.get(sheet.language, ""), edited_webvtt(sheet)
        if after and before != after:
            found.append(ReviewedCaptions(by_video[sheet.video_id], sheet, before, after))
    return found


def with_captions(difference: VersionDifference, copy: Course) -> VersionDifference:
    """Return the difference with the captions that wait for the review of the working copy."""
    return replace(difference, entries=(*difference.entries, *(_entry_of(one) for one in captions_for_review(copy))))


def _entry_of(one: ReviewedCaptions) -> Entry:
    label = _("Captions, %(language)s") % {"language": language_name(one.sheet.language)}

    def read_blocks() -> tuple[Block, ...]:
        return (Block(label, tuple(lines_of(compare_texts(_text_of(one.before), _text_of(one.after))))),)

    return Entry(
        anchor=f"c-{one.sheet.uid}",
        number=one.lesson.number,
        title=one.lesson.title,
        state="changed",
        detail=label,
        read_blocks=read_blocks,
        slug=one.lesson.slug,
    )


def _text_of(webvtt: str) -> str:
    """Return captions as paragraphs, each with its time."""
    return "\n\n".join(f"{clock(cue.start)} {cue.text}" for cue in caption_cues(webvtt)) if webvtt else ""
