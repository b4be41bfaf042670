"""The hostile requests of ``make bench-abuse``: calls, pages, forms, files, headers and the tools of assistants."""

from __future__ import annotations

import base64
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, urlencode

from tests.bench import bombs, hostile
from tests.bench.page_forms import PageForm

SCHEMA = Path("tests/contract/openapi.json")
API_LIMIT, FORM_LIMIT = 2**16, 5 * 2**19  # bytes
MANY_LISTS, DEEP = b"[" + b"[]," * 799_999 + b"[]]", b"[" * 32_000 + b"]" * 32_000
FORM_TYPE = "application/x-www-form-urlencoded"
# Never sent to: they end the sessions with which the bench works.
LEFT_OUT = (
    "logout", "/settings/delete", "/settings/privacy/delete", "/auth/login", "/settings/sessions",
    "/settings/password", "/status",
)  # fmt: skip


@dataclass(frozen=True)
class Attack:
    """A hostile request of somebody. ``what`` is its name; ``body`` its bytes.

    Of a ``group`` whose probe is refused, redirected or not found, few others are sent: they go no further.
    """

    who: str
    what: str
    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    group: str = ""
    is_probe: bool = False


def as_json(value: Any) -> bytes:
    """The bytes of a body."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def hostile_texts(length: int) -> Iterator[tuple[str, str]]:
    """Texts of about so many characters."""
    yield "long text", "x" * length
    yield "ligatures", "\ufdfa" * (length // 12)
    yield "combining characters", "a" + "\u0301" * (length // 12)
    yield "spaces", "a" + " " * length + "b"
    yield "digits", "9" * length
    yield "dots", "." * length
    yield "addresses", "a@" + "a." * (length // 2)
    for name in ("table of 30 columns", "wide head, short rows", "open images", "long formulas", "one letter per line"):
        yield name, hostile.MARKDOWN[name](length // 2)
    for name in ("open strings", "open brackets"):
        yield f"code: {name}", f"```python\n{hostile.CODE[name](length // 2)}\n```\n"


def hostile_values(length: int) -> Iterator[tuple[str, Any]]:
    """Values for a field of JSON, each about so many characters long."""
    yield "empty lists", [[]] * (length // 4)
    yield "nested lists", [[[[0]]]] * (length // 11)
    yield "zeros", [0] * (length // 3)
    yield "short texts", ["a"] * (length // 5)
    yield "many keys", {f"{n}": {} for n in range(length // 12)}
    yield "long number", int("9" * 4000)
    yield "many numbers", [1e300] * (length // 7)
    yield from hostile_texts(length)


@cache
def hostile_json() -> list[tuple[str, bytes]]:
    """The values as JSON, each as long as a body may be."""
    return [(name, as_json(value)) for name, value in hostile_values(API_LIMIT - 2000)]


@cache
def _hostile_fields(length: int) -> list[tuple[str, str]]:
    """The texts as values of a form, quoted."""
    return [(name, quote_plus(text.encode("utf-8", "replace"))) for name, text in hostile_texts(length)]


def plausible(schema: dict[str, Any], all_schemas: dict[str, Any], known: dict[str, Any]) -> Any:
    """A value of a JSON Schema, as valid as can be guessed."""
    if "$ref" in schema:
        return plausible(all_schemas[schema["$ref"].rpartition("/")[2]], all_schemas, known)
    for key in ("allOf", "oneOf", "anyOf"):
        if key in schema:
            return plausible(schema[key][0], all_schemas, known)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    match kind:
        case "object":
            return {
                name: known.get(name) or plausible(inner, all_schemas, known)
                for name, inner in schema.get("properties", {}).items()
            }
        case "array":
            return [plausible(schema.get("items", {}), all_schemas, known)]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
    if schema.get("format") == "uuid":
        return known["uids"][""]
    return "2026-11-26T12:00:00Z" if schema.get("format") == "date-time" else "abcdefgh"


def filled(path: str, known: dict[str, Any]) -> str:
    """The address with this person's objects. Which one "{uid}" is, the word before it says."""
    uids = known["uids"]
    path = re.sub(r"(\w+)/\{uid\}", lambda found: f"{found[1]}/{uids.get(found[1], uids[''])}", path)
    path = path.replace(f"{uids['lessons']}/quiz", f"{uids['quizzes']}/quiz")
    return re.sub(r"\{(\w+)\}", lambda found: str(known.get(found[1]) or "a"), path)


