"""A provider that says what it was told to: for tests, and to develop the chat without a model."""

import asyncio
from collections.abc import AsyncGenerator, Callable

from apps.tutor.providers.base import Prompt, Usage


class ScriptedProvider:
    """Answers with ``script(prompt)``, in pieces of so many characters, ``pause`` seconds apart."""

    is_search = False

    def __init__(
        self, script: Callable[[Prompt], str], *, name: str = "scripted", size: int = 4, pause: float = 0.0
    ) -> None:
        self.name, self._script, self._size, self._pause = name, script, size, pause

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        text = self._script(prompt)
        for start in range(0, len(text), self._size):
            yield text[start : start + self._size]
            await asyncio.sleep(self._pause)
        yield Usage(len(prompt.question), len(text), 0)
