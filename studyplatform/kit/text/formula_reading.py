"""Formulas of other programs as TeX: MathML (https://www.w3.org/TR/mathml-core/) and OMML of Word (ECMA-376-1, 22.1).

Both are trees. What is not known is read as what it contains, so that nothing of a formula vanishes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

MAX_DEPTH = 60  # of elements in each other; deeper ones become their text


@dataclass
class Element:
    """An element of a document: children are texts and elements."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: "list[Element | str]" = field(default_factory=list)

    @property
    def elements(self) -> "list[Element]":
        return [child for child in self.children if isinstance(child, Element)]

    def text(self) -> str:
        """Return all text within."""
        parts: list[str] = []
        waiting: list[Element | str] = [self]
        while waiting:
            one = waiting.pop()
            if isinstance(one, str):
                parts.append(one)
            else:
                waiting.extend(reversed(one.children))
        return "".join(parts)


_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma tau"
_SYMBOLS = {
    **dict(zip("αβγδεζηθικλμνξοπρςστ", [f"\\{name}" for name in _GREEK.split()], strict=True)),
    "υ": r"\upsilon", "φ": r"\varphi", "ϕ": r"\phi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega", "ϵ": r"\epsilon",
    "Γ": r"\Gamma", "Δ": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda", "Ξ": r"\Xi", "Π": r"\Pi", "Σ": r"\Sigma",
    "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega", "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∬": r"\iint",
    "∮": r"\oint", "⋃": r"\bigcup", "⋂": r"\bigcap", "∞": r"\infty", "∂": r"\partial", "∇": r"\nabla", "±": r"\pm",
    "∓": r"\mp", "×": r"\times", "÷": r"\div", "⋅": r"\cdot", "·": r"\cdot", "∘": r"\circ", "≤": r"\le", "≥": r"\ge",
    "≠": r"\ne", "≈": r"\approx", "≡": r"\equiv", "∼": r"\sim", "≅": r"\cong", "∝": r"\propto", "∈": r"\in",
    "∉": r"\notin", "⊂": r"\subset", "⊆": r"\subseteq", "∪": r"\cup", "∩": r"\cap", "∅": r"\emptyset",
    "∀": r"\forall", "∃": r"\exists", "¬": r"\neg", "∧": r"\land", "∨": r"\lor", "→": r"\to", "←": r"\leftarrow",
    "⇒": r"\Rightarrow", "⇔": r"\Leftrightarrow", "↦": r"\mapsto", "ℝ": r"\mathbb{R}", "ℕ": r"\mathbb{N}",
    "ℤ": r"\mathbb{Z}", "ℚ": r"\mathbb{Q}", "ℂ": r"\mathbb{C}", "…": r"\dots", "⋯": r"\cdots", "⋮": r"\vdots",
    "′": "'", "″": "''", "−": "-", "∥": r"\parallel", "⊥": r"\perp", "∠": r"\angle", "°": r"^\circ",
    "⟨": r"\langle", "⟩": r"\rangle", "‖": r"\|", "√": r"\surd", "ℏ": r"\hbar", "ℓ": r"\ell", "\u2061": "",
    "\u2062": "", "\u2063": "", "\u2064": "", "\xa0": r"\ ", "{": r"\{", "}": r"\}", "%": r"\%", "#": r"\#", "&": r"\&",
    "$": r"\$", "_": r"\_", "\\": r"\backslash", "~": r"\sim", "^": r"\hat{}",
}  # fmt: skip
_FUNCTIONS = frozenset({
    "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "ln", "log", "exp",
    "det", "lim", "max", "min", "gcd", "sup", "inf",
})  # fmt: skip
_ACCENTS = {
    "\u0302": "hat", "^": "hat", "\u0303": "tilde", "~": "tilde", "\u0304": "bar", "\u0305": "overline",
    "¯": "overline", "‾": "overline", "\u0307": "dot", "˙": "dot", "\u0308": "ddot", "¨": "ddot", "\u20d7": "vec",
    "→": "vec",
}  # fmt: skip


def read_mathml(element: Element) -> str:
    """Return a ``math`` element as TeX; its own annotation with TeX, if it has one."""
    for annotation in _all(element, "annotation"):
        if "tex" in annotation.attributes.get("encoding", "").lower():
            return annotation.text().strip()
    return _tidy(_mathml(element, 0))