def calls(who: str, known: dict[str, Any], sent: Mapping[str, str]) -> Iterator[Attack]:
    """Every call of the schema with every hostile value in every field, and hostile queries."""
    document = json.loads(SCHEMA.read_text())
    schemas = document["components"]["schemas"]
    for path, operations in document["paths"].items():
        address = filled(path, known)
        if any(part in address for part in LEFT_OUT):
            continue
        for method, operation in sorted(operations.items(), key=lambda one: one[0] == "delete"):
            verb = method.upper()
            contents = operation.get("requestBody", {}).get("content", {})
            content = contents.get("application/json")
            if method == "get":
                yield Attack(who, f"GET {path}", "GET", address, sent, None, path, is_probe=True)
                for name, query in hostile_queries():
                    yield Attack(who, f"GET {path} {name}", "GET", f"{address}?{query}", sent, None, path)
            elif content is not None:
                usual = plausible(content["schema"], schemas, known)
                typed = {**sent, "Content-Type": "application/json"}
                group = f"{verb} {path}"
                yield Attack(who, f"{group} as usual", verb, address, typed, as_json(usual), group, is_probe=True)
                for name_of_field, (name, value) in itertools.product(usual, hostile_json()):
                    # Of two values of one name, the last one counts.
                    body = as_json(usual)[:-1] + b", " + as_json(name_of_field) + b": " + value + b"}"
                    yield Attack(who, f"{group} {name_of_field}: {name}", verb, address, typed, body, group)
                for name, text in (("2.4 MB", MANY_LISTS), ("deep", DEEP)):
                    yield Attack(who, f"{verb} {path} {name}", verb, address, typed, text)
            else:
                yield Attack(who, f"{verb} {path}", verb, address, sent)
            if "multipart/form-data" in contents:
                for name, file_name, data in bombs.files():
                    parts = multipart(sent, {}, "file", file_name, data)
                    yield Attack(who, f"{verb} {path} {name}", verb, address, *parts)
    yield from uploads(who, sent)


def uploads(who: str, sent: Mapping[str, str]) -> Iterator[Attack]:
    """Uploads whose names and metadata are hostile."""
    for name, text in hostile_texts(24_000):
        encoded = base64.b64encode(text[:24_000].encode()[:24_000]).decode()
        kind = "kind ZmlsZQ=="
        for metadata in (f"filename {encoded},{kind}", "a b," * 8_000, f"{kind},filename {encoded[:400]}"):
            headers = {**sent, "Tus-Resumable": "1.0.0", "Upload-Length": "10", "Upload-Metadata": metadata}
            yield Attack(who, f"POST /api/v1/uploads/ {name} in {metadata[:8]}", "POST", "/api/v1/uploads/", headers)


