"""A provider that gets only the questions that the tutor answers."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from asgiref.sync import sync_to_async

from apps.tutor import filters
from apps.tutor.providers.base import Prompt, Provider, Usage


class Filtered:
    """Refuses what ``filters`` refuses, before the provider is asked."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self.name, self.is_search = provider.name, provider.is_search

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        """See ``Provider.stream``.

        :raises ContentFiltered: the tutor doesn't answer such questions.
        """
        await sync_to_async(filters.check)(prompt)
        async with aclosing(self._provider.stream(prompt)) as pieces:
            async for piece in pieces:
                yield piece
