"""Formulas: TeX to MathML, which browsers render and read aloud without any script, and to plain text."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from xml.etree import ElementTree

import nh3
from latex2mathml.converter import convert
from markupsafe import escape

_TAGS = {
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle", "mpadded", "mphantom",
    "msup", "msub", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "mtable", "mtr", "mtd",
}  # fmt: skip
_ATTRIBUTES = {
    "math": {"display"},
    "mi": {"mathvariant"},
    "mo": {"stretchy", "fence", "form", "lspace", "rspace", "minsize", "maxsize", "movablelimits", "separator"},
    "mspace": {"width"},
    "mfrac": {"linethickness"},
    "mover": {"accent"},
    "munder": {"accentunder"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "mtd": {"columnalign"},
}
_CLEANER = nh3.Cleaner(tags=_TAGS, attributes=_ATTRIBUTES)
_FUNCTION = r"\\(?:arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|ln|log|exp|det|lim|max|min|gcd)(?![A-Za-z])"
_RAISED = r"(?:\s*[\^_](?:\{[^{}]*\}|[^\s{}\\]))*"
_BEFORE_FUNCTION = re.compile(rf"(?<=[\w)}}])\s*(?={_FUNCTION})")
_AFTER_FUNCTION = re.compile(rf"({_FUNCTION}{_RAISED})\s*(?=\w|\\[A-Za-z])")
_NAME = re.compile(r"<mi>(\w{2,})</mi>")  # "sin": upright, while single letters are slanted
_SIGN = re.compile(r"(<mo[^>]*>[=≈≠<>≤≥(\[{,×⋅·]</mo>|<mrow>)<mo>−</mo>")  # of a number; else it is "minus"


@dataclass(frozen=True)
class Formula:
    """The sanitized HTML of a formula: MathML, or its source if it cannot be converted."""

    html: str
    is_displayed: bool
    is_converted: bool = True


@lru_cache(maxsize=4096)
def convert_formula(tex: str, *, is_displayed: bool) -> Formula:
    """Return a formula as sanitized MathML; an incomplete one as its source."""
    try:
        display = "block" if is_displayed else "inline"
        mathml = convert(_with_tex_spaces(tex.replace("<", r"\lt ").replace(">", r"\gt ")), display=display)
    except Exception:  # an incomplete formula may raise anything
        return show_source(tex, is_displayed=is_displayed)
    clean = _CLEANER.clean(mathml)  # the converter escapes nothing
    clean = _SIGN.sub(r'\1<mo form="prefix">−</mo>', _NAME.sub(r'<mi mathvariant="normal">\1</mi>', clean))
    return Formula(clean, is_displayed)


def formula_as_text(tex: str) -> str:
    """A formula as plain text in one line: "v = λ/T" of ``v = \\frac{\\lambda}{T}``. Its source if it is incomplete."""
    formula = convert_formula(tex, is_displayed=False)
    return mathml_as_text(formula.html, otherwise=tex) if formula.is_converted else tex


def mathml_as_text(html: str, otherwise: str = "") -> str:
    """A formula of sanitized MathML as plain text in one line; ``otherwise`` if it can't be read."""
    try:
        text = _as_text(ElementTree.fromstring(html))  # noqa: S314 (sanitized)
    except ElementTree.ParseError:  # an entity that XML lacks
        return otherwise
    return " ".join(unicodedata.normalize("NFKC", text).split())  # bold letters are other characters


def _as_text(element: ElementTree.Element) -> str:
    """The text of an element of MathML. `mathAsText` of assets/shared/questions/Html.tsx does the same."""
    parts = [_as_text(child) for child in element]
    match element.tag, parts:
        case "mfrac", [above, below]:
            return "/".join(part if len(part) == 1 or part.isalnum() else f"({part})" for part in (above, below))
        case (("msup" | "msub"), [base, mark]):
            return f"{base}{'^' if element.tag == 'msup' else '_'}{mark}"
        case "msubsup", [base, low, high]:
            return f"{base}_{low}^{high}"
        case "msqrt", _:
            inside = "".join(parts)
            return f"√{inside}" if inside.isalnum() else f"√({inside})"
        case "mspace", _:
            return " "
        case "mtr", _:
            return ", ".join(parts)
        case "mtable", _:
            return "; ".join(parts)
    return (element.text or "") + "".join(parts)


def show_source(tex: str, *, is_displayed: bool) -> Formula:
    """Return the source of a formula as code."""
    return Formula(f"<code>{escape(tex)}</code>", is_displayed, is_converted=False)


def _with_tex_spaces(tex: str) -> str:
    """Add the spaces that TeX adds and the converter does not: around "cos" in "x cos t", none in 17{,}500."""
    tex = _BEFORE_FUNCTION.sub(r"\\,", tex.replace("{,}", r"\text{,}"))
    return _AFTER_FUNCTION.sub(r"\1\\,", tex)
