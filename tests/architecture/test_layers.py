"""Which modules may import which, and which may write (docs/architecture.md)."""

import ast

import pytest

from tests.architecture.source import Module, imports, modules

pytestmark = pytest.mark.xdist_group("source")  # one process parses the project's Python

ORDER = ["accounts", "files", "courses", "billing", "learning", "forum", "tutor"]
SIBLINGS = {("forum", "tutor"), ("tutor", "forum")}
# What later apps may import from an app; artwork (courses) and outline (learning) read no database, access (billing)
# decides what opens a course, extensions (billing) has what later apps do then, and analytics (learning) what
# instructors read about their learners.
PUBLIC = {
    "models",
    "services",
    "queries",
    "library_queries",
    "policies",
    "path_policies",
    "events",
    "errors",
    "guards",
    "access",
    "analytics",
    "artwork",
    "extensions",
    "outline",
}
# Only the wiring of the site imports pages, calls and consumers by module.
WIRING = {"urls", "api_urls", "routing", "asgi", "wsgi", "celery", "settings", "supervisor", "launch"}
PROTOCOL = {"api", "pages", "consumers", "tasks", "jobs", "receivers", "components", "middleware", "forms"}

WRITES_ALWAYS = {"save", "asave", "bulk_create", "bulk_update", "get_or_create", "update_or_create"}
WRITES_ON_ROWS = {"create", "acreate", "update", "aupdate", "delete", "adelete"}
QUERYSETS = {"objects", "filter", "exclude", "all", "select_for_update"}


def test_kit_imports_no_app() -> None:
    broken = [
        f"{module}:{line} the kit must not know {name}"
        for module in modules("studyplatform")
        if module.app == "kit"
        for line, name in imports(module.tree)
        if name.startswith(("apps.", "studyplatform.site", "studyplatform.demo"))
    ]

    assert not broken, "\n".join(broken)


def test_apps_import_only_downwards_and_only_public_modules() -> None:
    broken = []
    for module in modules("apps"):
        for line, name in imports(module.tree):
            if name.startswith("studyplatform.") and not name.startswith("studyplatform.kit"):
                broken.append(f"{module}:{line} an app must not know the frame ({name})")
            if not name.startswith("apps."):
                continue
            target, *rest = name.split(".")[1:]
            if target == module.app:
                continue
            if ORDER.index(target) > ORDER.index(module.app) or (module.app, target) in SIBLINGS:
                broken.append(f"{module}:{line} {module.app} must not know {target}")
            elif not rest or rest[0] not in PUBLIC:
                broken.append(f"{module}:{line} {name} is private to {target}")

    assert not broken, "\n".join(broken)


def test_the_frame_uses_only_public_modules() -> None:
    offered = {*PUBLIC, "components", "standin"}  # components for the pages of other apps, the stand-in for recordings
    broken = []
    for module in modules("studyplatform"):
        if module.app in WIRING or module.app == "kit":
            continue
        for line, name in imports(module.tree):
            if name.startswith("apps.") and name.split(".")[2] not in offered:
                broken.append(f"{module}:{line} {name} is private to its app")

    assert not broken, "\n".join(broken)


def test_nothing_is_imported_inside_functions_to_hide_a_cycle() -> None:
    broken = [
        f"{module}:{node.lineno}"
        for module in modules("apps")
        for function in ast.walk(module.tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]

    assert not broken, "\n".join(broken)


def test_protocol_modules_do_not_write() -> None:
    broken = [f"{module}:{line} {what}" for module in protocol_modules() for line, what in writes(module.tree)]

    assert not broken, "\n".join(broken)


def test_rules_find_code_to_check() -> None:
    assert {module.app for module in modules("apps")} == set(ORDER)
    assert len(list(protocol_modules())) > 10
    crossing = [name for module in modules("apps") for _, name in imports(module.tree) if name.startswith("apps.")]
    assert len(crossing) > 50

    offence = (
        "def page(request):\n    Course.objects.filter(pk=1).update(title='x')\n    row.save()\n    row.delete()\n"
    )
    assert [what for _, what in writes(ast.parse(offence))] == ["update", "save", "delete"]
    harmless = "known.update(more)\nresponse.delete_cookie('a')\nsession.create(tab=1)\n"
    assert not list(writes(ast.parse(harmless)))


def protocol_modules() -> list[Module]:
    return [
        module
        for module in modules()
        if (module.app in {*ORDER, "samples"} and module.kind in PROTOCOL)
        or (module.app == "site" and module.kind != "management")
    ]


def writes(tree: ast.AST) -> list[tuple[int, str]]:
    """Calls that write rows: .save() and the like anywhere, .update(…) and the like on a queryset, .delete()."""
    found = []
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        name = node.func.attr
        chain = {part.attr for part in ast.walk(node.func.value) if isinstance(part, ast.Attribute)}
        bare_delete = name == "delete" and not node.args and not node.keywords
        if name in WRITES_ALWAYS or (name in WRITES_ON_ROWS and (chain & QUERYSETS or bare_delete)):
            found.append((node.lineno, name))
    return found
