"""What templates rely on."""

import pytest
from django.template import engines
from django.test import override_settings
from django.utils import translation
from markupsafe import Markup

from studyplatform.kit.fragments import fragment


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


def test_markdown_is_sanitized():
    html = render(
        "{{ text | markdown }}",
        text="# Hi\n<img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](https://b.example)",
    )

    assert "<h2>Hi</h2>" in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert 'rel="nofollow noopener"' in html


def test_an_icon_that_was_not_built_is_found_out():
    assert 'aria-hidden="true"' in render('{{ icon("lock") }}')
    with pytest.raises(KeyError, match="no icon 'dragon'"):
        render('{{ icon("dragon") }}')
