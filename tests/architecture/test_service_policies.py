"""A service that acts for a user enforces a policy itself, whatever its caller has checked."""

import ast

import pytest

from tests.architecture.source import modules

pytestmark = pytest.mark.xdist_group("source")

APPS = ("courses", "learning")
ACTORS = {"by", "user"}
# Services whose ``user`` is not the one who acts, or that need no policy.
EXCEPTIONS = {
    "count_visit",  # anyone may read the page of a published course; staff are left out
    "grant_enrollment",  # called after a payment: the user is the one who receives the enrollment
    "rebuild_learned_days",  # for imported and seeded progress: the user is the learner
    "end_report",  # finds only the user's own
    "delete_rating",  # finds only the user's own
    "restore_rating",  # finds only the user's own
}


def _calls(function: ast.FunctionDef) -> set[str]:
    """The names that the function calls or passes on, the last part of dotted ones."""
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    return names | {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}


@pytest.mark.parametrize("app", APPS)
def test_services_that_act_for_a_user_enforce_a_policy(app: str) -> None:
    calls: dict[str, set[str]] = {}
    services: list[str] = []
    for module in modules("apps"):
        # files.delete_video and files.take_file enforce the policies of files.
        if module.kind != "services" or module.app not in {app, "files"}:
            continue
        for function in module.tree.body:
            if not isinstance(function, ast.FunctionDef):
                continue
            calls.setdefault(function.name, set()).update(_calls(function))
            arguments = {one.arg for one in function.args.kwonlyargs}
            if module.app == app and not function.name.startswith("_") and arguments & ACTORS:
                services.append(function.name)

    def enforces(name: str, seen: frozenset[str] = frozenset()) -> bool:
        called = calls.get(name, set())
        return "enforce" in called or any(
            enforces(one, seen | {name}) for one in called & calls.keys() if one not in seen | {name}
        )

    assert len(services) >= 8
    assert [name for name in services if not enforces(name) and name not in EXCEPTIONS] == []
    assert not any(enforces(name) for name in EXCEPTIONS)
