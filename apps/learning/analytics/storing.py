"""Store counted rows: only what differs is written, so that counting twice costs two readings and no write."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Model, QuerySet

BATCH = 1_000  # rows in one statement and transaction: on SQLite, nobody else writes meanwhile

Row = TypeVar("Row", bound=Model)
T = TypeVar("T")
Values = tuple[Any, ...]


def batched(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the values in lists of ``size``; the last one may be shorter."""
    rest = iter(values)
    while few := list(islice(rest, size)):
        yield few


@dataclass(frozen=True)
class Changes:
    """How many rows counting added, changed and removed, or would."""

    added: int = 0
    changed: int = 0
    removed: int = 0

    def __add__(self, other: "Changes") -> "Changes":
        return Changes(self.added + other.added, self.changed + other.changed, self.removed + other.removed)

    @property
    def total(self) -> int:
        return self.added + self.changed + self.removed


def store(
    rows: QuerySet[Row],
    counted: Mapping[Values, Values],
    *,
    key: Sequence[str],
    figures: Sequence[str],
    keep_alive: Callable[[], None] = lambda: None,
    is_dry: bool = False,
) -> Changes:
    """Make the rows say what was counted: those that weren't counted are deleted.

    :param rows: all that may be stored now, of what was counted; ``key`` names the columns that identify a row, and
        ``figures`` the others.
    :param counted: the values of ``figures`` by those of ``key``.
    :param keep_alive: called before each batch, so that a job can extend its lease.
    """
    model: Any = rows.model
    stored = {
        values[1 : 1 + len(key)]: (values[0], tuple(_comparable(one) for one in values[1 + len(key) :]))
        for values in rows.order_by().values_list("pk", *key, *figures).iterator(chunk_size=BATCH)
    }
    gone = [pk for values, (pk, _figures) in stored.items() if values not in counted]
    fresh = [values for values in counted if values not in stored]
    changed = [values for values, found in counted.items() if values in stored and stored[values][1] != found]
    changes = Changes(len(fresh), len(changed), len(gone))
    if is_dry:
        return changes
    for few in batched(gone, BATCH):
        model.objects.filter(pk__in=few).delete()
    for few in batched([*fresh, *changed], BATCH):
        keep_alive()
        made = [model(**dict(zip((*key, *figures), (*one, *counted[one]), strict=True))) for one in few]
        with transaction.atomic():
            model.objects.bulk_create(made, update_conflicts=True, unique_fields=[*key], update_fields=[*figures])
    return changes


def _comparable(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value
