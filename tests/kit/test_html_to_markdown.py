"""HTML of other programs as Markdown: structure stays, and no text, link, picture or cell is lost."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyplatform.kit.text import content
from studyplatform.kit.text.formula_reading import Element
from studyplatform.kit.text.html_to_markdown import (
    MAX_LENGTH,
    HtmlTooLong,
    convert_html,
)
from studyplatform.kit.text.pasting.tree import build_tree, clean_pasted

GOOGLE = """<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h1 dir="ltr"><span
style="font-weight:400">The slope</span></h1><p dir="ltr"><span style="font-weight:700">Bold </span><span
style="font-style:italic">it</span><span>al, snake_case, 5 * 3 for $4</span></p><br><ul><li dir="ltr"
style="font-weight:400" aria-level="1"><p role="presentation"><span>One</span></p></li><ul><li aria-level="2"><p
role="presentation"><span>Nested</span></p></li></ul><li><p>Two</p></li></ul><p><a
href="https://www.google.com/url?q=https://a.example/x_(y)&amp;sa=D"><span>link</span></a> H<span
style="vertical-align:sub">2</span>O</p><p><span><img src="https://lh7.example/a=s0" width="9"
height="9"></span></p></b>"""
WORD = """<html xmlns:o="urn:x"><head><style>p.MsoNormal{color:red}</style><!--[if gte mso 9]><xml><w:X/></xml>
<![endif]--></head><body><!--StartFragment--><p class=MsoTitle>Waves<o:p></o:p></p>
<p class=MsoListParagraphCxSpFirst style='mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='font-family:Symbol'><span style='mso-list:Ignore'>·<span>&nbsp;&nbsp; </span></span></span><![endif]>Long</p>
<p class=MsoListParagraphCxSpMiddle style='mso-list:l0 level2 lfo1'><!--[if !supportLists]--><span><span
style='mso-list:Ignore'>3.<span>&nbsp; </span></span></span><!--[endif]-->Deep</p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><![if !supportLists]>·<![endif]>Short</p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p><p class=MsoNormal>So <!--[if gte msEquation 12]><m:oMath><m:sSup><m:e><i
style='mso-bidi-font-style:normal'><span><m:r>x</m:r></span></i></m:e><m:sup><m:r>2</m:r></m:sup></m:sSup><m:r>≤</m:r>
<m:f><m:num><m:r>1</m:r></m:num><m:den><m:rad><m:radPr><m:degHide m:val="on"/></m:radPr><m:deg></m:deg><m:e>
<m:r>α</m:r></m:e></m:rad></m:den></m:f></m:oMath><![endif]--><![if !msEquation]><span><img
src="file:///C:/image001.png"></span><![endif]> holds.</p><!--EndFragment--></body></html>"""
MOODLE = r"""<h3>Force</h3><p dir="ltr" style="text-align: left;">With \(F = ma\) and</p><p>\[\frac{a}{b}\]</p>
<p><img src="@@PLUGINFILE@@/free%20body.png" alt="Free body" class="img-fluid"><br></p><table class="table"><caption>
Data</caption><thead><tr><th scope="col">t|s</th><th>v</th></tr></thead><tbody><tr><td rowspan="2">1</td><td><ul><li>2
</li></ul></td></tr><tr><td>3</td></tr></tbody></table><pre><code class="language-python">def f():
    return `1`</code></pre><p>[mathjaxinline]y_1[/mathjaxinline]</p>"""


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (GOOGLE, "# The slope\n\n**Bold** *it*al, snake_case, 5 \\* 3 for \\$4\n\n- One\n  - Nested\n- Two\n\n"
                 "[link](<https://a.example/x_(y)>) H₂O\n\n![](https://lh7.example/a=s0)"),
        (WORD, "# Waves\n\n- Long\n  3. Deep\n- Short\n\nSo $x^2 \\le \\frac{1}{\\sqrt{\\alpha}}$ holds."),
        (MOODLE, "### Force\n\nWith $F = ma$ and\n\n$$\n\\frac{a}{b}\n$$\n\n![Free body](picture-1)\n\nData\n\n"
                 "| t\\|s | v |\n| --- | --- |\n| 1 | 2 |\n|  | 3 |\n\n```python\ndef f():\n    return `1`\n```\n\n"
                 "$y_1$"),
        ("<p>a<b>.b</b>c <b>bold.</b>text <b><i>x</i> y</b></p>", "a.**b**c **bold**.text ***x* y**"),
        ("<ol start=3><li>a</li></ol><ol><li>b</li></ol><ul><li>c</ul><ul><li>d</ul>", "3. a\n\n1) b\n\n- c\n\n* d"),
        ("<p># a</p><p>1. b</p><p>- c<br>+ d</p><p>&gt; e | f</p><p>&amp;amp;</p>",
         "\\# a\n\n1\\. b\n\n\\- c\\\n\\+ d\n\n\\> e | f\n\n\\&amp;"),
        ("<figure><img src='/a.png' alt='Q'><figcaption>Cap <b>b</b> \"q\"</figcaption></figure>",
         '![Q](/a.png "Cap **b** \\"q\\"")'),
        ("<math display='block'><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><msqrt><mi>x</mi><mo>+</mo>"
         "<mn>12</mn></msqrt></math>", "$$\n\\sum_i^n \\sqrt{x + 12}\n$$"),
        ("<script type='math/tex'>x</script><script>alert(1)</script><a href='javascript:x'>j</a>", "j"),
        ("<iframe src='https://y.example/e'></iframe>", "[https://y.example/e](https://y.example/e)"),
        ("<table><tr><td><p>layout</p><p>only</p></td></tr></table>", "layout\n\nonly"),
        ("<h2 style='mso-list:l0 level1 lfo1'><![if !supportLists]>·<![endif]>A</h2>"
         "<h2 style='mso-list:l0 level1 lfo1'><![if !supportLists]>1.2 <![endif]>B</h2>", "## A\n\n## 1.2 B"),
        ("<p><b style='mso-bidi-font-weight:normal'>a</b> <i style='mso-bidi-font-style:normal'>b</i>", "**a** *b*"),
        ("<p style='mso-list:l2 level1 lfo2'><![if !supportLists]>1.<![endif]>a</p><table><tr><td>x<td>y</table>"
         "<p style='mso-list:l2 level1 lfo2'><![if !supportLists]>2.<![endif]>b</p>",
         "1. a\n\n| x | y |\n| --- | --- |\n\n2. b"),
        ('<a href="https://a.example/x"><table><tr><td><a href="https://b.example/x">[!NOTE]</a></td></tr></table></a>',
         "[\\[!NOTE\\]](https://b.example/x)"),
        ("<h1><s>a</s> <i><s>b<br></s>c</i></h1>", "# ~~a *b*~~ *c*"),
        ("", ""),
    ],
)  # fmt: skip
def test_structure_stays_and_styling_goes(html, markdown):
    assert convert_html(html).markdown == markdown


def test_pictures_are_returned_to_be_stored():
    found = convert_html('<p><img src="data:image/png;base64,AAAA" alt="A [b]"> <img src="cid:1"></p>')

    assert found.markdown == "![A \\[b\\]](picture-1) ![](picture-2)"
    assert [(one.address, one.source, one.alt) for one in found.pictures] == [
        ("picture-1", "data:image/png;base64,AAAA", "A [b]"),
        ("picture-2", "cid:1", ""),
    ]


def test_what_could_not_stay_is_noted():
    html = '<table><tr><td colspan="2">a</td></tr><tr><td>b<td>c</table><sup>st</sup><iframe src="https://a.example">'

    assert set(convert_html(html).notes) == {"merged_cells", "raised", "embedded"}


# --- No text, link, picture or cell is lost ------------------------------------------------------------

TEXTS = st.sampled_from(
    ["word", "a b", " x ", "*star*", "_u_", "snake_case",
     "# h", "- d", "1. n", "| p |", "`t`", "[l](m)", "<b>", "&amp;",
     "\\", "\\*", "~~s~~", "> q", "---", "===", "![i](j)", "{width=50%}", "*", "**", ".", "é", "中文", "!", "\xa0", "+",
     "[!NOTE]", ":-", "#", "a.", "(b", "http://c.example", "```", "~~~", "=", "'", '"']
)  # fmt: skip
ESCAPED = TEXTS.map(lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
PHRASES = ["b", "i", "em", "strong", "s", "code", "span", "u", "sup"]
LINKS = [f'a href="https://a.example/{name}"' for name in ("x", "y_(z)", "w*_")]
BLOCKS = ["p", "div", "h1", "h3", "blockquote", "ul><li", "ol><li", "td", "table><tr><td",
          "table><tr><th", "dd"]  # fmt: skip
TREES = st.recursive(
    ESCAPED | ESCAPED.map("<pre>{}</pre>".format) | st.sampled_from(["<br>", '<img src="/p.png" alt="alt">', "<hr>"]),
    lambda inner: st.builds(
        lambda tag, parts: (
            f"<{tag}>{''.join(parts)}" + "".join(f"</{one.split()[0]}>" for one in tag.split("><")[::-1])
        ),
        st.sampled_from([*PHRASES, *LINKS, *BLOCKS]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=14,
)


def seen(node: Element) -> str:
    """What people see of a tree: its texts without spaces, in the form of plain letters."""
    text = unicodedata.normalize("NFKC", node.text()).replace("\u2212", "-")
    return "".join(text.split())


def parts(node: Element, tag: str) -> list[Element]:
    """The elements of a tag; not those within code, which is only text."""
    inside = [] if node.tag == "pre" and tag == "a" else node.elements
    return [*([node] if node.tag == tag else []), *(one for child in inside for one in parts(child, tag))]


PASTED = st.lists(TREES, max_size=4).map("".join)


@settings(max_examples=20, deadline=None)
@given(PASTED)
def test_texts_links_pictures_and_cells_are_those_of_the_html(html):
    check(html)


@pytest.mark.long
@settings(max_examples=4000, deadline=None)
@given(PASTED)
def test_texts_links_pictures_and_cells_are_those_of_much_html(html):
    check(html)


def check(html: str) -> None:
    before = build_tree(clean_pasted(html))
    converted = convert_html(html)
    after = build_tree(str(content.render(converted.markdown, content.LESSON)))

    # A picture of another address is a link, whose text is the alternative text.
    pictures = len(parts(before, "img"))
    assert len(converted.pictures) == pictures
    assert seen(after).replace("alt", "") == seen(before).replace("alt", "")
    linked = {
        one.attributes["href"]
        for one in parts(before, "a")
        if (seen(one) or parts(one, "img")) and len(parts(one, "a")) == 1
    }
    targets = {one.attributes["href"] for one in parts(after, "a")} - {"/p.png"}
    assert linked <= targets <= set(re.findall('href="([^"]*)"', html))
    cells = [seen(cell) for table in parts(before, "table") for cell in [*parts(table, "td"), *parts(table, "th")]]
    rest = seen(after)
    assert all(cell.replace("alt", "") in rest.replace("alt", "") for cell in cells)


@pytest.mark.parametrize(
    "unit", ["<div>", "<ul><li>", "<table><tr><td>", "<b><i>", "<a href=x>", "<p>a", "<!--", '<a "']
)
def test_hostile_html_is_limited_before_it_is_parsed(unit):
    """Nested tags cost the parser of HTML their number squared."""
    html = (unit * (60_000 // len(unit)))[:60_000]

    assert len(convert_html(html).markdown) < len(html)


@pytest.mark.parametrize("html", ["a" * (MAX_LENGTH + 1), "<" * 300_000, "a " * 130_000])
def test_what_no_lesson_holds_is_refused(html):
    with pytest.raises(HtmlTooLong):
        convert_html(html)


def test_further_tags_are_removed_and_their_texts_stay():
    found = convert_html("".join(f"<p>w{number}</p>" for number in range(15_000)))

    assert "cut" in found.notes
    assert len(re.findall(r"w\d+", found.markdown)) == 15_000
