"""Leave out what a reasoning model thinks before it answers, where its server doesn't: ``<think>…</think>``."""

_OPENINGS = {"<think>": "</think>", "<thinking>": "</thinking>"}
_LONGEST = max(map(len, _OPENINGS))


class ThoughtFilter:
    """Drops the thoughts at the beginning of an answer, piece by piece; later in an answer such marks are text."""

    def __init__(self) -> None:
        self._held, self._closing = "", ""
        self._is_answering = False

    def feed(self, piece: str) -> str:
        """Return what is part of the answer."""
        if self._is_answering:
            return piece
        self._held += piece
        if not self._closing:
            begun = self._held.lstrip()
            self._closing = next((end for start, end in _OPENINGS.items() if begun.startswith(start)), "")
            if not self._closing:
                may_think = any(start.startswith(begun[:_LONGEST]) for start in _OPENINGS)
                return "" if may_think else self._answer(self._held)
        _thoughts, closing, rest = self._held.partition(self._closing)
        if not closing:
            self._held = self._held[-_LONGEST - 1 :] if len(self._held) > 2 * _LONGEST + 2 else self._held
            return ""
        self._held, self._closing = rest, ""
        return self.feed("")  # it may think again

    def finish(self) -> str:
        """Return what was kept back and is part of the answer."""
        rest = "" if self._is_answering or self._closing else self._held
        self._held = ""
        return rest

    def _answer(self, text: str) -> str:
        self._is_answering, self._held = True, ""
        return text
