"""The list of learners, the page of one, notes for staff, saved filters and the file."""

import csv
import re
from datetime import timedelta
from io import StringIO
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.courses.models import CoInstructor
from apps.learning import services
from apps.learning.analytics.counting import keep_rollups
from apps.learning.analytics.courses import scope_of
from apps.learning.analytics.filters import LearnerFilter
from apps.learning.analytics.learner import LEFT_SHOWN_FOR
from apps.learning.analytics.lists import count_learners, matching_learners
from apps.learning.models import MAX_SAVED_FILTERS, EnrollmentRollup, SavedFilter, SealedPaper, StaffNote
from tests.factories.accounts import UserFactory
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import CourseFactory, LessonFactory, QuizFactory
from tests.factories.learning import AttemptFactory, EnrollmentFactory, LessonProgressFactory
from tests.factories.topics import BoardFactory, make_topic
from tests.learning.quiz import make_quiz

pytestmark = pytest.mark.django_db

ADDRESS = "/dashboard/instructor/students/"
Risk = EnrollmentRollup.Risk


@pytest.fixture
def browser(browser_of, ada):
    return browser_of(ada)


@pytest.fixture
def now():
    return timezone.now()


def enroll(course, *, name="", days=1.0, enrolled=60.0, rollup=None, **facts):
    """Enroll somebody new who was active so many days ago; ``rollup``: what the job counted."""
    now = timezone.now()
    first, _, last = name.partition(" ")
    user = UserFactory(first_name=first, last_name=last) if name else UserFactory()
    seat = EnrollmentFactory(
        course=course,
        user=user,
        enrolled_at=now - timedelta(days=enrolled),
        last_activity_at=now - timedelta(days=days),
        **facts,
    )
    if rollup is not None:
        EnrollmentRollup.objects.create(enrollment=seat, **rollup)
    return seat


def names(course, ada, query="", **facts):
    """Whom a filter shows, in its order."""
    wanted = LearnerFilter.read(facts)
    rows = matching_learners(scope_of(ada, wanted.course), wanted, timezone.now())
    return [one.user.first_name for one in rows]


# The filter, without a database.


def test_a_filter_has_one_spelling_and_leaves_out_what_it_does_not_know():
    given = {"tab": "risk", "q": "  Ann\x00  Lee ", "least": "90", "most": "20", "seen": "8", "sort": "drop table"}
    wanted = LearnerFilter.read(given)
    assert wanted.query == "tab=risk&q=Ann+Lee&least=20&most=90"
    assert LearnerFilter.read(dict(one.split("=") for one in wanted.query.replace("+", " ").split("&"))) == wanted
    assert LearnerFilter.read({"least": "-3", "most": "1000", "tab": "x"}) == LearnerFilter()
    assert LearnerFilter().query == ""
    assert wanted.but(tab="all", q="") == "least=20&most=90"


# The list.


@pytest.fixture
def five(course):
    enroll(course, name="Amara Long", days=1, percent=42, rollup={"quiz_percent": 86, "seconds": 900})
    enroll(
        course, name="Émile Stone", days=12, percent=44, rollup={"risk": Risk.STUCK, "quiz_percent": 58, "seconds": 50}
    )
    enroll(course, name="Teo Marsh", days=40, percent=18, rollup={"risk": Risk.QUIET, "seconds": 7})
    enroll(course, name="Lotte Vale", days=0.1, enrolled=2)
    done = timezone.now() - timedelta(days=8)
    enroll(
        course, name="Okan Dale", days=8, percent=100, completed_at=done, rollup={"quiz_percent": 94, "seconds": 5_000}
    )
    return course


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({}, ["Lotte", "Amara", "Okan", "Émile", "Teo"]),
        ({"sort": "-seen"}, ["Teo", "Émile", "Okan", "Amara", "Lotte"]),
        ({"tab": "active"}, ["Lotte", "Amara", "Okan", "Émile"]),
        ({"tab": "new"}, ["Lotte"]),
        ({"tab": "risk"}, ["Émile", "Teo"]),
        ({"tab": "finished"}, ["Okan"]),
        ({"q": "emile"}, ["Émile"]),
        ({"q": "ma"}, ["Amara", "Teo"]),
        ({"q": "mar teo"}, ["Teo"]),
        ({"q": "Marsh, Teo"}, ["Teo"]),
        ({"seen": "7"}, ["Lotte", "Amara"]),
        ({"seen": "longer"}, ["Teo"]),
        ({"least": "40", "most": "50"}, ["Amara", "Émile"]),
        ({"risk": "quiet"}, ["Teo"]),
        ({"sort": "name"}, ["Amara", "Émile", "Lotte", "Okan", "Teo"]),
        ({"sort": "-name"}, ["Teo", "Okan", "Lotte", "Émile", "Amara"]),
        ({"sort": "progress"}, ["Lotte", "Teo", "Amara", "Émile", "Okan"]),
        ({"sort": "-quizzes", "least": "1"}, ["Okan", "Amara", "Émile", "Teo"]),
        ({"sort": "-time", "least": "1"}, ["Okan", "Amara", "Émile", "Teo"]),
        ({"sort": "time", "least": "1"}, ["Teo", "Émile", "Amara", "Okan"]),
    ],
)
def test_filters_and_orders(five, ada, given, shown):
    assert names(five, ada, **given) == shown


