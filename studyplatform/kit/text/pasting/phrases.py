"""Read what stands within a line: texts, links, pictures, formulas."""

import re
from dataclasses import dataclass, field, replace

from studyplatform.kit.text.formula_reading import Element, read_mathml
from studyplatform.kit.text.pasting.runs import (
    MARKERS,
    SPACES,
    Run,
    escape_text,
    join_runs,
    styles_of,
    without_redirect,
    write_address,
    write_runs,
)
from studyplatform.kit.text.pasting.tree import BLOCKS

MAX_PICTURES = 200
_LINK = re.compile(r"(?:https?:|mailto:|/|#|\.|[^:/?#]*(?:[/?#]|$))", re.IGNORECASE)
_TEX_BEGIN = re.compile(r"\\\(|\\\[|\$\$|\[mathjaxinline\]|\[mathjax\]")
_TEX_ENDS = {
    "\\(": "\\)", "\\[": "\\]", "$$": "$$", "[mathjaxinline]": "[/mathjaxinline]", "[mathjax]": "[/mathjax]",
}  # fmt: skip
_MAX_TEX = 1000  # characters of a formula
_RAISED = dict(zip("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", strict=True))
_LOWERED = dict(zip("0123456789+-=()aeoxhklmnpst", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜ", strict=True))


@dataclass(frozen=True)
class Picture:
    """A picture of the HTML. ``address`` stands for it in the Markdown; ``source``: its address, or a data URI."""

    address: str
    source: str
    alt: str


@dataclass
class PhraseReader:
    """Reads elements as runs. Notes what could not stay, and collects the pictures."""

    notes: dict[str, None]
    pictures: list[Picture] = field(default_factory=list)

    def flat(self, node: Element, styles: frozenset[str]) -> list[Run]:
        """All that is within an element as one line; blocks are separated by spaces."""
        found: list[Run] = []
        for child in node.children:
            if isinstance(child, str):
                found += self.text(child, styles)
            elif child.tag in BLOCKS:
                found += [Run(" "), *self.flat(child, styles_of(child, styles)), Run(" ")]
            else:
                found += self.inline(child, styles)
        return found

    def text(self, text: str, styles: frozenset[str]) -> list[Run]:
        if "code" in styles:
            return [Run(SPACES.sub(" ", text), styles - {"code"}, "code")] if text else []
        found: list[Run] = []
        place = 0
        for begin in _TEX_BEGIN.finditer(text):
            if begin.start() < place:
                continue
            end = text.find(_TEX_ENDS[begin[0]], begin.end(), begin.end() + _MAX_TEX)
            tex = text[begin.end() : end] if end > 0 else ""
            if not tex.strip() or "$" in tex:
                continue
            found += self._plain(text[place : begin.start()], styles)
            found += self._formula(tex, is_own=begin[0] in {"\\[", "$$", "[mathjax]"})
            place = end + len(_TEX_ENDS[begin[0]])
        return found + self._plain(text[place:], styles)

    def _plain(self, text: str, styles: frozenset[str]) -> list[Run]:
        for style, signs in (("sup", _RAISED), ("sub", _LOWERED)):
            if style in styles and text.strip():
                if all(char in signs for char in text.strip()):
                    text = "".join(signs.get(char, char) for char in text)
                else:
                    self.notes["raised"] = None
        return [Run(text, styles - {"sup", "sub"})] if text else []

    def _formula(self, tex: str, *, is_own: bool) -> list[Run]:
        tex = " ".join(tex.split()).replace(r"\$", r"\text{\textdollar}")
        if not tex or "$" in tex or tex.endswith("\\") or "\n" in tex:
            return [Run(tex)]
        tex = tex.replace("|", r"\vert ")
        if is_own:
            return [Run(f"$${tex.strip()}$$", kind="formula")]
        return [Run(f"${tex.strip()}$", kind="raw")]

    def inline(self, node: Element, styles: frozenset[str]) -> list[Run]:
        match node.tag:
            case "br":
                return [Run("", kind="break")]
            case "img":
                image = self.image(node, "")
                return [Run(image, styles & MARKERS.keys(), "raw")] if image else []
            case "tex-formula":
                is_own = node.attributes.get("data-display") == "1"
                return self._formula(node.attributes.get("data-tex", ""), is_own=is_own)
            case "math":
                return self._formula(read_mathml(node), is_own="block" in node.attributes.get("display", ""))
            case "iframe":
                self.notes["embedded"] = None
                source = node.attributes.get("src", "")
                return self._link(source, [Run(source)], styles) if source.startswith("http") else []
            case "a":
                href = without_redirect(node.attributes.get("href", "").strip())
                inner = styles_of(node, styles)
                runs = self.flat(node, inner - {"code"} if "code" not in styles else inner)
                return self._link(href, runs, inner) if href and _LINK.match(href) else runs
            case "q":
                return [Run("“", styles), *self.flat(node, styles), Run("”", styles)]
            case _:
                return self.flat(node, styles_of(node, styles))

    def _link(self, href: str, runs: list[Run], styles: frozenset[str]) -> list[Run]:
        if any(run.kind == "raw" and run.text.startswith("[") for run in runs):
            return runs  # a link cannot contain another one
        shared = styles & MARKERS.keys()
        inside = join_runs(replace(run, styles=run.styles - shared) for run in runs)
        inside = [replace(run, kind="text", text=" ") if run.kind == "break" else run for run in inside]
        text = write_runs(inside).replace("\n", " ")
        if not text:
            return []
        lead = " " if runs and runs[0].text[:1].isspace() else ""
        trail = " " if runs and runs[-1].text[-1:].isspace() else ""
        link = Run(f"[{text}]({write_address(href)})", shared, "raw")
        return [*([Run(lead)] if lead else []), link, *([Run(trail)] if trail else [])]

    def image(self, node: Element, caption: str) -> str:
        source = node.attributes.get("src", "").strip()
        alt = " ".join(node.attributes.get("alt", "").split())
        if not source or len(self.pictures) >= MAX_PICTURES:
            return escape_text(alt)
        is_elsewhere = source.startswith(("http://", "https://", "/")) and not source.startswith("//")
        address = source if is_elsewhere else f"picture-{len(self.pictures) + 1}"
        self.pictures.append(Picture(address, source, alt))
        title = caption or escape_text(" ".join(node.attributes.get("title", "").split()))
        quoted = title.replace('"', '\\"')
        ending = f' "{quoted}"' if quoted else ""
        return f"![{escape_text(alt)}]({write_address(address)}{ending})"
