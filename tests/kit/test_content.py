"""The texts that people write: pictures, callouts and code, what works in which place, and that nothing vanishes."""

import re
from html.parser import HTMLParser
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyplatform.kit.text import content, picture_rules
from studyplatform.kit.text.picture_rules import PictureFacts
from tests.architecture.source import ROOT

UID = "0f8fad5b-d9cb-469f-a165-70867728950e"
OTHER = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
PICTURE = f"/course-files/{UID}"


@pytest.fixture
def known(monkeypatch):
    """Let the pictures of courses be those that the test puts here."""
    pictures: dict[UUID, PictureFacts | None] = {}
    monkeypatch.setitem(
        picture_rules._sources,
        content.COURSE_FILES,
        lambda uids: {uid: pictures[uid] for uid in uids if uid in pictures},
    )
    return pictures


@pytest.fixture(autouse=True)
def _no_app(monkeypatch):
    monkeypatch.setattr(picture_rules, "_sources", {})


def lesson(text: str) -> str:
    return str(content.render(text, content.LESSON))


def test_a_picture_alone_in_its_paragraph_is_a_figure(known):
    known[UUID(UID)] = PictureFacts(2000, 1000, (480, 960, 1600))

    html = lesson(f'![Forces](<{PICTURE}> "A *free body* with $F_1$"){{width=50%}}')

    assert html == (
        f'<figure class="figure figure--50"><img src="{PICTURE}?width=960" '
        f'srcset="{PICTURE}?width=480 480w, {PICTURE}?width=960 960w, {PICTURE}?width=1600 1600w" '
        'sizes="auto, (min-width: 48em) 21rem, 50vw" width="2000" height="1000" alt="Forces" loading="lazy" '
        'decoding="async"><figcaption>A <em>free body</em> with <math display="inline"><mrow><msub><mi>F</mi>'
        "<mn>1</mn></msub></mrow></math></figcaption></figure>\n"
    )


def test_a_picture_within_a_line_is_no_figure():
    html = lesson(f'See ![]({PICTURE} "It"){{decorative}}, and ![b]({PICTURE}){{width=25%}}.')

    assert "<figure" not in html
    assert re.findall(r'<img (title="It" )?src="[^"]*" alt="(b?)" class="([^"]*)"', html) == [
        ('title="It" ', "", "picture"),
        ("", "b", "picture picture--25"),
    ]
    assert "{" not in html


@pytest.mark.parametrize(
    "text",
    ["{width=33%}", "{.big}", "{onclick=alert(1)}", "{width=50% .a}", "{decorative", " {decorative}", "\\{decorative}"],
)
def test_other_attributes_stay_as_they_were_typed(text):
    html = lesson(f"![a]({PICTURE}){text}")

    assert html.endswith(f">{text.replace(chr(92), '')}</p>\n")
    assert html.count(" class=") == 1


def test_a_file_that_does_not_exist_leaves_its_alternative_text(known):
    known[UUID(OTHER)] = None

    assert lesson(f'![Forces]({PICTURE} "Cap")') == (
        '<figure class="figure"><span class="missing-picture">Forces</span><figcaption>Cap</figcaption></figure>\n'
    )
    assert f'<a href="/course-files/{OTHER}" rel="nofollow noopener">Sheet</a>' in lesson(
        f"![Sheet](/course-files/{OTHER})"
    )


@pytest.mark.parametrize(
    "address",
    ["https://a.example/x.png", f"/forum/images/{UID}", f"{PICTURE}?a=b", f"{PICTURE}/..", f"https://x{PICTURE}",
     f"//a.example{PICTURE}", f"/course-files/../course-files/{UID}", "/course-files/1", f"course-files/{UID}"],
)  # fmt: skip
def test_other_addresses_are_links(address):
    html = lesson(f"![a]({address})")

    assert "<img" not in html
    assert f'href="{address}"' in html


