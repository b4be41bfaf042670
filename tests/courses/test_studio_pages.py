"""The authoring pages: permissions, forms and numbers of queries."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from apps.courses.models import Course, Lesson, Question
from apps.courses.services import media
from apps.files import services as files
from apps.files.models import CaptionDraft
from studyplatform.kit.errors import NotFound
from studyplatform.kit.models import Job
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
    """Ada's draft with two sections: texts, a video and a quiz."""
    course = CourseFactory(instructor=ada, slug="rivers", title="Rivers")
    first, second = SectionFactory(course=course), SectionFactory(course=course)
    LessonFactory(section=first, slug="source", title="The source")
    LessonFactory(section=first, slug="fall", title="The fall", kind="video")
    QuizFactory(lesson=LessonFactory(section=second, slug="check", title="Check", kind="quiz"))
    LessonFactory(section=second, slug="sheet", title="Sheet", kind="file")
    return course


@pytest.fixture
def adas_browser(browser_of, ada):
    return browser_of(ada)


def address_of(name, *parts):
    return reverse(f"courses:studio-{name}", args=parts)


def addresses(course):
    """Return every address of the course, as (method, address)."""
    section, quiz = course.sections.first(), course.lessons.get(slug="check").quiz
    question = quiz.questions.first() or QuestionFactory(quiz=quiz)
    lesson, asked = (course.slug, "source"), (course.slug, "check", question.uid)
    return [
        ("get", address_of("edit", course.slug)),
        ("post", address_of("edit", course.slug)),
        ("post", address_of("step", course.slug)),
        ("get", address_of("delete", course.slug)),
        ("post", address_of("delete", course.slug)),
        ("get", address_of("lectures", course.slug)),
        ("post", address_of("order", course.slug)),
        ("post", address_of("section-add", course.slug)),
        ("post", address_of("section-rename", course.slug, section.uid)),
        ("post", address_of("section-move", course.slug, section.uid)),
        ("get", address_of("section-delete", course.slug, section.uid)),
        ("post", address_of("section-delete", course.slug, section.uid)),
        ("post", address_of("lesson-add", course.slug)),
        ("get", address_of("lesson", *lesson)),
        ("post", address_of("lesson", *lesson)),
        ("post", address_of("lesson-move", *lesson)),
        ("get", address_of("lesson-delete", *lesson)),
        ("post", address_of("lesson-delete", *lesson)),
        ("post", address_of("video", course.slug, "fall")),
        ("post", address_of("captions", course.slug, "fall")),
        ("post", address_of("chapters", course.slug, "fall")),
        ("post", address_of("file", course.slug, "sheet")),
        ("post", address_of("quiz", course.slug, "check")),
        ("get", address_of("question-new", course.slug, "check")),
        ("post", address_of("question-new", course.slug, "check")),
        ("get", address_of("question", *asked)),
        ("post", address_of("question", *asked)),
        ("post", address_of("question-move", *asked)),
        ("post", address_of("question-copy", *asked)),
        ("get", address_of("question-delete", *asked)),
        ("post", address_of("question-delete", *asked)),
    ]


SENT = {"title": "Taken over", "step": "submit", "to": "down", "kind": "text", "required": "1", "prompt": "x"}


def state_of(course):
    """Return everything that a stranger could have changed."""
    fresh = Course.objects.get(pk=course.pk)
    return (
        fresh.title,
        fresh.status,
        fresh.version,
        list(course.lessons.order_by("pk").values_list("title", "number", "slug")),
        list(Question.objects.order_by("pk").values_list("prompt", "position")),
    )


@pytest.mark.parametrize("user_name", ["eve", "leo", "nobody"])
def test_strangers_cannot_see_or_change_a_course(course, browser_of, client, eve, leo, user_name):
    doors, before = addresses(course), state_of(course)
    browser = client if user_name == "nobody" else browser_of({"eve": eve, "leo": leo}[user_name])

    for method, address in doors:
        response = getattr(browser, method)(address, SENT)
        if user_name == "nobody":
            assert response.status_code == 302, address
            assert response["Location"].startswith("/auth/login?next="), address
        else:
            assert (response.status_code, response["Location"]) == (302, "/"), address

    assert state_of(course) == before


def test_another_instructors_draft_looks_like_a_missing_course(course, browser_of, eve):
    browser = browser_of(eve)

    foreign, none = browser.get(address_of("edit", course.slug)), browser.get(address_of("edit", "no-such-course"))

    assert (foreign.status_code, foreign["Location"]) == (none.status_code, none["Location"])


