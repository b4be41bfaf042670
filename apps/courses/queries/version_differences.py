"""What differs between two versions of a course, as pages show it: by lessons, with texts, questions and videos."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.core.paginator import Paginator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.courses.content_tree import FieldChange, LessonChange, Paragraph, Run, Tree, diff_trees
from apps.courses.content_tree.shape import lessons_of
from apps.courses.models import Lesson
from apps.courses.queries.version_lines import Block, Line, lines_of, lines_of_values
from apps.courses.queries.version_questions import block_of_question, number_questions
from apps.courses.queries.version_values import label_of, written_value
from apps.files.models import VideoAsset

PAGE = "page"
ENTRIES_PER_PAGE = 30
STATES = ("changed", "moved", "added", "removed")
# Follow from other changes, which are shown.
_UNSHOWN = {"duration", "external_host", "currency"}
_BY_VIDEO = {"video", "captions"}


@dataclass(frozen=True)
class Entry:
    """A lesson that differs, the course page, the outline's sections or the question bank."""

    anchor: str
    number: str
    title: str
    state: str
    detail: str
    said: str = ""
    read_blocks: Callable[[], Iterable[Block]] = field(default=tuple, repr=False, compare=False)
    videos: tuple[VideoAsset | None, VideoAsset | None] | None = None
    slug: str = ""

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """What differs in it. Texts are compared where it is read: pages show some of many entries."""
        return tuple(self.read_blocks())

    @property
    def lost_captions(self) -> list[str]:
        """The names of the languages in which the former video has captions and the new one has none."""
        before, after = self.videos or (None, None)
        if before is None or after is None:
            return []
        has = {track.language for track in after.captions.all()}
        return [track.label for track in before.captions.all() if track.language not in has]


@dataclass(frozen=True)
class VersionDifference:
    """All entries in the order of the course, how many there are of each state, and what is the same."""

    entries: tuple[Entry, ...]
    counts: Mapping[str, int]
    same_lessons: int
    seconds: tuple[int, int]
    raw: Any = field(repr=False)

    @property
    def is_empty(self) -> bool:
        return not self.entries

    def by_state(self) -> list[Entry]:
        return sorted(self.entries, key=lambda entry: STATES.index(entry.state))


def compare_versions(before: Tree, after: Tree) -> VersionDifference:
    """Return what leads from one tree to the other. Two queries, for videos."""
    found = diff_trees(before, after)
    videos = _videos(found.lessons)
    slugs = {lesson["uid"]: lesson["slug"] for tree in (before, after) for lesson in lessons_of(tree)}
    numbers = number_questions(before) | number_questions(after)
    entries = [_entry_of(one, videos, numbers, slugs.get(one.uid, "")) for one in _in_order(found.lessons)]
    sections = [one for one in found.sections if one.is_added or one.is_removed or one.fields or one.is_moved]
    if sections:
        entries.append(_entry_of_sections(sections))
    if found.bank:
        count = len(found.bank)
        detail = ngettext("%(num)d question", "%(num)d questions", count) % {"num": count}
        entries.append(
            Entry(
                "bank",
                "",
                _("Question bank"),
                "changed",
                detail,
                read_blocks=lambda: [block_of_question(one, numbers) for one in found.bank],
            )
        )
    if found.course:
        page = Entry(
            PAGE, "", _("Course page"), "changed", _names(found.course), read_blocks=lambda: _blocks(found.course)
        )
        entries.append(page)
    counts = {state: sum(one.state == state for one in found.lessons) for state in STATES}
    seconds = tuple(sum(lesson["duration"] for lesson in lessons_of(tree)) for tree in (before, after))
    same = sum(1 for _lesson in lessons_of(after)) - sum(not one.is_removed for one in found.lessons)
    return VersionDifference(
        tuple(entries), {k: n for k, n in counts.items() if n}, same, (seconds[0], seconds[1]), found
    )


def page_of_changes(asked: Mapping[str, str], difference: VersionDifference) -> dict[str, Any]:
    """Return the list of changes, in the order that the address asks for, and a page of their details."""
    by_kind = asked.get("by") == "kind"
    entries = difference.by_state() if by_kind else list(difference.entries)
    page = Paginator(entries, ENTRIES_PER_PAGE).get_page(asked.get("page"))
    return {"difference": difference, "entries": entries, "changes": page, "by_kind": by_kind}


