"""The shape of failures on the wire, and what an error class must survive."""

import contextlib
import logging
import pickle

import pytest
from rest_framework import exceptions

from apps.learning.errors import NotEnrolled
from studyplatform.kit.api import problem_handler
from studyplatform.kit.errors import AppError, RateLimitExceeded
from studyplatform.kit.problems import problem


def test_a_refusal_names_its_reason_and_data():
    shape = problem(NotEnrolled(course="Waves", slug="waves"))

    assert shape["code"] == "ENROLLMENT_REQUIRED"
    assert shape["status"] == 403
    assert shape["params"] == {"course": "Waves", "slug": "waves"}
    assert "“Waves”" in shape["detail"]


def test_survives_pickling_and_context_managers():
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


def test_a_crash_shows_a_reference_and_no_internals(caplog):
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
