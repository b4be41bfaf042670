"""Every call limits what it reads: the bytes of its body, and each text, list and dictionary in it."""

import ast
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.urls import resolve
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from rest_framework import serializers
from rest_framework.parsers import JSONParser

from apps.files.api.tus import AnyBody
from studyplatform.kit.web.body_limits import max_body_size
from studyplatform.kit.web.drf_defaults import JsonParser
from studyplatform.kit.web.fields import BoundedDictField, BoundedJsonField, BoundedListField
from tests.architecture.source import modules

BYTES_PER_CHARACTER = 4  # at most, in UTF-8
LIMITED_IN_BYTES = {
    "POST /api/v1/content/convert/",
    "POST /api/v1/videos/{uid}/captions/",
    "POST /api/v1/videos/{uid}/captions/preview/",
}
LIMITED_BY_TYPE = (
    serializers.BooleanField,
    serializers.IntegerField,
    serializers.FloatField,
    serializers.DateField,
    serializers.DateTimeField,
    serializers.ChoiceField,
    serializers.UUIDField,
    serializers.FileField,  # a part of the body, which has a limit
)


class Call:
    """A method of an address, with what it reads."""

    def __init__(self, path: str, method: str, view: Any) -> None:
        self.name = f"{method} {path}"
        self.path, self.method, self.view = path, method, view
        view.schema.path, view.schema.method = path, method
        view.schema.view = view
        self.body: Any = None if method in {"GET", "DELETE"} else view.schema.get_request_serializer()
        if isinstance(self.body, type):
            self.body = self.body()
        self.query = [
            shape()
            for shape in view.schema.get_override_parameters()
            if isinstance(shape, type) and issubclass(shape, serializers.BaseSerializer)
        ]


def _calls() -> list[Call]:
    generator = SchemaGenerator()
    generator._initialise_endpoints()
    found = []
    for path, _, method, callback in EndpointEnumerator().get_api_endpoints():
        view = generator.create_view(callback, method)
        found.append(Call(path, method, view))
    return found


CALLS = _calls()


def unlimited(field: Any, path: str) -> Iterator[str]:
    """The fields below this one that accept values of any length."""
    match field:
        case serializers.ListSerializer():
            yield f"{path}: many=True; use a BoundedListField"
        case serializers.Serializer():
            for name, inner in field.fields.items():
                if not inner.read_only:
                    yield from unlimited(inner, f"{path}.{name}")
        case BoundedListField() | BoundedDictField():
            yield from unlimited(field.child, f"{path}[]")
        case BoundedJsonField():
            return
        case serializers.ListField() | serializers.DictField() | serializers.JSONField():
            yield f"{path}: {type(field).__name__}; use one of kit/web/fields.py"
        case serializers.CharField():
            if field.max_length is None:
                yield f"{path}: no max_length"
        case _ if not isinstance(field, LIMITED_BY_TYPE):
            yield f"{path}: {type(field).__name__}"


def longest_text(field: Any) -> int:
    """Characters of the longest text that the field accepts."""
    match field:
        case serializers.Serializer():
            return max((longest_text(one) for one in field.fields.values() if not one.read_only), default=0)
        case BoundedListField() | BoundedDictField():
            return longest_text(field.child)
        case serializers.CharField() | BoundedJsonField():
            return field.max_length or 0
    return 0


def test_every_field_that_a_call_reads_has_a_maximum():
    faults = [
        fault
        for call in CALLS
        for shape in [call.body, *call.query]
        if isinstance(shape, serializers.BaseSerializer)
        for fault in unlimited(shape, call.name)
    ]

    assert len(CALLS) > 100
    assert faults == []


def test_every_call_limits_its_body_and_admits_its_longest_text():
    faults = []
    for call in CALLS:
        limits = getattr(call.view, "body_limits", {})
        limit = limits.get(call.method, settings.API_BODY_LIMIT)
        if limit < settings.API_BODY_LIMIT:
            faults.append(f"{call.name}: {limit} bytes are less than the default, which is not resolved first")
        if isinstance(call.body, serializers.BaseSerializer):
            text = longest_text(call.body) * (1 if call.name in LIMITED_IN_BYTES else BYTES_PER_CHARACTER)
            if not text <= limit <= settings.BODY_LIMIT:
                faults.append(f"{call.name}: {limit} bytes, and a text may have {text}")
        elif call.method in limits and AnyBody not in call.view.parser_classes:
            faults.append(f"{call.name}: a limit, but no body")

    assert faults == []


def test_every_call_that_reads_json_uses_the_parser_with_limits():
    parsers = {parser for call in CALLS for parser in call.view.parser_classes if issubclass(parser, JSONParser)}

    assert parsers == {JsonParser}


def test_an_address_of_the_api_has_the_limit_of_its_view():
    assert max_body_size("POST", resolve("/api/v1/billing/orders/")) == settings.API_BODY_LIMIT
    assert max_body_size("POST", resolve("/api/v1/forum/preview/")) > settings.API_BODY_LIMIT


def test_bodies_are_read_by_the_helper_only():
    """So that no call reads what its shape does not describe."""
    found = []
    for module in modules():
        if module.name == "studyplatform.kit.web.api":
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute) and node.attr == "data" and getattr(node.value, "id", "") == "request":
                found.append(f"{module}:{node.lineno}")

    assert found == []


@pytest.mark.parametrize(
    ("field", "is_limited"),
    [
        (serializers.CharField(), False),
        (serializers.CharField(max_length=5), True),
        (serializers.JSONField(), False),
        (serializers.ListField(child=serializers.IntegerField(), max_length=3), False),
        (BoundedListField(child=serializers.CharField(), max_length=3), False),
        (BoundedListField(child=serializers.IntegerField(), max_length=3), True),
        (serializers.DictField(), False),
    ],
)
def test_the_rule_itself(field, is_limited):
    assert (list(unlimited(field, "")) == []) is is_limited
