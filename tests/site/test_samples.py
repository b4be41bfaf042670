"""The sample pages: open to everyone; each visitor's entries are their own, limited, and deleted every night."""

import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.utils import timezone

from studyplatform.kit import jobs
from studyplatform.kit.errors import Conflict
from studyplatform.kit.models import Job
from studyplatform.samples import services
from studyplatform.samples.catalog import SAMPLES
from studyplatform.samples.models import MOST_PER_BROWSER, SampleEntry
from studyplatform.samples.queries import STARTERS
from studyplatform.samples.source import SourceFile, highlighted, marked_lines
from studyplatform.samples.visitors import COOKIE, Visitor, next_reset
from tests.architecture.source import ROOT

pytestmark = pytest.mark.django_db

GUESTS = "/demo/start/server-funcs"
SIMPLE, ADDRESS = "/demo/form/simple", "/demo/form/address"
TODOS_PAGE, NAMES_PAGE = "/demo/tanstack-query", "/demo/start/api-request"
TODOS, NAMES = "/api/demo-tq-todos", "/api/demo-names"
NASTY = ["\x00", "a\x00b", "x" * 101, " ", "", "\u2028"]


def text_of(response: Any) -> str:
    return str(response.content.decode())


def listed(client: Client, path: str = GUESTS) -> str:
    """The list on the page, without messages about it."""
    return text_of(client.get(path)).partition('class="todolist"')[2].partition("</ul>")[0]


def said(response: Any) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


# --- Every page ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_shows_its_own_source(name: str, client: Client, django_assert_max_num_queries: Any) -> None:
    sample = SAMPLES[name]
    with django_assert_max_num_queries(2):
        response = client.get(f"/{sample.route}")
    page = text_of(response)

    assert response.status_code == 200
    assert "This is a sample page." in page
    assert COOKIE not in response.cookies
    for number, file in enumerate(sample.files, 1):
        shown = page.partition(f'<code id="source-{number}">')[2].partition("</code>")[0]
        plain = re.sub(r"<[^>]+>", "", shown).replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
        assert plain.replace("&#39;", "'").replace("&amp;", "&") == (ROOT / file.path).read_text()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_links_to_all_others(name: str, client: Client) -> None:
    page = text_of(client.get(f"/{SAMPLES[name].route}"))

    links = set(re.findall(r'href="/(demo/[\w/-]+)"', page))
    assert links == {sample.route for sample in SAMPLES.values()} - {SAMPLES[name].route}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=list(SAMPLES))
def test_what_a_note_says_is_highlighted_is_in_the_source(sample: Any) -> None:
    marked = [file for file in sample.files if file.marks]

    assert bool(marked) == bool(sample.note)
    assert all(marked_lines(file) for file in marked)


def test_source_is_escaped() -> None:
    lines = highlighted(SourceFile("templates/samples/form-simple.html"))

    assert not any("<form" in line.html for line in lines)
    assert any("&lt;" in line.html for line in lines)


# --- Server functions --------------------------------------------------------------------------------


def test_a_guest_is_added_and_removed_by_reloading(client: Client) -> None:
    added = client.post(GUESTS, {"guest": "  Ada   Byron "})

    assert (added.status_code, added["Location"]) == (302, GUESTS)
    assert said(added) == ["“Ada Byron” is on the guest list."]
    page = text_of(client.get(GUESTS))
    assert "Ada Byron" in page
    assert "Emmy Noether" in page  # the starters stay

    guest = SampleEntry.objects.get(text="Ada Byron")
    client.post(GUESTS, {"entry": guest.uid})
    assert "Ada Byron" not in listed(client)


def test_a_guest_is_added_once(client: Client) -> None:
    response = client.post(GUESTS, {"guest": "emmy noether"})

    assert response.status_code == 422
    assert "is already on the guest list" in text_of(response)
    assert not SampleEntry.objects.exists()


@pytest.mark.parametrize("sent", NASTY)
def test_a_wrong_name_of_a_guest_is_refused(sent: str, client: Client) -> None:
    response = client.post(GUESTS, {"guest": sent})

    assert response.status_code == 422
    assert 'aria-invalid="true"' in text_of(response)
    assert not SampleEntry.objects.exists()