def read_omml(element: Element) -> str:
    """Return an ``m:omath`` element, with its tags in lower case, as TeX."""
    return _tidy(_omml(element, 0))


def _tidy(tex: str) -> str:
    return " ".join(tex.split())


def _all(element: Element, tag: str) -> list[Element]:
    found, waiting = [], [element]
    while waiting:
        one = waiting.pop()
        if one.tag == tag:
            found.append(one)
        waiting.extend(one.elements)
    return found


def read_symbols(text: str) -> str:
    """Return letters and signs as TeX."""
    if text.strip() in _FUNCTIONS:
        return f"\\{text.strip()} "
    signs = (_SYMBOLS.get(char, char) for char in text)
    return "".join(f"{sign} " if sign[-1:].isalpha() and sign.startswith("\\") else sign for sign in signs)


def _group(tex: str) -> str:
    tex = tex.strip()
    return tex if len(tex) == 1 else f"{{{tex}}}"


class _Parts:
    """The parts of an element as TeX, by their place or name."""

    def __init__(self, node: Element, depth: int, read: "Reader") -> None:
        self.node, self.depth, self.read = node, depth, read
        self.elements = node.elements

    def __getitem__(self, place: int) -> str:
        return self.read(self.elements[place], self.depth + 1).strip() if place < len(self.elements) else ""

    def named(self, name: str) -> str:
        found = [one for one in _near(self.node) if one.tag == f"m:{name}"]
        return self.read(found[0], self.depth + 1).strip() if found else ""

    def all_named(self, name: str) -> list[str]:
        return [self.read(one, self.depth + 1).strip() for one in _near(self.node) if one.tag == f"m:{name}"]

    def setting(self, name: str, other: str) -> str:
        found = _all(self.node, f"m:{name}")
        return found[0].attributes.get("m:val", other) if found else other


Reader = Callable[[Element | str, int], str]
Writer = Callable[[_Parts], str]


def _mathml(node: "Element | str", depth: int) -> str:
    if isinstance(node, str):
        return read_symbols(node.strip())
    if depth > MAX_DEPTH:
        return read_symbols(node.text())
    write = _MATHML.get(node.tag)
    return write(_Parts(node, depth, _mathml)) if write else _inside(node, _mathml, depth)


def _omml(node: "Element | str", depth: int) -> str:
    if isinstance(node, str):
        return read_symbols(node.strip("\r\n\t "))
    if depth > MAX_DEPTH:
        return read_symbols(node.text())
    name = node.tag.removeprefix("m:")
    if node.tag.startswith("m:") and name.endswith("pr"):
        return ""
    write = _OMML.get(name) if node.tag.startswith("m:") else None
    return write(_Parts(node, depth, _omml)) if write else _inside(node, _omml, depth)


def _write_text(parts: _Parts) -> str:
    text = parts.node.text()
    return rf"\text{{{_text(text)}}}" if text.strip() else r"\ "


def _write_token(parts: _Parts) -> str:
    text = parts.node.text().strip()
    is_word = parts.node.tag == "mi" and len(text) > 1 and text.isalpha() and text not in _FUNCTIONS
    return rf"\mathrm{{{text}}}" if is_word and text.isascii() else read_symbols(text)


def _write_over(parts: _Parts) -> str:
    accent = _ACCENTS.get(parts.elements[1].text().strip()) if len(parts.elements) > 1 else None
    return rf"\{accent}{{{parts[0]}}}" if accent else f"{_base(parts[0])}^{_group(parts[1])}"


def _write_fenced(parts: _Parts) -> str:
    begin, end = parts.node.attributes.get("open", "("), parts.node.attributes.get("close", ")")
    inside = ",".join(parts[place] for place in range(len(parts.elements)))
    return f"{read_symbols(begin)}{inside}{read_symbols(end)}"


def _write_table(parts: _Parts) -> str:
    depth = parts.depth + 3
    return _matrix([[_mathml(cell, depth).strip() for cell in row.elements] for row in parts.elements])


def _write_sum(parts: _Parts) -> str:
    below, above = parts.named("sub"), parts.named("sup")
    limits = (f"_{_group(below)}" if below else "") + (f"^{_group(above)}" if above else "")
    return f"{read_symbols(parts.setting('chr', '∫')).strip()}{limits} {parts.named('e')}"


