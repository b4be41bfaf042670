"""The words of texts and code: phrases to avoid, and American spelling (docs/glossary.md)."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.source import ROOT, modules
from tests.cases import all_cases

BANNED = re.compile(
    r"\b(?:anew|lately|whoever|in\s+vain|stands\s+here|goes\s+for\s+good|who\s+has)\b"
    # "no longer" is meant; "no more lessons" is fine
    r"|\bno\s+more\b(?=\s*(?:[.,;:!?)”’\"'<&]|$)|\s+(?:from|after|when|until|on)\b)",
    re.IGNORECASE | re.MULTILINE,
)
# British spellings. The specification requires none of them in a visible text.
BRITISH = re.compile(
    r"\b(?:(?<!const )(?<!typeof )catalogue[sd]?"
    r"|(?:behavi|col|fav|harb|hon|hum|lab|neighb|rum|vap|vig)our(?:s|ed|ing|able|ite|ites|hood|ly)?"
    r"|(?:anal|paral)ys(?:e|ed|es|ing)|(?:apolog|author|capital|categor|character|custom|emphas|final|general|initial"
    r"|maxim|memor|minim|normal|optim|organ|priorit|real|recogn|special|summar|synchron|util|visual)is(?:e|es|ed|ing|ation)"
    r"|centre[sd]?|defence|offence|fibres?|(?:kilo|centi|milli|nano|micro)?metres?|litres?|theatres?|grey|licence"
    r"|enrols?|enrolments?|fulfil|skilful|judgement|programme|learnt|spelt|whilst|amongst|maths|nought"
    r"|(?:cancel|label|model|signal|travel)l(?:ed|ing|er|ers))\b",
    re.IGNORECASE,
)


def python_texts() -> Iterator[tuple[str, str]]:
    """Every string of the code that is not a docstring: gettext, errors, help and output of commands."""
    for module in modules():
        docstrings = {id(node.value) for node in ast.walk(module.tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                yield f"{module}:{node.lineno}", node.value


def template_texts() -> Iterator[tuple[str, str]]:
    """Every template without its comments: pages and emails, as HTML and as text."""
    for path in sorted((ROOT / "templates").rglob("*.*")):
        yield str(path.relative_to(ROOT)), re.sub(r"\{#.*?#\}|<!--.*?-->", "", path.read_text(), flags=re.DOTALL)


def island_texts() -> Iterator[tuple[str, str]]:
    """Every script without its comments, except tests."""
    comments = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
    for path in sorted((ROOT / "assets").rglob("*.ts*")):
        if ".test." not in path.name and "testing" not in path.parts:
            yield str(path.relative_to(ROOT)), comments.sub("", path.read_text())


def demo_texts() -> Iterator[tuple[str, str]]:
    """The texts of the demo courses and accounts."""
    content = ROOT / "studyplatform/demo/content"
    for path in sorted(one for one in content.rglob("*") if is_text(one)):
        yield str(path.relative_to(ROOT)), path.read_text()


def is_text(path: Path) -> bool:
    return path.suffix in {".md", ".yaml", ".yml", ".json", ".txt", ".vtt", ".toml"}


def handbook_texts() -> Iterator[tuple[str, str]]:
    """The README, the changelog and docs, by paragraph."""
    for name in ("README.md", "CHANGELOG.md", "docs/glossary.md", ".env.example", "Makefile"):
        for number, part in enumerate(re.split(r"\n\s*\n|\n(?=[-|#])", (ROOT / name).read_text())):
            yield f"{name}, part {number}", part


def browser_texts() -> Iterator[tuple[str, str]]:
    """Texts outside pages and scripts: the API schema."""
    schema = json.loads((ROOT / "tests/contract/openapi.json").read_text())
    yield "the API's description", json.dumps(schema["info"], ensure_ascii=False)
    for part in (*schema["paths"].items(), *schema["components"]["schemas"].items()):
        yield f"{part[0]} in the API's description", "\n".join(descriptions(part[1]))


def descriptions(schema: object) -> Iterator[str]:
    """Every description within a part of an OpenAPI document."""
    if isinstance(schema, dict):
        if isinstance(told := schema.get("description"), str):
            yield told
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from descriptions(part)


SOURCES = {
    "python": python_texts,
    "templates": template_texts,
    "islands": island_texts,
    "demo": demo_texts,
    "handbook": handbook_texts,
    "browser": browser_texts,
}


@cache
def texts_of(source: str) -> tuple[tuple[str, str], ...]:
    return tuple(SOURCES[source]())


def prose(source: str, place: str, text: str) -> str:
    """The text without code, which may keep its spelling."""
    if "demo/draw/" in place or place.endswith(".vtt"):
        return ""  # narration of a video
    if source == "python":
        return text if " " in text and not text.isupper() else ""
    if source == "templates":
        kept = re.findall(r"_\((?:\"([^\"]+)\"|'([^']+)')|ngettext\(\"([^\"]+)\", \"([^\"]+)\"", text)
        outside = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|<[^>]*>", " ", text, flags=re.DOTALL)
        return "\n".join(part for parts in kept for part in parts) + "\n" + outside
    if source == "islands":
        kept = re.findall(r"\"([^\"\n]*)\"|>([^<>{}\n]+)<", text)
        return "\n".join(part for parts in kept for part in parts if " " in part)
    return re.sub(r"`[^`]*`|\([^)]*\.[a-z]+\)", "", text)


# "who has" is correct in code ("a learner who has finished"), and "no more" can be.
BANNED_IN_CODE = re.compile(
    r"(?<![a-z])(?:anew|lately|whoever|in[\s_]+vain|stands[\s_]+here|goes[\s_]+for[\s_]+good|the[\s_]+house|at[\s_]+the[\s_]+door)(?![a-z])",
    re.IGNORECASE,
)
CODE = ("apps", "studyplatform", "templates", "assets", "tests", "docs", "README.md", "CHANGELOG.md")


def code_files() -> Iterator[Path]:
    """Every file that developers read, except the demo's prose and this module."""
    suffixes = {".py", ".ts", ".tsx", ".js", ".mjs", ".html", ".txt", ".css", ".md"}
    prose_of_the_demo = {ROOT / "studyplatform/demo/content", ROOT / "studyplatform/demo/draw/videos"}
    for path in (ROOT / each for each in CODE):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in suffixes and file != Path(__file__) and prose_of_the_demo.isdisjoint(file.parents):
                yield file


