"""The project's own Python, parsed once, for the tests of this folder."""

import ast
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Module:
    """One file: ``name`` is "apps.learning.services.enrollment", ``app`` "learning" (or "kit", "site", …)."""

    path: Path
    name: str
    app: str
    parts: tuple[str, ...]
    text: str
    tree: ast.Module

    @property
    def kind(self) -> str:
        """The kind of the module: models, services, pages, api …"""
        return self.parts[0] if self.parts else ""

    def __str__(self) -> str:
        return str(self.path.relative_to(ROOT))


def modules(*roots: str) -> tuple[Module, ...]:
    """All modules below these folders, or else below ``apps`` and ``studyplatform``; without migrations."""
    return tuple(chain.from_iterable(_modules(root) for root in roots or ("apps", "studyplatform")))


@cache
def _modules(root: str) -> tuple[Module, ...]:
    gc.disable()  # else it walks the growing trees again and again, then and later
    try:
        return tuple(_parse(root))
    finally:
        gc.freeze()
        gc.enable()


def _parse(root: str) -> Iterator[Module]:
    for path in sorted((ROOT / root).rglob("*.py")):
        names = list(path.relative_to(ROOT).with_suffix("").parts)
        if "migrations" in names:
            continue
        if names[-1] == "__init__":
            names.pop()
        if len(names) < 2:
            continue
        text = path.read_text()
        yield Module(path, ".".join(names), names[1], tuple(names[2:]), text, ast.parse(text))


@cache
def imports(tree: ast.AST) -> tuple[tuple[int, str], ...]:
    """Line and dotted name of everything imported; ``from a.b import c`` is "a.b.c"."""
    return tuple(_imports(tree))


def _imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in statements(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Every statement, those inside others too, without walking the far more numerous expressions."""
    waiting = [tree]
    while waiting:
        node = waiting.pop(0)
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting.extend(getattr(node, field, ()))
        if isinstance(node, ast.stmt):
            yield node
