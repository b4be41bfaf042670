"""Who answers: a model, or the search."""

from apps.tutor.providers.base import Prompt, Provider, Usage
from apps.tutor.providers.search import SearchProvider

__all__ = ["Prompt", "Provider", "Usage", "current"]


def current() -> Provider:
    """Return the provider that answers now.

    :raises TutorUnavailable: it has failed too often; it is tried again after a while.
    """
    return SearchProvider()
