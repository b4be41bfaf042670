"""Long lists of files, read in pieces: each piece begins after the last file of the one before (keyset pagination).

A piece deep in a list therefore costs what the first one costs, and files that are added or deleted meanwhile shift
nothing.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.core import signing
from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.files.counts import binned_key
from apps.files.library_names import sort_name
from apps.files.library_queries import (
    ORDERS,
    binned_files,
    binned_folders,
    binned_originals,
    files_in,
    folders_in,
    search_files,
    with_counts,
    with_scan,
)
from apps.files.models import BinnedOriginal, File, Folder
from studyplatform.kit.errors import ValidationFailed

PIECE = 100  # files
COUNT_LIMIT = 1000  # files are counted up to here: counting more would cost more than the piece
MOST_FOLDERS = 1000  # of a folder
BY_DELETION = "deleted"  # the order of the bin
_ORDERS = {**ORDERS, BY_DELETION: ("-deleted_at", "-pk")}
_SALT = "files.listing"
_LINKS_SALT = "files.links"
Fields = tuple[str, ...]
R = TypeVar("R")


@dataclass(frozen=True)
class Piece:
    """A piece of a list. ``folders`` is empty except in the first one.

    ``count``: how many files the list has; beyond `COUNT_LIMIT` it is that, and ``is_count_exact`` is false.
    ``next``: the cursor of the next piece, None at the end.
    """

    folders: Sequence[Folder]
    files: Sequence[File]
    count: int
    is_count_exact: bool
    next: str | None


def list_folder(user: User, folder: Folder | None, *, text: str = "", order: str, cursor: str = "") -> Piece:
    """A piece of a folder in an order of `ORDERS`, or of the files in it and below whose name contains ``text``.

    :raises ValidationFailed: the cursor is not one of this order.
    """
    if text:
        return _piece(search_files(user, folder, text, order), [], order, cursor)
    folders = [] if cursor else with_counts(user, folders_in(user, folder)[:MOST_FOLDERS])
    piece = _piece(files_in(user, folder, order), folders, order, cursor)
    for file in piece.files:
        file.folder = folder  # known already
    return piece


def list_bin(user: User, *, text: str = "", order: str = BY_DELETION, cursor: str = "") -> Piece:
    """A piece of what the user moved to the bin.

    :raises ValidationFailed: the cursor is not one of this order.
    """
    files, folders = binned_files(user), binned_folders(user)
    if text:
        files, folders = (
            files.filter(sort_name__contains=sort_name(text)),
            folders.filter(sort_name__contains=sort_name(text)),
        )
    return _piece(files, [] if cursor else with_counts(user, folders[:MOST_FOLDERS], binned_key), order, cursor)


def numbered_page(
    files: QuerySet[File], order: str, *, number: str | None, size: int, cursor: str = ""
) -> tuple[Page[File], int, str | None]:
    """A page of a list for readers without scripts, how many files it has up to `COUNT_LIMIT` + 1, and a cursor.

    Pages are numbered as far as `COUNT_LIMIT`, so that none costs more than the first one. The cursor, on the last of
    them, leads to the files after that, whose pages are numbered again. A cursor that is not valid is ignored.
    """
    fields, after = _ORDERS[order], Q()
    if cursor:
        with contextlib.suppress(ValidationFailed):
            after = _after(fields, _values(order, cursor))
    found = files.filter(after).order_by(*fields)
    pks = list(found.values_list("pk", flat=True)[: COUNT_LIMIT + 1])
    page: Page[Any] = Paginator(pks[:COUNT_LIMIT], size).get_page(number)
    rows = {file.pk: file for file in files.filter(pk__in=list(page)).order_by()}
    page.object_list = [rows[pk] for pk in page if pk in rows]
    is_last = len(pks) > COUNT_LIMIT and not page.has_next() and page.object_list
    return page, len(pks), cursor_after(order, page.object_list[-1]) if is_last else None


@dataclass(frozen=True)
class LinkedPage(Generic[R]):
    """A page between links to its neighbors: ``previous`` and ``next`` are their cursors, None if there is none."""

    rows: Sequence[R]
    previous: str | None
    next: str | None


def page_of_folders(user: User, folder: Folder | None, *, size: int, cursor: str = "") -> LinkedPage[Folder]:
    """A page of the folders of a folder, for readers without scripts. A cursor that is not valid is ignored."""
    return _linked_page([(folders_in(user, folder), ("sort_name", "pk"))], size, cursor)


def page_of_bin(user: User, *, size: int, cursor: str = "") -> LinkedPage[Folder | BinnedOriginal | File]:
    """A page of the folders, the originals of videos and the files in a bin. A cursor that is not valid is ignored."""
    kinds = (binned_folders(user), binned_originals(user), binned_files(user))
    return _linked_page([(rows, _ORDERS[BY_DELETION]) for rows in kinds], size, cursor)


def _linked_page(lists: Sequence[tuple[QuerySet[Any], Fields]], size: int, cursor: str) -> LinkedPage[Any]:
    """A page of lists that follow each other; at most one query for each. ``cursor``: of a neighboring page, or "".

    A page before the cursor is read backwards from it, so every page costs what the first one costs. Instead of an
    empty page, and of one that begins less than a page after the beginning, it is the first page.
    """
    is_back, start, values = _place(cursor, lists)
    order = range(start, -1, -1) if is_back else range(start, len(lists))
    found: list[tuple[int, Any]] = []
    for number in order:
        rows, fields = lists[number]
        if is_back:
            fields = tuple(field[1:] if field.startswith("-") else f"-{field}" for field in fields)
        after = _after(fields, values) if values and number == start else Q()
        found += [(number, row) for row in rows.filter(after).order_by(*fields)[: size + 1 - len(found)]]
        if len(found) > size:
            break
    goes_on = len(found) > size
    found = found[:size]
    if values and (not found or (is_back and not goes_on)):
        return _linked_page(lists, size, "")
    if is_back:
        found.reverse()
    has_previous, has_next = (goes_on, True) if is_back else (bool(values), goes_on)
    return LinkedPage(
        rows=[row for _, row in found],
        previous=_link("before", lists, *found[0]) if has_previous else None,
        next=_link("after", lists, *found[-1]) if has_next else None,
    )


def _link(way: str, lists: Sequence[tuple[QuerySet[Any], Fields]], number: int, row: Any) -> str:
    return signing.Signer(salt=_LINKS_SALT).sign_object([way, number, *_plain_values(lists[number][1], row)])


def _place(cursor: str, lists: Sequence[tuple[QuerySet[Any], Fields]]) -> tuple[bool, int, list[Any]]:
    """Whether a cursor leads back, in which list it begins, and after which values; the beginning if it is invalid."""
    with contextlib.suppress(signing.BadSignature, ValueError, IndexError):
        way, number, *values = signing.Signer(salt=_LINKS_SALT).unsign_object(cursor)
        fields = lists[number][1]
        if len(values) == len(fields):
            if fields[0] == "-deleted_at":
                values[0] = datetime.fromisoformat(values[0])
            return way == "before", number, values
    return False, 0, []


def _piece(files: QuerySet[File], folders: Sequence[Folder], order: str, cursor: str) -> Piece:
    fields, files = _ORDERS[order], with_scan(files)
    count = files.order_by()[: COUNT_LIMIT + 1].count()
    after = _after(fields, _values(order, cursor)) if cursor else Q()
    found = list(files.filter(after).order_by(*fields)[: PIECE + 1])
    shown = found[:PIECE]
    return Piece(
        folders=folders,
        files=shown,
        count=min(count, COUNT_LIMIT),
        is_count_exact=count <= COUNT_LIMIT,
        next=cursor_after(order, shown[-1]) if len(found) > PIECE else None,
    )


def _after(fields: Sequence[str], values: Sequence[Any]) -> Q:
    """What comes after these values: (a, b) > (x, y) is a >= x and (a > x or b > y)."""
    name, value = fields[0].removeprefix("-"), values[0]
    beyond = Q(**{f"{name}__{'lt' if fields[0].startswith('-') else 'gt'}": value})
    if len(fields) == 1:
        return beyond
    # The first condition alone would be enough for a person; databases find the place in an index by it.
    reached = Q(**{f"{name}__{'lte' if fields[0].startswith('-') else 'gte'}": value})
    return reached & (beyond | _after(fields[1:], values[1:]))


def cursor_after(order: str, last: File) -> str:
    """The cursor of the piece that begins after this file."""
    return signing.Signer(salt=_SALT).sign_object([order, *_plain_values(_ORDERS[order], last)])


def _plain_values(fields: Fields, row: Any) -> list[Any]:
    values = [getattr(row, field.removeprefix("-")) for field in fields]
    return [value.isoformat() if isinstance(value, datetime) else value for value in values]


def _values(order: str, cursor: str) -> list[Any]:
    try:
        signed_order, *values = signing.Signer(salt=_SALT).unsign_object(cursor)
        if signed_order == order:
            if order in {"modified", BY_DELETION}:
                values[0] = datetime.fromisoformat(values[0])
            return list(values)
    except (signing.BadSignature, ValueError):
        pass
    message = _("This page of the list is no longer valid. Load the list again.")
    raise ValidationFailed(in_fields={"cursor": [{"code": "invalid", "message": message}]})