def _write_delimited(parts: _Parts) -> str:
    begin, end = parts.setting("begchr", "("), parts.setting("endchr", ")")
    inside = parts.setting("sepchr", "|").join(parts.all_named("e"))
    return f"{read_symbols(begin)}{inside}{read_symbols(end)}"


def _write_matrix(parts: _Parts) -> str:
    rows = [_Parts(row, parts.depth + 2, _omml) for row in _near(parts.node) if row.tag == "m:mr"]
    return _matrix([row.all_named("e") for row in rows])


def _write_root(parts: _Parts) -> str:
    degree = parts.named("deg")
    return rf"\sqrt[{degree}]{{{parts.named('e')}}}" if degree else rf"\sqrt{{{parts.named('e')}}}"


def _write_nothing(_parts: _Parts) -> str:
    return ""


_MATHML: dict[str, Writer] = {
    **dict.fromkeys(["annotation", "annotation-xml", "mprescripts", "none"], _write_nothing),
    **dict.fromkeys(["mi", "mn", "mo"], _write_token),
    **dict.fromkeys(["msub", "munder"], lambda parts: f"{_base(parts[0])}_{_group(parts[1])}"),
    **dict.fromkeys(
        ["msubsup", "munderover"], lambda parts: f"{_base(parts[0])}_{_group(parts[1])}^{_group(parts[2])}"
    ),
    "mtext": _write_text,
    "mspace": lambda _parts: r"\ ",
    "mfrac": lambda parts: rf"\frac{{{parts[0]}}}{{{parts[1]}}}",
    "msqrt": lambda parts: rf"\sqrt{{{_inside(parts.node, _mathml, parts.depth)}}}",
    "mroot": lambda parts: rf"\sqrt[{parts[1]}]{{{parts[0]}}}",
    "msup": lambda parts: f"{_base(parts[0])}^{_group(parts[1])}",
    "mover": _write_over,
    "mfenced": _write_fenced,
    "mtable": _write_table,
}
_OMML: dict[str, Writer] = {
    "f": lambda parts: rf"\frac{{{parts.named('num')}}}{{{parts.named('den')}}}",
    "ssup": lambda parts: f"{_base(parts.named('e'))}^{_group(parts.named('sup'))}",
    "ssub": lambda parts: f"{_base(parts.named('e'))}_{_group(parts.named('sub'))}",
    "ssubsup": lambda parts: f"{_base(parts.named('e'))}_{_group(parts.named('sub'))}^{_group(parts.named('sup'))}",
    "rad": _write_root,
    "nary": _write_sum,
    "d": _write_delimited,
    "func": lambda parts: f"{parts.named('fname')} {parts.named('e')}",
    "limlow": lambda parts: f"{_base(parts.named('e'))}_{_group(parts.named('lim'))}",
    "limupp": lambda parts: f"{_base(parts.named('e'))}^{_group(parts.named('lim'))}",
    "acc": lambda parts: rf"\{_ACCENTS.get(parts.setting('chr', chr(0x302)), 'hat')}{{{parts.named('e')}}}",
    "bar": lambda parts: rf"\overline{{{parts.named('e')}}}",
    "m": _write_matrix,
    "eqarr": lambda parts: _matrix([[row] for row in parts.all_named("e")]),
}


def _near(node: Element) -> list[Element]:
    """The elements of formulas within, through those of HTML that Word puts between them."""
    found: list[Element] = []
    waiting = list(reversed(node.elements))
    while waiting:
        one = waiting.pop()
        if one.tag.startswith("m:"):
            found.append(one)
        else:
            waiting.extend(reversed(one.elements))
    return found


def _inside(node: Element, read: "Reader", depth: int) -> str:
    return " ".join(filter(None, (read(child, depth + 1) for child in node.children)))


def _base(tex: str) -> str:
    tex = tex.strip()
    return tex if len(tex) <= 1 or (tex.startswith("\\") and tex[1:].isalpha()) else f"{{{tex}}}"


def _matrix(rows: list[list[str]]) -> str:
    return r"\begin{matrix}" + r" \\ ".join(" & ".join(row) for row in rows) + r"\end{matrix}"


def _text(text: str) -> str:
    return "".join(f"\\{char}" if char in "{}%#&$_" else " " if char == "\\" else char for char in text)
