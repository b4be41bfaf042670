"""Text in the form in which it is indexed and searched."""

import re
import unicodedata

_WORD = re.compile(r"\w{1,40}")


def fold(text: str) -> str:
    """Return the text in lower case and without accents: the form in which it is indexed and searched."""
    if text.isascii():  # most texts are, and have no accents to remove
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def split_words(text: str) -> list[str]:
    """Return all words of a text, folded."""
    return _WORD.findall(fold(text).replace("_", " "))
