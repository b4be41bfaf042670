"""Importing files of questions: a report first, then all at once, then perhaps undone; and who may."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.courses import services
from apps.courses.errors import NotCourseStaff, QuestionFileInvalid
from apps.courses.imports.reading import count_questions
from apps.courses.models import Course, CourseFile, Lesson, Question, QuestionImport
from apps.courses.queries.bank import tags_of_bank
from apps.courses.services import QuestionFile, open_bank, question_import_jobs
from apps.courses.services.question_checks import QuestionChecker
from apps.learning.quizzes import marking
from studyplatform.kit import jobs
from studyplatform.kit.models import Job
from tests.courses.test_question_files import PIXEL, answer, xml
from tests.factories.courses import LessonFactory, QuestionFactory, QuizFactory, SectionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.edits_in_place]
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
GIFT = "$CATEGORY: Rivers/Seine\n\nWhere? {=Paris ~Lyon}\n\nBends? {T}\n\nBroken {\n\nBends? {T}\n\nWhy? {}\n"


@pytest.fixture
def quiz(course):
    lesson = LessonFactory(section=SectionFactory(course=course), kind=Lesson.Kind.QUIZ, title="Bends")
    return QuizFactory(lesson=lesson)


def check(quiz, by, text=GIFT, **facts):
    return services.check_questions(quiz=quiz, by=by, file=QuestionFile(raw=text.encode(), **facts), now=NOW)


def states(found):
    return [row["state"] for row in found.rows]


def run(checked, by, **facts):
    return services.import_questions(checked=checked, by=by, now=NOW, **facts)


def test_a_file_is_checked_imported_repeated_and_undone(course, ada):
    bank = open_bank(course=course)
    checked = check(bank, ada, tags=("Own",))
    assert states(checked) == ["ready", "ready", "refused", "ready", "ready"]
    assert not Question.objects.exists()
    done = run(checked, ada)
    run(checked, ada)
    run(done, ada)
    questions = list(Question.objects.order_by("position"))
    assert [one.kind for one in questions] == ["single", "truth", "truth", "essay"]
    assert {tag.name for tag in questions[0].tags.all()} == {"Own", "Rivers", "Seine"}
    assert (states(done).count("imported"), len(done.created), bytes(done.source)) == (4, 4, b"")

    again = check(bank, ada)
    assert states(again) == ["known", "known", "refused", "known", "known"]
    assert not run(again, ada).created
    assert len(run(check(bank, ada), ada, repeats=True).created) == 4

    Question.objects.filter(pk=questions[0].pk).update(prompt=f"{questions[0].prompt} ")
    services.set_tags(question=questions[1], by=ada, names=["Own", "Rivers"], now=NOW)
    linking = QuizFactory(lesson=LessonFactory(section=SectionFactory(course=course), kind=Lesson.Kind.QUIZ))
    services.link_question(quiz=linking, question=questions[2], by=ada, now=NOW)
    assert services.undo_import(done=done, by=ada, now=NOW) == (1, 3)
    left = list(Question.objects.filter(quiz=bank).order_by("position"))
    assert [one.position for one in left] == [1, 2, 3, 4, 5, 6, 7]
    for late in (done, check(bank, ada)):
        with pytest.raises(QuestionFileInvalid):
            services.undo_import(done=late, by=ada, now=NOW)


def test_questions_of_quizzes_keep_their_tags_also_when_they_are_copied(course, ada, quiz):
    run(check(quiz, ada, tags=("Own,",)), ada)  # as an API call names them
    first = quiz.questions.order_by("position")[0]
    assert {tag.name for tag in first.tags.all()} == {"Own", "Rivers", "Seine"}
    assert not tags_of_bank(course)  # nothing can be drawn by them yet
    copy = services.copy_to_bank(question=first, by=ada, now=NOW)
    assert set(copy.tags.all()) == set(first.tags.all())
    assert [tag.question_count for tag in tags_of_bank(course)] == [1, 1, 1]
    section = SectionFactory(course__instructor=ada)
    services.insert_lessons(course=section.course, by=ada, lessons=[quiz.lesson], section=section, position=1, now=NOW)
    moved = section.lessons.get().quiz.questions.order_by("position")[0]
    assert {(tag.name, tag.bank.course) for tag in moved.tags.all()} == {
        (name, section.course) for name in ("Own", "Rivers", "Seine")
    }


def test_room_essays_and_texts_that_are_too_long(quiz, ada):
    for number in range(98):
        facts = {"kind": "essay", "options": {"limit": 50}, "answer": {}} if number < 9 else {}
        QuestionFactory(quiz=quiz, **facts)
    text = "A {}\n\nB {}\n\nC {T}\n\n" + "D" * 5000 + " {T}\n\nE {=" + "e" * 501 + "}\n\nF {=a#" + "f" * 5000 + "}"
    checked = check(quiz, ada, text)
    assert states(checked) == ["ready", "refused", "ready", "refused", "refused", "refused"]
    assert quiz.questions.count() + len(run(checked, ada).created) == 100


def test_pictures_are_stored_with_the_course(course, ada, django_capture_on_commit_callbacks):
    files = f'<file name="a.png" encoding="base64">{PIXEL}</file><file name="b.png" encoding="base64">AAAA</file>'
    asked = '<img src="@@PLUGINFILE@@/a.png" alt="A dot"> <img src="@@PLUGINFILE@@/b.png" alt="No picture">'
    text = xml(answer("a", 100) + answer("b", 0), asked=asked, extra=files)
    bank = open_bank(course=course)
    run(check(bank, ada, text), ada)
    [stored] = CourseFile.objects.filter(media_type="image/png")
    question = Question.objects.get()
    assert f"![A dot](/course-files/{stored.uid})" in question.prompt
    assert "No picture" in question.prompt
    assert states(check(bank, ada, text)) == ["known"]


def test_marking_of_imported_questions_is_as_the_file_says(quiz, ada):
    text = (
        "W {=*cell}\n\nN {#3.14:0.01}\n\nM {~%50%a ~%50%b ~%-100%c}\n\nT {=Straße =Öl}\n\nD {=\\*}\n\n"
        "P {=a -> 1 =b -> 1 = -> 2}"
    )
    run(check(quiz, ada, text), ada)
    wild, number, several, words, star, _pairs = quiz.questions.order_by("position")
    given = [
        (wild, {"text": "Eukaryotic CELL."}, "right"), (wild, {"text": "cells"}, "wrong"),
        (number, {"text": "3,15"}, "right"), (number, {"text": "3.1501"}, "wrong"),
        (words, {"text": "STRASSE"}, "right"), (words, {"text": "ol"}, "wrong"),
        (star, {"text": "*"}, "right"), (star, {"text": "x"}, "wrong"),
        (several, {"ids": ["a"]}, "partly"), (several, {"ids": ["a", "c"]}, "wrong"),
    ]  # fmt: skip
    for question, raw, verdict in given:
        assert marking.mark(question, marking.read(question, raw)).verdict == verdict, (question.prompt, raw)


def test_who_may_import(course, ada, eve, quiz):
    with pytest.raises(NotCourseStaff):
        check(quiz, eve)
    checked = check(quiz, ada)
    with pytest.raises(NotCourseStaff):
        run(checked, eve)
    done = run(checked, ada)
    with pytest.raises(NotCourseStaff):
        services.undo_import(done=done, by=eve, now=NOW)
    assert done.created


def test_old_reports_go(course, ada, quiz):
    run(check(quiz, ada), ada)
    check(quiz, ada)
    for days, left in ((0, 2), (2, 1), (31, 0)):
        services.clean_question_imports(now=NOW + timedelta(days=days))
        assert QuestionImport.objects.count() == left


def test_the_pages(course, ada, eve, quiz, browser_of):
    browser, page = browser_of(ada), reverse("courses:studio-imports", args=[course.slug])
    assert f'value="{quiz.lesson.slug}" selected' in browser.get(f"{page}?into={quiz.lesson.slug}").text
    empty = browser.post(page, {"into": "bank"})
    assert (empty.status_code, "Choose a file, or paste" in empty.text) == (422, True)
    broken = browser.post(page, {"into": "bank", "text": "<quiz><", "form": ""})
    assert (broken.status_code, "valid XML" in broken.text) == (422, True)
    sent = browser.post(page, {"into": quiz.lesson.slug, "file": SimpleUploadedFile("rivers.gift", GIFT.encode())})
    report = browser.get(sent.url)
    assert "rivers.gift" in report.text
    assert "Import 4 questions" in report.text
    assert "A brace is opened and not closed." in browser.get(f"{sent.url}?show=refused").text
    assert browser_of(eve).get(sent.url).url == "/"
    browser.post(sent.url)
    assert quiz.questions.count() == 4
    assert "Undo the import" in browser.get(sent.url).text
    browser.post(f"{sent.url}/undo")
    assert quiz.questions.count() == 0
    assert "Undone" in browser.get(page).text
    late = browser.get(browser.post(sent.url).url)  # in a tab that still shows the check
    assert (quiz.questions.count(), "4 questions imported." in late.text) == (0, False)


def test_by_api(course, ada, eve, quiz, browser_of):
    browser, calls = browser_of(ada), f"/api/v1/courses/{course.slug}/question-imports/"
    checked = browser.post(calls, {"text": GIFT, "lesson": str(quiz.lesson.uid)}, "application/json")
    assert (checked.status_code, len(checked.json()["rows"])) == (201, 5)
    call = f"/api/v1/question-imports/{checked.json()['uid']}/"
    assert browser_of(eve).get(call).status_code == 404
    assert len(browser.post(call, {}, "application/json").json()["questions"]) == 4
    assert browser.delete(call).json()["state"] == "undone"
    refused = browser.post(calls, {"text": "<quiz><"}, "application/json")
    assert (refused.status_code, refused.json()["code"]) == (422, "QUESTION_FILE_INVALID")


@pytest.fixture
def is_long(monkeypatch):
    """Every file is too long for a request."""
    monkeypatch.setattr(question_import_jobs, "MAX_CHARACTERS_IN_REQUEST", 0)


def test_a_long_file_is_checked_and_imported_by_jobs(course, ada, quiz, browser_of, is_long, monkeypatch):
    browser, page = browser_of(ada), reverse("courses:studio-imports", args=[course.slug])
    sent = browser.post(page, {"into": quiz.lesson.slug, "text": GIFT})
    call = f"/api/v1/question-imports/{QuestionImport.objects.get().uid}/"
    with CaptureQueriesContext(connection) as queries:
        waits = browser.get(sent.url)
        assert browser.get(call).json()["state"] == "checking"
    assert not any('import"."source"' in query["sql"] for query in queries)
    assert (waits.status_code, 'value="0"' in waits.text) == (202, True)
    assert "Checking 5 questions" in waits.text
    assert '<noscript><meta http-equiv="refresh"' in waits.text
    assert "Being checked" in browser.get(page).text
    browser.post(sent.url)  # nothing can be imported yet
    seen = []
    monkeypatch.setattr(jobs.Running, "extend_lease_by", lambda *_: seen.append(QuestionImport.objects.get().progress))
    jobs.run_pending("default")
    assert seen == [19, 39, 59, 79, 99]
    assert "Import 4 questions" in browser.get(sent.url).text
    assert not quiz.questions.exists()

    for _tab in range(2):
        assert "Importing 5 questions" in browser.get(browser.post(sent.url).url).text
    assert Job.objects.filter(kind="courses.import_questions").count() == 1
    jobs.run_pending("default")
    assert quiz.questions.count() == 4
    assert "Undo the import" in browser.get(sent.url).text
    assert seen[5:] == [16, 32, 48, 64, 80]


def test_a_killed_worker_begins_the_check_and_the_import_again(ada, quiz, is_long, monkeypatch):
    file = QuestionFile(raw=GIFT.encode())
    found = services.start_check(quiz=quiz, by=ada, file=file, now=NOW)
    kill = KeyboardInterrupt  # no handler of the worker catches it, as none sees a kill
    for begin in (None, services.start_import):
        if begin:
            begin(checked=found, by=ada, now=NOW)
        with monkeypatch.context() as patch:
            patch.setattr(QuestionChecker, "rows", lambda *_, **__: (_ for _ in ()).throw(kill))
            with pytest.raises(kill):
                jobs.run_pending("default")
        Job.objects.filter(state=Job.State.RUNNING).update(lease_until=NOW - timedelta(days=900))
        jobs.run_pending("default")
        found.refresh_from_db()
    assert (found.state, quiz.questions.count()) == ("imported", 4)


def test_a_long_file_that_cannot_be_read_is_kept_with_its_text(course, ada, browser_of, is_long):
    browser, page = browser_of(ada), reverse("courses:studio-imports", args=[course.slug])
    unknown = browser.post(page, {"into": "bank", "text": "Hello"})
    assert (unknown.status_code, "recognized" in unknown.text) == (422, True)
    sent = browser.post(page, {"into": "bank", "text": "<quiz><question>Rivers"})
    jobs.run_pending("default")
    failed = browser.get(sent.url)
    assert "valid XML" in failed.text
    assert "http-equiv" not in failed.text
    again = f"{page}?into=bank&again={QuestionImport.objects.get().uid}"
    assert again.replace("&", "&amp;") in failed.text
    assert "&lt;question&gt;Rivers" in browser.get(again).text


def test_an_import_by_a_job_that_fails_can_be_repeated(course, ada, quiz, is_long):
    found = services.start_check(quiz=quiz, by=ada, file=QuestionFile(raw=GIFT.encode()), now=NOW)
    jobs.run_pending("default")
    found.refresh_from_db()
    services.start_import(checked=found, by=ada, now=NOW)
    Course.objects.update(status="review")
    jobs.run_pending("default")
    found.refresh_from_db()
    assert (found.state, found.created) == ("checked", {})
    assert "review" in found.problem
    Course.objects.update(status="draft")
    assert jobs.retry(Job.objects.get(kind="courses.import_questions"), now=NOW)
    jobs.run_pending("default")
    found.refresh_from_db()
    assert (found.state, found.problem, quiz.questions.count()) == ("imported", "", 4)


def test_counts_of_questions_before_they_are_read():
    moodle = '<quiz><question type="category"></question><question type="truefalse"></question><question></question>'
    assert count_questions(moodle, "moodle_xml") == 2
    assert count_questions(GIFT, "gift") == 5
    assert count_questions("A\nANSWER: B\n\nC\nANSWER: A", "aiken") == 2
    assert count_questions("a\nb\n", "csv") == 1


def test_by_command(course, ada, tmp_path, capsys):
    file = tmp_path / "rivers.gift"
    file.write_text(GIFT)
    call_command("import_questions", course.slug, str(file), "--check")
    assert not Question.objects.exists()
    call_command("import_questions", course.slug, str(file), "--tags", "one,two")
    assert "4 questions imported." in capsys.readouterr().out
    for arguments in ([course.slug, str(tmp_path)], ["none", str(file)], [course.slug, str(file), "--quiz", "none"]):
        with pytest.raises(CommandError):
            call_command("import_questions", *arguments)
