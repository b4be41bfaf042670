"""The pages of the catalogue."""

import re

import pytest
from django.test import Client

from apps.courses import services
from apps.courses.models import Course
from apps.courses.services.search import index_all
from apps.learning.models import Bookmark
from tests.cases import all_cases
from tests.factories.courses import THEN, CourseFactory, SubjectFactory
from tests.factories.learning import EnrollmentFactory


def titles(answer, part: str = "results") -> list[str]:
    """Return the sorted titles of the results, or of the courses suggested ``instead``."""
    results, _, instead = answer.content.decode().partition('aria-labelledby="taken"')
    text = {"results": results, "instead": instead}[part]
    return sorted(re.findall(r'class="course__title"><a href="[^"]+">([^<]+)</a>', text))


def facets(answer) -> list[str]:
    return re.findall(r'<legend class="filters__h">([^<]+)<', answer.content.decode())


def published(**fields) -> Course:
    return CourseFactory(status="published", **fields)


def count_of(answer) -> str:
    return re.search(r'<p class="cat__count" data-found><b>([^<]+)</b>', answer.content.decode())[1]


@pytest.fixture
def catalogue_courses(db):
    """Courses that differ in the properties that the filters use."""
    biology = SubjectFactory(slug="biology", name="Biology")
    published(title="Short and free", duration=3600)
    published(title="Long", duration=8 * 3600, difficulty="advanced")
    published(title="Paid", pricing="one_time", price=3900, subject=biology, duration=4 * 3600)
    published(title="Premium", pricing="premium", subject=biology, difficulty="advanced")
    CourseFactory(title="Announced", is_announced=True)
    CourseFactory(title="Archived", status="archived")
    CourseFactory(title="Secret draft")
    CourseFactory(title="Suspended", status="suspended")
    CourseFactory(title="In review", status="review")


def test_the_catalogue_shows_published_and_announced_courses(client: Client, catalogue_courses):
    answer = client.get("/courses/")

    assert titles(answer) == ["Announced", "Long", "Paid", "Premium", "Short and free"]
    assert count_of(answer) == "5 courses"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("category=biology", ["Paid", "Premium"]),
        ("category=biology&category=mathematics&difficulty=advanced", ["Long", "Premium"]),
        ("price=free&price=premium&availability=now", ["Long", "Premium", "Short and free"]),
        ("length=medium", ["Paid"]),
        ("length=long", ["Long"]),
        ("availability=past", ["Archived"]),
        ("availability=soon", ["Announced"]),
        ("availability=now&availability=soon&availability=past&difficulty=advanced", ["Long", "Premium"]),
        ("category=alchemy", []),
    ],
)
def test_the_filters_select_courses(client: Client, catalogue_courses, query, expected):
    answer = client.get(f"/courses/?{query}")

    assert titles(answer) == expected
    assert count_of(answer).split()[0] == str(len(expected))


@pytest.mark.parametrize("status", ["draft", "review", "suspended"])
def test_no_filter_reveals_a_hidden_course(client: Client, catalogue_courses, status):
    for query in (f"status={status}", "availability=hidden", f"availability={status}", "q=secret", "filter=learning"):
        assert not {"Secret draft", "Suspended", "In review"} & set(titles(client.get(f"/courses/?{query}")))


def test_each_filter_choice_shows_its_number_of_courses(client: Client, catalogue_courses):
    page = client.get("/courses/?category=biology").content.decode()

    boxes = dict(re.findall(r'value="(\w[\w-]*)"[^>]*>.*?class="check__n">(\d+)<', page))
    # The counts of other subjects ignore the chosen subject. The counts of other facets apply it.
    assert boxes["mathematics"] == "3"
    assert boxes["biology"] == "2"
    assert boxes["advanced"] == "1"


