"""The sentences of an answer in Markdown, and their citations: ``[1]`` is the first passage."""

import re
from collections.abc import Callable

CITATIONS = re.compile(r"(?<![\\\w\]])((?:\[\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\])+)(?!\()")
SPACED_CITATIONS = re.compile(rf"[ \t]*{CITATIONS.pattern}")
_FORMULA = r"\$\$.*?\$\$|\$(?!\s)[^$\n]*[^\s$]\$(?!\d)"  # as Pandoc reads dollars: "$4 to $5" are prices
CODE = re.compile(rf"^(```|~~~).*?(?:^\1|\Z)|(`+)[^\n]+?\2|{_FORMULA}", re.MULTILINE | re.DOTALL)
_TEX = re.compile(r"\\\((?!\s*\\\))(.+?)\\\)|\\\[(?!\s*\\\])(.+?)\\\]", re.DOTALL)
SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]*(?:[ \t]*\[\d[\d,\s–-]*\])*")
_LINE_START = re.compile(r"[\s>#*+-]*(?:(?<=\s)|^)(?:\d+[.)]\s)?")
_KEPT = re.compile("\ue000(\\d+)\ue001")


def write_formulas_between_dollars(text: str) -> str:
    r"""Return the text with formulas between dollar signs where a model wrote ``\(x\)`` or ``\[x\]``; code stays."""

    def change(found: re.Match[str]) -> str:
        return f"${found[1].strip()}$" if found[1] is not None else f"$$\n{found[2].strip()}\n$$"

    parts, end = [], 0
    for code in CODE.finditer(text):
        parts += [_TEX.sub(change, text[end : code.start()]), code.group()]
        end = code.end()
    return "".join([*parts, _TEX.sub(change, text[end:])])


def strip_signs(text: str) -> str:
    """The text without citations, signs around it and repeated spaces."""
    return re.sub(r"\s+", " ", CITATIONS.sub("", text)).strip(" *_.!?:;")


def add_before_end(sentence: str, addition: str) -> str:
    """Return the sentence with an addition before the signs that end it."""
    end = len(sentence.rstrip(" \t.!?:;"))
    return f"{sentence[:end]} {addition}{sentence[end:]}"


def change_sentences(text: str, is_meant: Callable[[str], bool], change: Callable[[str], str]) -> str:
    """Return the text with the sentences that are meant changed; questions, code, headings, quotes and tables stay.

    ``is_meant`` gets a sentence as it is among the statements. A line of which nothing is left is removed.
    """
    codes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        codes.append(found.group())
        return f"\ue000{len(codes) - 1}\ue001"  # private use: ``cleaning`` has removed such characters

    lines = []
    for line in CODE.sub(keep, text).split("\n"):
        start = _LINE_START.match(line)
        begin = start.end() if start else 0
        if line.lstrip().startswith(("#", ">", "|")):
            lines.append(line)
            continue
        parts, end = list[str](), begin
        for sentence in SENTENCE.finditer(line, begin):
            parts.append(line[end : sentence.start()])
            end = sentence.end()
            bare = strip_signs(_KEPT.sub(" ", sentence.group()))
            is_question = sentence.group().rstrip().endswith("?")
            parts.append(change(sentence.group()) if is_meant(bare) and not is_question else sentence.group())
        changed = "".join([*parts, line[end:]])
        if changed.strip() or not line.strip():
            lines.append(f"{line[:begin]}{changed}")
    joined = "\n".join(lines)
    return _KEPT.sub(lambda found: codes[int(found[1])], joined)
