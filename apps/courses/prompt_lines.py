"""A question's prompt as one line of a list: its words, formulas and gaps, without blocks, links and pictures."""

import html
import re

from markupsafe import Markup, escape

from studyplatform.kit.text import content
from studyplatform.kit.text.gaps import render_gaps
from studyplatform.kit.web.jinja import register

MAX_LENGTH = 140  # code points of words; a formula counts as one
_PICTURE = re.compile(r"!\[((?:\\.|[^\]\\]){0,500})\]\([^)\s]{0,500}(?:\s[^)]{0,500})?\)(?:\{[^}]{0,100}\})?")
_KEPT = re.compile(r'(<math\b.*?</math>|<span class="gapmark">.*?</span>)', re.DOTALL)
_BLOCK_END = re.compile(r"</(?:p|li|h[1-6]|t[dhr]|blockquote|pre|div|figure|figcaption)>|<br>|<hr>")
_TAG = re.compile(r'<[^>"]*(?:"[^"]*"[^>"]*)*>')
_GAP = Markup('<span class="gapmark">%s</span>')


@register("prompt_line")
def prompt_line(prompt: str) -> Markup:
    """Return the beginning of a prompt as HTML without interactive content, for links and cells. No query.

    A gap is shown as an empty field with its number.
    """
    text = _PICTURE.sub(r"\1", prompt)
    shown = render_gaps(text, lambda one: content.render(one, content.PROMPT), lambda number: _GAP % number)
    parts: list[Markup] = []
    room = MAX_LENGTH
    for place, part in enumerate(_KEPT.split(str(shown))):
        if room <= 0:
            parts.append(Markup("…"))
            break
        if place % 2:
            parts.append(Markup(part.replace(' display="block"', "")))  # noqa: S704 (of the renderer)
            room -= 1
            continue
        words = re.sub(r"\s+", " ", html.unescape(_TAG.sub("", _BLOCK_END.sub(" ", part))))
        if len(words) > room:
            parts.append(escape(f"{words[: room - 1].rstrip()}…"))
            break
        parts.append(escape(words))
        room -= len(words)
    return Markup("").join(parts).strip()
