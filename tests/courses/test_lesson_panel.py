"""The panel beside the outline: the parts that its script asks for, and what a lesson still needs."""

import re

from apps.courses.models import Lesson
from apps.courses.queries.lesson_checks import missing_in
from apps.files.models import VideoAsset
from tests.factories.courses import LessonFactory, QuestionFactory, QuizFactory, SectionFactory
from tests.factories.learning import EnrollmentFactory, LessonProgressFactory


def test_each_kind_of_lesson_says_what_it_lacks_and_where(course):
    def lines(kind, summary="Said.", question_count=0, captions=(), **facts):
        lesson = Lesson(course=course, slug="one", kind=kind, summary=summary, **facts)
        found = missing_in(lesson, question_count=question_count, captions=captions)
        return [(one.label, one.href.partition("#")[2], one.is_required) for one in found]

    spoken = VideoAsset(stage=VideoAsset.Stage.COMPLETE, has_audio=True)
    assert lines("text", summary="") == [("The text is empty", "id_body", True), ("No summary", "id_summary", False)]
    assert lines("text", body="Words") == []
    assert lines("file") == [("No file", "file", True)]
    assert lines("quiz") == [("No questions", "questions", True)]
    assert lines("quiz", question_count=2) == []
    assert lines("video") == [("No video", "video", True)]
    assert lines("video", video=spoken) == [("No captions", "captions", False)]
    assert [place for _, place, _ in lines("video", video=spoken, captions=["en"], duration=901)] == ["video"]
    assert lines("video", video=VideoAsset(stage="failed")) == [("The video couldn't be processed", "video", True)]


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
    assert "1 question without an explanation" in part("state", f"{base}/check")
    assert "Before review" in part("panel", base) or "Quality" in part("panel", base)
    assert "data-lesson-form" not in part("panel", f"{base}/source", title="", body="")  # unsaved: it says why
    saved = part("panel", f"{base}/source", title="The spring", body="Water.")
    assert 'data-flash="success"' in saved
    assert "The spring" in saved
    assert "data-outline" in browser.get(f"{base}/source").content.decode()
