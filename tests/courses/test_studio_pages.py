"""The authoring pages: who gets in, what the forms do, what they cost."""

import re
from datetime import UTC, datetime

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse

from apps.courses.models import Course, Lesson, Question
from apps.courses.services import media
from tests.factories.courses import (
    CourseFactory,
    LessonFactory,
    QuestionFactory,
    QuizFactory,
    SectionFactory,
    SubjectFactory,
)
from tests.factories.files import CaptionFactory, VideoFactory

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)


@pytest.fixture
def course(ada):
    """A draft of Ada's with two sections: texts, a video and a quiz."""
    course = CourseFactory(instructor=ada, slug="rivers", title="Rivers")
    first, second = SectionFactory(course=course), SectionFactory(course=course)
    LessonFactory(section=first, slug="source", title="The source")
    LessonFactory(section=first, slug="fall", title="The fall", kind="video")
    QuizFactory(lesson=LessonFactory(section=second, slug="check", title="Check", kind="quiz"))
    LessonFactory(section=second, slug="sheet", title="Sheet", kind="file")
    return course


@pytest.fixture
def as_ada(browser_of, ada):
    return browser_of(ada)


def at(name, *parts):
    return reverse(f"courses:studio-{name}", args=parts)


def addresses(course):
    """Every address of one course, as (method, address)."""
    section, quiz = course.sections.first(), course.lessons.get(slug="check").quiz
    question = quiz.questions.first() or QuestionFactory(quiz=quiz)
    lesson, asked = (course.slug, "source"), (course.slug, "check", question.uid)
    return [
        ("get", at("edit", course.slug)),
        ("post", at("edit", course.slug)),
        ("post", at("step", course.slug)),
        ("get", at("delete", course.slug)),
        ("post", at("delete", course.slug)),
        ("get", at("lectures", course.slug)),
        ("post", at("order", course.slug)),
        ("post", at("section-add", course.slug)),
        ("post", at("section-rename", course.slug, section.uid)),
        ("post", at("section-move", course.slug, section.uid)),
        ("get", at("section-delete", course.slug, section.uid)),
        ("post", at("section-delete", course.slug, section.uid)),
        ("post", at("lesson-add", course.slug)),
        ("get", at("lesson", *lesson)),
        ("post", at("lesson", *lesson)),
        ("post", at("lesson-move", *lesson)),
        ("get", at("lesson-delete", *lesson)),
        ("post", at("lesson-delete", *lesson)),
        ("post", at("video", course.slug, "fall")),
        ("post", at("captions", course.slug, "fall")),
        ("post", at("file", course.slug, "sheet")),
        ("post", at("quiz", course.slug, "check")),
        ("get", at("question-new", course.slug, "check")),
        ("post", at("question-new", course.slug, "check")),
        ("get", at("question", *asked)),
        ("post", at("question", *asked)),
        ("post", at("question-move", *asked)),
        ("post", at("question-copy", *asked)),
        ("get", at("question-delete", *asked)),
        ("post", at("question-delete", *asked)),
    ]


SENT = {"title": "Taken over", "step": "submit", "to": "down", "kind": "text", "required": "1", "prompt": "x"}


def state_of(course):
    """Everything a stranger could have changed."""
    fresh = Course.objects.get(pk=course.pk)
    return (
        fresh.title,
        fresh.status,
        fresh.version,
        list(course.lessons.order_by("pk").values_list("title", "number", "slug")),
        list(Question.objects.order_by("pk").values_list("prompt", "position")),
    )


@pytest.mark.parametrize("who", ["eve", "leo", "nobody"])
def test_strangers_see_and_change_nothing(course, browser_of, client, eve, leo, who):
    doors, before = addresses(course), state_of(course)
    browser = client if who == "nobody" else browser_of({"eve": eve, "leo": leo}[who])

    for method, address in doors:
        response = getattr(browser, method)(address, SENT)
        if who == "nobody":
            assert response.status_code == 302, address
            assert response["Location"].startswith("/auth/login?next="), address
        else:
            assert (response.status_code, response["Location"]) == (302, "/"), address

    assert state_of(course) == before


