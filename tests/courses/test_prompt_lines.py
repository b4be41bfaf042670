"""Prompts in lists: in one line, with formulas and gaps as they look, and nothing that a link can't contain."""

import re

import pytest

from apps.courses.prompt_lines import MAX_LENGTH, prompt_line


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("The **capital** of [France](https://x.y/) is [[1]], not [[2]].", "The capital of France is 1, not 2."),
        ("Where?\n\n- a\n- <b>b</b> & c", "Where? a <b>b</b> & c"),
        ("![A map](/course-files/01234567-89ab-cdef-0123-456789abcdef){width=50%} of it", "A map of it"),
        ("x " * 200, ("x " * 200)[: MAX_LENGTH - 1].rstrip() + "…"),
        ("", ""),
        ("[[1]]" * 200, None),
        ("![" * 2000, None),
    ],
)
def test_words_in_one_line(prompt, words):
    line = prompt_line(prompt)
    assert not re.search(r"<(?!/?(?:span|m\w+)\b)", line)
    assert len(line.striptags()) <= 3 * MAX_LENGTH
    if words is not None:
        assert line.striptags() == words


def test_formulas_are_rendered():
    line = prompt_line("Let\n\n$$\n\\frac{a}{b}\n$$\n\nbe $x$.")
    assert (line.count("<math"), 'display="block"' in line) == (2, False)
    assert "$" not in line