def test_an_admin_reads_and_edits_every_course(course, browser_of, sam):
    for method, address in addresses(course):
        if method == "get":
            assert browser_of(sam).get(address).status_code == 200, address


@pytest.mark.parametrize("name", ["list", "new"])
def test_only_instructors_have_a_studio(name, browser_of, client, ada, leo):
    assert browser_of(ada).get(address_of(name)).status_code == 200
    assert browser_of(leo).get(address_of(name))["Location"] == "/"
    assert client.get(address_of(name))["Location"].startswith("/auth/login")


def test_creating_a_course_leads_to_its_lessons(adas_browser, ada):
    response = adas_browser.post(
        address_of("new"),
        {
            "title": "Probability Without Tricks",
            "subject": SubjectFactory(slug="statistics").pk,
            "difficulty": "beginner",
            "language": "en",
            "outcomes": ["Count carefully.", "", "Read a test."],
        },
    )

    course = Course.objects.get(instructor=ada)
    assert response["Location"] == address_of("lectures", course.slug)
    assert course.outcomes == ["Count carefully.", "Read a test."]


def test_an_incomplete_form_lists_errors_and_preserves_the_input(adas_browser):
    response = adas_browser.post(address_of("new"), {"title": "", "summary": "Kept words", "outcomes": ["Kept line"]})

    page = response.content.decode()
    assert response.status_code == 200
    assert "data-errors" in page
    assert 'href="#id_title"' in page
    assert "Kept words" in page
    assert "Kept line" in page
    assert 'data-island="wizard"' not in page  # it would show what is saved instead
    assert not Course.objects.exists()


def test_lines_for_outcomes_are_added_without_saving(adas_browser, course):
    page = address_of("edit", course.slug)
    lines = [f"Outcome {number}" for number in range(4)]
    shown = adas_browser.post(page, {"title": "Half a ti", "outcomes": lines, "more": "1"}).content.decode()

    assert shown.count('name="outcomes"') == 5
    assert 'data-island="wizard"' not in shown
    assert 'data-island="wizard"' in adas_browser.get(page).content.decode()
    assert 'value="Half a ti"' in shown
    assert "Outcome 3" in shown
    course.refresh_from_db()
    assert course.title != "Half a ti"
    full = adas_browser.post(page, {"outcomes": ["x"] * 11, "more": "1"}).content.decode()
    assert (full.count('name="outcomes"'), 'name="more"' in full) == (12, False)


def test_a_price_is_entered_in_dollars_and_stored_in_cents(adas_browser, course):
    sent = {
        "title": "Rivers",
        "subject": course.subject.pk,
        "difficulty": "advanced",
        "language": "en",
        "pricing": "one_time",
        "plate_variant": "2",
    }
    assert "Enter a price" in adas_browser.post(address_of("edit", course.slug), sent).content.decode()

    adas_browser.post(address_of("edit", course.slug), sent | {"price": "29.50"})

    course.refresh_from_db()
    assert (course.price, course.difficulty, course.plate_variant) == (2950, "advanced", 2)

    # The field is hidden for a free course, so its content cannot cause an error.
    adas_browser.post(address_of("edit", course.slug), sent | {"pricing": "free", "price": "abc"})

    course.refresh_from_db()
    assert (course.pricing, course.price) == ("free", 0)


def test_the_price_field_names_the_currency(adas_browser, course):
    page = adas_browser.get(address_of("edit", course.slug)).content.decode()

    assert re.search(r'<section class="wiz__sec offer".*<div class="offer__price">.*Price in US dollars', page, re.S)
    assert "arithmetic" not in page


def test_markup_in_titles_is_escaped(adas_browser, course):
    Course.objects.filter(pk=course.pk).update(title="<script>alert(1)</script>")
    Lesson.objects.filter(course=course).update(title='"><img src=x onerror=alert(1)>')

    for address in (address_of("edit", course.slug), address_of("lectures", course.slug), address_of("list")):
        page = adas_browser.get(address).content.decode()
        assert "<script>alert(1)" not in page
        assert "<img src=x" not in page


def test_no_page_has_inline_styles_or_handlers(adas_browser, course):
    for method, address in addresses(course):
        if method == "get":
            page = adas_browser.get(address).content.decode()
            assert not re.search(r"<[^>]+\s(style|on\w+)=", page), address