@pytest.mark.parametrize("searched", ["张三", "三张", "张 三", "张，三"])
def test_a_name_that_is_written_without_a_space_is_found(course, ada, searched):
    enroll(course, name="三 张")
    enroll(course, name="四 李")
    assert names(course, ada, q=searched) == ["三"]
    assert names(course, ada, q=",") == []


def test_names_in_small_letters_and_with_accents_stand_in_the_alphabet(course, ada):
    for name in ("Zoë", "ángel", "Anna", "Øyvind", "van", "Udo"):
        enroll(course, name=name)
    found = names(course, ada, sort="name")
    assert [one for one in found if one != "Øyvind"] == ["ángel", "Anna", "Udo", "van", "Zoë"]


def test_the_tabs_count_enrollments_and_the_heading_counts_people(five, ada, browser):
    other = CourseFactory(instructor=ada, status="published")
    twice = five.enrollments.get(user__first_name="Amara").user
    EnrollmentFactory(course=other, user=twice, last_activity_at=timezone.now())
    EnrollmentFactory(course=other, revoked_at=timezone.now())
    counts = count_learners(scope_of(ada), timezone.now())
    assert counts.by_tab == {"all": 6, "active": 5, "new": 1, "risk": 2, "finished": 1}
    assert (counts.people, counts.active_people) == (5, 4)
    assert counts.by_risk == {"quiet": 1, "stuck": 1, "failing": 0, "slow_start": 0}
    page = browser.get(ADDRESS).text
    assert "5 learners in 2 courses, 4 active in the last 30 days" in page


def test_the_page_shows_a_row_with_its_remark_and_says_when_nobody_matches(five, browser):
    page = browser.get(ADDRESS).text
    for said in (
        "Amara Long",
        "Stuck for",
        "Quiet for 40 days",
        "Started ",
        "Finished ",
        "No time in the last 30 days",
    ):
        assert said in page, said
    assert "No learner called “quentin” here" in browser.get(f"{ADDRESS}?q=quentin").text
    assert "No one matches these filters" in browser.get(f"{ADDRESS}?least=99&most=99").text
    assert browser.get(f"{ADDRESS}?risk=failing").text.count("Failing</p>") == 1


def test_without_courses_and_without_learners_it_says_what_will_come(browser_of, eve, ada, course, browser):
    assert "You have no course yet" in browser_of(eve).get(ADDRESS).text
    assert "No learners yet" in browser.get(ADDRESS).text


def test_the_list_costs_the_same_with_many_rows(browser, ada, course, django_assert_max_num_queries):
    for number in range(60):
        enroll(course, name=f"Person {number}", rollup={"risk": Risk.STUCK})
    keep_rollups(now=timezone.now())
    browser.get(ADDRESS)
    with django_assert_max_num_queries(15):
        assert "1 to 25 of 60" in browser.get(ADDRESS).text
    assert "51 to 60 of 60" in browser.get(f"{ADDRESS}?page=99").text


def test_names_without_a_space_and_words_without_letters(course, ada):
    enroll(course, name="太郎 山田")
    enroll(course, name="Zoë Vale")
    for text in ("山田太郎", "太郎山田", "山田", "山田 太郎"):
        assert names(course, ada, q=text) == ["太郎"], text
    assert names(course, ada, q="zoe \u0308") == ["Zoë"]
    for text in ("\u0308", "\u00ad \u0308"):
        assert names(course, ada, q=text) == []


# Who reads what.


