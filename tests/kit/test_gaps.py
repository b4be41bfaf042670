"""Marks of gaps in texts: where they are, and what is shown in their places."""

import re

from markupsafe import Markup

from studyplatform.kit.text import content
from studyplatform.kit.text.gaps import blank_gaps, find_gaps, find_misplaced_gaps, render_gaps


def render(text):
    return content.render(text, content.LESSON)


def render_phrase(text):
    return content.render(text, content.CHOICE)


def shown(text, by=render):
    return str(render_gaps(text, by, lambda number: Markup("<i>%s</i>") % number))


def test_marks_are_numbers_in_double_brackets():
    found = {
        "[[1]] and [[12]]": [1, 12],
        "［［３］］ [[٤]]": [3, 4],
        r"\[[1]] [\[1]] [[ 1 ]] [[0]] [[100]] [1]": [],
        "[[2]][[1]] [[2]]": [2, 1, 2],
    }
    assert {text: find_gaps(text) for text in found} == found


def test_a_mark_works_wherever_a_word_does():
    assert shown("**[[1]]**, _[[2]]_, a[[3]]s") == ("<p><strong><i>1</i></strong>, <em><i>2</i></em>, a<i>3</i>s</p>\n")
    assert "<code>for i in <i>1</i>:</code>" in shown("`for i in [[1]]:`")
    assert "<td><i>1</i></td>" in shown("| a |\n|---|\n| [[1]] |")
    assert 'aria-label="Table: ____"' in shown("| [[1]] |\n|---|\n| a |")
    assert shown("$x$ is [[1]], $5 or [[2]]", render_phrase).count("<i>") == 2
    assert shown("[[1]]\n\n[1]: https://example.com") == "<p><i>1</i></p>\n"
    assert blank_gaps("a [[1]] [[0]]") == "a ____ [[0]]"


def test_formulas_and_addresses_have_no_place_for_a_field():
    text = "$a_{[[1]]}$ $$\\text{[[2]]}$$ [x](/y/[[3]]) [[[4]]](/y) ![[[5]]](/y) [[6]]"
    assert find_misplaced_gaps(text, render) == [1, 2, 3]


def test_a_mark_cannot_break_out_of_an_attribute():
    for text in (
        '[a](/x "> [[1]] onmouseover=alert(1) x")',
        "[a](</x\"[[1]]'onmouseover=alert(1)>)",
        '| > [[1]] " onfocus=alert(1) |\n|---|\n| a |',
        '<b title="[[1]]">',
    ):
        html = shown(text)
        tags = re.findall(r'<[^>"]*(?:"[^"]*"[^>"]*)*>', html)
        assert all("<i" not in tag or tag == "<i>" for tag in tags), html
        assert not re.search(r"<[a-z]+[^>\"]*(?:\"[^\"]*\"[^>\"]*)* on\w+=", html), html