def test_a_foreign_draft_looks_like_none_at_all(course, browser_of, eve):
    browser = browser_of(eve)

    foreign, none = browser.get(at("edit", course.slug)), browser.get(at("edit", "no-such-course"))

    assert (foreign.status_code, foreign["Location"]) == (none.status_code, none["Location"])


def test_an_admin_reads_and_writes_every_course(course, browser_of, sam):
    for method, address in addresses(course):
        if method == "get":
            assert browser_of(sam).get(address).status_code == 200, address


@pytest.mark.parametrize("name", ["list", "new"])
def test_only_those_who_teach_have_a_studio(name, browser_of, client, ada, leo):
    assert browser_of(ada).get(at(name)).status_code == 200
    assert browser_of(leo).get(at(name))["Location"] == "/"
    assert client.get(at(name))["Location"].startswith("/auth/login")


def test_a_new_course_leads_to_its_lectures(as_ada, ada):
    response = as_ada.post(
        at("new"),
        {
            "title": "Probability Without Tricks",
            "subject": SubjectFactory(slug="statistics").pk,
            "difficulty": "beginner",
            "language": "en",
            "outcomes": ["Count carefully.", "", "Read a test."],
        },
    )

    course = Course.objects.get(instructor=ada)
    assert response["Location"] == at("lectures", course.slug)
    assert course.outcomes == ["Count carefully.", "Read a test."]


def test_says_what_is_missing_and_keeps_what_was_typed(as_ada):
    response = as_ada.post(at("new"), {"title": "", "summary": "Kept words", "outcomes": ["Kept line"]})

    page = response.content.decode()
    assert response.status_code == 200
    assert "data-errors" in page
    assert 'href="#id_title"' in page
    assert "Kept words" in page
    assert "Kept line" in page
    assert not Course.objects.exists()


def test_a_one_time_price_is_named_in_dollars_and_kept_in_cents(as_ada, course):
    sent = {
        "title": "Rivers",
        "subject": course.subject.pk,
        "difficulty": "advanced",
        "language": "en",
        "pricing": "one_time",
        "plate_variant": "2",
    }
    assert "Enter a price" in as_ada.post(at("edit", course.slug), sent).content.decode()

    as_ada.post(at("edit", course.slug), sent | {"price": "29.50"})

    course.refresh_from_db()
    assert (course.price, course.difficulty, course.plate_variant) == (2950, "advanced", 2)

    # The field is out of sight for a free course: what stands in it stops nobody.
    as_ada.post(at("edit", course.slug), sent | {"pricing": "free", "price": "abc"})

    course.refresh_from_db()
    assert (course.pricing, course.price) == ("free", 0)


def test_the_studio_asks_for_a_price_and_for_knowledge_in_words_that_fit(as_ada, course):
    page = as_ada.get(at("edit", course.slug)).content.decode()

    assert re.search(r'<section class="wiz__sec offer".*<div class="offer__price">.*Price in US dollars', page, re.S)
    assert "arithmetic" not in page


def test_markup_in_titles_is_shown_and_not_run(as_ada, course):
    Course.objects.filter(pk=course.pk).update(title="<script>alert(1)</script>")
    Lesson.objects.filter(course=course).update(title='"><img src=x onerror=alert(1)>')

    for address in (at("edit", course.slug), at("lectures", course.slug), at("list")):
        page = as_ada.get(address).content.decode()
        assert "<script>alert(1)" not in page
        assert "<img src=x" not in page


def test_no_page_carries_inline_styles_or_handlers(as_ada, course):
    for method, address in addresses(course):
        if method == "get":
            page = as_ada.get(address).content.decode()
            assert not re.search(r"<[^>]+\s(style|on\w+)=", page), address


def test_submitting_names_what_is_missing_and_stays(as_ada, course):
    response = as_ada.post(at("step", course.slug), {"step": "submit"}, follow=True)

    assert "Before you can submit the course" in response.content.decode()
    course.refresh_from_db()
    assert course.status == "draft"


