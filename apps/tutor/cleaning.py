"""Take out of a model's answer what could carry data away or deceive: addresses, pictures, HTML, invisible characters.

It works while the answer streams, so that a browser never sees what is removed. It doesn't trust its own view of the
Markdown: within code, where it removes less, addresses that are not in the passages are removed too.
"""

import html
import re
from collections import deque
from collections.abc import Set as AbstractSet
from functools import cached_property

from django.utils.translation import gettext as _

MOST_HELD = 1_000
"""Characters without a space that are kept back; a space breaks longer ones."""
RUN = 8
"""Words in a row that must not be those of the rules."""
MOST_CODE = 500
"""Characters of a line that are kept back because a code span may end there."""

# Controls, soft hyphens, zero-width and bidirectional characters, tags, variation selectors, lone surrogates, private
# use: with them text can look other than it is, or carry other text.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\ue000-\uf8ff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_ADDRESS = re.compile(
    r"""(?ix) (?: (?:https?|ftp|wss?|file|mailto|javascript|vbscript|blob) : [^\s`]+   # a scheme
    | data : [\w.+-]{0,60} [/;,] [^\s`]*                         # data: with a type
    | [a-z][\w+.-]{0,30} : [/\\]{2} [^\s`]*                   # any other scheme
    | (?<![\w:/\\]) [/\\]{2} [\w-]+ \. [^\s`]*                     # the scheme of the page
    | www \. [^\s`]+ )"""
)
_LINK = re.compile(r"\]\(([^\s()]*)(\)?)")
_DANGEROUS = re.compile(r"\]\((?=\s*(?:\Z|<|\S{0,300}?(?::|//|\\|&)))")
_DEFINED = re.compile(r"\]:(?=\s*(?:\Z|<|\S{0,300}?(?:://|//|\\|&)))")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_PICTURE = re.compile(r"!\[(?!\d{1,2}\])")
_MARKED = re.compile(r"\bdata-[0-9a-f]{16}\b")
_FENCE = re.compile(r"(`{3,}|~{3,})([^`]*)\Z")
_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_RUN = re.compile(r"[!-~]+\Z")


def visible(text: str) -> str:
    """Return the text without characters that nobody sees; line ends are ``\\n``."""
    if text.isascii() and text.isprintable():  # most pieces of a stream
        return text
    return _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


class Cleaner:
    """Clean one answer, piece by piece.

    ``allowed`` are the addresses to which it may link, ``quoted`` the text whose addresses may stand in its code, and
    ``secret`` the runs of eight words that must not appear: at the first, ``is_leaking`` is set and nothing follows.
    """

    def __init__(
        self,
        *,
        allowed: AbstractSet[str] = frozenset(),
        quoted: str = "",
        secret: AbstractSet[tuple[str, ...]] = frozenset(),
    ) -> None:
        self._allowed, self._secret = allowed, secret
        self._source = quoted
        self._held, self._fence, self._at_start = "", "", True
        self._words: deque[str] = deque(maxlen=RUN)
        self.is_leaking = False

    @cached_property
    def _quoted(self) -> frozenset[str]:
        """Slow, and most answers have no address in their code."""
        return frozenset(one.group() for one in _ADDRESS.finditer(self._source))

    def feed(self, piece: str) -> str:
        """Return what can be shown now."""
        if self.is_leaking:
            return ""
        self._held += visible(piece)
        ready = ""
        *lines, rest = self._held.split("\n")
        for line in lines:
            ready += self._line(line, is_whole=True) + "\n"
            self._at_start = True
        end = self._end_of_ready(rest)
        if len(rest) - end > MOST_HELD:
            rest, end = f"{rest} ", len(rest) + 1
        if end:
            ready += self._line(rest[:end], is_whole=False)
            self._at_start = False
        self._held = rest[end:]
        return self._without_secrets(ready)

    def resume(self, written: str) -> None:
        """Go on after text that was cleaned before."""
        self.feed(written)
        self._held, self._at_start = "", not written or written.endswith("\n")

    def finish(self) -> str:
        """Return what was kept back."""
        rest, self._held = self._held, ""
        return self._without_secrets(self._line(rest, is_whole=True)) if rest and not self.is_leaking else ""

    def _end_of_ready(self, rest: str) -> int:
        """Return how many characters of an unfinished line can be shown: not its last word, nor what may be code."""
        if self._at_start and rest.startswith(("```", "~~~")):
            return 0
        if not self._fence and "`" in rest:
            opened = _SPAN.sub(lambda found: "x" * len(found.group()), rest).find("`")
            if opened >= 0 and len(rest) - opened < MOST_CODE:
                rest = rest[:opened]
        run = _RUN.search(rest)
        return len(rest) if run is None else run.start()

    def _line(self, line: str, *, is_whole: bool) -> str:
        """Clean a line, or a part of one."""
        if self._at_start:
            fence = _FENCE.match(line)
            if self._fence:
                if fence and fence[1].startswith(self._fence) and not fence[2].strip():
                    self._fence = ""
                    return fence[1]
            elif fence and is_whole:
                self._fence = fence[1]
                return fence[1] + re.sub(r"[^\w+#. -]", "", fence[2])
        if self._fence:
            return self._code(line)
        cleaned, end = "", 0
        for span in _SPAN.finditer(line):
            cleaned += self._text(line[end : span.start()]) + self._code(span.group())
            end = span.end()
        return cleaned + self._text(line[end:])

    def _code(self, text: str) -> str:
        text = _ADDRESS.sub(lambda found: found.group() if found.group() in self._quoted else self._removed(), text)
        return _MARKED.sub("", _DEFINED.sub("] :", _DANGEROUS.sub("] (", text)))

    def _text(self, text: str) -> str:
        if "&" in text:
            text = visible(html.unescape(text)).replace("\n", " ")
        return "".join(self._word(word) for word in re.split(r"(\s+)", text))

    def _word(self, word: str) -> str:
        if word.isalnum() or word.isspace():  # what is removed contains a sign
            return word
        word = _LINK.sub(self._linked, _PICTURE.sub("[", word))
        if _ADDRESS.search(word):
            word = _ADDRESS.sub(self._removed(), word)
        elif "\\" in word and _ADDRESS.search(_ESCAPED.sub(r"\1", word)):
            word = self._removed()
        return _MARKED.sub("", _TAG.sub("< ", word.replace("]:", "]\\:")))

    def _linked(self, link: re.Match[str]) -> str:
        if not link[2]:
            return f"] ({link[1]}"
        return link.group() if link[1] in self._allowed else "]"

    def _removed(self) -> str:
        return _("(address removed)")

    def _without_secrets(self, text: str) -> str:
        """Return the text up to where it repeats the rules."""
        if not self._secret:
            return text
        for word in re.finditer(r"\w+", text):
            self._words.append(word.group().lower())
            if tuple(self._words) in self._secret:
                self.is_leaking = True
                return text[: word.start()]
        return text