@pytest.mark.parametrize("sent", ["", "1", "\x00", "00000000-0000-0000-0000-000000000000"])
def test_a_guest_that_is_not_there_cannot_be_removed(sent: str, client: Client) -> None:
    response = client.post(GUESTS, {"entry": sent})

    assert response.status_code == 302
    assert not SampleEntry.objects.exists()
    assert COOKIE not in response.cookies
    assert listed(client).count("<li>") == 2


# --- Whose entries they are ----------------------------------------------------------------------------


def test_no_visitor_sees_the_entries_of_another() -> None:
    first, second = Client(), Client()
    first.post(GUESTS, {"guest": "A secret guest"})
    guest = SampleEntry.objects.get(text="A secret guest")

    assert "A secret guest" not in text_of(second.get(GUESTS))
    second.post(GUESTS, {"guest": "Another"})
    second.post(GUESTS, {"entry": guest.uid})
    assert "A secret guest" not in text_of(second.get(GUESTS))
    assert SampleEntry.objects.filter(pk=guest.pk).exists()


def test_a_forged_or_expired_cookie_makes_a_new_visitor(client: Client) -> None:
    client.post(GUESTS, {"guest": "Ada Byron"})
    cookie = client.cookies[COOKIE]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    browser = str(SampleEntry.objects.get(text="Ada Byron").browser)

    for forged in (browser, f"{browser}:x:y", cookie.value[:-1] + ("a" if cookie.value[-1] != "a" else "b"), "\x00"):
        client.cookies[COOKIE] = forged
        assert "Ada Byron" not in listed(client)


@pytest.mark.parametrize("path", [GUESTS, TODOS_PAGE, SIMPLE, ADDRESS])
def test_a_form_of_another_site_changes_nothing(path: str) -> None:
    browser = Client(enforce_csrf_checks=True)
    response = browser.post(
        path, {"guest": "Mallory", "nickname": "Mallory"}, headers={"Origin": "https://evil.example"}
    )

    assert response.status_code == 403
    assert not SampleEntry.objects.exists()


# --- Limits ----------------------------------------------------------------------------------------------


def test_a_browser_has_a_limited_number_of_entries(client: Client) -> None:
    visitor, now = Visitor(STARTERS[0][0], is_new=False), timezone.now()
    for number in range(MOST_PER_BROWSER):
        services.add_entry(visitor=visitor, kind="guest", text=f"Guest {number}", now=now)

    with pytest.raises(services.SampleLimitReached):
        services.add_entry(visitor=visitor, kind="guest", text="One too many", now=now)
    services.add_entry(visitor=visitor, kind="todo", text="Another list", now=now)
    first = SampleEntry.objects.get(text="Guest 0")
    services.delete_entry(visitor=visitor, kind="guest", uid=first.uid, now=now)
    assert services.add_entry(visitor=visitor, kind="guest", text="In its place", now=now).slot == 0


def test_two_tabs_that_add_at_once_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    visitor, now = Visitor(STARTERS[0][0], is_new=False), timezone.now()
    services.add_entry(visitor=visitor, kind="todo", text="First", now=now)
    monkeypatch.setattr(services, "entries_of", lambda *_: [])  # what the other tab has read

    with pytest.raises(Conflict):
        services.add_entry(visitor=visitor, kind="todo", text="Second", now=now)
    assert SampleEntry.objects.count() == 1


def test_all_visitors_together_have_a_limit(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_ENTRIES", len(STARTERS))
    response = client.post(GUESTS, {"guest": "One too many"}, headers={"Referer": f"http://testserver{GUESTS}"})

    assert response["Location"] == f"http://testserver{GUESTS}"
    assert "emptied every night" in said(response)[0]
    assert not SampleEntry.objects.exists()  # the starters were rolled back
    assert COOKIE not in response.cookies


def test_an_address_has_a_limit(client: Client, settings: Any) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "sample": (1, 60)}
    client.post(GUESTS, {"guest": "First"})
    refused = Client().post(GUESTS, {"guest": "Second"})  # in another browser

    assert "requests" in said(refused)[0]
    assert not SampleEntry.objects.filter(text="Second").exists()


# --- Query and mutation ------------------------------------------------------------------------------------


def test_todos_are_added_marked_and_removed_by_reloading(client: Client) -> None:
    first, second = (uid for uid, kind, *_ in STARTERS[:2])
    assert client.post(TODOS_PAGE, {"title": "Read the source"}).status_code == 302
    client.post(TODOS_PAGE, {"entry": first, "step": "open"})
    client.post(TODOS_PAGE, {"entry": second, "step": "delete"})

    rows = {todo["title"]: todo["is_done"] for todo in client.get(TODOS).json()}
    assert rows == {
        "Draw the slant on paper": False, "Ask why there is only one line": False, "Read the source": False,
    }  # fmt: skip
    assert "Read the source" in listed(client, TODOS_PAGE)