def test_a_search_ranks_its_results_and_shows_the_search_text(client: Client, db):
    published(title="Rivers and their work", description="")
    published(title="Poetry", description="The word rivers appears here, far down.", outcomes=[])
    published(title="Algebra", outcomes=[])
    index_all()

    answer = client.get("/courses/", {"q": "  river "})

    page = answer.content.decode()
    assert titles(answer) == ["Poetry", "Rivers and their work"]
    assert page.index("Rivers and their work</a>") < page.index("Poetry</a>")
    assert "Results for “river”" in page


def test_html_in_the_search_text_is_escaped(client: Client, db):
    page = client.get("/courses/", {"q": '"><script>alert(1)</script>'}).content.decode()

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_blank_search_shows_all_courses(client: Client, catalogue_courses):
    answer = client.get("/courses/", {"q": "   "})

    assert count_of(answer) == "5 courses"
    assert "Results for" not in answer.content.decode()


@all_cases("page", ["0", "-1", "2", "999999", "x", "", "１", "1e3", "9" * 5000])
def test_an_invalid_page_number_shows_an_existing_page(client: Client, catalogue_courses, page):
    answer = client.get("/courses/", {"page": page})

    assert answer.status_code == 200
    assert len(titles(answer)) == 5


def test_links_to_pages_include_all_filters(client: Client, db):
    CourseFactory.create_batch(30, status="published")

    first = client.get("/courses/?sort=newest&difficulty=beginner")
    second = client.get("/courses/?sort=newest&difficulty=beginner&page=2")

    assert len(titles(first)) == 24
    assert len(titles(second)) == 6
    assert 'href="/courses/?sort=newest&amp;difficulty=beginner&amp;page=2" rel="next"' in first.content.decode()
    assert 'href="/courses/?sort=newest&amp;difficulty=beginner" rel="prev"' in second.content.decode()


def test_courses_are_sorted(client: Client, db):
    published(title="B liked", rating_count=1000, rating_sum=4800, duration=20, published_at=THEN)
    published(title="A new", rating_count=1, rating_sum=5, duration=10)

    def order(sort: str) -> list[str]:
        return re.findall(r'course__title"><a [^>]+>([^<]+)', client.get(f"/courses/?sort={sort}").content.decode())

    assert order("rating") == ["B liked", "A new"]
    assert order("shortest") == ["A new", "B liked"]
    assert order("unknown") == order("relevance")


def test_the_sort_menu_shows_the_current_order(client: Client, catalogue_courses):
    def chosen(query: str) -> list[str]:
        page = client.get(f"/courses/{query}").content.decode()
        orders = re.search(r'<select [^>]*id="sort" name="sort" form="filter-form".*?</select>', page, re.DOTALL)[0]
        assert orders.count("<option") > 3
        return re.findall(r'value="(\w+)" selected', orders)

    assert chosen("?sort=rating&category=biology") == ["rating"]
    assert chosen("") == chosen("?sort=unknown")
    assert len(chosen("")) == 1


def test_each_chip_removes_one_filter(client: Client, catalogue_courses):
    page = client.get("/courses/?category=biology&difficulty=advanced&q=premium").content.decode()

    assert 'href="/courses/?difficulty=advanced&amp;q=premium"' in page
    assert 'href="/courses/?category=biology&amp;q=premium"' in page
    assert '<a class="chip" href="/courses/?q=premium">Clear all</a>' in page


def test_an_empty_result_links_to_all_courses(client: Client, catalogue_courses):
    page = client.get("/courses/", {"q": "quaternions"}).content.decode()

    assert "No results for “quaternions”" in page
    assert 'href="/courses/">Browse all courses' in page


def test_an_empty_result_suggests_three_categories_and_three_courses(client: Client, db):
    for number, count in enumerate((1, 3, 2, 1)):
        subject = SubjectFactory(slug=f"subject-{number}", position=number)
        CourseFactory.create_batch(count, status="published", subject=subject, title=f"Of {number}")
    for taken, title in ((9, "First"), (8, "Second"), (7, "Third")):
        published(title=title, learner_count=taken, subject=SubjectFactory(slug="subject-1"))

    answer = client.get("/courses/", {"q": "quaternions"})

    page = answer.content.decode()
    assert titles(answer) == []
    assert titles(answer, "instead") == ["First", "Second", "Third"]
    assert re.findall(r'class="chip" href="/courses/\?category=([\w-]+)"', page) == [
        "subject-1",
        "subject-2",
        "subject-0",
    ]
    assert facets(answer) == []
    assert 'id="filter-form"' not in page
    assert 'name="sort"' not in page


