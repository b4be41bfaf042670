"""Small conventions, checked in the source: how pages name their guard and find their user."""

import ast
import inspect

import pytest

from apps.accounts import guards
from tests.architecture.source import imports, modules

pytestmark = pytest.mark.xdist_group("source")  # one process parses the project's Python


def user_casts(tree: ast.AST) -> list[int]:
    """Lines that cast something to User, or that test ``request.user`` and raise NotAuthenticated themselves."""
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "cast" and ast.unparse(node.args[0]) == "User":
            lines.append(node.lineno)
        if isinstance(node, ast.If) and "request.user" in ast.unparse(node.test):
            lines += [one.lineno for one in node.body if ast.unparse(one).startswith("raise NotAuthenticated")]
    return sorted(lines)


def test_signed_in_user_is_read_in_one_way() -> None:
    broken = [
        f"{module}:{line} use apps.accounts.guards.signed_in_user(request)"
        for module in modules()
        if "cast" in module.text or "NotAuthenticated" in module.text  # printing every condition takes seconds
        for line in user_casts(module.tree)
        if not module.name.startswith("apps.accounts.guards")
    ]

    assert not broken, "\n".join(broken)


def test_casts_are_found() -> None:
    offence = (
        "user = cast(User, request.user)\n"
        "if not isinstance(request.user, User):\n    raise NotAuthenticated\n"
        "if isinstance(request.user, User):\n    raise PermissionDenied\n"
    )

    assert user_casts(ast.parse(offence)) == [1, 3]


# --- Guards --------------------------------------------------------------------------------------------------

# Decorators that must run before the guard, each with its reason.
BEFORE_THE_GUARD = {
    "csrf_exempt": "Django reads it from the view itself, so it is the outermost",
    "accepts_large_body": "refuses a large body before anything reads it",
}


def guard_names() -> set[str]:
    """The guards of apps.accounts.guards, from the module itself: what takes or returns a page's function."""
    return {
        name
        for name, value in vars(guards).items()
        if inspect.isfunction(value) and not name.startswith("_") and "Concatenate" in str(inspect.signature(value))
    }


def misplaced_guards(tree: ast.AST, names: set[str]) -> list[tuple[int, str]]:
    """Line and name of each function whose guard is not its first decorator."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        decorators = [ast.unparse(one).partition("(")[0].rpartition(".")[2] for one in node.decorator_list]
        inner = [name for name in decorators if name not in BEFORE_THE_GUARD]
        if names & set(inner) and inner[0] not in names:
            found.append((node.lineno, node.name))
    return found


def test_the_guard_is_the_first_decorator_of_a_page() -> None:
    names = guard_names()
    broken = [
        f"{module}:{line} {name}: its guard must be the first decorator"
        for module in modules()
        for line, name in misplaced_guards(module.tree, names)
    ]

    assert not broken, "\n".join(broken)


def test_guards_are_found() -> None:
    assert {"open_to_everyone", "signed_in", "teaches", "administers", "recently_authenticated_from"} < guard_names()
    late = "@require_safe\n@teaches\ndef page(request): ...\n"
    right = "@accepts_large_body(1)\n@teaches\n@require_safe\ndef page(request): ...\n"
    assert misplaced_guards(ast.parse(late), guard_names()) == [(3, "page")]
    assert misplaced_guards(ast.parse(right), guard_names()) == []


# --- Libraries -----------------------------------------------------------------------------------------------

# Private modules of libraries that are imported, each with its reason. This list may only shrink.
PRIVATE_IMPORTS: dict[str, str] = {}


def private_imports(tree: ast.AST) -> list[tuple[int, str]]:
    """Imports of modules or names of a library that are marked as internal, or begin with an underscore."""
    return [
        (line, name)
        for line, name in imports(tree)
        if not name.startswith(("apps.", "studyplatform.", "tests.", "__future__"))
        and any(part == "internal" or part.startswith("_") for part in name.split("."))
    ]


def test_no_internals_of_libraries_are_imported() -> None:
    found = {
        name: f"{module}:{line} imports {name}"
        for module in modules("apps", "studyplatform", "tests")
        for line, name in private_imports(module.tree)
    }

    assert not found.keys() - PRIVATE_IMPORTS.keys(), "\n".join(found.values())
    assert not PRIVATE_IMPORTS.keys() - found.keys(), "no longer imported: take it off the list"


def test_library_internals_are_found() -> None:
    offence = "from allauth.mfa.totp.internal.auth import TOTP\nimport _thread\nfrom json import _default_decoder\n"

    assert [line for line, _ in private_imports(ast.parse(offence))] == [1, 2, 3]
    assert private_imports(ast.parse("from __future__ import annotations\nimport json\n")) == []
