"""``manage.py export_contract``: the API's schema and the error catalog, for TypeScript."""

import json
import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.test import override_settings
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator

from studyplatform.kit.errors import REGISTRY
from studyplatform.kit.extensions import contract_tables

SCHEMA = Path(settings.BASE_DIR) / "tests" / "contract" / "openapi.json"
SCRIPTS = Path(settings.BASE_DIR) / "assets"
CATALOGUE = SCRIPTS / "shared" / "api" / "errors.gen.ts"

NAMED = "/** The codes that scripts name: only these have texts. */"
HEAD = "// Written by `make contract` from the error classes in Python. Do not edit.\n"


# An argument, a choice, a value or an outcome; not what is only compared (`error.is("…")`, `=== "…"`) or listed.
_MADE = re.compile(r'(?:(?<!\.is)\(|[?:]|return)\s*"([A-Z][A-Z_]+)"')


def codes_named_by_scripts() -> set[str]:
    """The codes of errors that scripts make, such as those shown while offline; not those they only compare."""
    names: set[str] = set()
    for file in SCRIPTS.rglob("*.ts*"):
        if not re.search(r"(\.test|\.gen|^testing)\.tsx?$", file.name) and file.parent.name != "testing":
            names.update(_MADE.findall(file.read_text()))
    return names & REGISTRY.keys()


def catalogue() -> dict[str, dict[str, Any]]:
    """Icon and action of every code that scripts may meet, sorted by code, and the texts of those that they name.

    The other errors come from the server, whose answer has the texts. Default values are left out as well, because
    every browser downloads this: assets/shared/api/errors.ts fills them in.
    """
    entries = {}
    named = codes_named_by_scripts()
    for code, kind in sorted(REGISTRY.items()):
        if not kind.is_for_scripts:
            continue
        action = kind.action
        entry = {
            "title": str(kind.title) if code in named else None,
            "message": str(kind.message) if code in named else None,
            "severity": kind.severity if kind.severity != "error" else None,
            "icon": kind.icon if kind.icon != "circle-alert" else None,
            "action": _without_defaults({"label": str(action.label), "href": action.href, "handler": action.handler})
            if action
            else None,
            "helpText": str(kind.help_text),
            "retryDelay": kind.retry_delay,
            "durations": list(kind.durations) if code in named and kind.durations else None,
        }
        entries[code] = _without_defaults(entry)
    return entries


def _without_defaults(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if value not in (None, "")}


def catalogue_module() -> str:
    """The TypeScript module of the catalog."""
    body = ",\n".join(f"  {code}: {json.dumps(entry, ensure_ascii=False)}" for code, entry in catalogue().items())
    table = f"export const catalogue = {{\n{body},\n}} as const;"
    codes = " | ".join(f'"{code}"' for code in sorted(codes_named_by_scripts() & catalogue().keys()))
    types = f"export type ErrorCode = keyof typeof catalogue;\n{NAMED}\nexport type NamedCode = {codes};\n"
    return f"{HEAD}\n{table}\n\n{types}"


def table_module(name: str) -> str:
    """The TypeScript module of a table that an app shares with scripts (``contract_tables``)."""
    table = json.dumps(contract_tables[name](), ensure_ascii=False, indent=2)
    return f"{HEAD}\nexport const {name} = {table} as const;\n"


def table_path(name: str) -> Path:
    """Where the module of a table is: beside the catalog."""
    return CATALOGUE.with_name(f"{name}.gen.ts")


def schema() -> dict[str, Any]:
    """The OpenAPI document of /api/v1."""
    document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return document


class Command(BaseCommand):
    help = "Write the API schema and the error catalog for TypeScript (openapi.json, *.gen.ts)."

    def handle(self, **options: Any) -> None:
        with translation.override("en"), override_settings(DEBUG=False):
            SCHEMA.parent.mkdir(parents=True, exist_ok=True)
            SCHEMA.write_text(json.dumps(schema(), indent=1, sort_keys=True, default=str) + "\n")
            CATALOGUE.parent.mkdir(parents=True, exist_ok=True)
            CATALOGUE.write_text(catalogue_module())
            for name in contract_tables:
                table_path(name).write_text(table_module(name))
        written = [SCHEMA.name, CATALOGUE.name, *(table_path(name).name for name in contract_tables)]
        self.stdout.write(f"Wrote {', '.join(written)}.")
