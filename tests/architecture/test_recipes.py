"""docs/recipes.md names files, functions and macros: all of them exist."""

import ast
import re
from importlib import import_module
from importlib.util import find_spec

import pytest
from django.template import engines
from jinja2 import nodes

from tests.architecture.source import ROOT, modules

pytestmark = pytest.mark.xdist_group("source")  # one process parses the project's Python

TEXT = (ROOT / "docs" / "recipes.md").read_text()
PATH = re.compile(r"[\w.<>/-]+/[\w.<>/-]*(?:\.\w+|/)")
ENDINGS = (".py", ".html", ".ts", ".tsx", ".md", ".csv", "/")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)
INLINE = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL))
# Files that following the recipe creates.
NEW = {"apps/<app>/pages/feedback.py", "templates/<app>/feedback.html", "assets/islands/<name>/index.tsx"}


def python_blocks() -> list[str]:
    return [re.sub(r"^   ", "", code, flags=re.MULTILINE) for language, code in BLOCKS if language == "python"]


def test_each_file_that_a_recipe_names_exists() -> None:
    paths = {one for one in INLINE if PATH.fullmatch(one) and one.endswith(ENDINGS)} - NEW - {"dashboard/admin/"}

    def exists(path: str) -> bool:
        pattern = re.sub(r"<\w+>", "*", path).rstrip("/")
        return any(ROOT.glob(pattern)) or any((ROOT / "templates").glob(pattern))

    assert len(paths) > 25
    assert [path for path in sorted(paths) if not exists(path)] == []


def test_each_name_that_a_recipe_imports_exists() -> None:
    statements = [node for code in python_blocks() for node in ast.walk(ast.parse(code))]
    names = {
        f"{node.module}.{alias.name}" for node in statements if isinstance(node, ast.ImportFrom) for alias in node.names
    }

    assert len(names) > 10
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert hasattr(import_module(module), attribute) or find_spec(name), name


@pytest.mark.parametrize("code", python_blocks(), ids=range(len(python_blocks())))
def test_the_code_of_a_recipe_compiles(code: str) -> None:
    compile(code, "recipes.md", "exec")


def test_the_template_of_a_recipe_uses_macros_and_blocks_that_exist() -> None:
    environment = engines["jinja"].env
    [source] = [re.sub(r"^   ", "", code, flags=re.MULTILINE) for language, code in BLOCKS if language == "jinja"]
    for node in environment.parse(source).find_all(nodes.FromImport):
        module = environment.get_template(node.template.value).module
        assert [name for name in node.names if not hasattr(module, name)] == []
    assert "</form>" in source


def test_each_name_in_the_text_of_a_recipe_exists() -> None:
    """Names of Python: functions, classes and constants, as `set_goals` or `PROFILE_FIELDS`."""
    defined = {"verbose_name", "help_text", "blank", "label", "href", "handler", "makemigrations"}
    for module in modules("apps", "studyplatform", "tests"):
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                defined.add(node.name)
            elif isinstance(node, ast.Name | ast.arg):
                defined.add(node.id if isinstance(node, ast.Name) else node.arg)
    names = {one.strip("@") for one in INLINE if re.fullmatch(r"@?[A-Za-z]\w*", one)}

    assert len(names) > 15
    assert names - defined - {"Island"} == set()
