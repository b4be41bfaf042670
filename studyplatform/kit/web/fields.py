"""Fields of API calls that check how much was sent before they look at any of it.

DRF validates every element of a list or a dictionary before it checks the length, and `DictField` has no limit at all.
"""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from studyplatform.kit.web.problem_details import MAX_FIELD_ERRORS

MAX_KEY_LENGTH = 100  # characters


class BoundedListField(serializers.ListField):
    """A list of at most ``max_length`` elements."""

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)

    def to_internal_value(self, data: Any) -> Any:
        """The validated elements.

        :raises ValidationError: not a list, too long, or an element is invalid.
        """
        if isinstance(data, list | tuple) and len(data) > (self.max_length or 0):
            self.run_validators(data)
        return super().to_internal_value(data)

    def run_child_validation(self, data: Sequence[Any]) -> list[Any]:
        """The validated elements. It stops when more are invalid than a response names: that is what costs most.

        :raises ValidationError: an element is invalid.
        """
        found: list[Any] = []
        errors: dict[Any, Any] = {}
        for place, element in enumerate(data):
            try:
                found.append(self.child.run_validation(element))
            except serializers.ValidationError as error:
                errors[place] = error.detail
                if len(errors) >= MAX_FIELD_ERRORS:
                    break
        if errors:
            raise serializers.ValidationError(errors)
        return found


class BoundedJsonField(serializers.JSONField):
    """A value of a field that has many kinds: a text, number, boolean or null, or a flat list or dictionary of them."""

    def __init__(self, *, max_length: int, max_items: int, **kwargs: Any) -> None:
        """``max_length``: characters of a text; ``max_items``: entries of a list or dictionary."""
        super().__init__(**kwargs)
        self.max_length, self.max_items = max_length, max_items

    def to_internal_value(self, data: Any) -> Any:
        """The value as it is.

        :raises ValidationError: too many entries, one of them isn't a scalar, or a text is too long.
        """
        items = [*data, *data.values()] if isinstance(data, dict) else data if isinstance(data, list) else [data]
        if len(items) > self.max_items * (2 if isinstance(data, dict) else 1):
            text = str(serializers.ListField.default_error_messages["max_length"])
            raise serializers.ValidationError([ErrorDetail(text.format(max_length=self.max_items), code="max_length")])
        if any(isinstance(item, list | dict) for item in items):
            self.fail("invalid")
        if any(len(item) > self.max_length for item in items if isinstance(item, str)):
            text = str(serializers.CharField.default_error_messages["max_length"])
            raise serializers.ValidationError([ErrorDetail(text.format(max_length=self.max_length), code="max_length")])
        return super().to_internal_value(data)


class BoundedDictField(serializers.DictField):
    """A dictionary of at most ``max_length`` entries, with keys of at most `MAX_KEY_LENGTH` characters."""

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.max_length = max_length

    def to_internal_value(self, data: Any) -> Any:
        """The validated values by key.

        :raises ValidationError: not a dictionary, too many entries, a key is too long, or a value is invalid.
        """
        if isinstance(data, dict):
            if len(data) > self.max_length:
                text = str(serializers.ListField.default_error_messages["max_length"])
                raise serializers.ValidationError(
                    [ErrorDetail(text.format(max_length=self.max_length), code="max_length")]
                )
            if any(len(str(key)) > MAX_KEY_LENGTH for key in data):
                text = str(serializers.CharField.default_error_messages["max_length"])
                raise serializers.ValidationError(
                    [ErrorDetail(text.format(max_length=MAX_KEY_LENGTH), code="max_length")]
                )
        return super().to_internal_value(data)
