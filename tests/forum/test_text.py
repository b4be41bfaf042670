"""The text of posts: its length, its HTML, whom it mentions, which files it shows."""

import json
import re
import time
from uuid import UUID

import pytest
from django.utils import translation

from apps.forum import text
from apps.forum.errors import PostEmpty, PostTooLong
from tests.architecture.source import ROOT
from tests.cases import all_cases

UID = "0f8fad5b-d9cb-469f-a165-70867728950e"
LENGTHS = json.loads((ROOT / "tests/data/post_lengths.json").read_text())


def html_of(source: str, *names: str, is_trusted: bool = False) -> str:
    return text.render(source, is_trusted=is_trusted, mentions={name.lower(): name for name in names})


@all_cases("case", LENGTHS)
def test_the_length_is_counted_in_code_points(case):
    """The composer's test reads the same table (assets/shared/composer/length.test.ts)."""
    source = "".join(piece * times for piece, times in case["parts"])

    assert text.length(source) == case["length"]
    if case["length"] > 5000:
        with pytest.raises(PostTooLong):
            text.check(source)
    elif source:
        checked = text.check(source)
        assert len(checked) == case["length"]
        assert text.normalize(checked) == checked
        checked.encode()


@pytest.mark.parametrize("source", ["", " \n\t", "\u200b\u200d", "\u00a0\u2028", "\r\n"])
def test_a_text_without_visible_characters_is_refused(source):
    with pytest.raises(PostEmpty):
        text.check(source)


def test_formulas_quotes_tables_and_lines():
    html = html_of("One\ntwo $x^2$\n\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n~~no~~")

    assert "One<br>\ntwo <math" in html
    assert "<blockquote>\n<p>said</p>" in html
    assert 'aria-label="Table: a, b"' in html
    assert "<s>no</s>" in html


def test_headings_are_below_those_of_the_page():
    assert re.findall(r"<(h\d)", html_of("# a\n\n## b\n\n###### c\n\nd\n=\n")) == ["h3", "h4", "h5", "h3"]


def test_code_has_its_colors():
    html = html_of("```Python\ndef ebb():  # very many words in one long line\n    return '<b>'\n```\n\n    <i>plain\n")

    assert '<pre class="code" tabindex="0"><code class="language-python"><span class="tok-k">def</span>' in html
    assert "&lt;b&gt;" in html
    assert '<pre class="code"><code>&lt;i&gt;plain\n</code></pre>' in html


@pytest.mark.parametrize("info", ["nothing", "py thon", 'py"onclick="alert(1)', "⚠"])
def test_code_in_an_unknown_language_is_plain(info):
    html = html_of(f"```{info}\n<x>\n```")

    assert html in {
        '<pre class="code"><code>&lt;x&gt;\n</code></pre>\n',
        '<pre class="code"><code class="language-python">&lt;x&gt;\n</code></pre>\n',
    }


def test_only_trusted_links_are_followed():
    source = "[a](http://a.example) <http://b.example> https://c.example/x_(y)."

    assert re.findall(r'rel="([^"]*)"', html_of(source)) == ["nofollow ugc noopener"] * 3
    assert re.findall(r'rel="([^"]*)"', html_of(source, is_trusted=True)) == ["ugc noopener"] * 3
    assert '<a href="https://c.example/x_(y)"' in html_of(source)


@pytest.mark.parametrize("source", ["ftp://a.example", "//a.example", "a.example", "me@a.example", "javascript:x"])
def test_only_web_addresses_become_links(source):
    assert "<a" not in html_of(source)


def test_images_are_only_those_uploaded_here():
    html = html_of(f"![A $x$ graph](/forum/images/{UID}) ![far](https://a.example/x.png) ![](//b.example/y)")

    assert re.findall("<img[^>]*>", html) == [
        f'<img src="/forum/images/{UID}" alt="A x graph" class="picture" loading="lazy" decoding="async">'
    ]
    assert '<a href="https://a.example/x.png" rel="nofollow ugc noopener">far</a>' in html
    assert ">//b.example/y</a>" in html


