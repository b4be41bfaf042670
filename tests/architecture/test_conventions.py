"""Small conventions that one reads in the source: how pages name their guard and find their user."""

import ast

import pytest

from tests.architecture.source import modules

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


def test_the_signed_in_user_is_read_in_one_way() -> None:
    broken = [
        f"{module}:{line} use apps.accounts.guards.signed_in_user(request)"
        for module in modules()
        for line in user_casts(module.tree)
        if module.name != "apps.accounts.guards"
    ]

    assert not broken, "\n".join(broken)


def test_the_search_for_casts_finds_them() -> None:
    offence = (
        "user = cast(User, request.user)\n"
        "if not isinstance(request.user, User):\n    raise NotAuthenticated\n"
        "if isinstance(request.user, User):\n    raise PermissionDenied\n"
    )

    assert user_casts(ast.parse(offence)) == [1, 3]
