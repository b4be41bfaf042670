"""The cues of captions while authors edit them: each has an id, and knows the revision in which it was changed last.

Authors send the cues they have changed, not all of them. A cue that another author has changed since is a conflict; all
others are taken, so two authors can work on the same captions. Pure: cues are dicts as they are stored and sent.
"""

from __future__ import annotations

import hashlib
import html
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NotRequired, TypedDict

from .cue_text import clean_markup, plain_text
from .cues import TWICE_UTF_8, Cue
from .webvtt import format_timestamp, parse_cues, write_webvtt

SHOWN, ASIDE, REMOVED = "shown", "aside", "removed"
STATES = (SHOWN, ASIDE, REMOVED)
MAX_CUE_CHARACTERS = 2000
"""Of the text of a cue that is edited. Files may have longer ones: they are divided."""


class SheetCue(TypedDict):
    """``begin`` and ``end`` in seconds; ``text`` as authors type it: tags of WebVTT, everything else as it reads.

    ``state``: "aside" is kept and not published, "removed" is what others have to learn of. ``revision`` and
    ``client``: of the last change; the client is the browser's tab.
    """

    id: str
    begin: float
    end: float
    text: str
    settings: str
    chapter: str
    is_checked: bool
    state: str
    revision: NotRequired[int]
    client: NotRequired[str]


_TONES = "\u0300\u0301\u0303\u0309\u0323"
_CONTENT = ("begin", "end", "text", "settings", "chapter", "is_checked", "state")


@dataclass(frozen=True)
class Merged:
    """``cues``: all of them, with what was taken; ``conflicts``: those that another author has changed since."""

    cues: list[SheetCue]
    conflicts: list[SheetCue] = field(default_factory=list)


def digest_of(webvtt: str) -> str:
    """Return the digest of published captions; empty if there are none."""
    return hashlib.sha256(webvtt.encode()).hexdigest()[:16] if webvtt else ""


def editable_text(text: str) -> str:
    """Return WebVTT cue text as authors type it: "a < b" for "a &lt; b", unless that would be read as a tag."""
    if "&" not in text:
        return text
    typed = html.unescape(text)
    return typed if published_text(typed) == text else text


def published_text(typed: str) -> str:
    """Return what authors have typed as WebVTT cue text."""
    return clean_markup(typed.replace("\r\n", "\n").replace("\r", "\n"), is_webvtt=False)[0]


def cues_of_webvtt(webvtt: str, *, is_checked: bool) -> list[SheetCue]:
    """Return the cues of published captions. Their ids are the same each time."""
    return cues_of_reading(parse_cues(webvtt), prefix=digest_of(webvtt)[:8], is_checked=is_checked)


def cues_of_reading(cues: Iterable[Cue], *, prefix: str, is_checked: bool, duration: float = 0) -> list[SheetCue]:
    """Return the cues of a file; those that begin after ``duration`` (seconds, 0: unknown) are set aside.

    Cues with more than `MAX_CUE_CHARACTERS` are divided.
    """
    parts = (part for cue in cues for part in _parts_of(cue))
    return [
        SheetCue(
            id=f"{prefix}-{number}",
            begin=part.begin,
            end=part.end,
            text=part.text,
            settings=part.settings,
            chapter=part.chapter,
            is_checked=is_checked,
            state=ASIDE if part.begin >= duration > 0 else SHOWN,
        )
        for number, part in enumerate(parts)
    ]


def count_long(cues: Iterable[Cue]) -> int:
    """Return how many cues of a file are divided."""
    return sum(len(editable_text(cue.text)) > MAX_CUE_CHARACTERS for cue in cues)


def _parts_of(cue: Cue) -> Iterator[Cue]:
    """Yield a cue with its text as authors type it; a long one in parts, each as long as its share of the text."""
    text, at, begin = editable_text(cue.text), 0, cue.begin
    while len(text) - at > MAX_CUE_CHARACTERS:
        cut = at + _cut_of(text[at : at + MAX_CUE_CHARACTERS])
        end = round(cue.begin + (cue.end - cue.begin) * cut / len(text), 3)
        yield replace(cue, begin=begin, end=end, text=text[at:cut].strip(), chapter="" if at else cue.chapter)
        at, begin = cut, end
    if at == 0 or text[at:].strip():
        yield replace(cue, begin=begin, text=text[at:].strip() if at else text, chapter="" if at else cue.chapter)


def _cut_of(text: str) -> int:
    """Return where a text is cut: between lines or words of its second half, not within a tag."""
    at = max(text.rfind("\n"), text.rfind(" ")) + 1
    at = at if at > len(text) / 2 else len(text)  # written without spaces
    tag = text.rfind("<", 0, at)
    return tag if tag > text.rfind(">", 0, at) and tag > len(text) / 2 else at


