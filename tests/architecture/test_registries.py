"""Lists in which a forgotten entry would go unnoticed: what registers itself is loaded, named and used."""

import re
import sys
from pathlib import Path

import pytest
from django.template.loader import get_template
from django.urls import get_resolver, reverse

from apps.accounts.kinds import KINDS
from apps.accounts.models import Role, User
from studyplatform.kit.caching import table_versions
from studyplatform.kit.extensions import settings_sections
from tests.architecture.source import ROOT, modules

pytestmark = pytest.mark.xdist_group("source")  # one process parses the project's Python

# A call at the top of a module that adds something to a registry when the module is imported.
REGISTERS = re.compile(
    r"^(?:@(?:jobs\.)?job\(|@subscribe\(|@(?:\w+\.)?register(?:_\w+)?\(|register\(|\w+ = (?:\w+\.)?register_kind\()",
    re.M,
)


def test_each_module_that_registers_something_is_imported_at_the_start() -> None:
    assert get_resolver().url_patterns  # registers the sections of the settings
    registering = [module for module in modules() if REGISTERS.search(module.text)]

    assert len(registering) > 25
    forgotten = [str(module) for module in registering if module.name not in sys.modules]
    assert forgotten == [], "nobody imports them (see studyplatform/kit/apps.py)"


def test_each_section_of_the_settings_has_its_place_its_address_and_its_template() -> None:
    assert get_resolver().url_patterns
    assert len(settings_sections) >= 10
    for section in settings_sections.values():
        assert get_template(section.template_name)
        assert reverse(f"accounts:settings-{section.slug}") == f"/settings/{section.slug}"
    orders = [section.order for section in settings_sections.values()]
    assert len(set(orders)) == len(orders), "two sections with one place"


def test_each_kind_for_staff_is_offered_to_staff_alone() -> None:
    learner = User(role=Role.STUDENT)
    offered = [
        name for name, kind in KINDS.items() if kind.group in {"teaching", "administration"} and kind.is_for(learner)
    ]

    assert offered == []


def test_each_email_has_text_and_html_and_is_sent() -> None:
    emails = ROOT / "templates" / "emails"
    texts = {file.stem for file in emails.glob("*.txt")}
    pages = {file.stem for file in emails.glob("*.html")} - {"layout", "button"}
    code = "\n".join(module.text for module in modules())

    assert texts == pages
    assert {name for name in texts if f'"{name}"' not in code} == set()


def test_each_island_is_registered_and_used() -> None:
    islands = ROOT / "assets" / "islands"
    folders = {file.parent.name for file in islands.glob("*/index.tsx")}
    registered = set(re.findall(r"import\(\"\./([\w-]+)\"\)", (islands / "registry.ts").read_text()))
    templates = "\n".join(file.read_text() for file in (ROOT / "templates").rglob("*.html"))
    used = set(re.findall(r"\bisland\(\s*\"([\w-]+)\"", templates))

    assert folders == registered == used


def test_table_version_cannot_watch_an_unknown_field() -> None:
    with pytest.raises(ValueError, match="nickname"):
        table_versions.watch("test", User, only={"username", "nickname"})


@pytest.mark.parametrize("folder", sorted(file.parent.name for file in (ROOT / "apps").glob("*/apps.py")))
def test_each_app_is_installed(folder: str, settings) -> None:
    assert f"apps.{folder}" in settings.INSTALLED_APPS
    app = Path(ROOT, "apps", folder)
    assert (app / "errors.py").exists() or (app / "errors" / "__init__.py").exists()


def test_each_setting_from_the_environment_is_in_the_example_file() -> None:
    """README says that .env.example lists them all."""
    read = {
        name
        for file in (ROOT / "studyplatform" / "settings").rglob("*.py")
        for name in re.findall(r"\benv\.\w+\(\s*\"([A-Z][A-Z0-9_]+)\"", file.read_text())
    }

    assert len(read) > 20
    assert sorted(name for name in read if name not in (ROOT / ".env.example").read_text()) == []
