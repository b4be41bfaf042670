"""The lines of a GIFT file as paragraphs, one for each question, and its escapes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# While a text is split, escaped signs are characters that no text has: Unicode assigns them to nobody.
_ESCAPED = {"\\": "\ufdd0", "~": "\ufdd1", "=": "\ufdd2", "#": "\ufdd3", "{": "\ufdd4", "}": "\ufdd5", ":": "\ufdd6"}
_PLAIN = str.maketrans({mark: sign for sign, mark in _ESCAPED.items()})
_ESCAPE = re.compile(r"\\([\\~=#{}:n])")
_FORMULA = re.compile(r"\$\$.{1,1000}?\$\$|\\{1,2}\(.{1,1000}?\\{1,2}\)|\\{1,2}\[.{1,1000}?\\{1,2}\]", re.DOTALL)
_UNESCAPED = re.compile(r"(?<!\\)[{}=~#]")
_TEX_COMMAND = re.compile(  # which begin like a line break; only within formulas
    r"(?<!\\)\\n(?=(?:abla|cong|e|earrow|eg|eq|exists|geq|gtr|i|leq|less|mid|ot|otin|u|warrow)(?![A-Za-z]))"
)
_COMMENT = re.compile(r"\s*//")
_CATEGORY = re.compile(r"\s*\$CATEGORY:(.*)", re.IGNORECASE)
_TAG = re.compile(r"\[tag:((?:\\.|[^\]\\])*)\]")
_ID = re.compile(r"\[id:((?:\\.|[^\]\\])*)\]")


@dataclass
class Paragraph:
    """The lines of one question, without its comments."""

    line: int
    lines: list[str]
    tags: list[str]
    identifier: str = ""

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


def split_paragraphs(text: str) -> Iterator[Paragraph | str]:
    """Yield the paragraphs between empty lines, and the paths of categories. Open braces hold paragraphs together."""
    parts = list(_parts(text))
    place = 0
    while place < len(parts):
        part = parts[place]
        place += 1
        if isinstance(part, str):
            yield part
            continue
        end = place
        if _is_open(part):
            end = _end_of_braces(parts, place)
        for more in parts[place:end]:
            if isinstance(more, Paragraph):
                part.lines += ["", *more.lines]
        place = end
        yield part


def _end_of_braces(parts: list["Paragraph | str"], place: int) -> int:
    """Return the place after the paragraph that closes a brace; the same place if another question begins first."""
    for end in range(place, len(parts)):
        part = parts[end]
        if isinstance(part, str):
            return place
        bare = escape(part.text)
        closing, opening = bare.find("}"), bare.find("{")
        if closing >= 0 and not 0 <= opening < closing:
            return end + 1
        if opening >= 0 or bare.startswith("::"):
            return place
    return place


def _is_open(paragraph: Paragraph) -> bool:
    bare = escape(paragraph.text)
    return "{" in bare and "}" not in bare[bare.index("{") :]


def _parts(text: str) -> Iterator[Paragraph | str]:
    paragraph = Paragraph(1, [], [])
    for number, line in enumerate(text.split("\n"), start=1):
        if match := _CATEGORY.fullmatch(line):
            if paragraph.text:
                yield paragraph
            yield match[1].strip()
            paragraph = Paragraph(number + 1, [], [])
        elif _COMMENT.match(line):
            paragraph.tags += [unescape(escape(tag)).replace("\\]", "]").strip() for tag in _TAG.findall(line)]
            if found := _ID.search(line):
                paragraph.identifier = found[1]
        elif line.strip():
            if not paragraph.lines:
                paragraph.line = number
            paragraph.lines.append(line)
        else:
            if paragraph.text:
                yield paragraph
            paragraph = Paragraph(
                number + 1, [], [] if paragraph.text else paragraph.tags, "" if paragraph.text else paragraph.identifier
            )
    if paragraph.text:
        yield paragraph


def escape(text: str) -> str:
    """Return a text in which signs that were escaped are no signs anymore."""
    if "\\" not in text:
        return text
    if "$$" in text or "\\(" in text or "\\[" in text:
        text = _FORMULA.sub(_escape_formula, text)
    return _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else _ESCAPED[found[1]], text)


def _escape_formula(formula: re.Match[str]) -> str:
    """Return a formula whose signs don't count as those of answers, as authors forget that they have to escape them."""
    return _TEX_COMMAND.sub(lambda _found: "\ufdd0n", _UNESCAPED.sub(lambda found: f"\\{found[0]}", formula[0]))


def unescape(text: str) -> str:
    """Return a text of ``escape`` with the signs as people read them."""
    return text.translate(_PLAIN)