def test_nobody_reads_learners_of_other_courses(browser_of, browser, ada, eve, leo, enrollment, course):
    other = browser_of(eve)
    theirs = CourseFactory(instructor=eve, status="published")
    both = EnrollmentFactory(course=theirs, user=leo)
    for query in ("", f"?course={theirs.slug}", "?q=ma", f"?course={course.slug}&course={theirs.slug}"):
        page = other.get(f"{ADDRESS}{query}").text
        assert page.count('class="learners__person"') == 1
        assert course.title not in page
    assert other.get(f"{ADDRESS}?course={course.slug}").status_code in {302, 403, 404}
    page = other.get(f"{ADDRESS}{leo.uid}").text
    assert theirs.title in page
    assert course.title not in page
    both.delete()
    assert other.get(f"{ADDRESS}{leo.uid}").status_code == 404
    assert browser.get(f"{ADDRESS}{leo.uid}").status_code == 200
    assert browser_of(leo).get(f"{ADDRESS}{leo.uid}").status_code == 302


def test_a_co_instructor_reads_with_view_writes_with_teach_and_loses_both(browser_of, course, enrollment, leo):
    seat = CoInstructorFactory(course=course, role=CoInstructor.Role.VIEW)
    browser = browser_of(seat.user)
    address = f"{ADDRESS}{leo.uid}"
    page = browser.get(address).text
    assert "Leo Marsh" in page
    assert "Notes for staff" not in page
    assert "exceptions/grant" not in page
    told = {"text": "Prefers mornings", "key": uuid4()}
    assert browser.post(f"{address}/notes", told).status_code in {302, 403}
    assert not StaffNote.objects.exists()

    CoInstructor.objects.filter(pk=seat.pk).update(role=CoInstructor.Role.TEACH)
    assert browser.post(f"{address}/notes", told).status_code == 302
    assert "Prefers mornings" in browser.get(address).text
    assert 'href="/dashboard/instructor/exceptions/"' in browser.get(ADDRESS).text

    CoInstructor.objects.filter(pk=seat.pk).update(removed_at=timezone.now())
    assert browser.get(address).status_code == 404
    browser.post(f"{address}/notes", {"text": "More", "key": uuid4()})
    assert StaffNote.objects.count() == 1
    assert "Leo Marsh" not in browser.get(ADDRESS).text
    assert "Leo" not in b"".join(browser.get(f"{ADDRESS}export").streaming_content).decode()


def test_an_admin_reads_any_course_by_its_address(browser_of, sam, course, enrollment, leo):
    browser = browser_of(sam)
    assert "Leo Marsh" not in browser.get(ADDRESS).text
    assert "Leo Marsh" in browser.get(f"{ADDRESS}?course={course.slug}").text
    assert browser.get(f"{ADDRESS}{leo.uid}").status_code == 404
    address = f"{ADDRESS}{leo.uid}?course={course.slug}"
    page = browser.get(address).text
    assert "Leo Marsh" in page
    assert set(re.findall(r"next=([^&\"]+)", page)) == {quote(address)}
    make_quiz(course, time_limit=600)
    act = services.Act(by=sam, learners=[enrollment.uid], key=uuid4(), reason="Dyslexia")
    services.grant_extra_time(act, quiz=None, minutes=5, now=timezone.now())
    refused = browser.post(f"{ADDRESS}{leo.uid}/notes?course={course.slug}", {"text": " "}).text
    assert f'name="next" value="{address}"' in refused


# The page of a learner.


@pytest.fixture
def studied(course, enrollment, leo, now):
    """Leo completed a lesson, is in another one, failed a quiz twice, and asked something."""
    first = LessonFactory(section__course=course, title="Springs")
    LessonProgressFactory(enrollment=enrollment, lesson=first, completed_at=now)
    quiz = QuizFactory(lesson__section__course=course, lesson__kind="quiz", lesson__title="Check yourself")
    stored = {
        "uid": str(uuid4()), "kind": "text", "prompt": "Where do rivers end?", "verdict": "wrong", "earned": "0",
        "points": 1, "lines": [], "given": "In <b>lakes</b>", "accepted": "In the sea", "explanation": "",
        "remarks": [], "rewatch": None,
    }  # fmt: skip
    for number in (1, 2):
        AttemptFactory(
            enrollment=enrollment, quiz=quiz, number=number, started_at=now - timedelta(minutes=9), submitted_at=now,
            percent=40, results=[stored],
        )  # fmt: skip
    AttemptFactory(enrollment=enrollment, quiz=quiz, number=3)
    return quiz


