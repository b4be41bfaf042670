"""The texts that people read: phrases that no English editor would let pass."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import ROOT, modules

BANNED = re.compile(
    r"\b(?:anew|lately|whoever|in vain|stands here|goes for good|who has)\b"
    # "no longer" is meant; "no more lessons" is fine
    r"|\bno more\b(?=\s*(?:[.,;:!?)”’\"'<&]|$)|\s+(?:from|after|when|until|on)\b)",
    re.IGNORECASE | re.MULTILINE,
)


def python_texts() -> Iterator[tuple[str, str]]:
    """Every string of the code that is not a docstring, with its place."""
    for module in modules():
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                yield f"{module}:{node.lineno}", node.value


def template_texts() -> Iterator[tuple[str, str]]:
    """Every template without its comments."""
    for path in sorted((ROOT / "templates").rglob("*.*")):
        yield str(path.relative_to(ROOT)), re.sub(r"\{#.*?#\}|<!--.*?-->", "", path.read_text(), flags=re.DOTALL)


def island_texts() -> Iterator[tuple[str, str]]:
    """Every script without its comments; tests of scripts are nobody's reading."""
    comments = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
    for path in sorted((ROOT / "assets").rglob("*.ts*")):
        if ".test." not in path.name and "testing" not in path.parts:
            yield str(path.relative_to(ROOT)), comments.sub("", path.read_text())


def demo_texts() -> Iterator[tuple[str, str]]:
    """The demo's courses as they are written, and the README."""
    content = ROOT / "studyplatform/demo/content"
    for path in [ROOT / "README.md", *sorted(one for one in content.rglob("*") if is_text(one))]:
        yield str(path.relative_to(ROOT)), path.read_text()


def is_text(path: Path) -> bool:
    return path.suffix in {".md", ".yaml", ".yml", ".json", ".txt", ".vtt", ".toml"}


SOURCES = {"python": python_texts, "templates": template_texts, "islands": island_texts, "demo": demo_texts}


@pytest.mark.parametrize("source", SOURCES)
def test_no_text_reads_as_translated(source: str) -> None:
    texts = list(SOURCES[source]())

    assert len(texts) > 50
    found = [
        f"{place}: …{text[max(0, m.start() - 30) : m.end() + 20]!r}"
        for place, text in texts
        for m in BANNED.finditer(text)
    ]
    assert not found, f"{len(found)} to reword:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("text", "is_found"),
    [("Choose anew", True), ("It works no more.", True), ("they work no more from then on", True), ("WHOEVER", True),
     ("There are no more lessons", False), ("No more than 5 GB", False), ("No longer", False)],
)  # fmt: skip
def test_a_phrase_is_recognized(text: str, is_found: bool) -> None:
    assert bool(BANNED.search(text)) is is_found
