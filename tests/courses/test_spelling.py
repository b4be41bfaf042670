"""Spelling correction in the search; the same assertions hold on both databases."""

import pytest

from apps.courses.queries.suggestions import suggest
from apps.courses.services.search import index_all
from apps.courses.spelling import corrections, nearest, vocabulary
from tests.factories.courses import CourseFactory, SubjectFactory


@pytest.fixture
def shelf(db, ada) -> None:
    physics = SubjectFactory(slug="physics", name="Physics")
    CourseFactory(status="published", title="Statistics for curious people", learner_count=5)
    CourseFactory(status="published", title="Waves and interference", subject=physics, instructor=ada)
    CourseFactory(status="published", title="Algèbre of waves there", learner_count=9)
    CourseFactory(status="draft", title="Clandestine wavez")
    CourseFactory(status="archived", title="Waves of the past")
    index_all()


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        pytest.param("wavse", "waves", id="swapped"),
        pytest.param("wves", "waves", id="left out"),
        pytest.param("waaves", "waves", id="added"),
        pytest.param("wades", "waves", id="replaced"),
        pytest.param("algebra", "algebre", id="accents are no mistake"),
        pytest.param("statsitisc", "statistics", id="two in a long word"),
    ],
)
def test_a_word_with_one_or_two_mistakes_is_corrected(shelf, word, meant):
    assert nearest(word) == [meant]


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("waevse", id="two in a short word"),
        pytest.param("wae", id="too short"),
        pytest.param("w4ves", id="not only letters"),
        pytest.param("clandestin", id="of a draft"),
        pytest.param("thre", id="too common to be found"),
        pytest.param("", id="empty"),
    ],
)
def test_a_word_with_too_many_mistakes_is_not_corrected(shelf, word):
    assert nearest(word) == []


def test_an_incomplete_last_word_is_corrected(shelf):
    assert nearest("interfre") == []
    assert nearest("interfre", is_prefix=True) == ["interference"]


def test_words_in_more_titles_rank_first_then_words_in_more_courses(db):
    for title in ("Rivers", "Rivets", "Rivers again", "Lines"):
        CourseFactory(status="published", title=title, outcomes=["Draw a line and a lime.", "See the lime."])
    CourseFactory(status="published", title="Waters", outcomes=["Tell a lime from a lint."])
    index_all()

    assert nearest("lins") == ["lines", "line", "lint"]
    assert nearest("lims") == ["lime"]
    assert nearest("limr") == ["lime"]
    assert nearest("line")[:3] == ["line", "lines", "lime"]
    assert nearest("rivers") == ["rivers", "rivets"]
    assert nearest("riverz") == ["rivers"]
    assert nearest("rivezs") == ["rivers", "rivets"]


def test_only_words_without_results_are_replaced(shelf):
    def is_known(word: str, is_prefix: bool) -> bool:
        return word in {"curious"}

    assert list(corrections("curious wavse", is_known)) == ["curious waves"]
    assert list(corrections("zzzz qqqq", is_known)) == []
    assert list(corrections("", is_known)) == []


def test_the_vocabulary_is_read_once(shelf, django_assert_num_queries):
    with django_assert_num_queries(1):
        vocabulary()
        nearest("waves")


def names(text: str) -> list[str]:
    found = suggest(text)
    return [one.name for part in found for one in part]


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        pytest.param("wav", ["Waves and interference", "Algèbre of waves there"], id="name that begins so first"),
        pytest.param("peo cur", ["Statistics for curious people"], id="every word begins one"),
        pytest.param("ALGEBRE", ["Algèbre of waves there"], id="case and accents"),
        pytest.param("phy", ["Physics"], id="category"),
        pytest.param("byr", ["Ada Byron"], id="instructor"),
        pytest.param("wavse interf", ["Waves and interference"], id="misspelled"),
        pytest.param("statsi", ["Statistics for curious people"], id="begun and misspelled"),
        pytest.param("w", [], id="one letter"),
        pytest.param("clandestine", [], id="a draft"),
        pytest.param("past", [], id="no longer available"),
        pytest.param('"><(', [], id="no words"),
    ],
)
def test_suggestions_match_the_typed_text(shelf, text, offered):
    assert names(text) == offered


def test_suggestions_are_few_and_ordered_by_enrollments(db):
    for count in range(9):
        CourseFactory(status="published", title=f"Map {count}", learner_count=count)

    assert names("map") == [f"Map {count}" for count in (8, 7, 6, 5, 4, 3)]