def show(found: list[str]) -> str:
    return f"{len(found)} to reword:\n" + "\n".join(found)


@pytest.mark.parametrize("source", SOURCES)
def test_no_text_reads_as_translated(source: str) -> None:
    found = [
        f"{place}: …{text[max(0, m.start() - 30) : m.end() + 20]!r}"
        for place, text in texts_of(source)
        for m in BANNED.finditer(text)
    ]
    assert not found, show(found)


def test_no_docstring_comment_or_name_reads_as_translated() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{text.count(chr(10), 0, m.start()) + 1}: {m.group()}"
        for file in code_files()
        for text in [file.read_text()]
        for m in BANNED_IN_CODE.finditer(text)
    ]
    assert not found, show(found)


@pytest.mark.parametrize("name", ["apps/accounts/policies.py", "templates/base.html", "assets/shared/api/errors.ts"])
def test_code_is_read_too(name: str) -> None:
    assert ROOT / name in code_files()


@pytest.mark.parametrize("source", SOURCES)
def test_texts_use_american_english(source: str) -> None:
    found = [
        f"{place}: {m.group()}"
        for place, text in texts_of(source)
        if not place.startswith("docs/glossary.md")  # lists the words to avoid
        for m in BRITISH.finditer(prose(source, place, text))
    ]
    assert not found, show(found)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param("python", "Incorrect email or password", id="an error of the catalog"),
        pytest.param("python", "Run the background worker in this process.", id="the help of a command"),
        pytest.param("python", " people, ", id="the output of a command"),
        pytest.param("python", "Your certificate for “%(course)s” is ready", id="a notification"),
        pytest.param("templates", "Take the time to understand.", id="a page"),
        pytest.param("templates", "Skip to content", id="a layout"),
        pytest.param("templates", "If you didn't register, you can ignore this email.", id="an email"),
        pytest.param("templates", "View site", id="Django's admin"),
        pytest.param("islands", "Try again", id="an island"),
        pytest.param("islands", "Leave full screen", id="what a screen reader says"),
        pytest.param("demo", "Matrices are verbs.", id="a demo course"),
        pytest.param("demo", "An arrow has a length and a direction", id="a demo lesson"),
        pytest.param("demo", "Mathematics, drawn by hand first", id="a demo profile"),
        pytest.param("handbook", "A self-hostable platform", id="the README"),
        pytest.param("handbook", "What CI runs", id="make help"),
        pytest.param("browser", "Study Platform", id="the API's description"),
    ],
)  # fmt: skip
def test_every_kind_of_text_is_read(source: str, text: str) -> None:
    assert any(text in each for _, each in texts_of(source))


@pytest.mark.parametrize(
    ("text", "is_found"),
    [("Choose anew", True), ("It works no more.", True), ("they work no more from then on", True), ("WHOEVER", True),
     ("it stands\n  here", True), ("There are no more lessons", False), ("No more than 5 GB", False),
     ("No longer", False)],
)  # fmt: skip
def test_phrase_is_found(text: str, is_found: bool) -> None:
    assert bool(BANNED.search(text)) is is_found


@all_cases(
    "source, text, is_found",
    [("python", "It leaves the catalogue.", True), ("python", "catalogue", False),
     ("templates", '{{ _("Your colour") }}', True), ("templates", "{% set sheets = ['catalogue'] %}", False),
     ("templates", "<p>The theatre</p>", True), ("islands", 'label: "Your favourite course"', True),
     ("islands", "catalogue[code]", False), ("handbook", "the `catalogue` module", False)],
)  # fmt: skip
def test_british_spelling_is_found(source: str, text: str, is_found: bool) -> None:
    assert bool(BRITISH.search(prose(source, "", text))) is is_found
