"""What is too much is refused before any of it is looked at, and a response does not grow with the request."""

from typing import Any

import pytest
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.web.api import problem_handler
from studyplatform.kit.web.fields import MAX_KEY_LENGTH, BoundedDictField, BoundedListField
from studyplatform.kit.web.problem_details import MAX_FIELD_ERRORS, problem


class CountingField(serializers.IntegerField):
    count = 0

    def to_internal_value(self, data: Any) -> Any:
        type(self).count += 1
        return super().to_internal_value(data)


@pytest.mark.parametrize(
    ("field", "sent"),
    [
        (BoundedListField(child=CountingField(), max_length=3), [0] * 4),
        (BoundedListField(child=CountingField(), max_length=3), [[]] * 100),
        (BoundedDictField(child=CountingField(), max_length=3), dict.fromkeys("abcd", 0)),
        (BoundedDictField(child=CountingField(), max_length=3), {"k" * (MAX_KEY_LENGTH + 1): 0}),
    ],
)
def test_too_many_elements_are_refused_before_the_first_is_validated(field, sent):
    CountingField.count = 0

    with pytest.raises(ValidationError) as refused:
        field.run_validation(sent)

    assert CountingField.count == 0
    assert len(refused.value.get_full_details()) == 1


def test_as_many_elements_as_allowed_are_validated():
    assert BoundedListField(child=CountingField(), max_length=3).run_validation(["1", 2, 3]) == [1, 2, 3]
    assert BoundedDictField(child=CountingField(), max_length=1).run_validation({"a": "1"}) == {"a": 1}


def test_a_response_has_a_few_short_errors():
    many = problem_handler(ValidationError({f"{n:03}" * 500: ["long" * 500] for n in range(500)}), {})
    raised = problem(ValidationFailed(in_fields={f"{n}": [{"code": "c", "message": "m" * 9000}] for n in range(500)}))

    assert many is not None
    for fields in (many.data["fields"], raised["fields"]):
        assert len(fields) == MAX_FIELD_ERRORS
        assert len(str(fields)) < 500 * MAX_FIELD_ERRORS


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "Infinity", "9" * 4000, '"' + "9" * 4000 + '"'])
def test_numbers_that_are_none_are_refused(client, leo, number):
    client.force_login(leo)
    body = f'{{"total": {number}, "course": "a", "currency": "USD"}}'

    answer = client.post("/api/v1/billing/orders/", body, content_type="application/json")

    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_FAILED")
    assert set(answer.json()["fields"]) <= {"total"}
