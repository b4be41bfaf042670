"""Parts that many readers share, and what of one reader is put into them."""

import re

import pytest
from django.template import engines
from django.test import Client, RequestFactory

from studyplatform.kit.caching import fragments
from tests.factories.accounts import PASSWORD


def tokens_of(answer) -> set[str]:
    return set(re.findall(r'name="csrfmiddlewaretoken" value="([^"]*)"', answer.content.decode()))


def render(source: str, request=None, **context: object) -> str:
    return engines["jinja"].from_string(source).render(context, request)


def test_each_browser_gets_its_own_token_and_it_is_accepted(people, db):
    seen = set()
    for person in people:
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(person)
        [token] = tokens_of(browser.get("/help/"))
        seen.add(token)
        refused = browser.post("/auth/logout", {"csrfmiddlewaretoken": "x" * 64})
        assert refused.status_code == 403
        assert browser.post("/auth/logout", {"csrfmiddlewaretoken": token}).status_code == 302

    assert len(seen) == len(people)


def test_each_response_masks_the_token_differently(browser_of, leo):
    strict, shown = Client(enforce_csrf_checks=True), set()
    strict.cookies = browser_of(leo).cookies
    for _ in range(3):
        [token] = tokens_of(strict.get("/help/"))
        shown.add(token)

    assert {len(token) for token in shown} == {64}
    assert len(shown) == len({token[32:] for token in shown}) == 3
    assert strict.post("/auth/logout", {"csrfmiddlewaretoken": shown.pop()}).status_code == 302


def test_signing_in_sets_the_token_s_cookie_for_most_of_a_year(client: Client, leo):
    client.get("/auth/login")
    body = {"email": leo.email, "password": PASSWORD}
    answer = client.post("/api/v1/auth/login", body, content_type="application/json")

    assert int(answer.cookies["csrftoken"]["max-age"]) > 300 * 24 * 3600


@pytest.fixture
def people(leo, ada):
    return [leo, ada]


def test_no_user_sees_the_menu_of_another_user(browser_of, leo, ada, client: Client):
    for _ in range(2):
        for person, other in ((leo, ada), (ada, leo)):
            page = browser_of(person).get("/help/").content.decode()
            assert person.email in page
            assert other.email not in page
        page = client.get("/help/").content.decode()
        assert leo.email not in page
        assert "/auth/login" in page


def test_no_page_shows_a_placeholder(client: Client, browser_of, ada, db):
    for browser in (client, browser_of(ada)):
        for address in ("/", "/courses/", "/help/", "/auth/login", "/nowhere", "/dashboard/instructor/courses/"):
            page = browser.get(address).content.decode()
            assert fragments.CSRF_TOKEN not in page


def test_a_page_without_a_form_sets_no_cookie_for_a_visitor(client: Client, db):
    assert not client.get("/help/").cookies
    assert "csrftoken" in client.get("/auth/login").cookies


def test_a_cached_fragment_has_the_token_of_each_request():
    source = '{% call fragment("test-token") %}{{ csrf_input }}{% endcall %}'
    pages = {render(source, RequestFactory().get("/")) for _ in range(2)}

    assert len(pages) == 2
    assert all("csrfmiddlewaretoken" in page and fragments.CSRF_TOKEN not in page for page in pages)


def test_texts_are_formatted_and_their_values_escaped():
    assert render('{{ _("100%% of %(what)s", what="<b>") }}') == "100% of &lt;b&gt;"
    assert render('{{ _("100%%") }}') == "100%"
    assert render('{{ ngettext("%(num)d <i>", "%(num)d <i>s", 2) }}') == "2 <i>s"
