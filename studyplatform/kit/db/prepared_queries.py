"""Queries that every request asks: turned into SQL once, and then only given their values.

Django builds the SQL of a queryset anew each time, which costs more than running it. ``Built`` keeps what
was built, and makes the same objects of the rows, with what ``select_related`` and ``annotate`` bring.
On a kept connection PostgreSQL plans it once too (kit/db/postgresql).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Expression, Field, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql import UpdateQuery

M = TypeVar("M", bound=Model)


class Param(Expression):
    """A value that is given with each call: ``filter(slug=Slot("slug", SlugField()))``."""

    def __init__(self, name: str, field: "Field[Any, Any]") -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        return "%s", (self,)


@contextmanager
def _run(database: Any, sql: str, params: tuple[Any, ...], values: dict[str, Any]) -> Iterator[CursorWrapper]:
    """The cursor after the statement."""
    given = [
        one.output_field.get_db_prep_value(values[one.name], database) if isinstance(one, Param) else one
        for one in params
    ]
    if database.vendor == "postgresql":
        cursor = database.prepared_cursor(sql)
        cursor.execute(sql, given)
        yield cursor
    else:
        with database.cursor() as cursor:
            cursor.execute(sql, given)
            yield cursor


class PreparedQuery(Generic[M]):
    """A queryset with slots. ``make`` is called once per kind of database.

    ``Built(lambda: Course.objects.filter(slug=Slot("slug", SlugField())))(slug="rivers")``
    """

    def __init__(self, make: Callable[[], QuerySet[M]]) -> None:
        self.make = make
        self._plans: dict[str, tuple[str, tuple[Any, ...], Callable[[Any], Iterator[M]]]] = {}

    def __call__(self, **values: Any) -> list[M]:
        """The objects. One query."""
        database = connections[DEFAULT_DB_ALIAS]  # the connection itself: its proxy is slow
        plan = self._plans.get(database.vendor)
        if plan is None:
            plan = self._plans[database.vendor] = self._plan(database)
        sql, params, read = plan
        with _run(database, sql, params, values) as cursor:
            return list(read(cursor.fetchall()))

    def first(self, **values: Any) -> M | None:
        """The first of the objects; the queryset has said how many it reads."""
        return next(iter(self(**values)), None)

    def _plan(self, database: Any) -> tuple[str, tuple[Any, ...], Callable[[Any], Iterator[M]]]:
        compiler = self.make().query.get_compiler(connection=database)
        sql, params = compiler.as_sql()
        facts, select, annotations = compiler.klass_info, compiler.select, compiler.annotation_col_map or {}
        converters = compiler.get_converters([column[0] for column in select])
        populators = get_related_populators(facts, select, database.alias)  # type: ignore[call-arg]
        start, end = facts["select_fields"][0], facts["select_fields"][-1] + 1
        names = [column[0].target.attname for column in select[start:end]]
        model: type[M] = facts["model"]

        def read(rows: Any) -> Iterator[M]:
            for row in compiler.apply_converters(rows, converters) if converters else rows:
                found = model.from_db(DEFAULT_DB_ALIAS, names, row[start:end])
                for populator in populators:
                    populator.populate(row, found)
                for name, place in annotations.items():
                    setattr(found, name, row[place])
                yield found

        return sql, params, read


class PreparedUpdate:
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
        database = connections[DEFAULT_DB_ALIAS]
        plan = self._plans.get(database.vendor)
        if plan is None:
            plan = self._plans[database.vendor] = self._plan(database)
        with transaction.mark_for_rollback_on_error(DEFAULT_DB_ALIAS), _run(database, *plan, values) as cursor:
            return int(cursor.rowcount)

    def _plan(self, database: Any) -> tuple[str, tuple[Any, ...]]:
        queryset = self.make()
        slots = {name: Param(name, queryset.model._meta.get_field(name)) for name in self.fields}  # noqa: SLF001
        query = cast(UpdateQuery, queryset.query.chain(UpdateQuery))
        query.add_update_values({**slots, **self.told})
        sql, params = query.get_compiler(connection=database).as_sql()
        return sql, tuple(params)
