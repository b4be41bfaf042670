"""The colors of callouts can be read in all four looks: the ratios of WCAG 2.2, from the tokens of the stylesheets."""

import math
import re
from itertools import product
from pathlib import Path

import pytest

from studyplatform.kit.text.content import LESSON, render
from tests.architecture.source import ROOT

STYLES = ROOT / "assets" / "styles"
LOOKS = tuple(product(("light", "dark"), ("academic", "corporate")))
KINDS = ("note", "tip", "important", "warning", "caution")
TEXT_RATIO = 4.5  # 1.4.3 Contrast (Minimum)
TEXTS = ("ink", "ink-2", "ink-3", "accent-ink")
"""What stands in a callout: text, quotations and captions, numbers of lists and heads of tables, links."""


def luminance_of(oklch: str) -> float:
    """The relative luminance of a color within sRGB (Björn Ottosson's Oklab, and WCAG 2.2)."""
    lightness, chroma, hue = (float(one) for one in re.findall(r"[\d.]+", oklch)[:3])
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    red = 4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short
    green = -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short
    blue = -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short
    red, green, blue = (min(max(one, 0.0), 1.0) for one in (red, green, blue))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def rules_in(path: Path) -> list[tuple[str, str]]:
    """The selectors and the declarations of a stylesheet without nesting."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    return [(selector.strip(), body) for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", text)]


def custom_properties(body: str) -> dict[str, str]:
    return {name: value.strip() for name, value in re.findall(r"--([\w-]+):\s*([^;]+);", body)}


def colors_of(theme: str, style: str) -> dict[str, float]:
    """The luminance of each color token of a look."""
    [body] = [
        body
        for selector, body in rules_in(STYLES / "tokens" / "colors.css")
        if f".theme-{theme}.style-{style}" in selector
    ]
    return {
        name: luminance_of(value)
        for name, value in custom_properties(body).items()
        if value.startswith("oklch(") and "/" not in value
    }


def callouts_in(sheet: str, plain: str, modified: str) -> dict[str, dict[str, str]]:
    """The tokens of each kind of callout: "c", "soft" and "line" → the name of a color."""
    rules = rules_in(STYLES / "components" / sheet)
    own = {selector: custom_properties(body) for selector, body in rules}
    first = own[plain]
    return {
        kind: {
            name: value.removeprefix("var(--").removesuffix(")")
            for name, value in (first | own.get(modified % kind, {})).items()
        }
        for kind in KINDS
    }


SHEETS = {
    "page": callouts_in("content.css", ".callout", ".callout--%s"),
    "editor": callouts_in("editor.css", ".ed.cm-editor .cm-line.ed-callout", ".ed.cm-editor .cm-line.ed-callout--%s"),
}


def test_black_on_white_has_the_greatest_contrast() -> None:
    assert ratio(luminance_of("oklch(1 0 0)"), luminance_of("oklch(0 0 0)")) == pytest.approx(21, abs=0.01)
    # #0000ff, of which the contrast with white is known
    assert ratio(luminance_of("oklch(.45201 .31321 264.052)"), 1.0) == pytest.approx(8.59, abs=0.02)


def test_callouts_can_be_read_in_all_looks() -> None:
    for kind in KINDS:
        assert f'class="callout callout--{kind}"' in render(f"> [!{kind.upper()}]\n> Text", LESSON)
    assert len({one["soft"] for one in SHEETS["page"].values()}) == len(KINDS)  # the rules were found
    weak = []
    for (theme, style), (sheet, callouts) in product(LOOKS, SHEETS.items()):
        colors = colors_of(theme, style)
        for kind, tokens in callouts.items():
            ground = colors[tokens["soft"]]
            needed = [(tokens["c"], TEXT_RATIO), *((name, TEXT_RATIO) for name in TEXTS)]
            for name, least in needed:
                if (found := ratio(colors[name], ground)) < least:
                    weak.append(f"{theme} {style} {sheet} {kind}: {name} {found:.2f} of {least}")
        for sheet in ("surface", "sunken"):  # code and tables within callouts
            for name in (*TEXTS, "rubric", "info", "ok", "error"):
                if (found := ratio(colors[name], colors[sheet])) < TEXT_RATIO:
                    weak.append(f"{theme} {style}: {name} on {sheet} {found:.2f} of {TEXT_RATIO}")
    assert weak == []