def hostile_queries() -> Iterator[tuple[str, str]]:
    """Queries of up to 30,000 bytes, with which the server still answers."""
    texts = {"words": "brabra alwa " * 800, "quotes": '"' * 9000, "operators": "a OR (b* NEAR " * 600,
             "ligatures": "\ufdfa" * 1000, "combining": "a" + "\u0301" * 4000, "percent": "%" * 9000,
             "Chinese": "\u4e2d\u6587" * 1000, "digits": "9" * 5000, "short": "a b c d e f g h " * 6}  # fmt: skip
    for name, text in texts.items():
        names = ("q", "search", "title", "cursor", "board", "tag", "page", "sort", "date", "older")
        yield name, urlencode(dict.fromkeys(names, text[: 30_000 // 36]))
        yield f"{name} in q", urlencode({"q": text})[:30_000]
    yield "many parameters", "&".join(f"video={n}" for n in range(3000))
    yield "many of one", "&".join("uid=5b1ef1cc-9f0c-4b0a-8b5e-000000000000" for _ in range(700))
    yield "many filters", "&".join(f"subject={n}&difficulty={n}&language={n}&price={n}" for n in range(240))


def pages(who: str, addresses: list[str], sent: Mapping[str, str]) -> Iterator[Attack]:
    """Every page with hostile queries."""
    for address in addresses:
        path = address.partition("?")[0]
        yield Attack(who, f"GET {address}", "GET", address, sent, None, path, is_probe=True)
        for name, query in hostile_queries():
            yield Attack(who, f"GET {path} {name}", "GET", f"{quote(path)}?{query}", sent, None, path)


def headers(who: str, addresses: list[str], sent: Mapping[str, str]) -> Iterator[Attack]:
    """Headers of 8 kB, on some pages."""
    long = {
        "Accept-Language": "en-" + "a-" * 4_000,
        "Accept-Language of many": ",".join(f"a{n}-b;q=0.{n}" for n in range(600)),
        "Accept": ",".join(f"a/b{n};q=0.{n}" for n in range(600)),
        "Accept-Encoding": ",".join(f"gzip;q=0.{n}" for n in range(500)),
        "User-Agent": "Mozilla/5.0 (" + "Android " * 900,
        "User-Agent of digits": "Chrome/" + "1." * 4_000,
        "X-Forwarded-For": ",".join("10.0.0.1" for _ in range(800)),
        "Forwarded": "for=" + "a" * 8_000,
        "Range": "bytes=" + ",".join(f"{n}-{n}" for n in range(900)),
        "If-None-Match": ",".join(f'"{n}"' for n in range(1200)),
        "If-Modified-Since": "Thu, " * 1500,
        "Authorization": "Bearer " + "a." * 4_000,
        "X-Request-ID": "a" * 8_000,
        "Referer": "http://127.0.0.1/" + "a/" * 4_000,
        "Origin": "http://" + "a." * 4_000,
        "X-CSRFToken": "a" * 8_000,
    }
    for path, (name, value) in itertools.product(addresses, long.items()):
        yield Attack(who, f"GET {path} {name}", "GET", path, {**sent, name.partition(" of ")[0]: value})
    for name, cookie in (
        ("many cookies", "; ".join(f"c{n}=a" for n in range(900))),
        ("one long cookie", "sessionid=" + "a" * 8_000),
        ("quoted cookies", 'a="' + "\\" * 4_000 + '"; b="' + '\\"' * 1_500),
    ):
        for path in addresses:
            yield Attack(who, f"GET {path} {name}", "GET", path, {"Cookie": f"{sent.get('Cookie', '')}; {cookie}"})


def forms(who: str, found: list[PageForm], token: str, sent: Mapping[str, str]) -> Iterator[Attack]:
    """Every form with hostile texts in every field of text, others as on the page; with many values; with files."""
    typed = {**sent, "Content-Type": FORM_TYPE}
    for form in found:
        if any(part in form.action for part in LEFT_OUT):
            continue
        name_of_form = f"{'POST' if form.is_post else 'GET'} {form.shape[0]}"
        usual = {name: value or "abcdefgh" for name, value in form.values.items()} | {"csrfmiddlewaretoken": token}
        for name_of_field in form.texts:
            if name_of_field == "csrfmiddlewaretoken":
                continue
            rest = urlencode({name: value for name, value in usual.items() if name != name_of_field})
            for name, text in _hostile_fields(300_000 if form.is_post else 5_000):
                fields = f"{rest}&{quote_plus(name_of_field)}={text}"
                yield _sent(form, who, f"{name_of_form} {name_of_field}: {name}", typed, fields)
        for name_of_field in (*form.texts, *form.choices):
            others = {name: value for name, value in usual.items() if name != name_of_field}
            many = [(name_of_field, f"{n}") for n in range(950 - len(others) if form.is_post else 400)]
            yield _sent(form, who, f"{name_of_form} many {name_of_field}", typed, urlencode([*others.items(), *many]))
        for name_of_field, (name, file_name, data) in itertools.product(form.files, bombs.files()):
            yield Attack(
                who, f"{name_of_form} {name_of_field}: {name}", "POST", form.action,
                *multipart(sent, usual, name_of_field, file_name, data),
            )  # fmt: skip


def _sent(form: PageForm, who: str, what: str, headers: Mapping[str, str], fields: str) -> Attack:
    if form.is_post:
        return Attack(who, what, "POST", form.action, headers, fields[:FORM_LIMIT].encode())
    return Attack(who, what, "GET", f"{form.action.partition('?')[0]}?{fields[:30_000]}", headers)


def multipart(
    sent: Mapping[str, str], fields: Mapping[str, str], name: str, file_name: str, data: bytes
) -> tuple[Mapping[str, str], bytes]:
    """Headers and body of a form with a file."""
    edge = "edge-of-the-parts"
    before = f"--{edge}\r\nContent-Disposition: form-data; name="
    parts = [f'{before}"{key}"\r\n\r\n{value}\r\n' for key, value in fields.items()]
    head = f'{before}"{name}"; filename="{file_name}"\r\n\r\n'
    body = "".join([*parts, head]).encode() + data + f"\r\n--{edge}--\r\n".encode()
    return {**sent, "Content-Type": f"multipart/form-data; boundary={edge}"}, body


def assistant(bearer: str) -> Iterator[Attack]:
    """Hostile arguments of /mcp."""
    sent = {
        "Authorization": f"Bearer {bearer}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    for tool in ("search_courses", "ask_tutor", "create_note", "get_lesson", "answer_card"):
        for name, value in hostile_values(40_000):  # six of them fit into a body
            arguments = dict.fromkeys(("query", "question", "text", "course", "answer", "lesson"), value)
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
            yield Attack("learner", f"POST /mcp {tool} {name}", "POST", "/mcp", sent, as_json(call))