def test_submitting_an_incomplete_course_lists_what_is_missing(adas_browser, course):
    response = adas_browser.post(address_of("step", course.slug), {"step": "submit"}, follow=True)

    assert "Before you can submit the course" in response.content.decode()
    course.refresh_from_db()
    assert course.status == "draft"


def test_an_instructor_submits_and_withdraws_a_ready_course(adas_browser, ada):
    course = LessonFactory(section__course__instructor=ada).course

    adas_browser.post(address_of("step", course.slug), {"step": "submit", "note": "Please"})
    course.refresh_from_db()
    assert course.status == "review"

    adas_browser.post(address_of("step", course.slug), {"step": "withdraw"})
    course.refresh_from_db()
    assert course.status == "draft"


def test_an_unknown_step_changes_nothing(adas_browser, course):
    adas_browser.post(address_of("step", course.slug), {"step": "approve"})

    course.refresh_from_db()
    assert course.status == "draft"


def test_deleting_requires_confirmation(adas_browser, course):
    assert "Keep it" in adas_browser.get(address_of("delete", course.slug)).content.decode()
    assert Course.objects.filter(pk=course.pk).exists()

    adas_browser.post(address_of("delete", course.slug))

    assert not Course.objects.filter(pk=course.pk).exists()


def test_a_new_section_receives_the_focus(adas_browser, course):
    answer = adas_browser.post(address_of("section-add", course.slug), {"title": "The delta"})

    target = answer.url.partition("#")[2]
    page = adas_browser.get(answer.url).content.decode()
    # The browser focuses the element in the fragment if it is focusable; a summary is.
    heading = re.search(rf'<summary id="{target}".*?</summary>', page, re.DOTALL)
    assert heading is not None
    assert "The delta" in heading[0]


def test_an_instructor_adds_lessons_and_moves_them_back_and_forth(adas_browser, course):
    section = course.sections.get(position=1)
    adas_browser.post(
        address_of("lesson-add", course.slug), {"section": section.uid, "kind": "text", "title": "The mouth"}
    )
    assert course.lessons.get(title="The mouth").number == "1.3"

    adas_browser.post(address_of("lesson-move", course.slug, "the-mouth"), {"to": "up"})
    assert course.lessons.get(title="The mouth").number == "1.2"

    page = adas_browser.get(address_of("lectures", course.slug)).content.decode()
    assert "Moved 1.3 to 1.2." in page
    undo = re.search(r'action="([^"]+/undo)" role="status"', page)
    assert undo is not None
    page = adas_browser.post(undo[1], follow=True).content.decode()
    assert course.lessons.get(title="The mouth").number == "1.3"
    assert "The change was undone." in page
    assert "Moved" not in page


def test_a_deleted_lesson_and_section_come_back_from_the_list_of_changes(adas_browser, course):
    count = course.lessons.count()
    section = course.sections.get(position=1)
    adas_browser.post(address_of("lesson-delete", course.slug, course.lessons.get(number="2.1").slug))
    adas_browser.post(address_of("section-delete", course.slug, section.uid))
    assert course.sections.count() == 1

    page = adas_browser.get(address_of("lectures", course.slug)).content.decode()
    undos = re.findall(r'action="([^"]+/undo)"(?! role)', page)
    assert len(undos) == 2
    for undo in undos:
        adas_browser.post(undo)
    assert course.lessons.count() == count
    assert course.lessons.filter(number__startswith="1.").count() == section.lessons.count()


def test_a_lesson_moves_to_the_next_section(adas_browser, course):
    adas_browser.post(address_of("lesson-move", course.slug, "fall"), {"to": "down"})
    assert course.lessons.get(slug="fall").number == "2.1"

    adas_browser.post(address_of("lesson-move", course.slug, "fall"), {"to": "up"})
    assert course.lessons.get(slug="fall").number == "1.2"


def test_a_lesson_cannot_move_to_another_users_section(adas_browser, course):
    foreign = SectionFactory()

    adas_browser.post(address_of("lesson-move", course.slug, "fall"), {"section": foreign.uid, "to": "1"})

    assert course.lessons.get(slug="fall").number == "1.2"
    assert not foreign.lessons.exists()


