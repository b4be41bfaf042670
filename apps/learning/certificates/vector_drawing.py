"""The project's SVG pictures with their colors in them, for media without style sheets: plates, seals, icons."""

import re

from apps.courses.artwork import Inks, plate
from apps.courses.artwork.colors import srgb_of

# Lightness and chroma of the plate's inks in the light theme (assets/styles/tokens/colors.css).
_GROUND, _INK_A, _INK_B = (0.925, 0.030), (0.63, 0.140), (0.42, 0.085)
_MULTIPLIED = 'style="mix-blend-mode:multiply"'
_CLASS = re.compile(r' class="(pl-[a-z]+)"')
_SVG = re.compile(r"<svg[^>]*>")
_AWARD = (
    "m15.477 12.89 1.515 8.526a.5.5 0 0 1-.81.47l-3.58-2.687a1 1 0 0 0-1.197 0l-3.586 2.686a.5.5 0 0 1-.81-.469"
    "l1.514-8.526M18 8A6 6 0 1 1 6 8A6 6 0 1 1 18 8Z"
)


def hex_of(lightness: float, chroma: float, hue: float) -> str:
    """Return the sRGB color nearest to this OKLCH color (https://www.w3.org/TR/css-color-4/#ok-lab) as "#rrggbb"."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in srgb_of(lightness, chroma, hue))


# The colors of the light academic theme (assets/styles/tokens).
COLORS = {
    "paper": hex_of(0.993, 0.004, 108),
    "ink": hex_of(0.238, 0.020, 168),
    "ink-2": hex_of(0.385, 0.020, 166),
    "ink-3": hex_of(0.488, 0.018, 162),
    "rubric": hex_of(0.505, 0.168, 29),
    "rule": hex_of(0.80, 0.014, 125),
    "accent": hex_of(0.405, 0.090, 163),
    "accent-soft": hex_of(0.932, 0.030, 155),
    "brand": hex_of(0.395, 0.084, 163),
}


def draw_plate(slug: str, subject: str, variant: int, inks: Inks, *, width: float, height: float) -> str:
    """Return a course's plate as an SVG that covers an area of this size."""
    ground, a, b = hex_of(*_GROUND, inks.stock), hex_of(*_INK_A, inks.a), hex_of(*_INK_B, inks.b)
    looks = {
        "pl-ground": f'fill="{ground}"',
        "pl-a": f'fill="{a}" {_MULTIPLIED}',
        "pl-b": f'fill="{b}" {_MULTIPLIED}',
        "pl-al": f'fill="none" stroke="{a}" {_MULTIPLIED}',
        "pl-bl": f'fill="none" stroke="{b}" {_MULTIPLIED}',
        "pl-gl": f'fill="none" stroke="{ground}"',
    }
    painted = _CLASS.sub(lambda found: f" {looks[found[1]]}", plate(slug, subject, variant))
    root = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 320 200" '
        'preserveAspectRatio="xMidYMid slice">'
    )
    return _SVG.sub(root, painted, count=1)


def draw_seal(svg: str, *, ink: str, paper: str) -> str:
    """Return a seal with the icon of an award in it as an SVG of its own."""
    root = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 88 88" width="88" height="88" fill="none" '
        f'stroke="{ink}" stroke-width="1.15">'
    )
    icon = (
        '<g transform="translate(31.1 31.1) scale(1.073)" stroke-width="1.5" stroke-linecap="round" '
        f'stroke-linejoin="round"><path d="{_AWARD}"/></g>'
    )
    filled = svg.replace("<circle ", f'<circle fill="{paper}" ')
    return _SVG.sub(root, filled, count=1).replace("</svg>", f"{icon}</svg>")


def draw_mark() -> str:
    """Return the mark of the site as an SVG of its own."""
    leaves = (
        ("M2 5.5 17 9.5v15L2 20.5z", COLORS["brand"]),
        ("M26 5.5 11 9.5v15l15-4z", COLORS["rubric"]),
        ("M11 9.5 14 8.7l3 .8v15l-3-.8-3 .8z", COLORS["ink"]),
    )
    paths = "".join(f'<path d="{data}" fill="{color}"/>' for data, color in leaves)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28" width="28" height="28">{paths}</svg>'
