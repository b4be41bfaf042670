"""Both spellings of an address, references, and where nobody is sent."""

import pytest
from django.test import RequestFactory

from studyplatform.kit.web.requests import safe_next

pytestmark = pytest.mark.django_db


def test_a_page_with_the_wrong_final_slash_is_redirected_with_its_query(client):
    answer = client.get("/healthz/?a=1")

    assert (answer.status_code, answer["Location"]) == (301, "/healthz?a=1")


def test_a_call_with_the_wrong_final_slash_is_handled_in_place(client):
    answer = client.post("/api/v1/auth/login", {"email": "nobody"}, content_type="application/json")

    assert answer.status_code == 400
    assert answer.json()["fields"]["email"]


@pytest.mark.parametrize("path", ["//evil.example/healthz", "//healthz/", "/nowhere", "/nowhere/"])
def test_an_unknown_address_stays_unknown(client, path):
    # PATH_INFO as a server would pass it: the client itself would read "//" as a host's name.
    assert client.get("/", PATH_INFO=path).status_code == 404


@pytest.mark.parametrize(
    ("address", "goes"),
    [
        ("/courses/?q=a", "/courses/?q=a"),
        ("https://evil.example/", "/home"),
        ("//evil.example/", "/home"),
        ("/\\evil.example", "/home"),
        ("javascript:alert(1)", "/home"),
        ("", "/home"),
        (None, "/home"),
        ("949", "/home"),
        ("courses:catalogue", "/home"),
        ("?q=a", "/home"),
        ("http://testserver/courses/", "http://testserver/courses/"),
        ("/courses/?q=" + "a" * 4_000, "/home"),
    ],
)
def test_redirects_go_to_own_addresses_only(address, goes):
    assert safe_next(RequestFactory().get("/"), address, "/home") == goes


def test_each_response_has_a_reference(client):
    first, second = client.get("/healthz"), client.get("/healthz")

    assert first["X-Request-ID"] != second["X-Request-ID"]


def test_a_client_s_reference_is_used_only_if_it_is_harmless(client):
    assert client.get("/healthz", headers={"X-Request-ID": "trace-12345678"})["X-Request-ID"] == "trace-12345678"
    assert "<" not in client.get("/healthz", headers={"X-Request-ID": "<b>0123456789</b>"})["X-Request-ID"]


def test_responses_have_a_permissions_policy(client):
    answer = client.get("/")

    policy = answer["Content-Security-Policy"]
    assert "unsafe-inline" not in policy
    assert "unsafe-eval" not in policy
    assert "object-src 'none'" in policy
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "camera=()" in answer["Permissions-Policy"]


def test_a_strangers_host_name_is_refused_with_a_page(client, settings):
    settings.ALLOWED_HOSTS = ["learn.example"]

    answer = client.get("/", headers={"Host": "evil.example"})

    assert answer.status_code == 400
    assert "evil.example" not in answer.content.decode()


@pytest.mark.parametrize(
    "path", ["/courses/", "/dashboard/admin/people", "/dashboard/admin/reviews/", "/dashboard/instructor/courses/"]
)
def test_searching_for_nul_is_harmless(browser_of, sam, path):
    assert browser_of(sam).get(path, {"q": "ri\x00vers"}).status_code == 200


def test_a_session_cookie_with_nul_belongs_to_a_visitor(client):
    assert client.get("/settings/", headers={"Cookie": r'sessionid="guessed\000key"'}).status_code == 302