@pytest.mark.parametrize("to", ["", "sideways", "-1", "99999999", "²"])
def test_an_invalid_move_is_refused(adas_browser, course, to):
    assert adas_browser.post(address_of("lesson-move", course.slug, "fall"), {"to": to}).status_code == 302

    assert course.lessons.get(slug="fall").number == "1.2"


def test_an_instructor_renames_moves_and_deletes_sections(adas_browser, course):
    first = course.sections.get(position=1)
    adas_browser.post(address_of("section-rename", course.slug, first.uid), {"title": "Up in the hills"})
    adas_browser.post(address_of("section-move", course.slug, first.uid), {"to": "down"})

    first.refresh_from_db()
    assert (first.title, first.position) == ("Up in the hills", 2)
    assert course.lessons.get(slug="source").number == "2.1"

    adas_browser.post(address_of("section-delete", course.slug, first.uid))
    assert course.sections.count() == 1


def test_previewing_a_text_does_not_save_it(adas_browser, course):
    sent = {"title": "The source", "body": "# Springs\n\n<script>alert(1)</script>", "preview": "1"}

    page = adas_browser.post(address_of("lesson", course.slug, "source"), sent).content.decode()

    assert "<h2>Springs</h2>" in page
    assert "<script>alert(1)" not in page
    assert course.lessons.get(slug="source").body == "Words to read."


def test_an_instructor_saves_a_lesson(adas_browser, course):
    adas_browser.post(
        address_of("lesson", course.slug, "source"), {"title": "Springs", "body": "word " * 400, "is_preview": "on"}
    )

    lesson = course.lessons.get(slug="source")
    assert (lesson.title, lesson.duration, lesson.is_preview) == ("Springs", 120, True)


def test_a_lesson_of_another_course_is_not_found(adas_browser, course, ada):
    other = LessonFactory(section__course__instructor=ada, slug="elsewhere")

    assert adas_browser.get(address_of("lesson", course.slug, other.slug)).status_code == 404
    assert adas_browser.get(address_of("question-new", course.slug, "source")).status_code == 404


def test_an_instructor_can_attach_only_their_own_videos(adas_browser, course, ada, eve):
    own, foreign = VideoFactory(owner=ada), VideoFactory(owner=eve)

    adas_browser.post(address_of("video", course.slug, "fall"), {"video": own.uid})
    assert course.lessons.get(slug="fall").video == own
    adas_browser.post(address_of("video", course.slug, "fall"), {"video": foreign.uid})
    adas_browser.post(address_of("video", course.slug, "fall"), {"video": "not-a-uuid"})
    assert course.lessons.get(slug="fall").video == own
    page = adas_browser.get(address_of("lesson", course.slug, "fall")).content.decode()
    assert own.filename in page
    assert foreign.filename not in page

    adas_browser.post(address_of("video", course.slug, "fall"), {"video": ""})
    assert course.lessons.get(slug="fall").video is None


def test_an_instructor_adds_and_removes_captions(adas_browser, course, ada):
    video = VideoFactory(owner=ada)
    course.lessons.filter(slug="fall").update(video=video)
    srt = SimpleUploadedFile("words.srt", b"1\n00:00:01,000 --> 00:00:03,000\nWater <i>falls</i>.\n")

    adas_browser.post(address_of("captions", course.slug, "fall"), {"language": "de", "file": srt})
    assert video.captions.get().label == "German"
    response = adas_browser.post(
        address_of("captions", course.slug, "fall"),
        {"language": "en", "file": SimpleUploadedFile("x.srt", b"nothing")},
        headers={"referer": address_of("lesson", course.slug, "fall")},
        follow=True,
    )
    assert "Captions must be" in response.content.decode()

    adas_browser.post(address_of("captions", course.slug, "fall"), {"remove": "de"})
    assert not video.captions.exists()


def test_the_page_of_captions_lists_what_was_changed(adas_browser, course, ada, eve, browser_of):
    video = VideoFactory(owner=ada)
    course.lessons.filter(slug="fall").update(video=video)
    srt = (
        "1\n00:00:05,000 --> 00:00:02,000\n\u05e9\u05dc\u05d5\u05dd <script>alert(1)</script>\n\n"
        "2\n00:00:01,000 --> 00:00:02,000\n<font color=red>x</font>\nsecond line\n"
    )
    sent = SimpleUploadedFile("words.srt", srt.encode())

    answer = adas_browser.post(address_of("captions", course.slug, "fall"), {"language": "he", "file": sent})
    track = video.captions.get()
    assert answer.url == address_of("caption-track", course.slug, "fall", track.uid)
    page = adas_browser.get(answer.url).content.decode()

    for words in ("Read as SubRip (SRT), Unicode (UTF-8).", "Unusable time replaced", "Sorted by time", 'dir="auto"'):
        assert words in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert(1)" not in page
    assert "x\nsecond line" in page
    download = adas_browser.get(answer.url + "?download=1")
    assert download.content.decode() == track.webvtt
    assert "attachment" in download["Content-Disposition"]
    assert browser_of(eve).get(answer.url).url == "/"  # not her course


