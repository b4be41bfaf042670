"""Calls that no client of ours sends are refused as problems, never by a crash."""

import io
import json

import pytest
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from rest_framework.exceptions import ParseError

from studyplatform.kit.web.api import problem_handler
from studyplatform.kit.web.drf_defaults import JsonParser
from studyplatform.kit.web.failures import refusal_of

LOG_IN = "/api/v1/auth/login/"
pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "body",
    [
        "[" * 60_000,
        '{"a":' * 12_000,
        "[" * 200 + "]" * 200,
        '{"email":' + "[" * 40 + "]" * 40 + "}",
        "{",
        b"\xff\xfe",
        "9" * 5000,
    ],
)
def test_json_that_cannot_be_read_is_refused(client, body):
    answer = client.post(LOG_IN, body, content_type="application/json")

    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "VALIDATION_FAILED"


def test_json_of_the_usual_depth_reaches_its_form(client):
    answer = client.post(LOG_IN, json.dumps({"email": [[["deep"]]]}), content_type="application/json")

    assert "email" in answer.json()["fields"]


def test_json_that_is_nested_deeper_than_any_call_needs_reaches_no_form(client):
    answer = client.post(LOG_IN, '{"email":' + "[" * 40 + "]" * 40 + "}", content_type="application/json")

    assert (answer.status_code, answer.json()["fields"]) == (400, {})


def test_a_request_that_django_cannot_parse_is_no_crash():
    assert problem_handler(RequestDataTooBig(), {}).status_code == 413
    assert problem_handler(TooManyFieldsSent(), {}).status_code == 400
    assert refusal_of(RequestDataTooBig()).params == {"limit": "2.5 MB"}


@pytest.mark.parametrize("method", ["get", "post", "patch"])
@pytest.mark.parametrize("path", ["/api/v1/nowhere/", "/api/v1/", "/api/nothing", "/api/v1/courses/\x00/"])
def test_an_unknown_api_url_returns_a_problem(client, method, path):
    answer = getattr(client, method)(path)

    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "NOT_FOUND"


def test_an_unknown_page_url_returns_a_page(client):
    assert client.get("/nowhere")["Content-Type"].startswith("text/html")


def test_an_unknown_host_is_refused_with_a_problem(client, settings):
    settings.ALLOWED_HOSTS = ["ours.example"]

    answer = client.get("/api/v1/auth/session/", headers={"Host": "theirs.example"})

    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")


def test_a_crash_before_any_view_is_a_problem_too(client, monkeypatch):
    client.raise_request_exception = False
    monkeypatch.setattr("studyplatform.kit.web.body_limits.BodyMiddleware.process_view", None)

    answer = client.get("/api/v1/auth/session/")

    assert (answer.status_code, answer.json()["code"]) == (500, "SERVER_ERROR")


def test_hundreds_of_thousands_of_values_are_refused_before_they_are_parsed():
    def parse(text: str):
        return JsonParser().parse(io.BytesIO(text.encode()), None, {})

    text = '[{,"\\' * 200_000  # in a string nothing counts
    assert parse(json.dumps({"text": text})) == {"text": text}
    assert len(parse("[" + "1," * 19_000 + "1]")) == 19_001
    for many in (
        "[" + "[]," * 200_000 + "[]]",
        "[" + "1," * 200_000 + "1]",
        '{"text": "' + '\\"' * 50_000 + '", "a": [' + "0," * 50_000,
    ):
        with pytest.raises(ParseError):
            parse(many)
