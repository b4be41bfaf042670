"""The files of the demo library are complete, well-formed and consistent. These tests need no database."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

import studyplatform.demo
from apps.accounts.models import Role
from apps.courses.artwork import SUBJECTS
from apps.courses.models import Course, Lesson, Question
from studyplatform.demo.library import read_library
from studyplatform.kit.text import content
from studyplatform.kit.text.gaps import find_gaps, find_misplaced_gaps
from tests.cases import all_cases

CONTENT = Path(studyplatform.demo.__file__).parent / "content"
COURSES = sorted(folder.name for folder in (CONTENT / "courses").iterdir() if folder.is_dir())
PEOPLE_FILE = CONTENT / "people.yaml"

LEAST_WORDS = 300
SUMMARY_LIMIT = 220
TITLE_LIMIT = 120
DAYS_PER_LESSON = 2  # the most that the seeding gives a learner
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
IDS = re.compile(r"[a-z0-9]\Z")


@cache
def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def course_of(slug: str) -> dict[str, Any]:
    return load(CONTENT / "courses" / slug / "course.yaml")


def lessons_of(slug: str) -> list[dict[str, Any]]:
    return [lesson for section in course_of(slug)["sections"] for lesson in section["lessons"]]


def quizzes() -> Iterator[Path]:
    for slug in COURSES:
        yield from sorted((CONTENT / "courses" / slug).glob("*.quiz.yaml"))


def questions() -> Iterator[Any]:
    for path in quizzes():
        for question in load(path)["questions"]:
            yield path, question


def users() -> dict[str, dict[str, Any]]:
    return {person["email"]: person for person in load(PEOPLE_FILE)["people"]}


def activity() -> list[dict[str, Any]]:
    return load(PEOPLE_FILE)["activity"]


def test_the_library_has_the_documented_size():
    courses = [course_of(slug) for slug in COURSES]
    published = [course for course in courses if course["status"] == "published"]
    assert len(published) >= 12
    assert len({course["subject"] for course in published}) >= 9
    assert {course["difficulty"] for course in published} == set(Course.Difficulty.values)
    assert {course["pricing"] for course in published} == set(Course.Pricing.values)
    assert sum(course["status"] == "review" for course in courses) >= 1
    assert sum(course["status"] == "draft" and course["announced"] for course in courses) >= 1
    assert sum(course["status"] == "archived" for course in courses) >= 1


@all_cases("slug", COURSES)
def test_a_course_is_fully_described(slug: str):
    course = course_of(slug)
    assert SLUG.match(slug)
    assert 0 < len(course["title"]) <= TITLE_LIMIT
    assert 40 <= len(course["summary"]) <= SUMMARY_LIMIT
    assert course["subject"] in SUBJECTS
    assert course["difficulty"] in Course.Difficulty.values
    assert course["status"] in {"draft", "review", "published", "archived"}
    assert course["pricing"] in Course.Pricing.values
    assert course["language"] == "en"
    assert len(course["description"].split()) >= 50
    assert course["before_you_begin"].strip()
    assert 3 <= len(course["outcomes"]) <= 8
    assert isinstance(course["announced"], bool)
    assert isinstance(course["requires_order"], bool)
    assert (course.get("price", 0) > 0) is (course["pricing"] == "one_time"), "only a one-time course has a price"
    if course["status"] in {"published", "archived"}:
        assert course["published_days_ago"] > 0


@all_cases("slug", COURSES)
def test_a_course_refers_only_to_existing_users_and_courses(slug: str):
    course = course_of(slug)
    teacher = users()[course["instructor"]]
    assert teacher["role"] in {Role.INSTRUCTOR, Role.ADMIN}
    assert slug not in course["prerequisites"]
    for needed in course["prerequisites"]:
        assert needed in COURSES
        assert course_of(needed)["status"] in {"published", "archived"}
    for text in [course["description"], course["before_you_begin"]]:
        for linked in re.findall(r"\]\(/courses/([^)/]+)", text):
            assert linked in COURSES


def test_the_texts_of_a_course_have_no_line_breaks_within_paragraphs():
    """The studio shows them in a text field, where the line breaks of the file would be visible."""
    for course in read_library().courses:
        for text in (course.description, course.before_you_begin):
            assert not re.search(r"[a-z,]\n[a-z]", text), course.slug


@all_cases("slug", COURSES)
def test_every_listed_lesson_exists_and_nothing_is_unlisted(slug: str):
    folder = CONTENT / "courses" / slug
    lessons = lessons_of(slug)
    slugs = [lesson["slug"] for lesson in lessons]
    assert len(lessons) >= 5
    assert len(set(slugs)) == len(slugs)
    assert all(section["lessons"] for section in course_of(slug)["sections"])
    expected, allowed = {"course.yaml"}, set()
    for lesson in lessons:
        match lesson["kind"]:
            case "text":
                expected.add(f"{lesson['slug']}.md")
            case "quiz":
                expected.add(f"{lesson['slug']}.quiz.yaml")
            case "video":
                expected |= {f"{lesson['slug']}.mp4", f"{lesson['slug']}.en.vtt"}
                allowed.add(f"{lesson['slug']}.md")
            case "file":
                allowed |= {path.name for path in folder.glob(f"{lesson['slug']}.*")}
    present = {path.name for path in folder.iterdir()}
    assert expected - present == set(), "listed but missing"
    assert present - expected - allowed == set(), "there, but listed nowhere"


@all_cases("slug", COURSES)
def test_lessons_are_described(slug: str):
    course, lessons = course_of(slug), lessons_of(slug)
    assert all(0 < len(section["title"]) <= TITLE_LIMIT for section in course["sections"])
    assert lessons[0]["preview"] is True, "the first lesson is open to everyone"
    for lesson in lessons:
        assert SLUG.match(lesson["slug"])
        assert len(lesson["slug"]) <= 80
        assert 0 < len(lesson["title"]) <= TITLE_LIMIT
        assert lesson["kind"] in Lesson.Kind.values
        assert 0 < len(lesson["summary"]) <= SUMMARY_LIMIT
        if lesson["kind"] != "video":
            assert 1 <= lesson["minutes"] <= 15


@all_cases("slug", COURSES)
def test_text_lessons_are_long_enough(slug: str):
    for lesson in lessons_of(slug):
        if lesson["kind"] != "text":
            continue
        text = (CONTENT / "courses" / slug / f"{lesson['slug']}.md").read_text(encoding="utf-8")
        assert len(text.split()) >= LEAST_WORDS, lesson["slug"]
        assert not re.search(r"</?[a-z]+[ >/]", re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)), "raw HTML"
        words = re.sub(r"<math.*?</math>|<code.*?</code>", "", content.render(text, content.LESSON), flags=re.S)
        assert not re.search(r"\\[a-z(\[]|\$", words), "TeX that is no formula"
        assert not re.search(r"^# ", re.sub(r"```.*?```", "", text, flags=re.S), flags=re.M), "the title is the h1"


@all_cases("path", list(quizzes()))
def test_a_quiz_has_valid_rules_and_enough_questions(path: Path):
    quiz = load(path)
    assert 0 < quiz["pass_percent"] <= 100
    assert quiz["intro"].strip()
    assert 4 <= len(quiz["questions"]) <= 8
    prompts = [question["prompt"] for question in quiz["questions"]]
    assert len(set(prompts)) == len(prompts)


def single(question: dict[str, Any]) -> None:
    assert len(question["options"]) >= 2
    assert question["answer"] in question["options"]


def multiple(question: dict[str, Any]) -> None:
    right = question["answer"]
    assert len(set(right)) == len(right) >= 1
    assert set(right) < set(question["options"]), "something must be wrong to choose"


def truth(question: dict[str, Any]) -> None:
    assert isinstance(question["answer"], bool)


def numeric(question: dict[str, Any]) -> None:
    assert isinstance(question["answer"], int | float)
    assert question["tolerance"] >= 0
    assert len(question.get("unit", "")) <= 20
    for wrong in question.get("remarks", {}):
        assert wrong == str(float(wrong)), "the key is the wrong number as Python writes it"
        assert abs(float(wrong) - question["answer"]) > question["tolerance"], "a remark on a right answer"


def text(question: dict[str, Any]) -> None:
    accepted = question["accepted"]
    assert accepted
    assert all(isinstance(word, str) and word.strip() for word in accepted)


def ordering(question: dict[str, Any]) -> None:
    shown = list(question["options"])
    assert len(shown) >= 3
    assert sorted(question["answer"]) == sorted(shown)
    assert question["answer"] != shown, "shown in the right order already"


def matching(question: dict[str, Any]) -> None:
    left, right, pairs = question["left"], question["right"], question["pairs"]
    assert set(pairs) == set(left)
    assert sorted(pairs.values()) == sorted(right)
    assert [pairs[one] for one in left] != list(right), "shown side by side already"


def gaps(question: dict[str, Any]) -> None:
    assert sorted(find_gaps(question["prompt"])) == sorted(question["gaps"])
    assert not find_misplaced_gaps(question["prompt"], lambda text: content.render(text, content.PROMPT))
    for field in question["gaps"].values():
        assert len({"choices", "accepted", "answer"} & set(field)) == 1
        assert len(field.get("choices", "  ")) >= 2


def essay(question: dict[str, Any]) -> None:
    assert 50 <= question["limit"] <= 20_000


FORMS: dict[str, Callable[[dict[str, Any]], None]] = {
    "single": single, "multiple": multiple, "truth": truth, "numeric": numeric,
    "text": text, "ordering": ordering, "matching": matching, "gaps": gaps,
    "essay": essay,
}  # fmt: skip


def test_every_kind_of_question_has_a_check_and_is_used():
    used = {question["kind"] for path in quizzes() for question in load(path)["questions"]}
    assert set(FORMS) == set(Question.Kind.values) == used


@all_cases("path, question", questions())
def test_a_question_is_well_formed(path: Path, question: dict[str, Any]):
    FORMS[question["kind"]](question)
    assert question["prompt"].strip()
    assert len(question["explanation"].split()) >= 4
    for choices in [question.get("options", {}), question.get("left", {}), question.get("right", {})]:
        assert all(IDS.match(str(key)) for key in choices)
        assert all(isinstance(choice, str) and choice.strip() for choice in choices.values())
        assert len({choice.casefold() for choice in choices.values()}) == len(choices), "two lines say the same"
    if question["kind"] in {"single", "multiple"}:
        right = set(question["answer"]) if question["kind"] == "multiple" else {question["answer"]}
        assert set(question.get("remarks", {})) <= set(question["options"]) - right, "remarks are for wrong choices"
    if rewatch := question.get("rewatch"):
        lessons = {lesson["slug"]: lesson for lesson in lessons_of(path.parent.name)}
        assert rewatch["lesson"] in lessons
        if lessons[rewatch["lesson"]]["kind"] == "video":
            assert rewatch["at"] >= 0
        else:
            assert "at" not in rewatch, "a text has no minutes"


def test_users_are_complete_and_distinct():
    everyone = load(PEOPLE_FILE)["people"]
    assert [person["email"] for person in everyone[:3]] == [
        "student@example.com", "instructor@example.com", "admin@example.com",
    ]  # fmt: skip
    assert [person["role"] for person in everyone[:3]] == [Role.STUDENT, Role.INSTRUCTOR, Role.ADMIN]
    for key in ["email", "username"]:
        values = [person[key].lower() for person in everyone]
        assert len(set(values)) == len(values)
    for person in everyone:
        assert person["email"].endswith("@example.com"), "no address that could be somebody's"
        assert person["role"] in Role.values
        assert person["first_name"]
        assert person["last_name"]
        assert len(person["headline"]) <= 120
        assert len(person["bio"]) <= 300
        assert ZoneInfo(person["time_zone"])
        assert person["joined_days_ago"] > 0
        if person["role"] == Role.INSTRUCTOR:
            assert len(person["bio"].split()) >= 15


def test_every_instructor_has_a_course():
    teachers = {person["email"] for person in users().values() if person["role"] == Role.INSTRUCTOR}
    assert teachers == {course_of(slug)["instructor"] for slug in COURSES}


def test_activity_is_plausible():
    known, seen = {each.email: each for each in read_library().people}, set()
    for line in activity():
        person, course = known[line["email"]], course_of(line["course"])
        key = (line["email"], line["course"])
        assert key not in seen, f"{key} twice"
        seen.add(key)
        enrolled = {"percent_done", "lessons_done"} & set(line)
        assert len(enrolled) <= 1, key
        assert enrolled or line.get("bookmarked"), f"{key} does nothing"
        assert enrolled or "stars" not in line, f"{key} rates a course unseen"
        assert line["email"] != course["instructor"], f"{key} studies their own course"
        assert 0 <= line["days_ago"] <= person.joined_days_ago, f"{key} before they joined"
        if enrolled:
            assert course["status"] in {"published", "archived"}, key
            total = len(lessons_of(line["course"]))
            done = line.get("lessons_done", line.get("percent_done", 0) * total // 100)
            begun = line["days_ago"] + DAYS_PER_LESSON * (done + 1)
            assert begun < course["published_days_ago"], f"{key} before it opened"
            assert begun < person.joined_days_ago, f"{key} before they joined"
        assert 0 <= line.get("percent_done", 0) <= 100
        assert 0 <= line.get("lessons_done", 0) <= len(lessons_of(line["course"]))
        if "stars" in line:
            assert 1 <= line["stars"] <= 5
            assert line.get("percent_done", 0) or line.get("lessons_done", 0), f"{key} rates a course unopened"
        assert "stars" in line or "review" not in line
        assert len(line.get("review", "")) <= 2000


def test_reviews_are_all_different():
    reviews = [line["review"] for line in activity() if line.get("review")]
    assert len(set(reviews)) == len(reviews)


def test_every_open_course_has_learners_and_mixed_ratings():
    lines = activity()
    for slug in COURSES:
        course = course_of(slug)
        if course["status"] != "published":
            continue
        mine = [line for line in lines if line["course"] == slug]
        assert len([line for line in mine if "percent_done" in line or "lessons_done" in line]) >= 4, slug
        assert len([line for line in mine if line.get("review")]) >= 2, slug
    stars = [line["stars"] for line in lines if "stars" in line]
    assert sum(star < 5 for star in stars) >= len(stars) / 4