def test_a_ready_course_is_submitted_and_withdrawn(as_ada, ada):
    course = LessonFactory(section__course__instructor=ada).course

    as_ada.post(at("step", course.slug), {"step": "submit", "note": "Please"})
    course.refresh_from_db()
    assert course.status == "review"

    as_ada.post(at("step", course.slug), {"step": "withdraw"})
    course.refresh_from_db()
    assert course.status == "draft"


def test_a_step_that_does_not_exist_changes_nothing(as_ada, course):
    as_ada.post(at("step", course.slug), {"step": "approve"})

    course.refresh_from_db()
    assert course.status == "draft"


def test_deleting_asks_first(as_ada, course):
    assert "Keep it" in as_ada.get(at("delete", course.slug)).content.decode()
    assert Course.objects.filter(pk=course.pk).exists()

    as_ada.post(at("delete", course.slug))

    assert not Course.objects.filter(pk=course.pk).exists()


def test_a_new_section_has_the_focus_on_its_title(as_ada, course):
    answer = as_ada.post(at("section-add", course.slug), {"title": "The delta"})

    target = answer.url.partition("#")[2]
    page = as_ada.get(answer.url).content.decode()
    # A fragment that can have the focus gets it; a summary can.
    heading = re.search(rf'<summary id="{target}".*?</summary>', page, re.DOTALL)
    assert heading is not None
    assert "The delta" in heading[0]


def test_lessons_are_added_moved_and_moved_back(as_ada, course):
    section = course.sections.get(position=1)
    as_ada.post(at("lesson-add", course.slug), {"section": section.uid, "kind": "text", "title": "The mouth"})
    assert course.lessons.get(title="The mouth").number == "1.3"

    as_ada.post(at("lesson-move", course.slug, "the-mouth"), {"to": "up"})
    assert course.lessons.get(title="The mouth").number == "1.2"

    page = as_ada.get(at("lectures", course.slug)).content.decode()
    assert "Moved 1.3 to 1.2." in page
    as_ada.post(at("lesson-move", course.slug, "the-mouth"), {"undo": "1", "section": section.uid, "to": "3"})
    assert course.lessons.get(title="The mouth").number == "1.3"
    assert "Moved" not in as_ada.get(at("lectures", course.slug)).content.decode()


def test_a_lesson_moves_over_the_edge_of_its_section(as_ada, course):
    as_ada.post(at("lesson-move", course.slug, "fall"), {"to": "down"})
    assert course.lessons.get(slug="fall").number == "2.1"

    as_ada.post(at("lesson-move", course.slug, "fall"), {"to": "up"})
    assert course.lessons.get(slug="fall").number == "1.2"


def test_a_lesson_is_not_moved_into_somebody_elses_section(as_ada, course):
    foreign = SectionFactory()

    as_ada.post(at("lesson-move", course.slug, "fall"), {"section": foreign.uid, "to": "1"})

    assert course.lessons.get(slug="fall").number == "1.2"
    assert not foreign.lessons.exists()


@pytest.mark.parametrize("to", ["", "sideways", "-1", "99999999", "²"])
def test_a_move_to_nowhere_is_refused(as_ada, course, to):
    assert as_ada.post(at("lesson-move", course.slug, "fall"), {"to": to}).status_code == 302

    assert course.lessons.get(slug="fall").number == "1.2"


def test_sections_are_renamed_moved_and_deleted(as_ada, course):
    first = course.sections.get(position=1)
    as_ada.post(at("section-rename", course.slug, first.uid), {"title": "Up in the hills"})
    as_ada.post(at("section-move", course.slug, first.uid), {"to": "down"})

    first.refresh_from_db()
    assert (first.title, first.position) == ("Up in the hills", 2)
    assert course.lessons.get(slug="source").number == "2.1"

    as_ada.post(at("section-delete", course.slug, first.uid))
    assert course.sections.count() == 1


def test_text_is_previewed_without_being_saved(as_ada, course):
    sent = {"title": "The source", "body": "# Springs\n\n<script>alert(1)</script>", "preview": "1"}

    page = as_ada.post(at("lesson", course.slug, "source"), sent).content.decode()

    assert "<h2>Springs</h2>" in page
    assert "<script>alert(1)" not in page
    assert course.lessons.get(slug="source").body == "Words to read."