def test_a_place_shows_only_its_pictures_and_only_so_many():
    both = f"![a]({PICTURE}) ![b](/forum/images/{UID}) ![c]({PICTURE})"

    shown = {
        name: re.findall(r'<img [^>]*alt="(.)"', str(content.render(both, place)))
        for name, place in content.PLACES.items()
    }

    assert {name for name, found in shown.items() if found == ["a", "c"]} == {
        "lesson", "description", "prompt", "explanation", "feedback", "answer",
    }  # fmt: skip
    assert shown["choice"] == ["a"]
    assert shown["post"] == ["b"]
    assert all(shown[name] == [] for name in ("message", "path", "note", "comment", "file"))


def test_callouts_have_a_kind_and_perhaps_a_title():
    html = lesson(
        "> [!tip] Measure **twice**\n> Cut once.\n>\n> - a\n\n> [!WARNING]\n\n> [!DANGER]\n> x\n\n> a\n> [!NOTE]"
    )

    assert html.startswith(
        '<div class="callout callout--tip" role="note">\n<p class="callout__kind">Tip</p>\n'
        '<p class="callout__title">Measure <strong>twice</strong></p>\n<p>Cut once.</p>\n'
        "<ul>\n<li>a</li>\n</ul>\n</div>"
    )
    assert '<div class="callout callout--warning" role="note">\n<p class="callout__kind">Warning</p>\n</div>' in html
    assert html.count("<blockquote>") == 2
    assert "[!DANGER]\nx" in html


def test_callouts_within_each_other_close_in_order():
    html = lesson("> [!NOTE]\n> > quoted\n> > > [!TIP]\n> > > in\n>\n> out")

    assert html.count("<div") == html.count("</div>") == 2
    assert html.index("<p>out") > html.index("</blockquote>")


@pytest.mark.parametrize(
    ("place", "levels"),
    [(content.LESSON, "2352"), (content.DESCRIPTION, "3453"), (content.PROMPT, "3453"), (content.EXPLANATION, "4554")],
)
def test_the_highest_heading_has_the_level_that_its_place_gives(place, levels):
    text = "# a\n\n## b\n\n###### c\n\n# d" if place is not content.LESSON else "## a\n\n### b\n\n###### c\n\n## d"
    found = re.findall(r"<h(\d)", str(content.render(text, place)))

    assert "".join(found) == levels


def test_a_single_paragraph_of_a_question_stands_without_one():
    assert content.render("a **b**\nc", content.PROMPT) == "a <strong>b</strong>\nc"
    assert content.render("a\n\nb", content.PROMPT) == "<p>a</p>\n<p>b</p>\n"
    assert "<ul>" in content.render("Choose:\n\n- a\n- b", content.PROMPT)
    assert "<table>" in content.render("|a|b|\n|-|-|\n|1|2|", content.PROMPT)
    assert content.render("- a\n\nb", content.CHOICE) == "- a\n\nb"


def test_files_are_found_where_they_are_shown_or_linked():
    text = f"![a]({PICTURE}) [n]({PICTURE[:-36]}{OTHER}#page=2) `{PICTURE}`\n\n> ![b]({PICTURE})"

    assert content.find_files(text) == [UUID(UID), UUID(OTHER)]


def test_the_plain_text_has_alternative_texts_and_captions():
    text = f'# A\n\n![A $x^2$ graph]({PICTURE} "Growth"){{width=50%}}\n\n> [!NOTE] Why\n> b\n\n|c|d|\n|-|-|\n|e|f|\n'

    assert content.plain_text(text, content.LESSON) == "A A x^2 graph Growth Why b c d e f"


