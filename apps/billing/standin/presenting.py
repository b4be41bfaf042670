"""What a caller sees of objects: no private fields, the expansions that it asked for, lists in pages."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params

if TYPE_CHECKING:
    from apps.billing.standin.work import Work

# Fields that appear only when they are expanded, by kind of object.
HIDDEN: dict[tuple[str, str], "Callable[[Work, Json], Any]"] = {}
LIMIT, MAXIMUM = 10, 100


def hidden(kind: str, field: str) -> "Callable[[Callable[[Work, Json], Any]], Callable[[Work, Json], Any]]":
    """Declare a field of a kind that only ``expand`` shows, and how to find its value."""

    def declare(value: "Callable[[Work, Json], Any]") -> "Callable[[Work, Json], Any]":
        HIDDEN[kind, field] = value
        return value

    return declare


def public(value: Any) -> Any:
    """A copy without the fields that begin with an underscore."""
    if isinstance(value, dict):
        return {key: public(one) for key, one in value.items() if key[:1] != "_"}
    if isinstance(value, list):
        return [public(one) for one in value]
    return value


def page(rows: Iterable[Json], url: str) -> Json:
    """A complete list object: https://docs.stripe.com/api/pagination."""
    return {"object": "list", "data": list(rows), "has_more": False, "url": url}


def expand(work: "Work", answer: Json, paths: Iterable[str]) -> Json:
    """The answer with the named ids replaced by their objects: https://docs.stripe.com/api/expanding_objects."""
    for path in paths:
        _expand(work, answer, path.split("."), path)
    return answer


def _expand(work: "Work", target: Json, parts: list[str], path: str) -> None:
    name, *rest = parts
    find = HIDDEN.get((str(target.get("object")), name))
    if find and name not in target:
        target[name] = public(find(work, target))
    if name not in target:
        raise invalid(f"This property cannot be expanded ({path}).", param="expand[]")
    value = target[name]
    if isinstance(value, str):
        value = target[name] = public(_found(work, value)) or value
    elif isinstance(value, list):
        value = target[name] = [(public(_found(work, one)) or one) if isinstance(one, str) else one for one in value]
    if rest:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                _expand(work, one, rest, path)


def _found(work: "Work", id: str) -> Json | None:
    """The object of the account that the call acts for, or of the platform."""
    return work.find(id) or work.acting_for("").find(id)


def listing(work: "Work", params: Params, kind: str, url: str, fields: Iterable[str] = (), **fixed: Any) -> Json:
    """A page of a list, newest first: ``limit``, ``starting_after``, ``ending_before``, ``created``, the given fields.

    ``fixed`` values select, too: a list means one of its values, None that the field is missing.
    """
    sql: str = "kind=? AND account=?"
    values: list[Any] = [kind, work.account]
    wanted = {name: params.text(name) for name in fields if params.text(name) is not None} | fixed
    for name, value in wanted.items():
        field = f"json_extract(body, '$.{name}')"
        if value is None:
            sql += f" AND {field} IS NULL"
        elif isinstance(value, list):
            sql += f" AND {field} IN ({', '.join('?' * len(value))})"
            values += value
        else:
            sql += f" AND {field}=?"
            values.append({"true": 1, "false": 0}.get(str(value), value))
    # Names of fields and operators come from the code, values always as parameters.
    for sign, operator in (("gte", ">="), ("gt", ">"), ("lte", "<="), ("lt", "<")):
        if (moment := _created(params).number(sign)) is not None:
            sql += f" AND created {operator} ?"
            values.append(moment)
    limit = params.number("limit", LIMIT) or 0
    if not 1 <= limit <= MAXIMUM:
        raise invalid(f"Invalid integer: limit must be between 1 and {MAXIMUM}", param="limit")
    order = "DESC"
    for name, comparison in (("starting_after", "<"), ("ending_before", ">")):
        if (id := params.text(name)) is not None:
            work.get(id, kind, name)
            sql += f" AND (created, seq) {comparison} (SELECT created, seq FROM objects WHERE id=? AND account=?)"  # noqa: S608
            values += [id, work.account]
            order = "ASC" if comparison == ">" else "DESC"
    found = work.db.execute(
        f"SELECT id FROM objects WHERE {sql} ORDER BY created {order}, seq {order} LIMIT ?",  # noqa: S608
        [*values, limit + 1],
    ).fetchall()
    rows = [public(work.get(id, kind)) for (id,) in found[:limit]]
    return {**page(rows if order == "DESC" else rows[::-1], url), "has_more": len(found) > limit}


def _created(params: Params) -> Params:
    """``created[gte]=…``; a plain ``created=…`` means exactly that second."""
    if params.has("created") and not params.plain("created"):
        moment = params.text("created") or ""
        return Params({"gte": moment, "lte": moment})
    return params.inner("created")
