"""The pages for missing, failed, refused and closed features."""

import re
from types import SimpleNamespace
from unittest.mock import DEFAULT, patch

import pytest
from django.db import DatabaseError
from django.test import Client, RequestFactory
from django.utils import timezone

from apps.courses.errors import CourseNotFound
from studyplatform.kit.errors import REGISTRY
from studyplatform.kit.models import Job
from studyplatform.site.public import home, status
from studyplatform.site.system import errors
from tests.architecture.test_doors import pages
from tests.cases import all_cases


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())).replace("&#39;", "'")


def buttons(answer) -> dict[str, str]:
    found = re.findall(
        r'<a class="btn[^"]*" href="([^"]*)"[^>]*>([^<]+)</a>', answer.content.decode().split("<main")[1]
    )
    return {label: href for href, label in found}


@pytest.mark.parametrize("address", ["/nowhere", "/courses/a/b/c", "/dashboard/nothing", "/%00", "/ünknown/"])
def test_an_unknown_page_shows_the_specified_text(client: Client, db, address):
    answer = client.get(address)

    assert answer.status_code == 404
    assert "<title>Page Not Found" in answer.content.decode()
    assert "The page you're looking for doesn't exist or has been moved." in text_of(answer)
    assert buttons(answer) == {"Go Home": "/", "Browse Courses": "/courses"}


def has_no_header(page: str) -> bool:
    return 'class="top' not in page and '<nav class="top__nav"' not in page


ROLES = ["", "leo", "ada", "sam"]


@pytest.mark.parametrize("who", ROLES)
def test_error_pages_under_the_dashboard_have_no_header(client, browser_of, request, who):
    browser = browser_of(request.getfixturevalue(who)) if who else client
    closed: list[str] = []
    gone = ["/dashboard/nothing", "/dashboard/instructor/courses/nothing/edit", "/dashboard/admin/reviews/nothing"]

    for address in gone + closed:
        answer = browser.get(address)
        if answer.status_code == 302:  # to the sign-in page or the home page
            continue
        page = answer.content.decode()
        assert answer.status_code == 404
        assert has_no_header(page), address
        assert page.count("<h1") == 1, address
        assert 'href="/"' in page, "the page links to the home page"
        assert ('class="rail"' in page) == ("dist/studio-" in page) == (who in {"ada", "sam"})
    with patch("studyplatform.site.system.errors.render", side_effect=[RuntimeError, DEFAULT], wraps=errors.render):
        browser.raise_request_exception = False
        failed = browser.get("/dashboard/nothing")
    assert failed.status_code == 500
    assert has_no_header(failed.content.decode())
    assert 'href="/"' in failed.content.decode()


def test_no_dashboard_page_has_a_header(browser_of, sam):
    browser = browser_of(sam)
    addresses = [door.address for door in pages() if door.address.startswith("/dashboard/") and "<" not in door.address]
    answers = [(one, answer) for one in addresses if (answer := browser.get(one)).status_code in {200, 404}]
    shown = [(one, answer) for one, answer in answers if answer["Content-Type"].startswith("text/html")]

    assert len(shown) > 12
    assert [one for one, answer in shown if not has_no_header(answer.content.decode())] == []


def get_crash(client: Client, address: str = "/?a=1", method: str = "get"):
    client.raise_request_exception = False
    with patch.object(home, "offer", side_effect=RuntimeError("secret internals")):
        return getattr(client, method)(address)


def test_a_crash_shows_the_specified_text_and_no_internals(client: Client, db):
    answer = get_crash(client)

    words = text_of(answer)
    assert answer.status_code == 500
    assert "Oops! Something went wrong" in words
    assert (
        "An unexpected error occurred while loading the page. Don't worry, our team has been notified and is working"
        " on it." in words
    )
    assert words.count("notified") == 1, "the sentence appears twice"
    assert list(buttons(answer)) == ["Try Again", "Reload Page", "Go to Homepage"]
    assert buttons(answer)["Try Again"] == "/?a=1"
    assert "support@example.com" in words
    assert f"SERVER_ERROR, reference {answer['X-Request-ID']}" in words
    assert 'data-retry="10"' in answer.content.decode()
    assert "secret internals" not in answer.content.decode()


def test_a_failed_form_is_not_resent_automatically(client: Client, db):
    client.raise_request_exception = False
    with patch("apps.accounts.pages.signing_in.forms.SignIn", side_effect=RuntimeError):
        answer = client.post("/auth/login", {"email": "leo@example.com", "password": "StudyDemo1"})

    assert answer.status_code == 500
    assert "SERVER_ERROR" in text_of(answer)
    assert "data-retry" not in answer.content.decode()
    assert "be sent again automatically" in text_of(answer)


def test_the_crash_page_runs_no_query(browser_of, leo, django_assert_num_queries):
    request = RequestFactory().get("/")
    # Reading the user or the session while the database is down would crash again.
    request.user = SimpleNamespace()  # type: ignore[assignment]
    request.csp_nonce = "n"  # type: ignore[attr-defined]

    with django_assert_num_queries(0):
        answer = errors.crash(request)

    assert answer.status_code == 500
    assert "Oops! Something went wrong" in text_of(answer)