def test_filters_remain_visible_if_removing_one_shows_courses(client: Client, catalogue_courses):
    answer = client.get("/courses/?category=biology&length=long")

    assert titles(answer) == []
    assert {"Category", "Length"} <= set(facets(answer))
    assert titles(answer, "instead")


def test_a_facet_without_choices_is_hidden(client: Client, db):
    published(title="One", duration=3600)
    published(title="Two", difficulty="advanced", duration=3600)

    assert facets(client.get("/courses/")) == ["Difficulty"]
    # A chosen filter remains visible, so that it can be removed.
    assert facets(client.get("/courses/?length=short&availability=now")) == ["Difficulty", "Length", "Availability"]


def test_the_search_box_of_the_header_is_empty_on_the_results_page(client: Client, browser_of, leo, catalogue_courses):
    for browser in (client, browser_of(leo)):
        page = browser.get("/courses/?q=long+%3Cb%3E+way").content.decode()
        boxes = re.findall(r'<input id="(?:mobile-|compact-)?q" name="q" [^>]*>', page)
        assert len(boxes) == 3
        assert not any("value" in box for box in boxes)
        assert "long &lt;b&gt; way" in page  # the heading of the results has it


@pytest.mark.database
def test_a_misspelled_search_shows_results_for_the_corrected_text(client: Client, db, django_assert_max_num_queries):
    published(title="Linear algebra")
    CourseFactory(title="Secret")
    index_all()

    answer = client.get("/courses/", {"q": "lineer algbera"})

    page = answer.content.decode()
    assert titles(answer) == ["Linear algebra"]
    assert "Results for “linear algebra”" in page
    assert "No results for “lineer algbera”" in page
    # The words of courses that are not public are not suggested.
    assert "No results for “secrte”" in client.get("/courses/", {"q": "secrte"}).content.decode()
    with django_assert_max_num_queries(10):
        client.get("/courses/", {"q": "linaer agebra"})


def test_the_catalogue_can_list_the_courses_of_one_instructor(client: Client, ada, catalogue_courses):
    published(title="Hers", instructor=ada)
    published(title="Hers too", instructor=ada, difficulty="advanced")
    CourseFactory(title="Her draft", instructor=ada)

    answer = client.get("/courses/?instructor=ada")
    page = answer.content.decode()

    assert titles(answer) == ["Hers", "Hers too"]
    assert '<h1 class="h1">Courses by Ada Byron</h1>' in page
    assert '<input type="hidden" name="instructor" value="ada">' in page
    assert '<a class="chip chip--on" href="/courses/">Ada Byron' in page
    assert titles(client.get("/courses/?instructor=ada&difficulty=advanced")) == ["Hers too"]
    assert titles(client.get("/courses/?instructor=nobody")) == []
    assert "Courses by" not in client.get("/courses/?instructor=nobody").content.decode()


def test_the_filter_button_shows_the_number_of_courses(client: Client, catalogue_courses):
    assert "Show 5 courses</span>" in client.get("/courses/").content.decode()
    assert "Show 1 course</span>" in client.get("/courses/?length=medium").content.decode()
    assert "No courses match</span>" in client.get("/courses/?category=biology&length=long").content.decode()


