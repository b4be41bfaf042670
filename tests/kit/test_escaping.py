"""Text that is escaped is shown as it is, wherever it stands."""

from markupsafe import escape

from studyplatform.kit.text import content, markdown
from studyplatform.kit.text.escaping import escape_markdown
from tests.cases import all_cases

MESSAGE = content.profile_of(content.MESSAGE)
TEXTS = [
    "1. Intro", "2) Rivers", "1.", "- x", "+ y", "-", "---", "===", "* z", "# C", "> so", "a | b", "`x`", "~~~",
    "Q&copy;A", "Tom &amp; <b>", "http://evil.example/x", "HTTPS://evil.example", "mailto:eve@evil.example",
    "*Ann* [x](y)", "x_y_z", "$\\frac{1}{2}$", "3.14", "-5", "10:30", "Re: all",
]  # fmt: skip


@all_cases("text", TEXTS)
def test_escaped_text_is_only_text(text):
    for before, after in (("", ""), ("", " and more"), ("Above\n", ""), ("So ", "")):
        shown = str(markdown.render(f"{before}{escape_markdown(text)}{after}", MESSAGE)).strip()
        line = str(escape(f"{before}{text}{after}")).replace("\n", "<br>\n")
        assert shown.replace("&quot;", "&#34;") == f"<p>{line}</p>"


def test_what_needs_no_escape_stays_as_it_is():
    for text in ("3.14", "-5", "10:30", "2024", "Re: all", "a - b", "x = y"):
        assert escape_markdown(text) == text