def test_a_refusal_offers_a_next_step(client: Client, db):
    answer = client.get("/courses/no-such-course")

    assert answer.status_code == 404
    assert str(CourseNotFound.message) in text_of(answer)
    assert buttons(answer)["Browse courses"] == "/courses/"


def test_a_refused_page_leads_where_its_reader_may_go(client: Client, browser_of, leo):
    assert client.get("/settings/").headers["Location"].startswith("/auth/login?next=/settings/")
    assert client.get("/dashboard/admin/forum").headers["Location"].startswith("/auth/login?next=")
    assert browser_of(leo).get("/dashboard/admin/forum").headers["Location"] == "/"


@all_cases("code", sorted(REGISTRY))
def test_each_error_code_has_a_help_page(client: Client, db, code):
    answer = client.get(f"/help/errors/{code}")

    assert answer.status_code == 200
    assert code in text_of(answer)


@pytest.mark.parametrize("address", ["/help/errors/NOPE", "/help/errors/..%2F..", "/help/nothing", "/help/index"])
def test_an_unknown_help_page_is_not_found(client: Client, db, address):
    assert client.get(address).status_code == 404


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("/help/", "Supported formats"),
        ("/help/supported-formats", "up to 5 GB, in one of these formats: MP4, MOV, AVI, WebM"),
        ("/help/supported-formats", "can be up to 2 GB"),
        ("/help/supported-formats", "Instructors have 50 GB of storage, students 5 GB"),
        ("/help/video-compression", "up to 5 GB"),
        ("/help/teaching", "24 to 48 hours"),
        ("/help/learning", "After 5 failed attempts in a row, an account is locked for 15 minutes"),
        ("/offline", "renews them for 30 days"),
        ("/offline", "up to 7 days later"),
        ("/help/learning", "stays for 30 days after your last visit"),
        ("/accessibility", "4.5 to 1"),
        ("/terms", "Terms of service"),
        ("/privacy", "shows no ads"),
    ],
)
def test_the_texts_state_the_current_limits(client: Client, db, address, says, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = client.get(address)

    assert says in text_of(answer)
    assert not answer.cookies


def test_the_help_shows_the_configured_upload_limits(client: Client, db, settings):
    settings.UPLOAD_LIMITS = {"video": 3 * 2**30, "file": 2**30}

    assert "up to 3 GB" in text_of(client.get("/help/supported-formats"))


def test_the_status_is_operational_without_late_jobs(client: Client, db):
    answer = client.get("/status")

    assert "All systems operational" in text_of(answer)


def test_the_status_reports_late_jobs(client: Client, db):
    late = timezone.now() - status.LATE_JOB * 2
    Job.objects.create(kind="x", run_at=late, created_at=late)

    assert "Some services are down" in text_of(client.get("/status"))


def test_the_status_page_works_without_the_database(client: Client, db):
    with patch.object(status, "connection") as broken, patch.object(Job.objects, "filter", side_effect=DatabaseError):
        broken.cursor.side_effect = DatabaseError
        answer = client.get("/status")

    assert answer.status_code == 200
    assert "Courses and accounts are unavailable" in text_of(answer)


def test_maintenance_closes_the_site_and_shows_its_duration(client: Client, db, settings):
    settings.MAINTENANCE = True

    page = client.get("/courses/")
    call = client.get("/api/v1/auth/session/")

    assert page.status_code == call.status_code == 503
    assert "This usually takes 15 to 30 minutes." in text_of(page)
    assert page["Retry-After"] == "1200"
    assert call.json()["code"] == "MAINTENANCE_MODE"
    assert buttons(page) == {"See the status page": "/status"}
    assert client.get("/healthz").status_code == 200
    assert client.get("/status").status_code == 200


def test_maintenance_links_to_the_configured_status_page(client: Client, db, settings):
    settings.MAINTENANCE, settings.STATUS_URL = True, "https://status.example.org/"

    assert buttons(client.get("/courses/")) == {"See the status page": "https://status.example.org/"}
    problem = client.get("/api/v1/auth/session/").json()
    assert problem["params"]["status_url"] == "https://status.example.org/"


def test_the_error_of_a_declined_card_links_to_the_payment_methods(client: Client, browser_of, leo):
    address = REGISTRY["PAYMENT_CARD_DECLINED"].action.href

    assert browser_of(leo).get(address)["Location"] == "/billing/methods"
    assert client.get(address)["Location"] == f"/auth/login?next={address}"


def test_the_sitemap_lists_the_public_pages(client: Client, course, django_assert_num_queries):
    course.lessons.filter(slug="lesson-1-1").update(is_preview=True)
    with django_assert_num_queries(5):
        site_map = client.get("/sitemap.xml").content.decode()
    robots = client.get("/robots.txt").content.decode()

    assert f"/courses/{course.slug}</loc><lastmod>" in site_map
    assert "/help/supported-formats</loc>" in site_map
    assert f"/learn/{course.slug}/lesson-1-1</loc><lastmod>" in site_map
    assert f"/learn/{course.slug}/lesson-1-2" not in site_map
    assert "Disallow: /learn" not in robots
    assert "Disallow: /dashboard/" in robots
    assert robots.rstrip().endswith("/sitemap.xml")
