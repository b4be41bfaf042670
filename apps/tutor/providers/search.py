"""The embedded provider: it quotes the course instead of asking a model."""

from collections.abc import AsyncGenerator

from django.utils import translation

from apps.tutor.answers import quote
from apps.tutor.providers.base import Prompt, Usage


class SearchProvider:
    name = "search"
    is_search = True

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        """Yield the quotes one by one."""
        with translation.override(prompt.language):
            text = quote(prompt.passages).text
        rest = text[len(prompt.written) :] if text.startswith(prompt.written) else text
        for piece in rest.splitlines(keepends=True):
            yield piece
        yield Usage()
