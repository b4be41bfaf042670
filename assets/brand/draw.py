#!/usr/bin/env python3
"""Draw the icons and the social picture from the brand mark into static/favicons and static/img.

    python assets/brand/draw.py        (needs playwright, Pillow and Debian's chromium)

Run it only when the mark changes; its results are committed.
"""

import base64
import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from apps.courses.artwork import inks, plate  # noqa: E402 (found through the line above)

STATIC = ROOT / "static"
PAPER, INK, GREEN, RED = "#f7f7f2", "#1a211d", "#07553a", "#b3342b"
DARK_GREEN, DARK_RED, DARK_INK = "#86c9a4", "#e58f77", "#e8e9df"

MARK = (
    '<path class="l" d="M2 5.5 17 9.5v15L2 20.5z"/><path class="r" d="M26 5.5 11 9.5v15l15-4z"/>'
    '<path class="x" d="M11 9.5 14 8.7l3 .8v15l-3-.8-3 .8z"/>'
)
LIGHT = f".l{{fill:{GREEN}}}.r{{fill:{RED}}}.x{{fill:{INK}}}"
DARK = f".l{{fill:{DARK_GREEN}}}.r{{fill:{DARK_RED}}}.x{{fill:{DARK_INK}}}"


def mark(style: str, box: str = "0 1 28 28") -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}"><style>{style}</style>{MARK}</svg>'


def picture(browser: Browser, html: str, width: int, height: int) -> bytes:
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_content(html)
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(200)
    shot = page.screenshot()
    page.close()
    return shot


def tile(size: int, share: float) -> str:
    """The brand mark on a square tile; ``share`` is its width as a part of the tile."""
    return (
        f"<body style='margin:0;display:grid;place-items:center;height:100vh;background:{PAPER}'>"
        f"<div style='width:{size * share}px'>{mark(LIGHT)}</div></body>"
    )


def social() -> str:
    """Name, motto and a plate in the colors of the light academic style."""
    face = base64.b64encode((STATIC / "fonts" / "newsreader.woff2").read_bytes()).decode()
    word, subject = "take-the-time", "mathematics"
    hues = inks(word, subject)
    ground, a, b = f"oklch(.925 .030 {hues.stock})", f"oklch(.63 .140 {hues.a})", f"oklch(.42 .085 {hues.b})"
    return f"""<style>
      @font-face {{ font-family: N; src: url(data:font/woff2;base64,{face}) }}
      body {{ margin: 0; height: 100vh; display: grid; grid-template-columns: 760px 1fr;
        background: {PAPER}; color: {INK}; font: 400 82px/1.06 N; letter-spacing: -.019em }}
      .plate-art {{ width: 100%; height: 100vh; isolation: isolate }}
      .pl-ground {{ fill: {ground} }} .pl-a {{ fill: {a} }} .pl-b {{ fill: {b} }}
      .pl-al {{ fill: none; stroke: {a} }} .pl-bl {{ fill: none; stroke: {b} }}
      .plate-art > * {{ mix-blend-mode: multiply }}
      .say {{ display: grid; align-content: center; gap: 48px; padding-left: 84px }}
      .name {{ display: flex; align-items: center; gap: 22px; font-size: 42px }} .name svg {{ width: 72px }}
    </style><body><div class=say><div class=name>{mark(LIGHT, "0 3 28 23")}Study Platform</div>
      <div>Take the time<br>to understand.</div></div>{plate(word, subject)}</body>"""


def main() -> None:
    icons, images = STATIC / "favicons", STATIC / "img"
    icons.mkdir(exist_ok=True)
    images.mkdir(exist_ok=True)
    both = f"{LIGHT}@media(prefers-color-scheme:dark){{{DARK}}}"
    (icons / "icon.svg").write_text(mark(both), encoding="utf-8")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        for name, size, share in (("icon-192", 192, 0.72), ("icon-512", 512, 0.72), ("maskable-512", 512, 0.54)):
            (icons / f"{name}.png").write_bytes(picture(browser, tile(size, share), size, size))
        (icons / "apple-touch-icon.png").write_bytes(picture(browser, tile(180, 0.7), 180, 180))
        small = Image.open(io.BytesIO(picture(browser, tile(96, 0.92), 96, 96)))
        small.resize((32, 32), Image.Resampling.LANCZOS).save(icons / "favicon.ico", sizes=[(32, 32), (16, 16)])
        og = Image.open(io.BytesIO(picture(browser, social(), 1200, 630))).convert("RGB")
        og.quantize(64).save(images / "og.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
