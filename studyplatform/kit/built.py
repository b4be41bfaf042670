"""Queries that every request asks: turned into SQL once, and then only given their values.

Django builds the SQL of a queryset anew each time, which costs more than running it. ``Built`` keeps what
was built, and makes the same objects of the rows, with what ``select_related`` and ``annotate`` bring.
On a kept connection PostgreSQL plans it once too (kit/postgresql).
"""

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar, cast

from django.db import connection, transaction
from django.db.models import Expression, Field, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql import UpdateQuery

M = TypeVar("M", bound=Model)


class Slot(Expression):
    """A value that is given with each call: ``filter(slug=Slot("slug", SlugField()))``."""

    def __init__(self, name: str, field: "Field[Any, Any]") -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        return "%s", (self,)


def _cursor() -> Any:
    prepared = getattr(connection, "prepared_cursor", None)
    return prepared() if prepared else connection.cursor()


def _given(params: tuple[Any, ...], values: dict[str, Any]) -> list[Any]:
    return [
        one.output_field.get_db_prep_value(values[one.name], connection) if isinstance(one, Slot) else one
        for one in params
    ]


class Built(Generic[M]):
    """A queryset with slots. ``make`` is called once per kind of database.

    ``Built(lambda: Course.objects.filter(slug=Slot("slug", SlugField())))(slug="rivers")``
    """

    def __init__(self, make: Callable[[], QuerySet[M]]) -> None:
        self.make = make
        self._plans: dict[str, tuple[str, tuple[Any, ...], Callable[[Any], Iterator[M]]]] = {}

    def __call__(self, **values: Any) -> list[M]:
        """The objects. One query."""
        vendor = connection.vendor
        if vendor not in self._plans:
            self._plans[vendor] = self._plan()
        sql, params, read = self._plans[vendor]
        with _cursor() as cursor:
            cursor.execute(sql, _given(params, values))
            return list(read(cursor.fetchall()))

    def first(self, **values: Any) -> M | None:
        """The first of the objects; the queryset has said how many it reads."""
        return next(iter(self(**values)), None)

    def _plan(self) -> tuple[str, tuple[Any, ...], Callable[[Any], Iterator[M]]]:
        compiler = self.make().query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        facts, select, annotations = compiler.klass_info, compiler.select, compiler.annotation_col_map or {}
        converters = compiler.get_converters([column[0] for column in select])
        populators = get_related_populators(facts, select, connection.alias)  # type: ignore[call-arg]
        start, end = facts["select_fields"][0], facts["select_fields"][-1] + 1
        names = [column[0].target.attname for column in select[start:end]]
        model: type[M] = facts["model"]

        def read(rows: Any) -> Iterator[M]:
            for row in compiler.apply_converters(rows, converters) if converters else rows:
                found = model.from_db(connection.alias, names, row[start:end])
                for populator in populators:
                    populator.populate(row, found)
                for name, place in annotations.items():
                    setattr(found, name, row[place])
                yield found

        return sql, params, read


class BuiltUpdate:
    """``queryset.update()`` with slots: the named fields take values, the others what they are told.

    ``BuiltUpdate(lambda: Course.objects.filter(pk=Slot("pk", BigIntegerField())), "title", version=F("version") + 1)``
    """

    def __init__(self, make: Callable[[], QuerySet[Any]], *fields: str, **told: Any) -> None:
        self.make = make
        self.fields = fields
        self.told = told
        self._plans: dict[str, tuple[str, tuple[Any, ...]]] = {}

    def __call__(self, **values: Any) -> int:
        """How many rows there were. One query."""
        vendor = connection.vendor
        if vendor not in self._plans:
            self._plans[vendor] = self._plan()
        sql, params = self._plans[vendor]
        with transaction.mark_for_rollback_on_error(connection.alias), _cursor() as cursor:
            cursor.execute(sql, _given(params, values))
            return int(cursor.rowcount)

    def _plan(self) -> tuple[str, tuple[Any, ...]]:
        queryset = self.make()
        slots = {name: Slot(name, queryset.model._meta.get_field(name)) for name in self.fields}  # noqa: SLF001
        query = cast(UpdateQuery, queryset.query.chain(UpdateQuery))
        query.add_update_values({**slots, **self.told})
        sql, params = query.get_compiler(connection=connection).as_sql()
        return sql, tuple(params)