def merge_changes(
    cues: list[SheetCue], changes: Iterable[SheetCue], *, since: int, revision: int, client: str
) -> Merged:
    """Take the changes of an author who has seen the revision ``since``; they make ``revision``.

    What the same tab has changed since is its own: an answer of the server was lost on its way.
    """
    found = {cue["id"]: cue for cue in cues}
    conflicts = []
    for change in changes:
        now = found.get(change["id"])
        if now is not None and _same(now, change):
            continue
        if now is None and change["state"] == REMOVED:
            continue
        if now is not None and now.get("revision", 0) > since and now.get("client") != client:
            conflicts.append(now)
            continue
        content = {name: change[name] for name in _CONTENT}  # type: ignore[literal-required]  # names of SheetCue
        found[change["id"]] = SheetCue(id=change["id"], revision=revision, client=client, **content)  # type: ignore[typeddict-item]
    return Merged(sorted(found.values(), key=lambda cue: (cue["begin"], cue["end"], cue["id"])), conflicts)


def replace_cues(cues: Iterable[SheetCue], wanted: Iterable[SheetCue], *, revision: int) -> list[SheetCue]:
    """Return the wanted cues in place of others; what differs was changed by nobody's tab in this revision."""
    before = {cue["id"]: cue for cue in cues}
    kept = [
        before[cue["id"]]
        if cue["id"] in before and _same(before[cue["id"]], cue)
        else SheetCue(**cue | {"revision": revision, "client": ""})
        for cue in wanted
    ]
    names = {cue["id"] for cue in kept}
    gone = [cue for cue in before.values() if cue["id"] not in names]
    marks = [
        cue if cue["state"] == REMOVED else SheetCue(**cue | {"state": REMOVED, "revision": revision, "client": ""})
        for cue in gone
    ]
    return sorted([*kept, *marks], key=lambda cue: (cue["begin"], cue["end"], cue["id"]))


def changed_since(cues: Iterable[SheetCue], since: int, *, by_others_than: str) -> list[SheetCue]:
    """Return the cues that others have changed after the revision ``since``."""
    return [cue for cue in cues if cue.get("revision", 0) > since and cue.get("client") != by_others_than]


def published_cues(cues: Iterable[SheetCue]) -> list[Cue]:
    """Return what is published: shown cues with a text and a length."""
    written = (
        (cue, published_text(cue["text"])) for cue in cues if cue["state"] == SHOWN and cue["end"] > cue["begin"]
    )
    return [
        Cue(begin=cue["begin"], end=cue["end"], text=text, settings=cue["settings"], chapter=cue["chapter"])
        for cue, text in written
        if plain_text(text)
    ]


def webvtt_of(cues: Iterable[SheetCue]) -> str:
    """Return the WebVTT file of what is published; empty if there is no cue."""
    published = published_cues(cues)
    return write_webvtt(published) if published else ""


def write_srt(cues: Iterable[Cue]) -> str:
    """Write a SubRip file. Lines end as Windows ends them, as the oldest players expect."""
    blocks = []
    for number, cue in enumerate(sorted(cues, key=lambda cue: (cue.begin, cue.end)), 1):
        begin, end = (format_timestamp(time).replace(".", ",") for time in (cue.begin, cue.end))
        blocks.append(f"{number}\n{begin} --> {end}\n{editable_text(cue.text)}\n")
    return "\n".join(blocks).replace("\n", "\r\n")


def encode(text: str, encoding: str) -> bytes:
    """Return the text in an encoding of `cues.ENCODINGS`, in that of its file as a rule. Those of 16 and 32 bits begin
    with a byte order mark.

    :raises UnicodeEncodeError: a character isn't in the encoding.
    """
    if encoding == TWICE_UTF_8:  # a mistake that nobody wants back
        encoding = "utf-8"
    if encoding == "cp1258":  # has tones as characters of their own
        text = "".join(map(_split_tone, text))
    is_wide = encoding.startswith(("utf-16", "utf-32"))
    return (f"\ufeff{text}" if is_wide else text).encode(encoding)


def _split_tone(character: str) -> str:
    """Return a Vietnamese letter as cp1258 has it: "ệ" as "ê" and the dot below."""
    if character.isascii() or character.encode("cp1258", "ignore"):
        return character
    parts = unicodedata.normalize("NFD", character)
    tones = "".join(part for part in parts if part in _TONES)
    return unicodedata.normalize("NFC", "".join(part for part in parts if part not in _TONES)) + tones


def _same(one: SheetCue, other: SheetCue) -> bool:
    return all(one[name] == other[name] for name in _CONTENT)  # type: ignore[literal-required]  # names of SheetCue
