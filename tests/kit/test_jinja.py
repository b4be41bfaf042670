"""What templates rely on."""

import re

import pytest
from django.template import engines
from django.test import override_settings
from django.utils import translation
from markupsafe import Markup

from studyplatform.kit.caching.fragments import fragment
from studyplatform.kit.text import content


def markdown(text: str) -> Markup:
    return content.render(text, content.LESSON)


def render_inline(text: str) -> Markup:
    return content.render(text, content.CHOICE)


def render(source: str, **context: object) -> str:
    return engines["jinja"].from_string(source).render(context)


@pytest.fixture(autouse=True)
def _other_keys(request):
    """Fragments live as long as the process: each test uses its own name as key."""
    request.node.key = request.node.nodeid


def test_output_is_escaped():
    assert render("{{ name }}", name="<script>") == "&lt;script&gt;"


def test_a_fragment_is_rendered_once_per_key_and_language(request):
    calls = []

    def caller():
        calls.append(translation.get_language())
        return Markup("<b>x</b>")

    for language in ["en", "en", "de"]:
        with translation.override(language):
            assert fragment(request.node.key, 1, caller=caller) == "<b>x</b>"
    fragment(request.node.key, 2, caller=caller)

    assert calls == ["en", "de", "en"]


@override_settings(DEBUG=True)
def test_developers_see_each_change_of_a_fragment(request):
    texts = iter(["old", "new"])

    shown = [fragment(request.node.key, caller=lambda: next(texts)) for _ in range(2)]

    assert shown == ["old", "new"]


def test_island_props_cannot_leave_their_script():
    html = render('{% call island("x", props) %}fallback{% endcall %}', props={"title": "</script><script>alert(1)"})

    assert html.count("<script") == 1
    assert "fallback" in html


def test_an_island_in_the_place_of_a_form_has_a_message_for_its_failure():
    island = '{% call island("x", {}) %}FALLBACK{% endcall %}'

    assert "data-failed" not in render(island.replace("FALLBACK", '<input name="t" type="hidden"><video></video>'))
    assert 'hidden data-failed><svg class="i notice__icon"' in render(island.replace("FALLBACK", "<form><textarea>"))


def test_markdown_is_sanitized():
    html = render(
        '{{ text | content("lesson") }}',
        text="# Hi\n<img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](https://b.example)",
    )

    assert "<h2>Hi</h2>" in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert 'rel="nofollow noopener"' in html


def test_a_phrase_keeps_its_emphasis_and_no_other_html():
    phrase = render_inline("*x* and `y` <b>z</b>")

    assert str(phrase) == "<em>x</em> and <code>y</code> &lt;b&gt;z&lt;/b&gt;"
    assert str(render_inline("*x* " * 400)).startswith("<em>x</em> ")


def test_formulas_become_mathml():
    html = render('{{ text | content("lesson") }}', text="Since $v < c$:\n\n$$\nv = \\sqrt{\\frac{F}{\\mu}}\n$$\n")

    assert "<p>Since <math" in html
    assert "<mo>&lt;</mo>" in html
    assert '<p class="formula"><math display="block">' in html
    assert re.search(r"<msqrt><mrow><mfrac><mrow><mi>F</mi></mrow><mrow><mi>μ</mi>", html)


def test_a_formula_has_the_spaces_of_tex():
    gap = '<mspace width="0.167em"></mspace>'
    html = str(markdown(r"$x \cos t - \sin^2(y) + \log_{10} 17{,}500$"))

    assert f'<mi>x</mi>{gap}<mi mathvariant="normal">cos</mi>{gap}<mi>t</mi>' in html
    assert f"</msup>{gap}" not in html, "a bracket follows"
    assert f"</msub>{gap}<mn>17</mn><mtext>,</mtext><mn>500</mn>" in html


def test_a_minus_sign_stays_with_its_number():
    html = str(markdown("$x - 1 = -2$"))

    assert "<mi>x</mi><mo>−</mo><mn>1</mn>" in html
    assert '<mo>=</mo><mo form="prefix">−</mo><mn>2</mn>' in html


def test_a_long_formula_scrolls_on_its_own():
    html = str(markdown("$$\na + b + c + d + e + f + g + h + i + j + k = 100\n$$\n"))

    assert '<div class="formula" role="group" tabindex="0" aria-label="Formula"><math display="block">' in html