def test_an_author_confirms_the_encoding_of_captions(adas_browser, course, ada, eve, browser_of):
    video = VideoFactory(owner=ada)
    course.lessons.filter(slug="fall").update(video=video)
    raw = "1\n00:00:01,000 --> 00:00:02,000\nПривет, мир\n".encode("cp1251")
    sent = {"language": "ru", "file": SimpleUploadedFile("words.srt", raw)}

    answer = adas_browser.post(address_of("captions", course.slug, "fall"), sent)
    draft = CaptionDraft.objects.get()
    assert answer.url == address_of("caption-draft", course.slug, "fall", draft.uid)
    assert not video.captions.exists()  # until somebody has looked
    assert browser_of(eve).get(answer.url).url == "/"  # not her course
    page = adas_browser.get(answer.url).content.decode()
    assert "Привет, мир" in page
    assert 'value="cp1251" selected' in page
    assert "Џриўет" not in page
    assert "оПХБЕР" in adas_browser.get(answer.url + "?encoding=koi8-r").content.decode()
    assert "can't be read" in adas_browser.get(answer.url + "?encoding=utf-16-le").content.decode()

    adas_browser.post(answer.url, {"encoding": "cp1251"})
    track = video.captions.get()
    assert (track.language, track.label, track.source_encoding) == ("ru", "Russian", "cp1251")
    assert "Привет, мир" in track.webvtt
    assert adas_browser.get(answer.url).status_code == 404

    sent["file"].seek(0)
    again = adas_browser.post(address_of("captions", course.slug, "fall"), sent).url
    adas_browser.post(again, {"discard": "1"})
    assert not CaptionDraft.objects.exists()


def test_caption_drafts_expire(adas_browser, course, ada):
    video = VideoFactory(owner=ada)
    course.lessons.filter(slug="fall").update(video=video)
    raw = "1\n00:00:01,000 --> 00:00:02,000\nпривет\n".encode("cp1251")
    later = timezone.now() + timedelta(hours=25)
    sent = {"language": "ru", "file": SimpleUploadedFile("words.srt", raw)}
    address = adas_browser.post(address_of("captions", course.slug, "fall"), sent).url

    assert Job.objects.filter(kind="files.delete_caption_drafts").exists()
    with pytest.raises(NotFound):
        files.caption_draft(video=video, by=ada, uid=CaptionDraft.objects.get().uid, now=later)
    assert adas_browser.get(address).status_code == 200
    assert files.delete_expired_caption_drafts(now=later) == 1


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


def test_an_instructor_adds_edits_moves_copies_and_deletes_a_question(adas_browser, course):
    quiz = course.lessons.get(slug="check").quiz
    adas_browser.post(address_of("question-new", course.slug, "check"), SINGLE)
    question = quiz.questions.get()
    assert (question.answer, question.points, question.remarks) == ({"id": "b"}, 2, {"a": "Only in fountains."})

    page = adas_browser.get(address_of("question", course.slug, "check", question.uid)).content.decode()
    assert ">\nDown<" in page
    changed = SINGLE | {"line": ["Up", "Downhill"], "line_id": ["a", "b"], "remark": ["", ""], "points": "1"}
    adas_browser.post(address_of("question", course.slug, "check", question.uid), changed)
    question.refresh_from_db()
    assert question.options[1] == {"id": "b", "text": "Downhill"}

    adas_browser.post(address_of("question-copy", course.slug, "check", question.uid))
    adas_browser.post(address_of("question-move", course.slug, "check", question.uid), {"to": "down"})
    question.refresh_from_db()
    assert question.position == 2

    adas_browser.post(address_of("question-delete", course.slug, "check", question.uid))
    assert quiz.questions.count() == 1


