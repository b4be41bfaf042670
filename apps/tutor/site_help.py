"""Questions about the site and one's own account: which topic of help, or which part of a help article, answers them.

It loads NumPy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from django.utils import translation
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from apps.accounts.models import User
from apps.tutor.retrieval import encoder
from apps.tutor.retrieval.blocks import blocks_of
from studyplatform.kit.extensions import help_articles, help_topics
from studyplatform.kit.text.escaping import escape_markdown

NEAR_TOPIC = 0.55
"""Similarity from which a question is one of a topic."""
NEAR_ARTICLE = 0.5
"""Similarity from which a part of an article answers a question."""
MAX_LENGTH = 300
"""Characters of a question that can be about the site."""


@dataclass(frozen=True)
class Help:
    """What answers a question about the site; ``similarity`` of the vectors, from -1 to 1."""

    similarity: float
    answer: Callable[[User], str]


@dataclass(frozen=True)
class _Known:
    """The texts that are compared, as vectors, each with its answer."""

    vectors: NDArray[np.float32]
    answers: list[Callable[[Any], str]]
    least: NDArray[np.float32]


def find_help(question: str) -> Help | None:
    """Return what answers a question about the site, in the language that is active; None if nothing does."""
    if len(question) > MAX_LENGTH:
        return None
    known = _known(translation.get_language() or "en")
    similar = known.vectors @ encoder.encode([question])[0]
    best = int(np.argmax(similar - known.least))
    if similar[best] < known.least[best]:
        return None
    return Help(float(similar[best]), known.answers[best])


@lru_cache(maxsize=4)
def _known(language: str) -> _Known:
    texts, answers, least = list[str](), list[Callable[[Any], str]](), list[float]()
    with translation.override(language):
        for topic in help_topics.ordered():
            for question in topic.questions:
                texts.append(str(question))
                answers.append(topic.answer)
                least.append(NEAR_TOPIC)
        for source in help_articles.ordered():
            for article in source():
                for block in blocks_of(article.html):
                    texts.append(f"{block.heading}. {block.text}")
                    answers.append(_quote(block.text, article.title, article.path))
                    least.append(NEAR_ARTICLE)
    return _Known(np.array(encoder.encode(texts)), answers, np.array(least, np.float32))


def _quote(text: str, title: str, path: str) -> Callable[[Any], str]:
    def answer(_user: Any) -> str:
        link = _("From the help: [%(title)s](%(path)s)") % {"title": escape_markdown(title), "path": path}
        return f"> {escape_markdown(text)}\n\n{link}"

    return answer
