"""What changes on the sample pages."""

from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from studyplatform.kit import jobs
from studyplatform.kit.errors import Conflict, NotFound
from studyplatform.samples.errors import GuestAlreadyListed, SampleLimitReached
from studyplatform.samples.models import MOST_PER_BROWSER, SampleEntry
from studyplatform.samples.queries import STARTERS, entries_of
from studyplatform.samples.visitors import Visitor, next_reset

MOST_ENTRIES = 20_000  # of all visitors together, against a full disk


def add_entry(*, visitor: Visitor, kind: str, text: str, now: datetime) -> SampleEntry:
    """Add an entry to the visitor's list.

    :raises GuestAlreadyListed: the guest list has this name.
    :raises SampleLimitReached: the list is full, or the lists of all visitors together are.
    :raises Conflict: another tab of this browser added an entry at the same time.
    """
    text = " ".join(text.split())
    with transaction.atomic():
        save_starters(visitor=visitor, now=now)
        listed = entries_of(visitor.browser, kind)
        if kind == SampleEntry.Kind.GUEST and text.casefold() in {entry.text.casefold() for entry in listed}:
            raise GuestAlreadyListed(name=text)
        free = set(range(MOST_PER_BROWSER)) - {entry.slot for entry in listed}
        if not free:
            raise SampleLimitReached
        _require_space()
        try:
            with transaction.atomic():
                return SampleEntry.objects.create(
                    browser=visitor.browser, kind=kind, slot=min(free), text=text, created_at=now
                )
        except IntegrityError:
            raise Conflict from None


def change_entry(
    *,
    visitor: Visitor,
    kind: str,
    uid: UUID,
    now: datetime,
    text: str | None = None,
    is_done: bool | None = None,
) -> SampleEntry:
    """Change the text of an entry, whether it is done, or both; None leaves it as it is.

    :raises NotFound: the visitor has no such entry.
    """
    with transaction.atomic():
        save_starters(visitor=visitor, now=now)
        entry = _entry_of(visitor, kind, uid)
        if text is not None:
            entry.text = " ".join(text.split())
        if is_done is not None:
            entry.is_done = is_done
        entry.save(update_fields=["text", "is_done"])
        return entry


def delete_entry(*, visitor: Visitor, kind: str, uid: UUID, now: datetime) -> None:
    """Delete an entry.

    :raises NotFound: the visitor has no such entry.
    """
    with transaction.atomic():
        save_starters(visitor=visitor, now=now)
        _entry_of(visitor, kind, uid).delete()


def delete_all_entries(*, now: datetime) -> None:
    """The nightly reset: delete what was entered before this moment."""
    SampleEntry.objects.filter(created_at__lte=now).delete()


def _entry_of(visitor: Visitor, kind: str, uid: UUID) -> SampleEntry:
    found = SampleEntry.objects.select_for_update().filter(browser=visitor.browser, kind=kind, uid=uid).first()
    if found is None:
        raise NotFound
    return found


def save_starters(*, visitor: Visitor, now: datetime) -> None:
    """Save the entries that a new browser was shown, and schedule the reset that deletes them.

    :raises SampleLimitReached: the lists of all visitors together are full.
    """
    if not visitor.is_new:
        return
    _require_space()
    slots: dict[str, int] = {}
    rows = []
    for uid, kind, text, is_done in STARTERS:
        slot = slots[kind] = slots.get(kind, -1) + 1
        rows.append(
            SampleEntry(
                uid=uid, browser=visitor.browser, kind=kind, slot=slot, text=text, is_done=is_done, created_at=now
            )
        )
    with transaction.atomic():
        SampleEntry.objects.bulk_create(rows)
        jobs.enqueue("samples.reset", key="reset", delay=next_reset(now) - now)


def _require_space() -> None:
    if SampleEntry.objects.count() >= MOST_ENTRIES:
        raise SampleLimitReached