def test_the_page_of_a_learner_shows_where_they_stand(browser, studied, leo, course, enrollment):
    rollup = {"risk": Risk.FAILING, "risk_lesson": studied.lesson, "quiz_percent": 40, "seconds": 3_600}
    EnrollmentRollup.objects.create(enrollment=enrollment, **rollup)
    page = browser.get(f"{ADDRESS}{leo.uid}").text
    assert "Check yourself" in page
    assert "No attempt at" in page
    assert page.count("Not passed") == 2, "an open attempt has no result"
    assert "about=failing" in page
    attempt = studied.attempts.get(number=1)
    answers = browser.get(f"{ADDRESS}{leo.uid}/attempts/{attempt.uid}").text
    assert "Where do rivers end?" in answers
    assert "A device stored questions of this quiz" not in answers
    SealedPaper.objects.create(
        enrollment=enrollment, quiz=studied, sealed_at=attempt.started_at - timedelta(days=1), pass_percent=70,
        time_limit=0, usual_time_limit=0,
    )  # fmt: skip
    again = browser.get(f"{ADDRESS}{leo.uid}/attempts/{attempt.uid}").text
    assert "A device stored questions of this quiz" in again
    assert "In &lt;b&gt;lakes&lt;/b&gt;" in answers
    still_open = studied.attempts.get(number=3)
    assert browser.get(f"{ADDRESS}{leo.uid}/attempts/{still_open.uid}").status_code == 404


def test_an_attempt_of_another_learner_or_course_is_not_found(browser, studied, leo, ada, course, now):
    other = EnrollmentFactory(course=course)
    theirs = AttemptFactory(enrollment=other, quiz=studied, submitted_at=now)
    foreign = AttemptFactory(enrollment=EnrollmentFactory(user=leo), submitted_at=now)
    for attempt in (theirs, foreign):
        assert browser.get(f"{ADDRESS}{leo.uid}/attempts/{attempt.uid}").status_code == 404


def test_the_page_costs_few_queries_with_much_work(
    browser, ada, leo, course, enrollment, studied, django_assert_max_num_queries
):
    for number in range(3):
        other = CourseFactory(instructor=ada, status="published")
        seat = EnrollmentFactory(course=other, user=leo)
        for _ in range(5):
            LessonProgressFactory(enrollment=seat, lesson=LessonFactory(section__course=other))
        StaffNote.objects.create(
            learner=leo, course=other, author=ada, text=f"Note {number}", created_at=timezone.now()
        )
    browser.get(f"{ADDRESS}{leo.uid}")
    with django_assert_max_num_queries(15):
        browser.get(f"{ADDRESS}{leo.uid}")


def test_somebody_who_left_stays_for_a_while_and_a_deleted_account_is_gone(browser, leo, enrollment, now):
    enrollment.revoke(now=now - LEFT_SHOWN_FOR + timedelta(hours=1))
    page = browser.get(f"{ADDRESS}{leo.uid}").text
    assert "Leo Marsh left" in page
    assert "exceptions/grant" not in page
    assert "Leo Marsh" not in browser.get(ADDRESS).text
    enrollment.revoke(now=now - LEFT_SHOWN_FOR - timedelta(hours=1))
    assert browser.get(f"{ADDRESS}{leo.uid}").status_code == 404
    enrollment.restore(now=now)
    leo.deleted_at = now
    leo.save()
    assert browser.get(f"{ADDRESS}{leo.uid}").status_code == 404


def test_questions_of_other_courses_are_not_shown(browser, leo, enrollment, course):
    board = BoardFactory(course=course)
    make_topic(author=leo, board=board, kind="question", title="Why is the delta wide?")
    make_topic(author=leo, kind="question", title="Where do I find the exit?")
    page = browser.get(f"{ADDRESS}{leo.uid}").text
    assert "Why is the delta wide?" in page
    assert "Where do I find the exit?" not in page


def test_the_email_is_shown_of_those_who_share_it(browser, browser_of, leo, enrollment):
    address = f"{ADDRESS}{leo.uid}"
    assert leo.email not in browser.get(address).text
    assert leo.email not in exported(browser)[1]
    own = browser_of(leo)
    assert own.post("/settings/privacy", {"shares_email": "on"}).status_code == 302
    assert leo.email in browser.get(address).text
    assert leo.email in exported(browser)[1]
    own.post("/settings/privacy", {})
    assert leo.email not in browser.get(address).text


# Notes for staff.