def test_a_lesson_is_saved(as_ada, course):
    as_ada.post(at("lesson", course.slug, "source"), {"title": "Springs", "body": "word " * 400, "is_preview": "on"})

    lesson = course.lessons.get(slug="source")
    assert (lesson.title, lesson.duration, lesson.is_preview) == ("Springs", 120, True)


def test_a_lesson_of_another_course_is_not_found_here(as_ada, course, ada):
    other = LessonFactory(section__course__instructor=ada, slug="elsewhere")

    assert as_ada.get(at("lesson", course.slug, other.slug)).status_code == 404
    assert as_ada.get(at("question-new", course.slug, "source")).status_code == 404


def test_ones_own_video_is_shown_and_a_foreign_one_is_not(as_ada, course, ada, eve):
    own, foreign = VideoFactory(owner=ada), VideoFactory(owner=eve)

    as_ada.post(at("video", course.slug, "fall"), {"video": own.uid})
    assert course.lessons.get(slug="fall").video == own
    as_ada.post(at("video", course.slug, "fall"), {"video": foreign.uid})
    as_ada.post(at("video", course.slug, "fall"), {"video": "not-a-uuid"})
    assert course.lessons.get(slug="fall").video == own
    page = as_ada.get(at("lesson", course.slug, "fall")).content.decode()
    assert own.filename in page
    assert foreign.filename not in page

    as_ada.post(at("video", course.slug, "fall"), {"video": ""})
    assert course.lessons.get(slug="fall").video is None


def test_captions_are_added_and_removed(as_ada, course, ada):
    video = VideoFactory(owner=ada)
    course.lessons.filter(slug="fall").update(video=video)
    srt = SimpleUploadedFile("words.srt", b"1\n00:00:01,000 --> 00:00:03,000\nWater <i>falls</i>.\n")

    as_ada.post(at("captions", course.slug, "fall"), {"language": "de", "file": srt})
    assert video.captions.get().label == "German"
    response = as_ada.post(
        at("captions", course.slug, "fall"),
        {"language": "en", "file": SimpleUploadedFile("x.srt", b"nothing")},
        headers={"referer": at("lesson", course.slug, "fall")},
        follow=True,
    )
    assert "Captions must be" in response.content.decode()

    as_ada.post(at("captions", course.slug, "fall"), {"remove": "de"})
    assert not video.captions.exists()


SINGLE = {
    "kind": "single",
    "prompt": "Which way does water flow?",
    "points": "2",
    "line": ["Up", "Down", ""],
    "line_id": ["", "", ""],
    "remark": ["Only in fountains.", "", ""],
    "right": ["1"],
    "explanation": "Gravity.",
}


def test_a_question_is_written_changed_moved_copied_and_deleted(as_ada, course):
    quiz = course.lessons.get(slug="check").quiz
    as_ada.post(at("question-new", course.slug, "check"), SINGLE)
    question = quiz.questions.get()
    assert (question.answer, question.points, question.remarks) == ({"id": "b"}, 2, {"a": "Only in fountains."})

    page = as_ada.get(at("question", course.slug, "check", question.uid)).content.decode()
    assert 'value="Down"' in page
    changed = SINGLE | {"line": ["Up", "Downhill"], "line_id": ["a", "b"], "remark": ["", ""], "points": "1"}
    as_ada.post(at("question", course.slug, "check", question.uid), changed)
    question.refresh_from_db()
    assert question.options[1] == {"id": "b", "text": "Downhill"}

    as_ada.post(at("question-copy", course.slug, "check", question.uid))
    as_ada.post(at("question-move", course.slug, "check", question.uid), {"to": "down"})
    question.refresh_from_db()
    assert question.position == 2

    as_ada.post(at("question-delete", course.slug, "check", question.uid))
    assert quiz.questions.count() == 1


def test_an_incomplete_question_says_so_and_keeps_what_was_typed(as_ada, course):
    page = as_ada.post(
        at("question-new", course.slug, "check"), {k: v for k, v in SINGLE.items() if k != "right"}
    ).content.decode()

    assert "Select the correct answer." in page
    assert "Only in fountains." in page
    assert not Question.objects.exists()


