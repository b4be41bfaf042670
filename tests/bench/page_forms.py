"""The forms of rendered pages, found by following the links of the site as a browser would."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

MAX_PER_ROUTE = 2  # addresses of one route that are opened
SHAPE = re.compile(r"\d+|[0-9a-f]{8}-[0-9a-f-]{27}")


@dataclass
class PageForm:
    """A form: where it is sent, its fields with their first values, and which of them take text or a file."""

    action: str
    is_post: bool
    is_multipart: bool
    values: dict[str, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    @property
    def shape(self) -> tuple[str, ...]:
        """What forms have in common that differ only in the object they are about."""
        return (SHAPE.sub("0", self.action.partition("?")[0]), *sorted({*self.values, *self.texts, *self.files}))


class _Reader(HTMLParser):
    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address
        self.links: list[str] = []
        self.forms: list[PageForm] = []
        self.by_id: dict[str, PageForm] = {}
        self._open: PageForm | None = None
        self._select = ""
        self._textarea = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and given.get("href"):
            self.links.append(urljoin(self.address, given["href"]))
        if tag == "form":
            self._open = PageForm(
                urljoin(self.address, given.get("action") or self.address),
                given.get("method", "get").lower() == "post",
                "multipart" in given.get("enctype", ""),
            )
            self.forms.append(self._open)
            self.by_id[given.get("id", "")] = self._open
        form = self.by_id.get(given["form"]) if "form" in given else self._open
        if form is not None and tag == "option" and self._select:
            if "selected" in given or self._select not in form.values:
                form.values[self._select] = given.get("value", "")
        elif form is not None and given.get("name"):
            self._add_field(form, tag, given["name"], given)

    def _add_field(self, form: PageForm, tag: str, name: str, given: dict[str, str]) -> None:
        kind = given.get("type", "text").lower()
        if tag == "select":
            self._select = name
            form.choices.append(name)
        elif tag == "textarea":
            self._textarea = name
            form.values[name] = ""
            form.texts.append(name)
        elif tag == "button" and kind != "button":
            form.values.setdefault(name, given.get("value", ""))
        elif tag == "input" and kind == "file":
            form.files.append(name)
        elif tag == "input" and kind in {"checkbox", "radio"}:
            if "checked" in given or name not in form.values:
                form.values[name] = given.get("value", "on")
            form.choices.append(name)
        elif tag == "input":
            form.values[name] = given.get("value", "") or ("abcdefgh" if kind in {"text", "search"} else "")
            form.texts.append(name)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "select":
            self._select = ""
        elif tag == "textarea":
            self._textarea = ""

    def handle_data(self, data: str) -> None:
        if self._textarea and self._open is not None:
            self._open.values[self._textarea] += data


def crawl(
    get: Callable[[str], tuple[int, str]],
    starts: list[str],
    routes: list[re.Pattern[str]],
    *,
    left_out: tuple[str, ...],
) -> tuple[list[str], list[PageForm]]:
    """All addresses that links lead to, `MAX_PER_ROUTE` of each route, and the forms found there.

    ``get`` returns the status and the HTML of an address.
    """
    todo, seen, opened = list(dict.fromkeys(starts)), set(starts), Counter[str]()
    addresses, forms = [], {}
    while todo:
        address = todo.pop(0)
        path = urlsplit(address).path
        route = next((one.pattern for one in routes if one.fullmatch(unquote(path))), path)
        if opened[route] >= MAX_PER_ROUTE or any(part in path for part in left_out):
            continue
        opened[route] += 1
        status, html = get(address)
        addresses.append(address)
        if status >= 400 or not html.lstrip().lower().startswith("<!doctype html"):
            continue
        reader = _Reader(address)
        reader.feed(html)
        for form in reader.forms:
            forms.setdefault(form.shape, form)
        for link in reader.links:
            there = urlsplit(link)
            target = there.path + (f"?{there.query}" if there.query else "")
            if not there.netloc and target.startswith("/") and target not in seen:
                seen.add(target)
                todo.append(target)
    return addresses, list(forms.values())


def route_patterns(routes: list[str]) -> list[re.Pattern[str]]:
    """Patterns of addresses from Django's routes, the ones without parameters first."""
    plain = [route for route in routes if not re.search(r"[\^$(\\]", route)]
    plain.sort(key=lambda route: route.count("<"))
    found: Iterator[str] = (re.sub(r"<path:\w+>", ".+", re.escape(route).replace(r"\:", ":")) for route in plain)
    return [re.compile(re.sub(r"<(?:\w+:)?\w+>", "[^/]+", one) + "/?") for one in found]
