"""What an answer has cost so far: it may be stopped at any moment, and the provider charges what it was sent."""

from apps.tutor import prompting
from apps.tutor.providers.base import Usage
from apps.tutor.providers.reading import Reading


class Bill:
    """The requests for one answer. As the provider counts them, otherwise as estimated from the lengths."""

    def __init__(self, messages: list[dict[str, str]]) -> None:
        self._prompt = sum(prompting.tokens(one["content"]) for one in messages)
        self._before = (0, 0)
        self._reading: Reading | None = None
        self._counted_to, self._received = 0, 0

    def begin(self) -> Reading:
        """Note that a request goes out; return what reads its answer."""
        self._reading = Reading()
        self._counted_to, self._received = 0, 0
        return self._reading

    def end(self, *, is_free: bool) -> None:
        """Note that the request failed. ``is_free``: the provider never worked on it."""
        if not is_free:
            self._before = self._tokens()
        self._reading = None

    @property
    def usage(self) -> Usage:
        """The tokens and the cost so far. Cheap: it is asked for with every piece."""
        sent, received = self._tokens()
        return Usage(sent, received, prompting.cost_micros(sent, received))

    def _tokens(self) -> tuple[int, int]:
        sent, received = self._before
        if self._reading is None:
            return sent, received
        if self._reading.counted is not None:
            return sent + self._reading.counted[0], received + self._reading.counted[1]
        new = self._reading.pieces[self._counted_to :]
        self._counted_to += len(new)
        self._received += sum(len(one.encode(errors="replace")) for one in new)
        return sent + self._prompt, received + -(-self._received * 2 // 7)