def test_an_incomplete_question_shows_an_error_and_preserves_the_input(adas_browser, course):
    page = adas_browser.post(
        address_of("question-new", course.slug, "check"), {k: v for k, v in SINGLE.items() if k != "right"}
    ).content.decode()

    assert "Select the correct answer." in page
    assert "Only in fountains." in page
    assert not Question.objects.exists()


@pytest.mark.parametrize("button", ["more", "rekind"])
def test_adding_lines_or_changing_the_kind_saves_nothing(adas_browser, course, button):
    sent = SINGLE | {"kind": "ordering", button: "1"}

    page = adas_browser.post(address_of("question-new", course.slug, "check"), sent).content.decode()

    assert "Correct order" in page
    assert ">\nDown<" in page
    assert not Question.objects.exists()


@pytest.mark.parametrize("kind", Question.Kind.values)
def test_every_kind_of_question_has_a_form(adas_browser, course, kind):
    response = adas_browser.get(address_of("question-new", course.slug, "check") + f"?kind={kind}")

    assert response.status_code == 200
    assert "Save question" in response.content.decode()


def test_an_unknown_kind_of_question_has_no_form(adas_browser, course):
    assert adas_browser.get(address_of("question-new", course.slug, "check") + "?kind=riddle").status_code == 400


def test_an_instructor_saves_the_rules_of_a_quiz(adas_browser, course):
    rules = {"pass_percent": "80", "max_attempts": "3", "minutes": "10", "reveal": "never", "wait": "5"}
    adas_browser.post(address_of("quiz", course.slug, "check"), rules)

    quiz = course.lessons.get(slug="check").quiz
    assert (quiz.pass_percent, quiz.max_attempts, quiz.time_limit) == (80, 3, 600)
    assert (quiz.reveal, quiz.retry_wait) == ("never", 300)
    page = adas_browser.get(address_of("lesson", course.slug, "check")).content.decode()
    assert '<option value="never" selected>Never</option>' in page
    page = adas_browser.post(address_of("quiz", course.slug, "check"), {"pass_percent": "101"}).content.decode()
    assert "data-errors" in page


def test_a_course_under_review_locks_its_forms_and_refuses_posts(adas_browser, course):
    Course.objects.filter(pk=course.pk).update(status="review")
    before = state_of(course)

    for method, address in addresses(course)[7:]:
        if method == "post":
            adas_browser.post(address, SENT | SINGLE | {"title": "Taken over"})

    assert state_of(course)[:4] == before[:4]
    assert "fieldset" in adas_browser.get(address_of("edit", course.slug)).content.decode()


@pytest.mark.parametrize("status", Course.Status.values)
def test_the_page_renders_for_every_status(adas_browser, course, status):
    Course.objects.filter(pk=course.pk).update(status=status, published_at=NOW)

    for address in (
        address_of("edit", course.slug),
        address_of("lectures", course.slug),
        address_of("lesson", course.slug, "check"),
    ):
        assert adas_browser.get(address).status_code == 200, address


def test_the_list_is_paginated_and_filtered_with_a_fixed_number_of_queries(
    adas_browser, ada, django_assert_max_num_queries
):
    CourseFactory.create_batch(45, instructor=ada)
    CourseFactory(instructor=ada, status="published", title="Needle")

    with django_assert_max_num_queries(8):
        page = adas_browser.get(address_of("list")).content.decode()
    assert page.count('class="course-cell"') == 20
    assert "Needle" in adas_browser.get(address_of("list") + "?status=published").content.decode()
    assert adas_browser.get(address_of("list") + "?q=needle").content.decode().count('class="course-cell"') == 1
    assert adas_browser.get(address_of("list") + "?page=3").content.decode().count('class="course-cell"') == 6
    assert adas_browser.get(address_of("list") + "?page=nonsense&status=%00").status_code == 200


@pytest.mark.parametrize(
    ("state", "is_processing"), [({}, False), ({"stage": "audio"}, True), ({"stage": "uploading"}, True)]
)
def test_the_outline_marks_videos_that_are_being_processed(course, adas_browser, ada, state, is_processing):
    Lesson.objects.filter(slug="fall").update(video=VideoFactory(owner=ada, **state))

    page = adas_browser.get(address_of("lectures", course.slug)).content.decode()

    assert bool(re.search(r'<li id="l-fall"[^>]* data-processing', page)) is is_processing
    assert page.count("data-processing") == is_processing
    assert "data-checks" in page
    assert "data-ready" in page


