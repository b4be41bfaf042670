"""The recorded answers that islands get with MOCK_API match the API (to update: `manage.py record_api`)."""

import importlib
import json
import re

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from jsonschema import Draft202012Validator

from studyplatform.demo.management.commands.record_api import ANSWERS
from studyplatform.kit.management.commands.export_contract import SCHEMA
from tests.architecture.source import ROOT
from tests.cases import all_cases

RECORDED = {one["operation"]: one for one in json.loads(ANSWERS.read_text())}
_CALL = re.compile(r"\.(GET|POST|PUT|PATCH|DELETE)\(\s*\"(/api/[^\"]+)\"")


def test_every_api_call_of_an_island_has_a_recorded_answer():
    scripts = [path for path in (ROOT / "assets").rglob("*.ts*") if ".test." not in path.name]
    calls = {f"{verb} {path}" for script in scripts for verb, path in _CALL.findall(script.read_text())}

    assert len(calls) > 10
    assert calls == set(RECORDED)


@all_cases("operation", RECORDED)
def test_each_recorded_answer_matches_the_schema(operation: str):
    document = json.loads(SCHEMA.read_text())
    verb, path = operation.split(" ")
    answer = RECORDED[operation]
    promised = document["paths"][path][verb.lower()]["responses"]
    shape = promised.get(str(answer["status"]), promised["default"])

    assert answer["status"] < 500
    if answer["body"] is None:
        assert "content" not in shape
        return
    [content] = shape["content"].values()
    schema = {**content["schema"], "components": document["components"]}
    assert not [error.message for error in Draft202012Validator(schema).iter_errors(answer["body"])]


def test_only_pages_with_recorded_answers_say_so(client: Client, db, settings):
    assert "study-mock" not in client.get("/status").content.decode()

    settings.MOCK_API = True
    page = client.get("/help/teaching?recorded").content.decode()
    assert 'name="study-mock"' in page
    assert "MOCK_API is on" in page


def test_production_refuses_recorded_answers(monkeypatch):
    for name, value in (("SECRET_KEY", "0123456789abcdefghijklmnopqrstuvwxyz-0123456789abcdef"), ("MOCK_API", "1")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ALLOWED_HOSTS", "learn.example.com")
    monkeypatch.setenv("SITE_URL", "https://learn.example.com")
    monkeypatch.setenv("EMAIL_URL", "smtp://mail.example.com:25")

    with pytest.raises(ImproperlyConfigured, match="MOCK_API"):
        importlib.import_module("studyplatform.settings.production")