def _in_order(lessons: Iterable[LessonChange]) -> list[LessonChange]:
    def place(one: LessonChange) -> tuple[int, ...]:
        return tuple(int(part) for part in (one.number_after or one.number_before or "0").split("."))

    return sorted(lessons, key=place)


def _videos(lessons: Iterable[LessonChange]) -> dict[str, VideoAsset]:
    uids = {uid for one in lessons for uid in (one.video_before, one.video_after) if uid}
    found = VideoAsset.objects.filter(uid__in=uids).defer("facts").prefetch_related("captions") if uids else ()
    return {str(video.uid): video for video in found}


def _entry_of(one: LessonChange, videos: Mapping[str, VideoAsset], numbers: Mapping[str, int], slug: str) -> Entry:
    shown = [change for change in one.fields if change.name not in _UNSHOWN]
    replaced = any(change.name == "video" for change in shown) and not (one.is_added or one.is_removed)
    pair = (videos.get(one.video_before or ""), videos.get(one.video_after or "")) if replaced else None

    def read_blocks() -> Iterator[Block]:
        if not (one.is_added or one.is_removed):
            yield from _blocks(shown)
            yield from (block_of_question(each, numbers) for each in one.questions)

    return Entry(
        anchor=f"l-{one.uid}",
        number=one.number_after or one.number_before,
        title=one.title,
        state=one.state,
        detail=_detail(one, shown),
        said=_said(one),
        read_blocks=read_blocks,
        videos=pair,
        slug="" if one.is_removed else slug,
    )


def _detail(one: LessonChange, shown: Sequence[FieldChange]) -> str:
    if one.is_added or one.is_removed:
        return str(Lesson.Kind(one.kind).label) if one.kind in Lesson.Kind.values else ""
    if one.state == "moved":
        return _("Was %(number)s") % {"number": one.number_before}
    parts = [_names(shown)] if shown else []
    if one.questions:
        count = len(one.questions)
        parts.append(ngettext("%(num)d question", "%(num)d questions", count) % {"num": count})
    return ", ".join(parts)


def _said(one: LessonChange) -> str:
    if one.state == "moved":
        return _("Was lesson %(before)s, is now %(after)s. The lesson itself is the same.") % {
            "before": one.number_before,
            "after": one.number_after,
        }
    if one.is_removed:
        return _("It stays in the history of those who worked in it, and no longer counts for the certificate.")
    if one.is_added:
        return _("New in the section “%(section)s”.") % {"section": one.section_after}
    return _("It also moved: it was %(number)s.") % {"number": one.number_before} if one.is_moved else ""


def _entry_of_sections(sections: Sequence[Any]) -> Entry:
    lines: list[Line] = []
    for one in sections:
        was = next((change.before for change in one.fields if change.name == "title"), one.title)
        if not one.is_added:
            lines.append(Line("removed" if one.is_removed or one.fields else "same", (Run("same", was),)))
        if one.is_added or one.fields:
            lines.append(Line("added", (Run("same", one.title),)))
    detail = ngettext("%(num)d section", "%(num)d sections", len(sections)) % {"num": len(sections)}
    block = Block(_("Sections"), tuple(lines))
    return Entry("sections", "", _("Sections"), "changed", detail, read_blocks=lambda: (block,))


def _names(changes: Sequence[FieldChange]) -> str:
    return ", ".join(dict.fromkeys(label_of(change.name) for change in changes))


def _blocks(changes: Iterable[FieldChange]) -> Iterator[Block]:
    for change in changes:
        if change.name in _BY_VIDEO or change.name in _UNSHOWN:
            continue
        if change.is_text:
            paragraphs = change.paragraphs
            yield Block(_title_of_text(change, paragraphs), tuple(lines_of(paragraphs)))
        else:
            name = change.name.removeprefix("quiz.")
            before, after = written_value(name, change.before), written_value(name, change.after)
            yield Block(label_of(change.name), tuple(lines_of_values(before, after)))


def _title_of_text(change: FieldChange, paragraphs: Sequence[Paragraph]) -> str:
    differing = sum(paragraph.kind != "same" for paragraph in paragraphs)
    count = len(paragraphs)
    if count < 2:
        return label_of(change.name)
    counted = ngettext("%(differing)d of %(num)d paragraph", "%(differing)d of %(num)d paragraphs", count)
    return f"{label_of(change.name)}, {counted % {'differing': differing, 'num': count}}"
