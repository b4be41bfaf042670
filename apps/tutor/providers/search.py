"""The embedded provider: it quotes the course instead of asking a model."""

from collections.abc import AsyncGenerator

from asgiref.sync import sync_to_async
from django.utils import translation
from django.utils.translation import gettext as _

from apps.tutor import quoting
from apps.tutor.providers.base import Prompt, Usage


class SearchProvider:
    """``stands_in``: it answers because the budget of the model is used up, and says so."""

    name = "search"
    is_search = True

    def __init__(self, *, stands_in: bool = False) -> None:
        self._stands_in = stands_in

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        """Yield the answer line by line. After a text that isn't its own it begins a new paragraph."""
        text = await sync_to_async(self._answer)(prompt)
        rest = text[len(prompt.written) :] if text.startswith(prompt.written) else f"\n\n{text}"
        for piece in rest.splitlines(keepends=True):
            yield piece
        yield Usage()

    def _answer(self, prompt: Prompt) -> str:
        with translation.override(prompt.language):
            text = quoting.answer(prompt)
            if self._stands_in:
                note = _("The budget for the language model is used up for this month, so the search answers.")
                text = f"*{note}*\n\n{text}"
            return text
