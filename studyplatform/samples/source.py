"""The source of a sample page, read from the repository and highlighted by Pygments."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from django.conf import settings
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import HtmlDjangoLexer, PythonLexer, TsxLexer, TypeScriptLexer

from studyplatform.kit.web.built_files import cache_outside_debug

LEXERS: dict[str, type[Lexer]] = {
    ".py": PythonLexer,
    ".ts": TypeScriptLexer,
    ".tsx": TsxLexer,
    ".html": HtmlDjangoLexer,  # Pygments reads Jinja and Django templates alike
}


@dataclass(frozen=True)
class SourceFile:
    """A file that a sample page shows. Lines that contain one of ``marks`` are highlighted."""

    path: str
    marks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name


@dataclass(frozen=True)
class Line:
    """A line as HTML; ``is_marked`` if it is highlighted."""

    html: Markup
    is_marked: bool


@cache_outside_debug
def highlighted(file: SourceFile) -> list[Line]:
    """The lines of a file. Classes of the tokens begin with ``tok-`` (assets/styles/components/code.css).

    :raises FileNotFoundError: the repository has no such file.
    """
    text = (settings.BASE_DIR / file.path).read_text()
    lexer = LEXERS[PurePosixPath(file.path).suffix](stripnl=False)
    # Without a wrapper, Pygments closes every element at the end of its line.
    html = highlight(text, lexer, HtmlFormatter(nowrap=True, classprefix="tok-"))
    return [
        Line(Markup(one), any(mark in plain for mark in file.marks))  # noqa: S704 (Pygments escapes the text)
        for one, plain in zip(html.splitlines(), text.splitlines(), strict=True)
    ]


def marked_lines(file: SourceFile) -> list[int]:
    """The numbers of the highlighted lines, from 1."""
    return [number for number, line in enumerate(highlighted(file), 1) if line.is_marked]