def test_a_note_is_written_once_read_by_teachers_and_deleted_by_its_author(
    browser, browser_of, leo, ada, course, enrollment
):
    address, key = f"{ADDRESS}{leo.uid}", uuid4()
    for _ in range(2):
        browser.post(f"{address}/notes", {"text": "New job since mid-February", "key": key})
    note = StaffNote.objects.get()
    assert (note.author, note.learner, note.course) == (ada, leo, course)
    colleague = CoInstructorFactory(course=course, role=CoInstructor.Role.TEACH)
    other = browser_of(colleague.user)
    assert "New job since mid-February" in other.get(address).text
    other.post(f"{address}/notes/{note.uid}")
    assert StaffNote.objects.exists(), "another's note"
    browser.post(f"{address}/notes/{note.uid}")
    assert not StaffNote.objects.exists()
    browser.post(f"{address}/notes/{note.uid}")


def test_a_refused_note_stays_in_the_form(browser, leo, enrollment):
    answer = browser.post(f"{ADDRESS}{leo.uid}/notes", {"text": "x" * 2_001})
    assert answer.status_code == 400
    assert "x" * 2_001 in answer.text
    assert 'data-error="STAFF_NOTE_TOO_LONG"' in answer.text
    assert browser.post(f"{ADDRESS}{leo.uid}/notes", {"text": " \n\u200b"}).status_code == 400
    assert not StaffNote.objects.exists()


def test_the_same_form_with_another_text_course_or_reader_is_another_note(
    browser, browser_of, leo, ada, course, enrollment
):
    other = CourseFactory(instructor=ada, status="published")
    EnrollmentFactory(user=leo, course=other)
    key = uuid4()

    def add(text, course=course, browser=browser):
        told = {"text": text, "course": course.slug, "key": key}
        assert browser.post(f"{ADDRESS}{leo.uid}/notes", told).status_code == 302

    for _ in range(2):
        add("One")
        add("Two")
    add("One", other)
    add("One", browser=browser_of(CoInstructorFactory(course=course, role=CoInstructor.Role.TEACH).user))
    assert sorted(StaffNote.objects.values_list("text", flat=True)) == ["One", "One", "One", "Two"]


def test_a_key_of_a_note_that_cannot_be_read_is_replaced(browser, leo, enrollment):
    answer = browser.post(f"{ADDRESS}{leo.uid}/notes", {"text": " ", "key": "zz"})
    assert UUID(re.search(r'name="key" value="([^"]*)"', answer.text)[1])


def test_all_notes_can_be_read_and_there_is_a_limit_to_writing_them(browser, leo, course, enrollment, settings, now):
    about = {"learner": leo, "course": course, "created_at": now}
    StaffNote.objects.bulk_create(StaffNote(text=f"note {number} x", **about) for number in range(11))
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "staff-note": (1, 60)}
    for number in (11, 12):
        answer = browser.post(f"{ADDRESS}{leo.uid}/notes", {"text": f"note {number} x", "key": uuid4()})
    assert answer.status_code == 429
    assert "note 12 x" in answer.text, "what was refused stays in the form"
    first, second = (browser.get(f"{ADDRESS}{leo.uid}?notes={page}").text for page in (1, 2))
    shown = [[f"note {number} x" in page for number in range(12)] for page in (first, second)]
    assert shown == [[False] * 2 + [True] * 10, [True] * 2 + [False] * 10]
    assert "?notes=2#notes" in first


# Saved filters.


def test_a_filter_is_saved_renamed_and_deleted(browser, ada, course):
    save = {"name": "Stuck in rivers", "query": "tab=risk&risk=stuck&unknown=1"}
    assert browser.post(f"{ADDRESS}filters", save).headers["Location"] == f"{ADDRESS}?tab=risk&risk=stuck"
    browser.post(f"{ADDRESS}filters", save)
    one = SavedFilter.objects.get()
    assert (one.user, one.query) == (ada, "tab=risk&risk=stuck")
    assert "Stuck in rivers" in browser.get(ADDRESS).text
    browser.post(f"{ADDRESS}filters", {"filter": one.uid, "name": "Rivers", "query": ""})
    assert SavedFilter.objects.get().name == "Rivers"
    browser.post(f"{ADDRESS}filters/delete", {"filter": one.uid, "query": ""})
    assert not SavedFilter.objects.exists()