@pytest.mark.parametrize(
    "source",
    ["/forum/images/1", f"/forum/images/{UID}/..", f"/forum/images/{UID}?a", f"/forum/files/{UID}",
     f"forum/images/{UID}", f"/forum/images/../images/{UID}", "data:image/png;base64,AAAA", f"http://x/forum/images/{UID}"],
)  # fmt: skip
def test_other_addresses_are_no_images(source):
    assert "<img" not in html_of(f"![a]({source})")


def test_an_image_in_a_link_keeps_one_link():
    html = html_of("[![in](https://a.example/y.png)](http://b.example)")

    assert html == '<p><a href="http://b.example" rel="nofollow ugc noopener">in</a></p>\n'


def test_mentions_are_marked_outside_code_links_and_quotes():
    source = (
        "@Amara, **@some_user_x** `@leo` [@leo](http://x.example) https://a.example/@leo \\@leo me@leo.example\n\n"
        "> @leo\n\n    @leo"
    )

    html = html_of(source, "Amara", "leo", "some_user_x")

    assert re.findall(r'<span class="mention">(.*?)</span>', html) == ["@Amara", "@some_user_x"]
    assert text.mentioned(source) == ["amara", "some_user_x"]


def test_a_user_who_does_not_exist_is_not_marked():
    assert html_of("@nobody", "leo") == "<p>@nobody</p>\n"


def test_the_end_of_a_sentence_is_no_part_of_the_name():
    assert text.mentioned("Thanks @wen.h. @leo...") == ["wen.h.", "wen.h", "leo...", "leo"]
    assert '<span class="mention">@wen.h</span>. ' in html_of("Thanks @wen.h. Bye", "wen.h")
    assert '<span class="mention">@wen.</span> ' in html_of("Thanks @wen. Bye", "wen.", "wen")


def test_wide_letters_mention_the_same_user():
    assert text.mentioned("@ＬＥＯ_x") == ["leo_x"]


def test_files_are_found_where_they_are_shown():
    other = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    source = (
        f"![a](/forum/images/{UID}) [n.pdf][1] `![x](/forum/images/{other[:-1]}8)`\n\n[1]: /forum/files/{other}\n\n"
        f"![a](/forum/images/{UID})"
    )

    assert text.files_in(source) == [UUID(UID), UUID(other)]


def test_an_excerpt_is_plain_text():
    source = (
        f"# Ebb & flow\n\nOne **two** `x<1` $v^2$\n> three\n\n![graph](/forum/images/{UID})\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |"
    )

    assert text.excerpt(source, 200) == "Ebb & flow One two x<1 v^2 three graph a b 1 2"
    assert text.excerpt(source, 12) == "Ebb & flow …"


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        (r"\mathbf{A}\mathbf{v} = \lambda\mathbf{v}", "Av=λv"),
        (r"\frac{d\,y}{L}", "(d y)/L"),
        (r"\sqrt{2} \cdot x_{1}^2", "√2·x_1^2"),
        (r"\frac{1}{", r"\frac{1}{"),
    ],
)
def test_an_excerpt_shows_formulas_as_text(tex, plain):
    assert text.excerpt(f"So ${tex}$.", 200) == f"So {plain}."


def test_an_excerpt_has_blocks_of_code_and_formulas_only_if_there_is_nothing_else():
    block = "```python\nx = 1\n```\n\n$$\nx^2\n$$"
    assert text.excerpt(f"Why?\n\n{block}\n\nOdd.", 200) == "Why? … … Odd."
    assert text.excerpt("```python\nx = 1\n```", 200) == "x = 1"


def test_html_is_the_same_in_every_language():
    with translation.override("de"):
        german = html_of("| a |\n|---|\n| 1 |")

    assert german == html_of("| a |\n|---|\n| 1 |")


COSTLY = [
    "[![", "[[](", '"a\' ^\\\\', "- a\n\n", "://", "```html\n&", "$x$ @+- ", "a|b\n-|-\n", "> ", "`` ` ", "@abc.",
    "$\\frac{",
]  # fmt: skip


@pytest.mark.parametrize("piece", COSTLY)
def test_no_text_takes_long_to_render(piece):
    """In the processor's time: the costliest known text takes 0.3 s, one without a limit many seconds."""
    source = (piece * 5000)[: text.MOST]
    before = time.process_time()
    html = html_of(source)
    text.mentioned(source)

    assert time.process_time() - before < 5
    assert len(html) < 200_000
