"""What an editor of texts asks for: previews, and Markdown of what was pasted."""

from typing import Any

import pytest
from django.test import Client

from tests.factories.courses import CourseFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def post(browser_of: Any, ada: Any) -> Any:
    CourseFactory(instructor=ada, slug="rivers")
    browser = browser_of(ada)

    def send(call: str, sender: Client = browser, **body: object) -> Any:
        return sender.post(f"/api/v1/content/{call}/", body, "application/json")

    return send


def test_a_text_is_shown_as_its_place_shows_it(post, browser_of, eve, leo, client):
    text = "a **b**\n\n- c"
    assert post("preview", place="prompt", text=text, course="rivers").json() == {
        "html": "<p>a <strong>b</strong></p>\n<ul>\n<li>c</li>\n</ul>\n"
    }
    assert post("preview", place="choice", text="a\n\n- b").json() == {"html": "a\n\n- b"}
    assert post("preview", place="choice", text="a" * 501).json()["fields"]["text"][0]["message"] == (
        "This text has more than 500 characters."
    )
    for place in ("post", "nowhere", ""):
        assert post("preview", place=place, text="a").status_code == 400
    for sender, status in ((browser_of(leo), 403), (client, 401)):
        assert post("preview", sender, place="lesson", text="a").status_code == status
        assert post("convert", sender, html="a").status_code == status
    assert post("preview", browser_of(eve), place="lesson", text="a", course="rivers").status_code in {403, 404}
    assert post("preview", place="lesson", text="a", course="none").status_code == 404


def test_pasted_html_becomes_markdown(post):
    answer = post(
        "convert", html='<h2>Tides</h2><p><b>High</b> <img src="data:image/png;base64,AA" alt="sea"><sup>st</sup>'
    )

    assert answer.json() == {
        "markdown": "## Tides\n\n**High** ![sea](picture-1)st",
        "pictures": [{"address": "picture-1", "source": "data:image/png;base64,AA", "alt": "sea"}],
        "notes": ["raised"],
    }
    refused = post("convert", html="words " * 60_000)
    assert (refused.status_code, refused.json()["code"]) == (422, "PASTED_TEXT_TOO_LONG")
