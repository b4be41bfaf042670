"""The catalogue as people read it."""

import re

import pytest
from django.test import Client

from apps.courses import services
from apps.courses.models import Course
from apps.courses.services.search import index_all
from apps.learning.models import Bookmark
from tests.factories.courses import THEN, CourseFactory, SubjectFactory
from tests.factories.learning import EnrollmentFactory


def titles(answer, part: str = "results") -> list[str]:
    """The titles of the cards, of what was asked for or of what is offered ``instead``."""
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
def shelf(db):
    """Courses that differ in what the filters ask about."""
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


def test_shows_what_is_open_and_what_is_announced(client: Client, shelf):
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
def test_filters(client: Client, shelf, query, expected):
    answer = client.get(f"/courses/?{query}")

    assert titles(answer) == expected
    assert count_of(answer).split()[0] == str(len(expected))


@pytest.mark.parametrize("status", ["draft", "review", "suspended"])
def test_no_filter_reveals_a_hidden_course(client: Client, shelf, status):
    for query in (f"status={status}", "availability=hidden", f"availability={status}", "q=secret", "filter=learning"):
        assert not {"Secret draft", "Suspended", "In review"} & set(titles(client.get(f"/courses/?{query}")))


def test_each_choice_is_counted_beside_the_others(client: Client, shelf):
    page = client.get("/courses/?category=biology").content.decode()

    boxes = dict(re.findall(r'value="(\w[\w-]*)"[^>]*>.*?class="check__n">(\d+)<', page))
    # Other subjects keep the counts they would add; other facets count within biology.
    assert boxes["mathematics"] == "3"
    assert boxes["biology"] == "2"
    assert boxes["advanced"] == "1"


def test_search_finds_ranks_and_says_what_it_looked_for(client: Client, db):
    published(title="Rivers and their work", description="")
    published(title="Poetry", description="The word rivers appears here, far down.", outcomes=[])
    published(title="Algebra", outcomes=[])
    index_all()

    answer = client.get("/courses/", {"q": "  river "})

    page = answer.content.decode()
    assert titles(answer) == ["Poetry", "Rivers and their work"]
    assert page.index("Rivers and their work</a>") < page.index("Poetry</a>")
    assert "Results for “river”" in page


def test_what_was_typed_is_shown_as_text(client: Client, db):
    page = client.get("/courses/", {"q": '"><script>alert(1)</script>'}).content.decode()

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_blank_search_is_no_search(client: Client, shelf):
    answer = client.get("/courses/", {"q": "   "})

    assert count_of(answer) == "5 courses"
    assert "Results for" not in answer.content.decode()


@pytest.mark.parametrize("page", ["0", "-1", "2", "999999", "x", "", "１", "1e3", "9" * 5000])
def test_a_page_that_does_not_exist_shows_one_that_does(client: Client, shelf, page):
    answer = client.get("/courses/", {"page": page})

    assert answer.status_code == 200
    assert len(titles(answer)) == 5


def test_pages_are_linked_with_all_that_was_chosen(client: Client, db):
    CourseFactory.create_batch(30, status="published")

    first = client.get("/courses/?sort=newest&difficulty=beginner")
    second = client.get("/courses/?sort=newest&difficulty=beginner&page=2")

    assert len(titles(first)) == 24
    assert len(titles(second)) == 6
    assert 'href="/courses/?sort=newest&amp;difficulty=beginner&amp;page=2" rel="next"' in first.content.decode()
    assert 'href="/courses/?sort=newest&amp;difficulty=beginner" rel="prev"' in second.content.decode()


def test_sorts(client: Client, db):
    published(title="B liked", rating_count=1000, rating_sum=4800, duration=20, published_at=THEN)
    published(title="A new", rating_count=1, rating_sum=5, duration=10)

    def order(sort: str) -> list[str]:
        return re.findall(r'course__title"><a [^>]+>([^<]+)', client.get(f"/courses/?sort={sort}").content.decode())

    assert order("rating") == ["B liked", "A new"]
    assert order("shortest") == ["A new", "B liked"]
    assert order("unknown") == order("relevance")


def test_the_list_of_orders_shows_the_one_that_is_meant(client: Client, shelf):
    def chosen(query: str) -> list[str]:
        page = client.get(f"/courses/{query}").content.decode()
        orders = re.search(r'<select [^>]*id="sort" name="sort" form="filter-form".*?</select>', page, re.DOTALL)[0]
        assert orders.count("<option") > 3
        return re.findall(r'value="(\w+)" selected', orders)

    assert chosen("?sort=rating&category=biology") == ["rating"]
    assert chosen("") == chosen("?sort=unknown")
    assert len(chosen("")) == 1


def test_chips_take_one_filter_away(client: Client, shelf):
    page = client.get("/courses/?category=biology&difficulty=advanced&q=premium").content.decode()

    assert 'href="/courses/?difficulty=advanced&amp;q=premium"' in page
    assert 'href="/courses/?category=biology&amp;q=premium"' in page
    assert '<a class="chip" href="/courses/?q=premium">Clear all</a>' in page