@pytest.mark.parametrize("sent", [{"title": one} for one in NASTY] + [{}])
def test_a_wrong_todo_is_refused_by_the_page(sent: dict[str, str], client: Client) -> None:
    assert client.post(TODOS_PAGE, sent).status_code == 422
    assert not SampleEntry.objects.exists()


@pytest.mark.parametrize(
    "sent", [{"entry": "x", "step": "done"}, {"entry": str(STARTERS[0][0]), "step": "burn"}, {"entry": "\x00"}]
)
def test_a_wrong_step_changes_nothing(sent: dict[str, str], client: Client) -> None:
    assert client.post(TODOS_PAGE, sent).status_code == 302
    assert not SampleEntry.objects.exists()


# --- The API -----------------------------------------------------------------------------------------------------


def send(client: Client, method: str, path: str, body: Any = None, **headers: str) -> Any:
    data = body if isinstance(body, str) else json.dumps(body)
    return client.generic(method, path, data, content_type="application/json", headers=headers)


def test_the_api_lists_adds_changes_and_deletes(client: Client, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(0):
        assert len(client.get(TODOS).json()) == 3
    added = send(client, "POST", TODOS, {"title": " Read  the source "})

    assert added.status_code == 201
    assert COOKIE in added.cookies
    todo = added.json()
    assert (todo["title"], todo["is_done"]) == ("Read the source", False)
    with django_assert_max_num_queries(8):
        changed = send(client, "PATCH", f"{TODOS}/{todo['uid']}", {"is_done": True})
    assert (changed.status_code, changed.json()) == (200, todo | {"is_done": True})
    renamed = send(client, "PATCH", f"{TODOS}/{todo['uid']}", {"title": "Read it again"})
    assert renamed.json() == todo | {"is_done": True, "title": "Read it again"}
    assert send(client, "DELETE", f"{TODOS}/{todo['uid']}").status_code == 204
    assert send(client, "DELETE", f"{TODOS}/{todo['uid']}").json()["code"] == "NOT_FOUND"
    with django_assert_max_num_queries(1):
        assert len(client.get(TODOS).json()) == 3


@pytest.mark.parametrize("path", [TODOS, NAMES])
def test_the_api_works_with_and_without_a_final_slash(path: str, client: Client) -> None:
    assert client.get(path).json() == client.get(f"{path}/").json()


def test_a_starter_can_be_changed_first(client: Client) -> None:
    changed = send(client, "PATCH", f"{TODOS}/{STARTERS[0][0]}", {"is_done": False})

    assert changed.status_code == 200
    assert [todo["is_done"] for todo in client.get(TODOS).json()] == [False, False, False]
    assert [todo["is_done"] for todo in Client().get(TODOS).json()] == [True, False, False]  # of everyone else


@pytest.mark.parametrize(
    "body",
    [
        *({"title": one} for one in NASTY if one != "\u2028"), {"title": None}, {"title": ["x"]}, {"title": {"a": 1}},
        {"title": True}, {}, [], None, 7, "", "{", "[" * 5000 + "]" * 5000, {"title": "x" * 50_000},
        '{"title": "\\ud800"}',
    ],
    ids=lambda body: str(body)[:20],
)  # fmt: skip
def test_nasty_input_is_refused(body: Any, client: Client) -> None:
    answer = send(client, "POST", TODOS, body)

    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "VALIDATION_FAILED"
    assert not SampleEntry.objects.exists()


def test_a_form_is_no_json(client: Client) -> None:
    assert client.post(TODOS, {"title": "x"}).status_code == 415


def test_a_body_that_is_too_large_is_refused(client: Client) -> None:
    assert send(client, "POST", TODOS, {"title": "x" * 3_000_000}).json()["code"] == "REQUEST_TOO_LARGE"


def test_another_site_cannot_change_anything() -> None:
    """A visitor has no session, so the CSRF check of the session would not apply."""
    browser = Client(enforce_csrf_checks=True)
    browser.get(GUESTS)
    token = browser.cookies["csrftoken"].value
    own = {"X-CSRFToken": token}

    for method, path in (
        ("POST", TODOS),
        ("PATCH", f"{TODOS}/{STARTERS[0][0]}"),
        ("DELETE", f"{TODOS}/{STARTERS[0][0]}"),
    ):
        for headers in ({}, own | {"Origin": "https://evil.example"}):
            answer = send(browser, method, path, {"title": "Mallory"}, **headers)
            assert (answer.status_code, answer.json()["code"]) == (403, "PERMISSION_DENIED")
    assert not SampleEntry.objects.exists()
    assert send(browser, "POST", TODOS, {"title": "My own"}, **own).status_code == 201


def test_the_api_never_answers_with_the_entries_of_another_browser() -> None:
    first, second = Client(), Client()
    uid = send(first, "POST", TODOS, {"title": "Secret"}).json()["uid"]

    for browser in (second, second):  # without a cookie, and with its own
        assert send(browser, "PATCH", f"{TODOS}/{uid}", {"title": "Taken"}).status_code == 404
        assert send(browser, "DELETE", f"{TODOS}/{uid}").status_code == 404
        assert "Secret" not in text_of(browser.get(TODOS))
        send(browser, "POST", TODOS, {"title": "Mine"})
    assert "Secret" in text_of(first.get(TODOS))
    assert "private" in first.get(TODOS)["Cache-Control"]


def test_a_change_is_rejected_on_request(client: Client) -> None:
    answer = send(client, "POST", f"{TODOS}?reject=true", {"title": "x"})

    assert (answer.status_code, answer.json()["code"]) == (409, "SAMPLE_REJECTED")
    assert COOKIE not in answer.cookies
    assert not SampleEntry.objects.exists()


def test_the_starters_of_a_new_browser_count_toward_the_limit(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_ENTRIES", 0)
    answer = send(client, "PATCH", f"{TODOS}/{STARTERS[0][0]}", {"is_done": False})

    assert answer.json()["code"] == "SAMPLE_LIMIT_REACHED"
    assert not SampleEntry.objects.exists()


def test_the_api_has_the_limits_of_the_pages(client: Client, settings: Any) -> None:
    for number in range(MOST_PER_BROWSER - 3):
        assert send(client, "POST", TODOS, {"title": str(number)}).status_code == 201
    assert send(client, "POST", TODOS, {"title": "One too many"}).json()["code"] == "SAMPLE_LIMIT_REACHED"

    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "sample": (1, 60)}
    refused = send(client, "DELETE", f"{TODOS}/{STARTERS[0][0]}")
    assert (refused.status_code, refused["Retry-After"].isdigit()) == (429, True)


@pytest.mark.parametrize(
    ("search", "found"),
    [("erdos", ["Paul Erdős"]), ("ÉVARISTE", ["Évariste Galois"]), ("zzz", []), ("lovelace\x00", ["Ada Lovelace"])],
)
def test_names_are_found_whatever_their_accents(search: str, found: list[str], client: Client) -> None:
    answer = client.get(NAMES, {"q": search}).json()
    page = listed(client, f"{NAMES_PAGE}?{urlencode({'q': search})}")

    assert [one["name"] for one in answer["results"]] == found
    assert re.findall('<span class="grow">([^<]+)', page) == found


def test_names_come_in_pages(client: Client, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(0):
        first = client.get(NAMES).json()
    names, address = [], NAMES
    while address:
        answer = client.get(address).json()
        names += [one["name"] for one in answer["results"]]
        address = answer["next"]

    assert len(names) == len(set(names)) == first["count"] > 60
    assert client.get(NAMES, {"page": "x"}).json()["code"] == "NOT_FOUND"
    on_pages = [re.findall('<span class="grow">([^<]+)', listed(client, f"{NAMES_PAGE}?page={one}")) for one in (1, 2)]
    assert [unescape(one) for page in on_pages for one in page] == names[:16]
    assert text_of(client.get(f"{NAMES_PAGE}?page=2")).count('rel="next"') == 2  # of the names and of the samples


# --- The nightly reset -------------------------------------------------------------------------------------


def test_everything_is_deleted_at_night(client: Client, time_machine: Any) -> None:
    time_machine.move_to(datetime(2026, 3, 14, 15, tzinfo=UTC), tick=False)
    client.post(GUESTS, {"guest": "Ada Byron"})
    Client().post(GUESTS, {"guest": "Grace Hopper"})

    job = Job.objects.get(kind="samples.reset")  # one for all visitors
    assert job.run_at == datetime(2026, 3, 15, 3, tzinfo=UTC)
    time_machine.move_to(job.run_at, tick=False)
    jobs.run_pending("default")
    assert not SampleEntry.objects.exists()
    assert "Ada Byron" not in listed(client)
    assert "Emmy Noether" in listed(client)
    client.post(GUESTS, {"guest": "The next day"})
    assert Job.objects.filter(kind="samples.reset", state="queued").get().run_at == job.run_at + timedelta(days=1)


@pytest.mark.parametrize(("hour", "day"), [(0, 14), (2, 14), (3, 15), (23, 15)])
def test_the_reset_is_at_three(hour: int, day: int) -> None:
    assert next_reset(datetime(2026, 3, 14, hour, tzinfo=UTC)) == datetime(2026, 3, day, 3, tzinfo=UTC)


# --- Forms -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nickname", ["", "ab", "a" * 21, "two words", "Admin", "\x00\x00\x00", "<b>x</b>"])
def test_a_wrong_nickname_is_refused_when_sent_and_while_typing(nickname: str, client: Client) -> None:
    response = client.post(SIMPLE, {"nickname": nickname})

    assert response.status_code == 422
    [message] = client.post(f"{SIMPLE}-check", {"nickname": nickname}).json()["nickname"][:1]
    assert message in text_of(response).replace("&#39;", "'")


def test_a_correct_nickname_is_greeted(client: Client) -> None:
    assert client.post(f"{SIMPLE}-check", {"nickname": "Zoë-7"}).json() == {}
    response = client.post(SIMPLE, {"nickname": "Zoë-7"})

    assert response.status_code == 302
    assert "Zoë-7" in said(response)[0]


GOOD = {"name": "Ada Byron", "street": "12 St James's Square"}


@pytest.mark.parametrize(
    "address",
    [
        {"country": "GB", "city": "London", "postal_code": "sw1y 4jh"},
        {"country": "DE", "city": "Köln", "postal_code": "50667"},
        {"country": "US", "city": "Cupertino", "region": "California", "postal_code": "95014"},
        {"country": "IE", "city": "Dublin"},  # its postal codes are optional
        {"country": "AE", "region": "Dubai", "postal_code": "no such thing here"},  # has none
        {"country": "JP", "region": "東京都", "postal_code": "154-0023"},
    ],
    ids=lambda address: address["country"],
)  # fmt: skip
def test_an_address_fits_its_country(address: dict[str, str], client: Client) -> None:
    response = client.post(ADDRESS, GOOD | address)

    assert response.status_code == 302, re.findall(r"field__error.*", text_of(response))
    assert said(response) == ["The address is complete. Nothing was saved."]


@pytest.mark.parametrize(
    ("address", "field"),
    [
        ({"country": "DE", "city": "Köln", "postal_code": "5066"}, "postal_code"),
        ({"country": "DE", "city": "Köln"}, "postal_code"),
        ({"country": "GB", "postal_code": "SW1Y 4JH"}, "city"),
        ({"country": "US", "city": "Cupertino", "postal_code": "95014"}, "region"),
        ({"country": "XX"}, "country"),
        ({"country": "ZZ"}, "country"),
        ({"country": ""}, "country"),
        ({"country": "IE", "city": "a\x00b"}, "city"),
        ({"country": "IE", "city": "x" * 5000}, "city"),
    ],
)
def test_a_wrong_address_is_refused_at_its_field(address: dict[str, str], field: str, client: Client) -> None:
    page = text_of(client.post(ADDRESS, GOOD | address))

    assert f'href="#id_{field}"' in page  # the summary
    assert re.search(rf'id="id_{field}"[^>]*aria-invalid="true"', page)
    assert page.count('class="field__error"') == 1


def test_countries_are_named_in_the_language_of_the_page(client: Client, settings: Any) -> None:
    names = re.findall(r'<option value="(\w\w)">([^<]+)', text_of(client.get(ADDRESS)))
    assert len(names) > 240
    assert dict(names)["CI"] == "Côte d’Ivoire"
    assert names.index(("AX", "Åland Islands")) < names.index(("AL", "Albania"))
    settings.LANGUAGE_CODE = "de"
    assert ("DE", "Deutschland") in re.findall(r'<option value="(\w\w)">([^<]+)', text_of(client.get(ADDRESS)))