@pytest.mark.parametrize("gap", [" text ", "\n\ntext\n\n", " text\n"])
def test_text_between_two_formulas_stays_text(gap):
    html = str(markdown(f"$$a$${gap}$$b$$"))

    assert html.count("</math>") == 2
    assert re.search(r"</math>[^$]*text[^$]*<math", html)
    assert "<p><math" in html or '<p class="formula"><math' in html


@pytest.mark.timeout(120)
@pytest.mark.parametrize("piece", ["$$a$$ x\n\n", "$$a\n\n", "- $$a\n", "$$a$$ x"])
def test_a_text_with_many_formulas_is_rendered_quickly(piece):
    html = str(markdown(piece * (100_000 // len(piece))))

    assert html.count("<math") <= 2000


@pytest.mark.parametrize(
    "text", ["\ufdd00\ufdd1", "<https://a.example/%EF%B7%907%EF%B7%91>", "formula-0-", '[a](http://a/ "formula-0-")']
)
def test_text_that_looks_like_a_placeholder_stays_text(text):
    assert str(markdown(f"$x$ {text}")).count("<math") == 1
    assert str(render_inline(f"$x$ {text}")).count("<math") == 1


def test_a_formula_in_a_table_header_is_part_of_the_table_name():
    html = str(markdown("| $x$ | y |\n|---|---|\n| 1 | 2 |\n"))

    assert 'aria-label="Table: x, y"' in html


@pytest.mark.parametrize("text", ["from $4 to $5", "at $5/$6", r"\$5 and 6\$", "`$x$`"])
def test_prices_and_code_are_not_formulas(text):
    assert "<math" not in render('{{ text | content("lesson") }}', text=text)


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\text{<img src=x onerror=alert(1)>}",
        r"\text{&lt;img src=x onerror=alert(1)&gt;}",
        r"\mathrm{</math><svg onload=alert(1)>}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{color:red}{x}",
        r"\class{btn}{x}",
        r"\color{url(//evil.example)}{x}",
        r"\text{<annotation-xml encoding=text/html><style><img src=x onerror=alert(1)>}",
    ],
)
@pytest.mark.parametrize("filter_", ["lesson", "choice"])
def test_a_formula_contains_only_mathml(tex, filter_):
    html = str(content.render(f"${tex}$", content.PLACES[filter_]))

    assert "<math" in html
    assert set(re.findall(r"<(\w+)", html)) <= {"p", "math", "mrow", "mi", "mn", "mo", "mtext", "mstyle"}
    assert not re.search(r"<[^>]*\s(on\w+|style|class|href|src|mathcolor)=", html)


@pytest.mark.parametrize("tex", ["\\frac{", "{" * 900, "x" * 1001])
def test_an_invalid_formula_is_shown_as_its_source(tex):
    assert f"<code>{tex}</code>" in render('{{ text | content("lesson") }}', text=f"Half typed: ${tex}$")


def test_a_table_scrolls_on_its_own_and_has_a_name():
    html = render('{{ text | content("lesson") }}', text='| Angle | In "rad" |\n|---|---|\n| 30° | `x` |\n')

    assert (
        '<div class="table-wrap" role="group" tabindex="0" aria-label="Table: Angle, In &#34;rad&#34;"><table>' in html
    )
    assert html.rstrip().endswith("</table></div>")


def test_the_name_of_a_table_cannot_leave_its_attribute():
    html = render('{{ text | content("lesson") }}', text='| `"><b onx=1>` |\n|---|\n| 1 |\n')

    assert 'aria-label="Table: &#34;&gt;&lt;b onx=1&gt;"' in html


def test_an_icon_missing_from_the_build_raises_an_error():
    assert 'aria-hidden="true"' in render('{{ icon("lock") }}')
    with pytest.raises(KeyError, match="no icon 'dragon'"):
        render('{{ icon("dragon") }}')


def test_an_image_in_a_lesson_is_a_link_and_does_not_vanish():
    assert markdown("![a map](https://e.example/m.png)") == (
        '<p><a href="https://e.example/m.png" rel="nofollow noopener">a map</a></p>\n'
    )
    assert "a map" in markdown("[![a map](m.png)](https://e.example)")
    assert "m.png" in markdown("![](m.png)")


def test_nothing_that_was_typed_is_replaced():
    for text in ("(c) (r) (tm) +-5 ... -- --- f--g ,, ????", "ls --help", "it's 5' tall", 'say "hi"'):
        assert Markup(markdown(text)).striptags() == text  # noqa: S704 (nothing is rendered)
        assert Markup(render_inline(text)).striptags() == text  # noqa: S704