def test_nothing_found_offers_a_way_on(client: Client, shelf):
    page = client.get("/courses/", {"q": "quaternions"}).content.decode()

    assert "No results for “quaternions”" in page
    assert 'href="/courses/">Browse all courses' in page


def test_where_nothing_is_found_three_categories_and_three_courses_are_offered(client: Client, db):
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


def test_filters_stay_where_taking_one_away_shows_courses(client: Client, shelf):
    answer = client.get("/courses/?category=biology&length=long")

    assert titles(answer) == []
    assert {"Category", "Length"} <= set(facets(answer))
    assert titles(answer, "instead")


def test_a_facet_with_nothing_to_choose_is_left_out(client: Client, db):
    published(title="One", duration=3600)
    published(title="Two", difficulty="advanced", duration=3600)

    assert facets(client.get("/courses/")) == ["Difficulty"]
    # What was chosen can be taken back.
    assert facets(client.get("/courses/?length=short&availability=now")) == ["Difficulty", "Length", "Availability"]


def test_the_search_box_says_what_was_searched(client: Client, browser_of, leo, shelf):
    def boxes(browser: Client, query: str) -> list[str]:
        page = browser.get(f"/courses/{query}").content.decode()
        return re.findall(r'<input id="(?:mobile-|compact-)?q" name="q" [^>]*autocomplete="off"([^>]*)>', page)

    for browser in (client, browser_of(leo)):
        for _ in range(2):  # the second comes from what was kept of the first
            assert all('value="long &lt;b&gt; way"' in box for box in boxes(browser, "?q=long+%3Cb%3E+way"))
            plain = boxes(browser, "")
            assert len(plain) == 3
            assert not any("value" in box for box in plain)


@pytest.mark.database
def test_a_misspelled_search_shows_what_was_meant_and_says_so(client: Client, db, django_assert_max_num_queries):
    published(title="Linear algebra")
    CourseFactory(title="Secret")
    index_all()

    answer = client.get("/courses/", {"q": "lineer algbera"})

    page = answer.content.decode()
    assert titles(answer) == ["Linear algebra"]
    assert "Results for “linear algebra”" in page
    assert "No results for “lineer algbera”" in page
    assert 'value="lineer algbera"' in page
    # A word of a course that is not public is no word to be led to.
    assert "No results for “secrte”" in client.get("/courses/", {"q": "secrte"}).content.decode()
    with django_assert_max_num_queries(10):
        client.get("/courses/", {"q": "linaer agebra"})


def test_the_courses_of_an_instructor_have_a_page(client: Client, ada, shelf):
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


def test_the_filters_name_how_many_courses_they_show(client: Client, shelf):
    assert "Show 5 courses</span>" in client.get("/courses/").content.decode()
    assert "Show 1 course</span>" in client.get("/courses/?length=medium").content.decode()
    assert "No course fits</span>" in client.get("/courses/?category=biology&length=long").content.decode()


def test_a_learner_has_tabs_of_their_own(browser_of, leo, shelf):
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
    # What one holds is one's own: others see neither tab nor course.
    assert titles(Client().get("/courses/?filter=learning")) == titles(Client().get("/courses/"))


def test_costs_few_queries_however_many_courses(client: Client, browser_of, leo, django_assert_max_num_queries):
    CourseFactory.create_batch(10, status="published")
    with django_assert_max_num_queries(3):
        client.get("/courses/")
    with django_assert_max_num_queries(1):  # what nobody has changed since is only asked whether it holds
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
    with django_assert_max_num_queries(3):  # the whole catalogue is counted already
        client.get("/courses/?q=course&difficulty=beginner")
    with django_assert_max_num_queries(6):
        browser.get("/courses/?q=course")
    with django_assert_max_num_queries(4):
        browser.get("/courses/?q=course")
    with django_assert_max_num_queries(6):
        browser.get("/courses/?filter=learning")


def test_counts_follow_what_is_published_at_once(client: Client, sam, django_capture_on_commit_callbacks):
    course = published(title="Here today")
    assert count_of(client.get("/courses/")) == "1 course"

    with django_capture_on_commit_callbacks(execute=True):
        services.suspend_course(course=course, by=sam, reason="Under examination.", now=THEN)

    assert count_of(client.get("/courses/")) == "0 courses"


def test_a_browser_that_goes_back_does_not_tick_boxes_by_itself(client: Client, shelf):
    page = client.get("/courses/").content.decode()

    [form] = re.findall(r'<form id="filter-form"[^>]*>', page)
    assert 'autocomplete="off"' in form


def test_suggestions_are_options_that_lead_somewhere(client: Client, browser_of, leo, ada, django_assert_num_queries):
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
    with django_assert_num_queries(1):  # whether what is kept still holds
        browser.get("/search/suggestions?q=lak")