class _Seen(HTMLParser):
    """All texts and attributes of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.parts += [value or "" for _name, value in attrs]
        assert not any(name.startswith("on") or name == "style" for name, _value in attrs)

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


PIECES = st.sampled_from(
    ["w1 ", "w2", "\n", "\n\n", "> ", "- ", "1. ", "# ", "    ", "[!NOTE] ", "> [!TIP] ", "[!WARNING]\n", "|",
     "\n|-|-|\n",
     "![w3](", PICTURE, ")", f"![w4]({PICTURE})", f'![w5]({PICTURE} "w6 *a* $x$")', "{width=50%}", "{decorative}",
     "[w7](",
     "https://a.example/w8", "javascript:w9", "**", "_", "`", "\n```\n", "$", "$$", "<b>",
     "<img src=x onerror=w10>", "\\", "~~",
     '"', "data:image/png;base64,w11", "&amp;", "---\n", "\t"]
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(PIECES, max_size=30), st.sampled_from(sorted(content.PLACES)))
def test_nothing_that_was_typed_vanishes_and_nothing_harmful_appears(pieces, place):
    """Words stay as text or as attributes, whatever marks are around them; formulas may change their letters."""
    text = "".join(pieces)
    html = str(content.render(text, content.PLACES[place]))
    seen = _Seen()
    seen.feed(html)
    seen.close()
    everything = " ".join(seen.parts)

    assert not seen.tags & {"script", "style", "iframe", "form", "input", "object"}
    assert "onerror" not in " ".join(re.findall(r"<[a-z][^>]*>", html))
    if "$" not in text and "](" not in text.replace("![w4](", "").replace("![w5](", "") and "\n```" not in text:
        for word in re.findall(r"w\d+", text):
            assert word in everything


def test_the_documentation_names_what_each_place_allows():
    lines = re.findall(r"^\| `(\w+)` \|.*?\| (yes|no) \|(.*)\|$", (ROOT / "docs/content.md").read_text(), re.MULTILINE)
    written = {name: [blocks, *(cell.strip() for cell in rest.split("|"))] for name, blocks, rest in lines}

    assert written == {
        place.name: [
            "yes" if place.has_blocks else "no",
            str(place.first_heading) if place.has_blocks else "",
            {"/course-files/": "course", "/forum/images/": "post", "": "none"}["".join(place.pictures_from)]
            + (f", {place.max_pictures}" if place.max_pictures else ""),
            "yes" if place.breaks_lines else "no",
            "yes" if place.links_addresses else "no",
            f"{place.max_length:,}",
        ]
        for place in content.PLACES.values()
    }


def test_blocks_from_right_to_left_say_so():
    text = (
        "שלום Hello\n\nHello שלום\n\n1. $x$ מטבע\n2. coin\n\n> 12 ציטוט\n\n- - עומק\n\n|שם|Name|\n|-|-|\n|1|`code` א|"
    )
    html = str(content.render(text, content.LESSON))

    assert re.findall(r"<(\w+) dir=\"rtl\"", html) == ["p", "li", "blockquote", "p", "li", "li", "table", "th", "td"]
    assert '<div class="table-wrap" dir="rtl" role=' in html
    mixed = content.render("> אבג\n>\n> abc\n\n1. אבג\n\n   abc\n\n   - 1\n\nabc", content.LESSON)
    assert re.findall(r"<(\w+) dir=\"ltr\"", mixed) == ["p", "p"]
    assert "dir" not in content.render("Hello\n\n- 12", content.LESSON)
    framed = content.render(
        "> [!TIP] כותרת\n> אבג\n\n> [!NOTE]\n> abc\n\n![](/course-files/1b4e28ba-2fa1-4d2f-883f-0016d3cca427 'תמונה')",
        content.LESSON,
    )
    assert re.findall(r"<(\w+) class=\"([^\"]*)\" dir=\"rtl\"", framed) == [
        ("div", "callout callout--tip"),
        ("p", "callout__title"),
        ("figure", "figure"),
    ]
    assert "Table: שם, Name" in html


def test_an_empty_cell_is_no_head_of_a_column():
    html = content.render("| |ser|\n|-|-|\n|frio|x|", content.LESSON)

    assert "<td></td>\n<th>ser</th>" in html


def test_a_control_beside_a_formula_has_its_text_as_a_name():
    shown = content.render(r"Half: $\frac{1}{2}$", content.CHOICE)
    matrix = content.render(r"$\begin{pmatrix} 1 & 2 \\ 0 & 1 \end{pmatrix}$", content.CHOICE)

    assert content.name_formulas(shown) == ' aria-label="Half: 1/2"'
    assert content.name_formulas(matrix) == ' aria-label="(1, 2; 0, 1)"'
    assert content.name_formulas(content.render("$a < b$", content.CHOICE)) == ' aria-label="a&lt;b"'
    assert content.name_formulas(content.render("*Half*", content.CHOICE)) == ""
