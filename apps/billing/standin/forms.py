"""Form-encoded requests: ``items[0][price]=price_1&metadata[course]=7&expand[]=customer``."""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from apps.billing.standin.errors import Json, invalid, parameter_missing

_KEY = re.compile(r"[^\[\]]+|\[\]")


def decode(text: str) -> Json:
    """The nested values of a form; ``a[]`` gets running numbers as keys, like ``a[0]``."""
    values: Json = {}
    for key, value in parse_qsl(text, keep_blank_values=True, max_num_fields=2000):
        parts = _KEY.findall(key)
        if not parts:
            continue
        inner = values
        for part, following in zip(parts, [*parts[1:], None], strict=True):
            name = str(len(inner)) if part == "[]" else part
            if following is None:
                inner[name] = value
            else:
                deeper = inner.setdefault(name, {})
                if not isinstance(deeper, dict):
                    raise invalid(f"Invalid parameters: {key}", param=key)
                inner = deeper
    return values


def flat(value: Any) -> Any:
    """Python values as a decoded form holds them: texts, and dictionaries with numbered keys for lists."""
    if isinstance(value, Mapping):
        return {str(key): flat(one) for key, one in value.items() if one is not None}
    if isinstance(value, list | tuple):
        return {str(index): flat(one) for index, one in enumerate(value)}
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


class Params:
    """The parameters of a call. Reading one marks it as known; :meth:`refuse_unknown` names what nobody read."""

    def __init__(self, values: Json | None = None, name: str = "") -> None:
        self.is_secret = True  # False: the browser sent them with the publishable key
        self._values = values or {}
        self._name = name
        self._read: set[str] = set()
        self._inner: dict[str, Params] = {}

    def full(self, name: str) -> str:
        """The name as the caller wrote it, e.g. ``items[0][price]``."""
        return f"{self._name}[{name}]" if self._name else name

    def has(self, name: str) -> bool:
        """Whether the parameter was sent, even empty."""
        return name in self._values

    def text(self, name: str, default: str | None = None) -> str | None:
        """The parameter as text; an empty one counts as absent."""
        self._read.add(name)
        value = self._values.get(name)
        if isinstance(value, dict):
            raise invalid(f"Invalid string: {self.full(name)}", param=self.full(name))
        return value or default

    def required(self, name: str) -> str:
        """The parameter as text.

        :raises ApiError: it was left out.
        """
        value = self.text(name)
        if value is None:
            raise parameter_missing(self.full(name))
        return value

    def number(self, name: str, default: int | None = None) -> int | None:
        """The parameter as a whole number."""
        value = self.text(name)
        if value is None:
            return default
        if not re.fullmatch(r"-?\d{1,15}", value):
            raise invalid(f"Invalid integer: {value}", param=self.full(name), code="parameter_invalid_integer")
        return int(value)

    def amount(self, name: str) -> int:
        """A required amount of at least 1, in the currency's minor unit."""
        self.required(name)
        value = self.number(name) or 0
        if value < 1:
            message = "This value must be greater than or equal to 1."
            raise invalid(message, param=self.full(name), code="parameter_invalid_integer")
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        """The parameter as true or false."""
        value = self.text(name)
        if value is None:
            return default
        if value not in {"true", "false"}:
            raise invalid(f"Invalid boolean: {value}", param=self.full(name))
        return value == "true"

    def choice(self, name: str, allowed: Iterable[str], default: str | None = None) -> str | None:
        """The parameter as one of some words."""
        value = self.text(name)
        if value is None:
            return default
        if value not in (allowed := list(allowed)):
            message = f"Invalid {self.full(name)}: must be one of {', '.join(allowed)}"
            raise invalid(message, param=self.full(name))
        return value

    def inner(self, name: str) -> "Params":
        """The parameters within the parameter; empty if it was not sent."""
        self._read.add(name)
        if name not in self._inner:
            value = self._values.get(name)
            found = Params(value if isinstance(value, dict) else {}, self.full(name))
            found.is_secret = self.is_secret
            self._inner[name] = found
        return self._inner[name]

    def rows(self, name: str) -> list["Params"]:
        """The rows of a list of objects."""
        values = self.inner(name)
        return [values.inner(key) for key in values.names()]

    def words(self, name: str) -> list[str]:
        """The parameter as a list of texts."""
        self._read.add(name)
        value = self._values.get(name)
        if isinstance(value, dict):
            return [str(one) for one in value.values()]
        return [value] if value else []

    def names(self) -> list[str]:
        """The names that were sent."""
        return list(self._values)

    def plain(self, name: str) -> Json:
        """The parameter's values as they are, e.g. an address."""
        self._read.add(name)
        value = self._values.get(name)
        return dict(value) if isinstance(value, dict) else {}

    def merge_metadata(self, into: Json) -> Json:
        """The metadata with the sent keys: an empty value removes its key, an empty ``metadata`` all of them."""
        self._read.add("metadata")
        sent = self._values.get("metadata")
        if sent == "":
            return {}
        merged = {**into, **(sent if isinstance(sent, dict) else {})}
        return {key: value for key, value in merged.items() if value != ""}

    def accept(self, *names: str) -> None:
        """Parameters that are fine and change nothing here."""
        self._read.update(names)

    def refuse_unknown(self) -> None:
        """Name the first parameter that nothing has read, as Stripe does.

        :raises ApiError: there is one.
        """
        for name in self._values:
            if name not in self._read:
                full = self.full(name)
                raise invalid(f"Received unknown parameter: {full}", param=full, code="parameter_unknown")
        for one in self._inner.values():
            one.refuse_unknown()
