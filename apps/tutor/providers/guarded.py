"""A model whose answers are cleaned before anybody sees them."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from apps.learning.queries.addresses import lesson_url
from apps.tutor import prompting
from apps.tutor.cleaning import Cleaner
from apps.tutor.errors import ContentFiltered
from apps.tutor.providers.base import Prompt, Provider, Usage


def cleaner_for(prompt: Prompt) -> Cleaner:
    """Return what cleans an answer: it may link to the lessons that were found, and its code may quote them."""
    lessons = frozenset(lesson_url(one.passage.course.slug, one.passage.lesson.slug) for one in prompt.passages)
    quoted = "\n".join(one.text for one in prompt.passages)
    return Cleaner(allowed=lessons, quoted=quoted, secret=prompting.secret())


class Guarded:
    """Passes on what the provider says, without addresses, pictures, HTML and the rules it was given."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self.name, self.is_search = provider.name, provider.is_search

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        """See ``Provider.stream``.

        :raises ContentFiltered: the answer repeats the rules; what was said before says nothing by itself.
        """
        cleaner = cleaner_for(prompt)
        cleaner.resume(prompt.written)
        async with aclosing(self._provider.stream(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Usage):
                    yield piece
                    continue
                text = cleaner.feed(piece)
                if text:
                    yield text
                if cleaner.is_leaking:
                    raise ContentFiltered
        rest = cleaner.finish()
        if cleaner.is_leaking:
            raise ContentFiltered
        if rest:
            yield rest