def test_a_suspended_course_says_what_its_instructor_can_do(course, adas_browser, settings):
    Course.objects.filter(pk=course.pk).update(status="suspended")

    page = adas_browser.get(address_of("edit", course.slug)).content.decode()

    assert f"email {settings.SUPPORT_EMAIL}" in page


def test_the_outline_of_130_lessons_costs_no_more_queries(adas_browser, ada, django_assert_max_num_queries):
    course = CourseFactory(instructor=ada)
    for _ in range(5):
        section = SectionFactory(course=course)
        for _ in range(26):
            lesson = LessonFactory(section=section, kind="video", video=VideoFactory(owner=ada))
    CaptionFactory(video=lesson.video)

    with django_assert_max_num_queries(19):
        response = adas_browser.get(address_of("lectures", course.slug))

    assert response.content.decode().count('class="lesson__no"') == 130
    with django_assert_max_num_queries(
        27
    ):  # those of the findings are the same for any course; one for comments, one for corrections
        adas_browser.get(address_of("lesson", course.slug, lesson.slug))


@pytest.mark.database
def test_a_note_that_the_database_rejects_is_a_form_error(adas_browser, course):
    Course.objects.filter(pk=course.pk).update(status="published", published_at=NOW)
    before = state_of(course)

    answer = adas_browser.post(address_of("step", course.slug), {"step": "archive", "note": "a\0b"})

    assert answer.status_code == 302
    if connection.vendor == "postgresql":
        assert state_of(course) == before


def test_an_instructor_announces_a_draft_and_withdraws_the_announcement(adas_browser, course, client):
    address = address_of("edit", course.slug)
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
        assert adas_browser.post(address, {**details, **({"is_announced": "on"} if wanted else {})}).status_code == 302
        assert bool(switch.search(adas_browser.get(address).content.decode())[1]) == wanted
        assert ("Coming Soon" in client.get(f"/courses/{course.slug}").content.decode()) == wanted


def test_the_form_of_a_lesson_sets_its_prerequisites(adas_browser, course):
    source, check = course.lessons.get(slug="source"), course.lessons.get(slug="check")
    texts = {"title": "Check", "summary": "", "body": ""}
    page = address_of("lesson", course.slug, "check")
    adas_browser.post(page, texts | {"prerequisites": [str(source.uid)]})
    assert list(check.prerequisites.all()) == [source]

    shown = adas_browser.get(page).content.decode()
    assert re.search(rf'value="{source.uid}" checked', shown)
    other = adas_browser.get(address_of("lesson", course.slug, "source")).content.decode()
    assert "Required by: 2.1." in other
    assert f'value="{check.uid}"' not in other.split('id="panel"')[1]  # the lesson could never open
    assert "Lessons that require it will open without it: 2.1." in adas_browser.get(
        address_of("lesson-delete", course.slug, "source")
    ).content.decode().replace("&#39;", "'")

    refused = adas_browser.post(
        address_of("lesson", course.slug, "source"), {"title": "Source", "prerequisites": [str(check.uid)]}
    )
    assert "already requires this one" in refused.content.decode()
    adas_browser.post(page, texts)
    assert not check.prerequisites.exists()


def test_the_studio_explains_when_a_lesson_is_complete(adas_browser, course):
    criteria = {
        "source": "not before a fast reader could have read it",
        "fall": "watching 90% of the video",
        "check": "by passing the quiz",
        "sheet": "downloading the file",
    }
    for slug, words in criteria.items():
        assert words in adas_browser.get(address_of("lesson", course.slug, slug)).content.decode()


def test_captions_are_parsed_before_the_transaction(adas_browser, course, ada, monkeypatch):
    video = VideoFactory(owner=ada)
    course.lessons.filter(slug="fall").update(kind="video", video=video)
    depths, read = [], media.files.read_captions
    usual = len(connection.savepoint_ids)

    def read_and_record(raw, **options):
        depths.append(len(connection.savepoint_ids))
        return read(raw, **options)

    monkeypatch.setattr(media.files, "read_captions", read_and_record)
    srt = SimpleUploadedFile("fall.srt", b"1\n00:00:01,000 --> 00:00:02,000\nHi\n")
    adas_browser.post(address_of("captions", course.slug, "fall"), {"language": "de", "file": srt})

    assert video.captions.exists()
    assert depths == [usual]
