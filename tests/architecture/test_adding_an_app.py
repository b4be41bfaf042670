"""The checklist "How to add an app" of docs/architecture.md, for every app."""

import re
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from django.apps import apps
from django.contrib import admin
from django.db.models import Model

from apps.accounts.kinds import KINDS as NOTIFICATION_KINDS
from apps.accounts.models import User
from apps.accounts.services import data_export
from studyplatform.kit import errors, jobs
from tests.architecture.source import ROOT, modules
from tests.architecture.test_layers import ORDER

pytestmark = pytest.mark.xdist_group("source")  # one process parses the project's Python

CHECKLIST = (ROOT / "docs" / "architecture.md").read_text().partition("## How to add an app")[2].partition("\n## ")[0]


def models_of(app: str) -> list[type[Model]]:
    return [model for model in apps.get_app_config(app).get_models() if not model._meta.auto_created]


def parts_of(app: str) -> set[str]:
    """The modules and packages of an app."""
    folder = ROOT / "apps" / app
    return {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}


def test_the_checklist_names_what_exists() -> None:
    names = set(re.findall(r"`((?:[\w-]+/)*[\w-]+\.(?:py|md|csv))`", CHECKLIST))
    assert len(names) > 15
    for name in names:
        anywhere = (ROOT / name).exists() or (ROOT / "studyplatform" / name).exists()
        assert anywhere or list((ROOT / "apps").glob(f"*/{name}")), name
    for app in ORDER:
        assert app in (ROOT / "docs" / "architecture.md").read_text()


@pytest.mark.parametrize("app", ORDER)
def test_each_app_is_complete(app: str) -> None:
    parts = parts_of(app)
    assert apps.is_installed(f"apps.{app}")
    assert {"apps", "errors"} <= parts
    assert any(error.__module__.startswith(f"apps.{app}.errors") for error in errors.REGISTRY.values())
    if not models_of(app):
        return  # not built yet

    assert {"admin", "services"} <= parts
    assert any(model in admin.site._registry for model in models_of(app))
    if not any(field.related_model is User for model in models_of(app) for field in model._meta.get_fields()):
        return  # it has nothing of users yet

    assert {"policies", "queries", "events", "exports", "urls"} <= parts
    assert app in data_export._sources
    assert (ROOT / "tests" / app).is_dir()
    assert (ROOT / "tests" / "factories" / f"{app}.py").exists()


def registered() -> Iterator[tuple[str, str]]:
    """The module and the file name in which each item of a registry must be."""
    for kind in jobs.KINDS.values():
        if kind.run.__module__.startswith("apps."):
            yield kind.run.__module__, "jobs"
    for source in data_export._sources.values():
        yield source.__module__, "exports"


def test_registrations_are_in_the_expected_modules() -> None:
    found = list(registered())
    assert len(found) > 10
    assert [module for module, name in found if name not in module.split(".")[2:]] == []

    in_extensions = re.compile(r"(sitemap_entries|attention_sources|admin_tiles|menu_badges)\.registers?\(")
    wrong = [
        str(module) for module in modules("apps") if in_extensions.search(module.text) and module.kind != "extensions"
    ]
    assert wrong == []


def test_an_item_is_registered_once() -> None:
    for registry in (jobs.KINDS, NOTIFICATION_KINDS, data_export._sources):
        name = next(iter(registry))
        with pytest.raises(ValueError, match="registered already"):
            registry.register(name, registry[name])  # type: ignore[arg-type]


def test_each_module_of_the_checklist_is_loaded_at_start() -> None:
    text = (ROOT / "studyplatform" / "kit" / "apps.py").read_text()
    for module in ("errors", "jobs", "notices", "receivers", "exports", "extensions", "components"):
        assert f'"{module}"' in text
        assert any(find_spec(f"apps.{app}.{module}") for app in ORDER), module
