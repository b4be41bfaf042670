"""The panel beside the outline: the parts that its script asks for, and what a lesson still needs."""

import re

from django.utils import timezone

from apps.courses import services
from apps.courses.pages import media
from apps.courses.queries.findings import find_all, find_in_lesson
from tests.factories.courses import LessonFactory, QuestionFactory, QuizFactory, SectionFactory
from tests.factories.files import VideoFactory
from tests.factories.learning import EnrollmentFactory, LessonProgressFactory


def test_the_panel_has_what_the_checker_says_about_the_lesson(ada, django_assert_max_num_queries):
    section = SectionFactory(course__instructor=ada)
    course = section.course
    LessonFactory(section=section, kind="text", body="# One\n\n### Three\n\n![](/course-files/none)")
    LessonFactory(section=section, kind="text", body="")
    LessonFactory(section=section, kind="video", video=VideoFactory(owner=ada, has_audio=True), duration=1000)
    quiz = QuizFactory(lesson__section=section)
    silent = QuestionFactory(quiz=quiz, explanation="")
    services.link_question(
        quiz=quiz, question=QuestionFactory(quiz=services.open_bank(course=course)), by=ada, now=timezone.now()
    )
    services.add_draw(quiz=quiz, by=ada, tags=[], count=1, now=timezone.now())
    everything = [one for one in find_all(course) if one.number]
    rules = {one.rule.value for one in everything}
    assert rules >= {"picture_undescribed", "heading_skipped", "empty_lesson", "no_captions", "long_lesson"}

    for lesson in course.lessons.select_related("course"):
        with django_assert_max_num_queries(14):
            found = find_in_lesson(lesson)
        assert found == [one for one in everything if one.number == lesson.number]
    [unexplained] = [one for one in everything if str(silent.uid) in one.href]
    services.ignore_finding(course=course, by=ada, key=unexplained.key, reason="A riddle.", now=timezone.now())
    assert unexplained.key not in [one.key for one in find_in_lesson(quiz.lesson)]


def test_the_script_gets_the_panel_alone_also_after_a_form(ada, leo, browser_of):
    section = SectionFactory(course__instructor=ada)
    course, browser = section.course, browser_of(ada)
    text = LessonFactory(section=section, slug="source")
    quiz = QuizFactory(lesson=LessonFactory(section=section, slug="check", kind="quiz"))
    QuestionFactory(quiz=quiz, explanation="")
    LessonProgressFactory(enrollment=EnrollmentFactory(user=leo, course=course, last_lesson=text), lesson=text)
    base = f"/dashboard/instructor/courses/{course.slug}/lectures"

    def part(name, address, **sent):
        answer = (browser.post if sent else browser.get)(
            address, *([sent] if sent else []), headers={"X-Page-Part": name}, follow=True
        )
        assert (answer["X-Page-Part"], answer["Cache-Control"]) == (name, "private, no-store")
        return answer.content.decode()

    panel = part("panel", f"{base}/source")
    assert "data-outline" not in panel
    assert "1 learner began this lesson, 0 completed it, 1 is in it now." in panel
    assert re.search(r'data-lesson-form="[\w-]+" data-versions="{[^"]*title', panel)
    assert "Question without an explanation" in part("state", f"{base}/check")
    assert "Before review" in part("panel", base) or "Quality" in part("panel", base)
    assert "data-lesson-form" not in part("panel", f"{base}/source", title="", body="")  # unsaved: it says why
    saved = part("panel", f"{base}/source", title="The spring", body="Water.")
    assert 'data-flash="success"' in saved
    assert "The spring" in saved
    assert "data-outline" in browser.get(f"{base}/source").content.decode()


def test_the_cover_is_chosen_by_its_time(ada, browser_of, monkeypatch):
    video = VideoFactory(owner=ada, duration=200, directory="videos/a/b")
    lesson = LessonFactory(section=SectionFactory(course__instructor=ada), slug="film", kind="video", video=video)
    chosen: list[float | None] = []
    monkeypatch.setattr(media, "choose_cover", lambda *, video, by, at: chosen.append(at))
    browser, address = browser_of(ada), f"/dashboard/instructor/courses/{lesson.course.slug}/lectures/film"
    assert f'action="{address}/cover"' in browser.get(address).content.decode()

    for form in ({"time": "1:30"}, {"time": " 0:01:02,5 "}, {"automatic": "1"}, {"time": "soon"}, {"time": "1:99"}, {}):
        assert browser.post(f"{address}/cover", form).status_code == 302

    assert chosen == [90.0, 62.5, None]