@pytest.mark.parametrize("button", ["more", "rekind"])
def test_more_lines_and_another_kind_save_nothing(as_ada, course, button):
    sent = SINGLE | {"kind": "ordering", button: "1"}

    page = as_ada.post(at("question-new", course.slug, "check"), sent).content.decode()

    assert "Correct order" in page
    assert 'value="Down"' in page
    assert not Question.objects.exists()


@pytest.mark.parametrize("kind", Question.Kind.values)
def test_every_kind_has_its_form(as_ada, course, kind):
    response = as_ada.get(at("question-new", course.slug, "check") + f"?kind={kind}")

    assert response.status_code == 200
    assert "Save question" in response.content.decode()


def test_an_unknown_kind_has_none(as_ada, course):
    assert as_ada.get(at("question-new", course.slug, "check") + "?kind=essay").status_code == 400


def test_the_rules_of_a_quiz_are_saved(as_ada, course):
    rules = {"pass_percent": "80", "max_attempts": "3", "minutes": "10", "reveal": "never", "wait": "5"}
    as_ada.post(at("quiz", course.slug, "check"), rules)

    quiz = course.lessons.get(slug="check").quiz
    assert (quiz.pass_percent, quiz.max_attempts, quiz.time_limit) == (80, 3, 600)
    assert (quiz.reveal, quiz.retry_wait) == ("never", 300)
    page = as_ada.get(at("lesson", course.slug, "check")).content.decode()
    assert '<option value="never" selected>Never</option>' in page
    page = as_ada.post(at("quiz", course.slug, "check"), {"pass_percent": "101"}).content.decode()
    assert "data-errors" in page


def test_under_review_the_forms_are_locked_and_posts_refused(as_ada, course):
    Course.objects.filter(pk=course.pk).update(status="review")
    before = state_of(course)

    for method, address in addresses(course)[7:]:
        if method == "post":
            as_ada.post(address, SENT | SINGLE | {"title": "Taken over"})

    assert state_of(course)[:4] == before[:4]
    assert "fieldset" in as_ada.get(at("edit", course.slug)).content.decode()


@pytest.mark.parametrize("status", Course.Status.values)
def test_every_status_has_its_page(as_ada, course, status):
    Course.objects.filter(pk=course.pk).update(status=status, published_at=NOW)

    for address in (at("edit", course.slug), at("lectures", course.slug), at("lesson", course.slug, "check")):
        assert as_ada.get(address).status_code == 200, address


def test_the_list_is_paged_filtered_and_costs_the_same_with_many(as_ada, ada, django_assert_max_num_queries):
    CourseFactory.create_batch(45, instructor=ada)
    CourseFactory(instructor=ada, status="published", title="Needle")

    with django_assert_max_num_queries(8):
        page = as_ada.get(at("list")).content.decode()
    assert page.count('class="course-cell"') == 20
    assert "Needle" in as_ada.get(at("list") + "?status=published").content.decode()
    assert as_ada.get(at("list") + "?q=needle").content.decode().count('class="course-cell"') == 1
    assert as_ada.get(at("list") + "?page=3").content.decode().count('class="course-cell"') == 6
    assert as_ada.get(at("list") + "?page=nonsense&status=%00").status_code == 200


@pytest.mark.parametrize(
    ("state", "is_going"), [({}, False), ({"stage": "audio"}, True), ({"stage": "uploading"}, True)]
)
def test_the_outline_marks_what_is_still_being_made(course, as_ada, ada, state, is_going):
    Lesson.objects.filter(slug="fall").update(video=VideoFactory(owner=ada, **state))

    page = as_ada.get(at("lectures", course.slug)).content.decode()

    assert bool(re.search(r'<li id="l-fall"[^>]* data-processing', page)) is is_going
    assert page.count("data-processing") == is_going
    assert "data-checks" in page
    assert "data-ready" in page


def test_a_suspended_course_says_what_its_instructor_can_do(course, as_ada, settings):
    Course.objects.filter(pk=course.pk).update(status="suspended")

    page = as_ada.get(at("edit", course.slug)).content.decode()

    assert f"email {settings.SUPPORT_EMAIL}" in page


