"""The project's own Python, parsed once, for the tests of this folder."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Module:
    """One file: ``name`` is "apps.learning.services.enrollment", ``app`` "learning" (or "kit", "site", …)."""

    path: Path
    name: str
    app: str
    parts: tuple[str, ...]
    tree: ast.Module

    @property
    def kind(self) -> str:
        """The kind of the module: models, services, pages, api …"""
        return self.parts[0] if self.parts else ""

    def __str__(self) -> str:
        return str(self.path.relative_to(ROOT))


@cache
def modules(*roots: str) -> tuple[Module, ...]:
    """All modules below ``apps`` and ``studyplatform``, without migrations."""
    found = []
    for root in roots or ("apps", "studyplatform"):
        for path in sorted((ROOT / root).rglob("*.py")):
            names = list(path.relative_to(ROOT).with_suffix("").parts)
            if "migrations" in names:
                continue
            if names[-1] == "__init__":
                names.pop()
            if len(names) < 2:
                continue
            found.append(Module(path, ".".join(names), names[1], tuple(names[2:]), ast.parse(path.read_text())))
    return tuple(found)


@cache
def imports(tree: ast.AST) -> tuple[tuple[int, str], ...]:
    """Line and dotted name of everything imported; ``from a.b import c`` is "a.b.c"."""
    return tuple(_imports(tree))


def _imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
