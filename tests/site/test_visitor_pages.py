"""Pages cached for visitors are current and contain no personal data."""

import gzip

import pytest
from django.test import Client

from apps.accounts.errors import SessionExpired
from apps.courses import services
from apps.courses.models import Course
from apps.learning.services import enroll, set_bookmark
from studyplatform.kit.caching import page_cache
from tests.factories.courses import THEN, CourseFactory, LessonFactory, SectionFactory, SubjectFactory
from tests.factories.learning import RatingFactory

pytestmark = pytest.mark.edits_in_place


@pytest.fixture(autouse=True)
def published_course(db) -> Course:
    lesson = LessonFactory(
        section=SectionFactory(course=CourseFactory(status="published", title="Rivers", slug="rivers"))
    )
    CourseFactory(status="published", title="Lakes")
    return lesson.course


def page(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


ADDRESSES = ["/", "/courses/", "/courses/?q=rivers&sort=newest", "/courses/rivers", "/help/"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_second_visitor_gets_the_cached_page(address, django_assert_max_num_queries):
    first = page(Client(), address)
    with django_assert_max_num_queries(1):
        assert page(Client(), address) == first
    assert len(page_cache._pages) == 1


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_compressed_page_has_the_same_content(address):
    first, *others = [Client().get(address, headers={"Accept-Encoding": "gzip"}) for _ in range(4)]
    pages = [gzip.decompress(answer.content).decode() for answer in others]

    for text, answer in zip(pages, others, strict=True):
        assert answer["Content-Length"] == str(len(answer.content))
        assert answer["Vary"].count("Accept-Encoding") == 1
        assert len(answer.content) < len(text) / 2
    assert set(pages) == {page(Client(), address)}
    assert first["Content-Type"] == others[0]["Content-Type"]
    assert set(first.headers) - {"X-Request-ID"} <= set(others[0].headers) | {"Content-Encoding"}


CHANGES = {
    "a title": (lambda course, ada, sam: edit(course, ada, title="Streams"), "Streams"),
    "a price": (lambda course, ada, sam: edit(course, ada, pricing="one_time", price=4900), "$49"),
    "a review": (
        lambda course, ada, sam: Course.objects.filter(pk=course.pk).update(rating_count=1, rating_sum=4),
        "4.0",
    ),
    "a teacher": (lambda course, ada, sam: rename(course.instructor), "Nameda Newly"),
    "a subject": (lambda course, ada, sam: rename_subject(course), "Hydrology"),
}


def edit(course: Course, by, **changes) -> None:
    texts = {"title": course.title, "subject": course.subject, "summary": "s", "description": "d"} | changes
    Course.objects.filter(pk=course.pk).update(instructor=by)
    services.edit_course(course=course, by=by, texts=services.CourseTexts(**texts), now=THEN)


def rename(person) -> None:
    person.first_name, person.last_name = "Nameda", "Newly"
    person.save()


def rename_subject(course: Course) -> None:
    course.subject.name = "Hydrology"
    course.subject.save()


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("address", ["/courses/", "/courses/rivers"])
def test_a_change_is_shown_immediately(published_course, ada, sam, what, address):
    change, shown = CHANGES[what]
    visitor, signed_in = Client(), Client()
    signed_in.force_login(sam)
    for browser in (visitor, signed_in):
        assert shown not in page(browser, address)

    change(published_course, ada, sam)

    for browser in (visitor, signed_in):
        assert shown in page(browser, address)


def test_a_new_lesson_is_shown_immediately(published_course, ada):
    assert "The Delta" not in page(Client(), "/courses/rivers")
    Course.objects.filter(pk=published_course.pk).update(instructor=ada)

    services.add_lesson(section=published_course.sections.get(), by=ada, kind="text", title="The Delta", now=THEN)

    assert "The Delta" in page(Client(), "/courses/rivers")


def test_a_suspended_course_disappears_until_it_is_reinstated(published_course, sam):
    for address in ("/courses/", "/courses/rivers", "/courses/?q=rivers"):
        page(Client(), address)

    services.suspend_course(course=published_course, by=sam, reason="Under examination.", now=THEN)

    assert Client().get("/courses/rivers").status_code == 404
    assert "Rivers" not in page(Client(), "/courses/")

    services.reinstate_course(course=published_course, by=sam, now=THEN)

    assert "Rivers" in page(Client(), "/courses/")
    assert Client().get("/courses/rivers").status_code == 200


def test_a_draft_seen_by_its_instructor_is_not_cached(ada):
    draft = CourseFactory(title="Secret", slug="secret", instructor=ada)
    teacher = Client()
    teacher.force_login(ada)
    for _ in range(2):
        assert "Secret" in page(teacher, "/courses/secret")
        assert Client().get("/courses/secret").status_code == 404
    assert draft.title not in page(Client(), "/courses/")


def test_a_signed_in_user_sees_their_own_page_and_fills_no_cache(leo, mia, published_course):
    set_bookmark(user=leo, course=published_course, on=True, now=THEN)
    enroll(user=leo, course=published_course, now=THEN)
    browsers = {person.username: Client() for person in (leo, mia)}
    for person in (leo, mia):
        browsers[person.username].force_login(person)
    for _ in range(2):
        for address in ("/", "/courses/", "/courses/rivers"):
            own, other, visitors_page = (
                page(browsers[leo.username], address), page(browsers[mia.username], address), page(Client(), address)
            )  # fmt: skip
            assert leo.email in own
            assert leo.email not in other
            assert leo.email not in visitors_page
            assert "csrfmiddlewaretoken" not in visitors_page
        assert "0% complete" in page(browsers[leo.username], "/courses/")
        assert 'aria-pressed="true"' in page(browsers[leo.username], "/courses/")
        for strange in (page(browsers[mia.username], "/courses/"), page(Client(), "/courses/")):
            assert "0% complete" not in strange
            assert 'aria-pressed="true"' not in strange


def test_a_message_is_shown_only_to_its_user():
    page(Client(), "/")
    signed_out = Client()
    signed_out.cookies["sessionid"] = "ended"
    answer = signed_out.get("/me/dashboard")
    assert answer.status_code == 302

    words = SessionExpired().detail
    assert words not in page(Client(), "/")
    signed_out.cookies.pop("sessionid")
    assert words in page(signed_out, "/")
    assert words not in page(Client(), "/")


def test_the_cache_ignores_the_order_of_query_parameters():
    page(Client(), "/courses/?q=rivers&sort=newest")
    page(Client(), "/courses/?sort=newest&q=rivers")
    assert len(page_cache._pages) == 1

    page(Client(), "/courses/?sort=newest&q=lakes")
    page(Client(), "/courses/")
    assert len(page_cache._pages) == 3

    page(Client(), "/courses/?q=rivers&q=lakes")
    assert "“rivers”" in page(Client(), "/courses/?q=lakes&q=rivers")


@pytest.mark.parametrize(
    "ask",
    [
        {"path": "/courses/nothing"},
        {"path": "/courses/", "headers": {"Cookie": "sessionid=guessed"}},
        {"path": "/courses/", "headers": {"Authorization": "Bearer x"}},
        {"path": "/courses/?" + "x=1&" * 100},
        {"path": "/auth/login"},
        {"path": "/learn/rivers/lesson-1-1"},
        {"path": "/api/v1/courses/"},
        {"path": "/healthz"},
    ],
    ids=lambda ask: ask["path"][:24],
)
def test_a_personal_page_is_not_cached(ask):
    Client().get(ask["path"], headers=ask.get("headers"))

    assert not len(page_cache._pages)


def test_an_unknown_host_name_gets_no_cached_page(settings):
    settings.ALLOWED_HOSTS = ["testserver"]
    page(Client(), "/courses/")

    assert Client().get("/courses/", headers={"Host": "evil.example"}).status_code == 400


def test_maintenance_applies_to_cached_pages(settings):
    page(Client(), "/courses/")
    settings.MAINTENANCE = True

    assert Client().get("/courses/").status_code == 503


def test_the_cache_can_be_disabled(settings):
    settings.VISITOR_PAGES = False
    page(Client(), "/courses/")

    assert not len(page_cache._pages)


def test_unversioned_values_are_at_most_a_minute_old(published_course, monkeypatch):
    RatingFactory(course=published_course)
    page(Client(), "/courses/rivers")
    later = page_cache.time.monotonic() + 61
    monkeypatch.setattr(page_cache.time, "monotonic", lambda: later)
    SubjectFactory()  # changes nothing on this page
    Course.objects.filter(pk=published_course.pk).update(learner_count=77)

    assert "77 learners" in page(Client(), "/courses/rivers")