def test_names_of_filters_are_one_each_and_there_are_few(browser, browser_of, ada, eve):
    browser.post(f"{ADDRESS}filters", {"name": "Rivers", "query": "tab=new"})
    browser.post(f"{ADDRESS}filters", {"name": "RIVERS", "query": "tab=risk"})
    browser.post(f"{ADDRESS}filters", {"name": " \u200b", "query": "tab=risk"})
    browser.post(f"{ADDRESS}filters", {"name": "x" * 61, "query": "tab=risk"})
    assert SavedFilter.objects.count() == 1
    for number in range(MAX_SAVED_FILTERS + 2):
        browser.post(f"{ADDRESS}filters", {"name": f"Filter {number}", "query": "tab=new"})
    assert SavedFilter.objects.count() == MAX_SAVED_FILTERS
    one = SavedFilter.objects.get(name="Rivers")
    other = browser_of(eve)
    other.post(f"{ADDRESS}filters", {"filter": one.uid, "name": "Mine"})
    other.post(f"{ADDRESS}filters/delete", {"filter": one.uid})
    assert SavedFilter.objects.filter(name="Rivers").exists()


def test_a_refused_name_stays_in_its_field(browser, ada, course):
    for name in ("Rivers", "Springs"):
        browser.post(f"{ADDRESS}filters", {"name": name, "query": "tab=new"})
    one = SavedFilter.objects.get(name="Springs")
    for given, label in (({}, "Save this filter as"), ({"filter": one.uid}, "New name")):
        answer = browser.post(f"{ADDRESS}filters", {**given, "name": "RIVERS", "query": "tab=risk"}, follow=True)
        [field] = re.findall(r'<input[^>]*value="RIVERS"[^>]*>', answer.text)
        assert label in answer.text[answer.text.index(field) - 80 :][: len(field) + 80]
        assert "RIVERS" not in browser.get(f"{ADDRESS}?tab=risk").text


# The file.


def exported(browser, query=""):
    """The rows of the file, and its text."""
    text = b"".join(browser.get(f"{ADDRESS}export{query}").streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(StringIO(text))), text


def test_the_file_has_what_the_filter_shows_or_what_is_selected(browser, five):
    rows, _text = exported(browser)
    assert [one["Name"] for one in rows] == ["Lotte Vale", "Amara Long", "Okan Dale", "Émile Stone", "Teo Marsh"]
    assert rows[1]["Quizzes, percent"] == "86"
    assert [one["Name"] for one in exported(browser, "?tab=risk&sort=name&q=teo")[0]] == ["Teo Marsh"]
    chosen = five.enrollments.get(user__first_name="Okan").uid
    foreign = EnrollmentFactory().uid
    query = f"?learner={chosen}&learner={foreign}&learner=nonsense&tab=risk"
    assert [one["Name"] for one in exported(browser, query)[0]] == ["Okan Dale"]
    assert len(exported(browser, f"?learner={chosen}&all=1&tab=risk")[0]) == 2
    assert exported(browser, "?learner=nonsense")[0] == []


def test_names_that_spreadsheets_would_run_are_harmless(browser, course):
    enroll(course, name="=HYPERLINK(1) +2")
    [row] = exported(browser)[0]
    assert row["Name"].startswith("'=")


# Exceptions for many.


def test_an_exception_is_offered_for_those_selected_and_for_all_of_a_filter(browser, ada, five):
    many = "/dashboard/instructor/exceptions/many"
    page = browser.get(f"{many}?kind=time&all=1&tab=risk").text
    assert page.count('name="learner"') == 2
    chosen, foreign = five.enrollments.get(user__first_name="Okan").uid, EnrollmentFactory().uid
    assert browser.get(f"{many}?kind=time&learner={chosen}&learner={foreign}").text.count('name="learner"') == 1
    for nobody in (f"&learner={foreign}", ""):
        assert browser.get(f"{many}?kind=time{nobody}").status_code == 302
    assert browser.get(f"{many}?kind=gifts&all=1").status_code == 404
    EnrollmentFactory(course=CourseFactory(instructor=ada, status="published"))
    assert browser.get(f"{many}?kind=time&all=1").status_code == 200
    refused = browser.get(f"{many}?kind=attempts&all=1&next={ADDRESS}", follow=True)
    assert "Choose learners of one course" in refused.text


def test_teachers_only(browser_of, leo, mia):
    assert browser_of(mia).get(f"{ADDRESS}export").status_code == 302
    user = UserFactory(role=Role.INSTRUCTOR)
    assert exported(browser_of(user))[0] == []