def test_a_learner_can_filter_by_their_own_courses(browser_of, leo, catalogue_courses):
    suspended = Course.objects.get(title="Suspended")
    EnrollmentFactory(user=leo, course=suspended, percent=40)
    EnrollmentFactory(user=leo, course=Course.objects.get(title="Long"), percent=100, completed_at=THEN)
    Bookmark.objects.create(user=leo, course=Course.objects.get(title="Paid"), created_at=THEN)
    browser = browser_of(leo)

    assert titles(browser.get("/courses/?filter=learning")) == ["Long", "Suspended"]
    assert titles(browser.get("/courses/?filter=in_progress")) == ["Suspended"]
    assert titles(browser.get("/courses/?filter=completed")) == ["Long"]
    assert titles(browser.get("/courses/?filter=bookmarked")) == ["Paid"]
    assert "40% complete" in browser.get("/courses/?filter=learning").content.decode()
    # Other users do not see these courses.
    assert titles(Client().get("/courses/?filter=learning")) == titles(Client().get("/courses/"))


def test_the_catalogue_needs_few_queries_for_many_courses(
    client: Client, browser_of, leo, django_assert_max_num_queries
):
    CourseFactory.create_batch(10, status="published")
    with django_assert_max_num_queries(4):
        client.get("/courses/")
    with django_assert_max_num_queries(1):  # one query checks that the cache is current
        client.get("/courses/")
    subjects = [SubjectFactory(slug=f"subject-{n}") for n in range(12)]
    author = CourseFactory().instructor
    Course.objects.bulk_create(
        CourseFactory.build(
            status="published", subject=subjects[n % 12], instructor=author, duration=n * 40, slug=f"many-{n}"
        )
        for n in range(300)
    )
    index_all()
    EnrollmentFactory.create_batch(5, user=leo)
    browser = browser_of(leo)

    with django_assert_max_num_queries(3):
        client.get("/courses/?page=2&sort=rating&category=subject-3")
    # The counts of the whole catalogue are cached; names and the newest bundles are read once.
    with django_assert_max_num_queries(6):
        client.get("/courses/?q=course&difficulty=beginner")
    with django_assert_max_num_queries(3):
        client.get("/courses/?q=course&difficulty=advanced")
    with django_assert_max_num_queries(6):
        browser.get("/courses/?q=course")
    with django_assert_max_num_queries(4):
        browser.get("/courses/?q=course")
    with django_assert_max_num_queries(6):
        browser.get("/courses/?filter=learning")


def test_a_suspended_course_is_no_longer_counted(client: Client, sam, django_capture_on_commit_callbacks):
    course = published(title="Here today")
    assert count_of(client.get("/courses/")) == "1 course"

    with django_capture_on_commit_callbacks(execute=True):
        services.suspend_course(course=course, by=sam, reason="Under examination.", now=THEN)

    assert count_of(client.get("/courses/")) == "0 courses"


def test_the_filter_form_disables_autocomplete(client: Client, catalogue_courses):
    page = client.get("/courses/").content.decode()

    [form] = re.findall(r'<form id="filter-form"[^>]*>', page)
    assert 'autocomplete="off"' in form


def test_search_suggestions_are_options_with_links(client: Client, browser_of, leo, ada, django_assert_num_queries):
    published(title="Rivers & lakes", slug="rivers", instructor=ada, subject=SubjectFactory(slug="rio", name="Rivers"))

    page = client.get("/search/suggestions", {"q": "riv"}).content.decode()

    options = re.findall(r'role="option"[^>]* href="([^"]+)">.*?__name">([^<]+)<.*?__about">([^<]+)<', page)
    assert options == [
        ("/courses/rivers", "Rivers &amp; lakes", "Rivers"),
        ("/courses/?category=rio", "Rivers", "Category, 1 course"),
    ]
    assert 'href="/courses/?instructor=ada"' in client.get("/search/suggestions?q=byron").content.decode()
    assert client.get("/search/suggestions?q=zzz").content.decode().strip() == ""
    assert client.get("/search/suggestions").content.decode().strip() == ""
    browser = browser_of(leo)
    browser.get("/search/suggestions?q=riv")
    with django_assert_num_queries(1):  # one query checks that the cache is current
        browser.get("/search/suggestions?q=lak")
