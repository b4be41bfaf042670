"""Hostile Markdown costs no more than other Markdown, and nothing of it is lost."""

import pytest

from apps.learning.queries.notes import Rendering
from studyplatform.kit.text import content, markdown
from tests.bench import hostile

LENGTH = 65_536
MAX_ELEMENTS = 40_000  # each costs about ten microseconds


@pytest.mark.parametrize(
    "name",
    ["wide head, short rows", "very wide head", "table of 30 columns", "list of short items", "quotes of one level",
     "one marker per line", "open images", "long formulas", "short paragraphs"],
)  # fmt: skip
def test_what_is_beyond_the_budget_is_shown_as_typed(name):
    html = content.render(hostile.MARKDOWN[name](LENGTH), content.LESSON)

    assert html.count("<") < MAX_ELEMENTS
    assert html.count("<td") + html.count("<th") <= markdown.Budget().table_cells + 100
    assert len(html) < 8 * LENGTH


def test_a_text_beyond_the_budget_is_cut_after_a_line_and_complete():
    lines = [f"- line {number} <b>" for number in range(9_000)]

    html = content.render("\n".join(lines), content.LESSON)

    assert "<li>line 0 &lt;b&gt;</li>" in html
    rendered, _, typed = html.partition('<pre class="as-typed">')
    assert typed.startswith("- line ")
    assert typed.endswith("- line 8999 &lt;b&gt;</pre>")
    assert rendered.count("<li>") + typed.count("- line") == len(lines)


def test_usual_texts_are_within_the_budget():
    text = "# Tides\n\nThe *moon* pulls [water](/a).\n\n- one\n- two\n\n|a|b|\n|-|-|\n"
    text += "|1|2|\n" * 300 + "\n" + "$x^2$ " * 500
    budget = markdown.Budget()

    html = content.render(text * 3, content.LESSON, budget=budget)

    assert not budget.is_exceeded
    assert "as-typed" not in html
    assert html.count("<tr>") == 3 * 301


def test_the_notes_of_a_response_share_a_budget():
    rendering = Rendering()

    shown = [rendering.html(f"{number}\n\n" + hostile.MARKDOWN["list of short items"](9_000)) for number in range(10)]

    assert "<li>" in shown[0]
    assert sum(html.count("<li>") for html in shown) < 5_000
    assert shown[-1] == ""


def test_a_parser_works_without_a_budget_of_its_own():
    tokens = content.new_parser(content.LESSON).parse("|a|b|\n|-|-|\n|1|2|\n")

    assert sum(token.type == "td_open" for token in tokens) == 2


def test_a_table_has_at_most_sixty_columns_and_a_text_so_many_cells():
    def table(columns: int) -> str:
        return "|" + "a|" * columns + "\n|" + "-|" * columns + "\n"

    assert "<table>" in content.render(table(60), content.LESSON)
    assert "<table>" not in content.render(table(61), content.LESSON)

    budget = markdown.Budget(microseconds=10**9, table_cells=100)
    html = content.render((table(10) + "\n") * 30, content.LESSON, budget=budget)
    assert html.count("<table>") == 10
    assert html.count("<p>|a|") == 20  # the others are shown as typed
