# ruff: noqa: S608 (the statements consist of constants)
"""Finding the files of one user whose names contain a text, without comparing all names (docs/adr/0021).

An index holds the trigrams of each name (its parts of three characters), each together with the owner, so that files of
other users cost nothing. It only narrows the search: the names themselves are always compared, so results are those of
a plain search. On PostgreSQL it is an index on an expression, on SQLite a full-text table that triggers keep. Both are
created by the migration 0015.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from django.db import connection, connections
from django.db.models import Count, Q, QuerySet

from apps.files.models import File
from studyplatform.kit.db import triggers
from studyplatform.kit.db.triggers import Trigger, Triggers

SAMPLE = 500  # files
COMMON = 0.05  # a text that this part of the newest files contains is common
FEW = 100  # files that later queries name instead of searching for them again
MOST_TRIGRAMS = 32  # of a text; more would hardly narrow the search further
_LENGTH = 3


def containing(owner_id: int, text: str) -> QuerySet[File]:
    """The user's files outside the bin whose ``sort_name`` contains the text, a `sort_name` too. Two queries at once.

    The first one looks whether the text is common among the newest files. If it is, or if there are few files,
    comparing names until a page is full costs less than finding all files in the index. Of few files, names with other
    accents and forms of letters are found too.
    """
    files = File.objects.of(owner_id).present()
    found = files.filter(sort_name__contains=text)
    trigrams = sorted({text[at : at + _LENGTH] for at in range(len(text) - _LENGTH + 1)})[:MOST_TRIGRAMS]
    newest = files.order_by("-modified_at", "-pk")[:SAMPLE]
    seen = newest.aggregate(files=Count("pk"), found=Count("pk", filter=Q(sort_name__contains=text)))
    if seen["files"] < SAMPLE:
        return files.filter(name__folded_contains=text)
    if not trigrams or seen["found"] >= COMMON * SAMPLE:
        return found
    rare = narrowed(owner_id, trigrams).filter(sort_name__contains=text)
    pks = list(rare.values_list("pk", flat=True)[: FEW + 1])
    return files.filter(pk__in=pks) if len(pks) <= FEW else rare


def narrowed(owner_id: int, trigrams: list[str]) -> QuerySet[File]:
    """The user's files outside the bin whose names contain these trigrams in any order, found by the index."""
    if connections[File.objects.db].vendor == "postgresql":
        return (
            File.objects.of(owner_id)
            .present()
            .extra(
                where=["files_name_trigrams(files_file.owner_id, files_file.sort_name) @> %s::text[]"],
                params=[[f"{owner_id}:{each}" for each in trigrams]],
            )
        )
    # Only letters and digits, so FTS5 reads each as one word.
    words = " AND ".join(f"{owner_id}x{each.encode().hex().upper()}" for each in trigrams)
    # The plus keeps SQLite from reading all files of the user by another index.
    return File.objects.present().extra(
        where=[
            "+files_file.owner_id = %s",
            "files_file.id IN (SELECT rowid FROM files_search WHERE files_search MATCH %s)",
        ],
        params=[owner_id, words],
    )


# --- The triggers on SQLite -------------------------------------------------------------------------

_PLACES = json.dumps(list(range(1, 239)))  # a name has at most 240 characters
_WORDS = (
    "(SELECT group_concat({row}.owner_id || 'x' || hex(substr({row}.sort_name, place.value, 3)), ' ')"
    f" FROM json_each('{_PLACES}') AS place WHERE place.value <= length({{row}}.sort_name) - 2)"
)
_ADD = f"INSERT INTO files_search(rowid, trigrams) VALUES (new.id, {_WORDS.format(row='new')});"
# The table holds no texts, so FTS5 must be told the one that it deletes.
_REMOVE = (
    f"INSERT INTO files_search(files_search, rowid, trigrams) VALUES ('delete', old.id, {_WORDS.format(row='old')});"
)


def _wanted(vendor: str) -> Iterator[Trigger]:
    if vendor == "postgresql":  # which keeps its index itself
        return
    yield Trigger("files_file", f"AFTER INSERT ON files_file BEGIN {_ADD} END")
    yield Trigger("files_file", f"AFTER DELETE ON files_file BEGIN {_REMOVE} END")
    yield Trigger("files_file", f"AFTER UPDATE OF id, owner_id, sort_name ON files_file BEGIN {_REMOVE} {_ADD} END")


def rebuild() -> None:
    """Index the names of all files again. For SQLite; PostgreSQL keeps its index itself."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO files_search(files_search) VALUES ('delete-all')")
        words = _WORDS.format(row="files_file")
        cursor.execute(f"INSERT INTO files_search(rowid, trigrams) SELECT id, {words} FROM files_file")


triggers.register(Triggers(prefix="files_search_kept_", table="files_search", wanted=_wanted, renew=rebuild))
