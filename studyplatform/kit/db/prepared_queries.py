"""Queries that run on every request, compiled to SQL once and then executed with new parameters.

Django compiles a queryset to SQL each time it runs, which costs more than running it. ``PreparedQuery`` caches the
SQL and creates the same objects from the rows, including what ``select_related`` and ``annotate`` add.
On a persistent connection PostgreSQL plans the statement only once too (kit/db/postgresql).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Expression, Field, IntegerField, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql import UpdateQuery

M = TypeVar("M", bound=Model)


class Param(Expression):
    """A value passed with each call: ``filter(slug=Param("slug", SlugField()))``."""

    def __init__(self, name: str, field: "Field[Any, Any]") -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        return "%s", (self,)


def _ranges(params: tuple[Any, ...], database: Any) -> list[tuple[str, int, int]]:
    """The least and the greatest integer that each parameter for an integer column can be."""
    return [
        (one.name, *database.ops.integer_field_range(one.output_field.get_internal_type()))
        for one in params
        if isinstance(one, Param) and isinstance(one.output_field, IntegerField)
    ]


@contextmanager
def _run(database: Any, sql: str, params: tuple[Any, ...], values: dict[str, Any]) -> Iterator[CursorWrapper]:
    """Execute ``sql`` with ``values`` in place of its ``Param`` objects, and yield the cursor."""
    arguments = [
        one.output_field.get_db_prep_value(values[one.name], database) if isinstance(one, Param) else one
        for one in params
    ]
    if database.vendor == "postgresql":
        cursor = database.prepared_cursor(sql)
        cursor.execute(sql, arguments)
        yield cursor
    else:
        with database.cursor() as cursor:
            cursor.execute(sql, arguments)
            yield cursor


class PreparedQuery(Generic[M]):
    """A queryset with parameters. ``make`` builds it and is called once per database engine.

    ``PreparedQuery(lambda: Course.objects.filter(slug=Param("slug", SlugField())))(slug="rivers")``
    """

    def __init__(self, make: Callable[[], QuerySet[M]]) -> None:
        self.make = make
        self._plans: dict[
            str, tuple[str, tuple[Any, ...], list[tuple[str, int, int]], Callable[[Any], Iterator[M]]]
        ] = {}

    def __call__(self, **values: Any) -> list[M]:
        """Run the query with the value of each ``Param``, by name. Returns the objects. One query.

        An integer that its column cannot hold matches no row, as in Django's own lookups.
        """
        database = connections[DEFAULT_DB_ALIAS]  # the connection itself: its proxy is slow
        plan = self._plans.get(database.vendor)
        if plan is None:
            plan = self._plans[database.vendor] = self._plan(database)
        sql, params, ranges, read = plan
        if not all(values[name] is None or least <= values[name] <= most for name, least, most in ranges):
            return []
        with _run(database, sql, params, values) as cursor:
            return list(read(cursor.fetchall()))

    def first(self, **values: Any) -> M | None:
        """The first object, or None. Limit the queryset itself if it could match many rows."""
        return next(iter(self(**values)), None)

    def _plan(
        self, database: Any
    ) -> tuple[str, tuple[Any, ...], list[tuple[str, int, int]], Callable[[Any], Iterator[M]]]:
        compiler = self.make().query.get_compiler(connection=database)
        sql, params = compiler.as_sql()
        class_info, select, annotations = compiler.klass_info, compiler.select, compiler.annotation_col_map or {}
        converters = compiler.get_converters([column[0] for column in select])
        populators = get_related_populators(class_info, select, database.alias)  # type: ignore[call-arg]
        start, end = class_info["select_fields"][0], class_info["select_fields"][-1] + 1
        names = [column[0].target.attname for column in select[start:end]]
        model: type[M] = class_info["model"]

        def read(rows: Any) -> Iterator[M]:
            for row in compiler.apply_converters(rows, converters) if converters else rows:
                instance = model.from_db(DEFAULT_DB_ALIAS, names, row[start:end])
                for populator in populators:
                    populator.populate(row, instance)
                for name, index in annotations.items():
                    setattr(instance, name, row[index])
                yield instance

        return sql, params, _ranges(params, database), read


class PreparedRows:
    """Like :class:`PreparedQuery` for a queryset with ``values_list()``: groups and their counts."""

    def __init__(self, make: Callable[[], QuerySet[Any, Any]]) -> None:
        self.make = make
        self._plans: dict[str, tuple[str, tuple[Any, ...], Callable[[Any], list[Any]]]] = {}

    def __call__(self, **values: Any) -> list[tuple[Any, ...]]:
        """Run the query with the value of each ``Param``, by name. Returns the rows. One query."""
        database = connections[DEFAULT_DB_ALIAS]
        plan = self._plans.get(database.vendor)
        if plan is None:
            plan = self._plans[database.vendor] = self._plan(database)
        sql, params, read = plan
        with _run(database, sql, params, values) as cursor:
            return read(cursor.fetchall())

    def _plan(self, database: Any) -> tuple[str, tuple[Any, ...], Callable[[Any], list[Any]]]:
        compiler = self.make().query.get_compiler(connection=database)
        sql, params = compiler.as_sql()
        converters = compiler.get_converters([column[0] for column in compiler.select])

        def read(rows: Any) -> list[Any]:
            return [tuple(row) for row in (compiler.apply_converters(rows, converters) if converters else rows)]

        return sql, params, read


class PreparedUpdate:
    """``queryset.update()`` with parameters: ``fields`` take their values from each call, ``constants`` are fixed.

    ``PreparedUpdate(lambda: Course.objects.filter(pk=Param("pk", BigIntegerField())), "title", version=F("version"))``
    """

    def __init__(self, make: Callable[[], QuerySet[Any]], *fields: str, **constants: Any) -> None:
        self.make = make
        self.fields = fields
        self.constants = constants
        self._plans: dict[str, tuple[str, tuple[Any, ...]]] = {}

    def __call__(self, **values: Any) -> int:
        """Run the update. Returns the number of rows it matched. One query."""
        database = connections[DEFAULT_DB_ALIAS]
        plan = self._plans.get(database.vendor)
        if plan is None:
            plan = self._plans[database.vendor] = self._plan(database)
        with transaction.mark_for_rollback_on_error(DEFAULT_DB_ALIAS), _run(database, *plan, values) as cursor:
            return int(cursor.rowcount)

    def _plan(self, database: Any) -> tuple[str, tuple[Any, ...]]:
        queryset = self.make()
        parameters = {name: Param(name, queryset.model._meta.get_field(name)) for name in self.fields}  # noqa: SLF001
        query = cast(UpdateQuery, queryset.query.chain(UpdateQuery))
        query.add_update_values({**parameters, **self.constants})
        sql, params = query.get_compiler(connection=database).as_sql()
        return sql, tuple(params)
