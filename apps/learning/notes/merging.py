"""How copies of a note merge: in any order, any number of times, without losing a text.

A note is written in *edits*. An edit is what one opened editor, on one device, makes of the note: it has a key of its
own, and a revision that grows while the learner types. It replaces the edits that its editor began with, each up to
the revision that it showed. So a copy of a note is two maps:

- ``edits``: key → the newest revision that this copy knows, with its text;
- ``replaced``: key → up to which revision other edits have replaced it.

Both merge key by key to the greater value, which is commutative, associative and idempotent. An edit stands while it
is newer than what replaced it. Two devices that edit a note at once replace the same edits but not each other: both
texts stand. To delete a note is an edit too: an edit that its writer had not seen stands beside it, so the note is back
with that text. ``assets/shared/notes/content.ts`` is the same rule for browsers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

SEPARATOR = "\n\n---\n\n"
"""What stands between texts that were written at the same time: a rule in Markdown."""


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """One edit of a note. The order of the fields decides between two texts of one revision."""

    revision: int
    at: int
    """When it was written, in milliseconds since 1970, by the writer's clock. It orders texts that stand together."""
    text: str
    is_deleted: bool = False
    """The edit deletes the note; its text is empty."""


@dataclass(frozen=True, slots=True)
class Content:
    """A copy of a note. Only edits that stand are kept."""

    edits: Mapping[str, Edit] = field(default_factory=dict)
    replaced: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, edits: Mapping[str, Edit], replaced: Mapping[str, int]) -> Self:
        """Return a copy without the edits that were replaced."""
        standing = {key: edit for key, edit in edits.items() if edit.revision > replaced.get(key, 0)}
        return cls(standing, dict(replaced))

    @property
    def texts(self) -> list[str]:
        """The texts that stand, the oldest first. Several if they were written at the same time."""
        kept = sorted((edit.at, key, edit.text) for key, edit in self.edits.items() if not edit.is_deleted)
        found: list[str] = []
        for _at, _key, text in kept:
            if text not in found:  # the same change on two devices is one
                found.append(text)
        return found

    @property
    def text(self) -> str:
        """The texts that stand, as one."""
        return SEPARATOR.join(self.texts)

    @property
    def is_deleted(self) -> bool:
        """Whether it was deleted and nothing else was written at the same time."""
        return bool(self.edits) and all(edit.is_deleted for edit in self.edits.values())

    def merge(self, other: Self) -> Self:
        """Return what both copies know."""
        replaced = dict(self.replaced)
        for key, revision in other.replaced.items():
            replaced[key] = max(revision, replaced.get(key, 0))
        edits = dict(self.edits)
        for key, edit in other.edits.items():
            edits[key] = max(edit, edits.get(key, edit))
        return self.of(edits, replaced)

    def as_json(self) -> dict[str, Any]:
        """Return it as it is stored and sent: lists, ordered by key."""
        return {
            "edits": [
                {"key": key, "revision": edit.revision, "at": edit.at, "text": edit.text, "is_deleted": edit.is_deleted}
                for key, edit in sorted(self.edits.items())
            ],
            "replaced": [{"key": key, "revision": revision} for key, revision in sorted(self.replaced.items())],
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Read what ``as_json`` wrote. A key that is named twice counts as two copies that were merged."""
        content = cls()
        for one in stored.get("edits", ()):
            edit = Edit(
                revision=one["revision"],
                at=one["at"],
                text="" if one["is_deleted"] else one["text"],
                is_deleted=one["is_deleted"],
            )
            content = content.merge(cls({one["key"]: edit}))
        replaced: dict[str, int] = {}
        for one in stored.get("replaced", ()):
            replaced[one["key"]] = max(one["revision"], replaced.get(one["key"], 0))
        return content.merge(cls({}, replaced))