def test_the_outline_costs_the_same_with_130_lessons(as_ada, ada, django_assert_max_num_queries):
    course = CourseFactory(instructor=ada)
    for _ in range(5):
        section = SectionFactory(course=course)
        for _ in range(26):
            lesson = LessonFactory(section=section, kind="video", video=VideoFactory(owner=ada))
    CaptionFactory(video=lesson.video)

    with django_assert_max_num_queries(13):
        response = as_ada.get(at("lectures", course.slug))

    assert response.content.decode().count('class="lesson__no"') == 130
    with django_assert_max_num_queries(18):
        as_ada.get(at("lesson", course.slug, lesson.slug))


@pytest.mark.database
def test_a_note_that_the_database_refuses_is_refused_like_any_other(as_ada, course):
    Course.objects.filter(pk=course.pk).update(status="published", published_at=NOW)
    before = state_of(course)

    answer = as_ada.post(at("step", course.slug), {"step": "archive", "note": "a\0b"})

    assert answer.status_code == 302
    if connection.vendor == "postgresql":
        assert state_of(course) == before


def test_a_draft_is_announced_stays_so_and_is_taken_back(as_ada, course, client):
    address = at("edit", course.slug)
    details = {
        "title": course.title,
        "summary": course.summary,
        "subject": course.subject.pk,
        "difficulty": course.difficulty,
        "language": course.language,
        "pricing": course.pricing,
        "outcomes": course.outcomes,
    }
    switch = re.compile(r'name="is_announced"( checked)?>')
    for wanted in (True, False):
        assert as_ada.post(address, {**details, **({"is_announced": "on"} if wanted else {})}).status_code == 302
        assert bool(switch.search(as_ada.get(address).content.decode())[1]) == wanted
        assert ("Coming Soon" in client.get(f"/courses/{course.slug}").content.decode()) == wanted


def test_a_lesson_names_others_in_its_form(as_ada, course):
    source, check = course.lessons.get(slug="source"), course.lessons.get(slug="check")
    texts = {"title": "Check", "summary": "", "body": ""}
    page = at("lesson", course.slug, "check")
    as_ada.post(page, texts | {"prerequisites": [str(source.uid)]})
    assert list(check.prerequisites.all()) == [source]

    shown = as_ada.get(page).content.decode()
    assert re.search(rf'value="{source.uid}" checked', shown)
    other = as_ada.get(at("lesson", course.slug, "source")).content.decode()
    assert "Waiting for this lesson: 2.1." in other
    assert f'value="{check.uid}"' not in other.split('id="panel"')[1]  # it could never open
    assert "Lessons that wait for it will open without it: 2.1." in as_ada.get(
        at("lesson-delete", course.slug, "source")
    ).content.decode().replace("&#39;", "'")

    refused = as_ada.post(at("lesson", course.slug, "source"), {"title": "Source", "prerequisites": [str(check.uid)]})
    assert "already waits for this one" in refused.content.decode()
    as_ada.post(page, texts)
    assert not check.prerequisites.exists()


def test_the_studio_says_when_a_lesson_is_complete(as_ada, course):
    said = {
        "source": "not before a fast reader could have read it",
        "fall": "watching 90% of the video",
        "check": "by passing the quiz",
        "sheet": "downloading the file",
    }
    for slug, words in said.items():
        assert words in as_ada.get(at("lesson", course.slug, slug)).content.decode()


def test_captions_are_read_before_anything_is_locked(as_ada, course, ada, monkeypatch):
    video = VideoFactory(owner=ada)
    course.lessons.filter(slug="fall").update(kind="video", video=video)
    depths, read = [], media.files.parse_captions
    usual = len(connection.savepoint_ids)

    def noted(raw):
        depths.append(len(connection.savepoint_ids))
        return read(raw)

    monkeypatch.setattr(media.files, "parse_captions", noted)
    srt = SimpleUploadedFile("fall.srt", b"1\n00:00:01,000 --> 00:00:02,000\nHi\n")
    as_ada.post(at("captions", course.slug, "fall"), {"language": "de", "file": srt})

    assert video.captions.exists()
    assert depths == [usual]
