"""Source code as HTML, highlighted in a limited time whatever it contains."""

import io
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

from markupsafe import Markup, escape
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.token import Token

MOST_HIGHLIGHTED = 32 * 1024  # characters; the others are shown plainly
HIGHLIGHT_SECONDS = 0.3  # after which the rest is shown plainly
# Several lexers try each length of a blank from each of its characters, before they come to the next token.
_LONG_BLANK = re.compile(r"\s{300}")
# Pygments' names of languages. Not all that it knows: a few of its lexers take minutes for a hostile text.
LANGUAGES = {
    ending: language
    for endings, language in (
        (".py", "python"),
        (".js .mjs .cjs .jsx", "javascript"),
        (".ts", "typescript"),
        (".tsx", "tsx"),
        (".json .ipynb", "json"),
        (".css", "css"),
        (".scss", "scss"),
        (".html .htm .xhtml", "html"),
        (".xml .svg .xsl", "xml"),
        (".java", "java"),
        (".c .h", "c"),
        (".cpp .cc .hpp", "cpp"),
        (".cs", "csharp"),
        (".go", "go"),
        (".rs", "rust"),
        (".kt", "kotlin"),
        (".swift", "swift"),
        (".rb", "ruby"),
        (".php", "php"),
        (".lua", "lua"),
        (".jl", "julia"),
        (".hs", "haskell"),
        (".r", "r"),
        (".sql", "sql"),
        (".sh .bash", "bash"),
        (".yaml .yml", "yaml"),
        (".toml", "toml"),
        (".tex", "tex"),
        (".bib", "bibtex"),
        (".diff .patch", "diff"),
    )
    for ending in endings.split()
}
_NAMES = frozenset(LANGUAGES.values())
_OTHER_NAMES = {"c++": "cpp", "c#": "csharp", "shell": "bash", "console": "bash", "latex": "tex", "golang": "go"}
_SPACE: Any = Token.Text
_PLAIN: tuple[Any, ...] = (
    Token.Name,
    Token.Operator,
    Token.Punctuation,
)  # their own elements would only make pages larger
_formatter = HtmlFormatter(nowrap=True, classprefix="tok-")


def language_called(name: str) -> str:
    """The language that a block of code names: "Python", "py", "c++". "" if it is not highlighted."""
    name = name.lower()
    return name if name in _NAMES else LANGUAGES.get(f".{name}") or _OTHER_NAMES.get(name, "")


def highlighted(text: str, language: str, clock: Callable[[], float] = time.monotonic) -> Markup:
    """A text with its tokens in elements whose classes begin with ``tok-`` (assets/styles/components/code.css).

    Plain if it has a blank of hundreds of characters.
    """
    if _LONG_BLANK.search(text):
        return escape(text)
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    until = clock() + HIGHLIGHT_SECONDS

    def tokens() -> Iterator[tuple[Any, str]]:
        done = 0
        for kind, value in lexer.get_tokens(text[:MOST_HIGHLIGHTED]):
            if clock() > until:
                break
            done += len(value)
            yield (Token.Text if kind in _PLAIN or kind in _SPACE else kind), value
        yield Token.Text, text[done:]

    out = io.StringIO()
    _formatter.format(tokens(), out)
    return Markup(out.getvalue())  # noqa: S704 (Pygments escapes the text)
