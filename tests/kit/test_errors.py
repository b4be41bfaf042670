"""The shape of failures on the wire, and what an error class must survive."""

import contextlib
import json
import logging
import pickle
from dataclasses import fields
from html import unescape
from typing import get_type_hints

import pytest
from django.contrib.auth.models import AnonymousUser
from django.template.loader import get_template, render_to_string
from rest_framework import exceptions

from apps.learning.errors import LessonCompletesItself, NotEnrolled
from studyplatform.kit.errors import REGISTRY, AppError, RateLimitExceeded
from studyplatform.kit.text.durations import waiting_time
from studyplatform.kit.web.api import problem_handler
from studyplatform.kit.web.problem_details import problem
from tests.cases import all_cases


def test_a_refusal_names_its_reason_and_data():
    shape = problem(NotEnrolled(course="Waves", slug="waves"))

    assert shape["code"] == "ENROLLMENT_REQUIRED"
    assert shape["status"] == 403
    assert shape["params"] == {"course": "Waves", "slug": "waves"}
    assert "“Waves”" in shape["detail"]


def test_a_refusal_survives_pickling_and_context_managers():
    error = pickle.loads(pickle.dumps(RateLimitExceeded(wait=7)))  # noqa: S301

    @contextlib.contextmanager
    def passing():
        yield

    def fail():
        with passing():
            raise error

    assert error.wait == 7
    with pytest.raises(RateLimitExceeded):
        fail()


def test_a_code_belongs_to_one_class():
    with pytest.raises(TypeError):
        type("Other", (AppError,), {"code": "ENROLLMENT_REQUIRED"})


def test_a_crash_shows_a_reference_but_no_internals(caplog):
    with caplog.at_level(logging.ERROR):
        answer = problem_handler(RuntimeError("secret path /etc/passwd"), {})

    assert answer is not None
    assert answer.status_code == 500
    assert "secret" not in str(answer.data)
    assert "secret path" in caplog.text


def test_nested_validation_errors_name_their_fields():
    answer = problem_handler(
        exceptions.ValidationError({"title": ["Too long."], "items": [{}, {"price": ["Not a number."]}]}), {}
    )

    assert answer is not None
    assert set(answer.data["fields"]) == {"title", "items.1.price"}


def an_example(kind: type[AppError]) -> AppError:
    """A refusal of this class, each of its params filled by its type."""
    hints = get_type_hints(kind)
    given = {str: "forty-two", int: 42}
    return kind(**{one.name: given[hints[one.name]] for one in fields(kind) if hints[one.name] in given})


@pytest.mark.django_db
@all_cases("code", sorted(REGISTRY))
def test_every_message_renders_in_every_surface(code, rf):
    """The API's answer, the whole page, the panel on a page, the log line, and the article on the code."""
    error = an_example(REGISTRY[code])
    request = rf.get("/")
    request.user = AnonymousUser()
    notice = get_template("components/notice.html").template.module.error_notice

    answer = problem_handler(error, {})
    page = unescape(render_to_string("errors/refused.html", {"error": error}, request))
    article = unescape(render_to_string("site/help/error.html", {"error": REGISTRY[code]}, request))

    assert error.detail
    assert "%(" not in error.detail
    assert str(error) == json.loads(json.dumps(answer.data))["detail"] == error.detail
    assert error.detail in page
    assert error.detail in unescape(notice(error))
    assert str(error.title) in article


def test_a_percent_sign_in_a_message_is_a_percent_sign():
    assert "watched 90% of it" in LessonCompletesItself().detail


def test_a_wait_is_said_in_the_unit_in_which_people_think_of_it() -> None:
    said = {0: "1 second", 1: "1 second", 60: "60 seconds", 90.2: "2 minutes", 3600: "60 minutes", 5401: "2 hours"}
    said |= {86_399: "24 hours", 3 * 86_400: "3 days"}
    assert {seconds: waiting_time(seconds) for seconds in said} == said
    refusal = RateLimitExceeded(wait=86_399)
    assert refusal.detail.endswith("Wait 24 hours, then try again.")
    assert refusal.params == {"wait": 86_399}
