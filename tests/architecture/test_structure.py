"""The shape of the code: no import cycles, no module over its ceiling, class names from the glossary."""

import ast
import re
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.architecture.source import ROOT, Module, modules

pytestmark = pytest.mark.xdist_group("source")  # one process parses the project's Python

# Lines per kind of module (docs/architecture.md). "" is any other kind.
CEILINGS = {
    "": 300, "admin": 250, "api": 300, "checks": 120, "components": 120, "consumers": 250, "errors": 250, "events": 100,
    "forms": 250, "jobs": 150, "models": 300, "pages": 250, "policies": 200, "queries": 250, "receivers": 100,
    "services": 300, "urls": 120,
}  # fmt: skip
# Modules over their ceiling, with the reason. This list may only shrink.
OVER = {
    "studyplatform/kit/errors.py": "the refusals of every app and of the browser, one after the other",
    "apps/courses/receivers.py": "what courses does when videos and files change",
}

FIRST_PARTY = ("apps.", "studyplatform.")


def imported_when_loaded(tree: ast.AST) -> Iterator[str]:
    """Names imported when the module is loaded: not those inside functions, and not those for type checkers only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        else:
            yield from imported_when_loaded(node)


def graph_of(found: Iterable[Module]) -> dict[str, set[str]]:
    """Which module imports which. A package that re-exports is its own module; submodules are modules of their own."""
    found = list(found)
    names = {module.name for module in found}
    graph: dict[str, set[str]] = {}
    for module in found:
        targets = set()
        for name in imported_when_loaded(module.tree):
            if name.startswith(FIRST_PARTY):
                known = name if name in names else name.rpartition(".")[0]
                if known in names and known != module.name:
                    targets.add(known)
        graph[module.name] = targets
    return graph


def test_there_is_no_import_cycle() -> None:
    graph = graph_of(modules())
    assert sum(map(len, graph.values())) > 500  # it has something to check

    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_import_cycle_is_found() -> None:
    with pytest.raises(CycleError):
        TopologicalSorter({"a": {"b"}, "b": {"c"}, "c": {"a"}}).prepare()


def length(module: Module) -> int:
    return len(module.text.splitlines())


def ceiling(module: Module) -> int:
    """The kit and the site are sorted by topic, so only the modules of apps have kinds."""
    return CEILINGS.get(module.kind, CEILINGS[""]) if module.name.startswith("apps.") else CEILINGS[""]


def test_no_module_exceeds_its_ceiling() -> None:
    over = {
        str(module): f"{length(module)} lines, at most {ceiling(module)}"
        for module in modules()
        if module.app != "demo" and length(module) > ceiling(module)
    }

    new = {path: lines for path, lines in over.items() if path not in OVER}
    assert not new, f"split these modules along their seams: {new}"
    assert set(OVER) <= set(over), f"no longer over their ceiling, so remove them: {set(OVER) - set(over)}"


def glossary() -> tuple[str, set[str]]:
    """The words and class names that the glossary gives, in lower case, and the single words that it replaces."""
    allowed, replaced = [], set()
    for row in re.findall(r"^\|(.+)\|$", (ROOT / "docs" / "glossary.md").read_text(), re.M)[2:]:
        word, _, in_code, wrong = (cell.strip().lower() for cell in row.split("|"))
        allowed.append(f"{word} {in_code}")
        replaced |= {one.strip() for one in re.sub(r"\(.*?\)", "", wrong).split(",")}
    text = "\n".join(allowed)
    return text, {word for word in replaced if re.fullmatch(r"[a-z]+", word) and not re.search(rf"\b{word}\b", text)}


def words_of(name: str) -> list[str]:
    """The words of a class name: VideoAsset → video, asset."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z]+|[A-Z]+", name)]


def model_names() -> list[str]:
    found = []
    for module in modules():
        if module.kind == "models":
            for node in module.tree.body:
                bases = {ast.unparse(base) for base in node.bases} if isinstance(node, ast.ClassDef) else set()
                if bases & {"models.Model", "AbstractUser", "AbstractBaseUser", "AbstractBaseSession"}:
                    found.append(node.name)  # type: ignore[attr-defined]
    return found


def test_each_model_is_named_by_words_of_the_glossary() -> None:
    allowed, _ = glossary()
    names = model_names()
    assert len(names) > 20

    missing = {
        name: unknown
        for name in names
        if f"`{name.lower()}`" not in allowed
        and (unknown := [word for word in words_of(name) if not re.search(rf"\b{word}", allowed)])
    }
    assert not missing, f"add a row to docs/glossary.md, or take its word: {missing}"


# Class names with a word that the glossary replaces, and why they keep it.
KEPT = {
    "LectureUnavailable": "the code is the specification's",
    "QuotaExceeded": "the code is the specification's",
    "Badge": "the label of a course's state, not a milestone",
}
# Standard terms of the web, which the glossary replaces only as names of our own things.
STANDARD = {"component", "device", "exception", "file", "form", "message", "task", "user", "version"}


def test_no_class_is_named_by_a_word_that_the_glossary_replaces() -> None:
    _, replaced = glossary()
    assert len(replaced) > 10

    classes = {
        node.name: str(module)
        for module in modules()
        if module.app != "demo"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    }
    broken = {name: path for name, path in classes.items() if set(words_of(name)) & (replaced - STANDARD)}
    assert not {name: path for name, path in broken.items() if name not in KEPT}
    assert set(KEPT) <= set(broken), f"gone, so remove them: {set(KEPT) - set(broken)}"
