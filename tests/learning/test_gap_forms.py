"""A text with gaps without scripts: its fields stand in the text, and a number is confirmed as it was read."""

from datetime import timedelta

from django.utils import timezone

from apps.courses.models import Lesson
from apps.learning.models import Attempt
from tests.factories.courses import LessonFactory, QuestionFactory, QuizFactory, SectionFactory


def test_the_fields_of_a_text_work_as_a_form(course, enrollment, leo, browser_of):
    lesson = LessonFactory(section=SectionFactory(course=course), kind=Lesson.Kind.QUIZ)
    quiz = QuizFactory(lesson=lesson, reveal="always")
    choices = [{"id": "x", "text": "Nile"}, {"id": "y", "text": "Rhine"}]
    gaps = [
        {"number": 2, "kind": "single", "points": 1, "options": choices},
        {"number": 1, "kind": "numeric", "points": 3, "options": {"unit": "km"}},
    ]
    question = QuestionFactory(
        quiz=quiz, kind="gaps", prompt="The [[2]] is\n\n- [[1]] long.", options={"gaps": gaps}, points=4,
        answer={"gaps": {"2": {"id": "x"}, "1": {"value": "6650", "tolerance": "5%"}}},
    )  # fmt: skip
    browser, address = browser_of(leo), f"/learn/{course.slug}/{lesson.slug}"
    browser.post(f"{address}/attempts")
    attempt = Attempt.objects.get()
    Attempt.objects.update(started_at=timezone.now() - timedelta(minutes=1))

    page = browser.get(address).content.decode()
    name = f"q.{question.uid}"
    assert page.index(f'for="{name}.2">Gap 1 of 2<') < page.index(f'for="{name}.1">Gap 2 of 2, in km<')
    field = page[page.index("<li>", page.index('class="gaps')) :]
    assert f'name="{name}.1"' in field[: field.index("</li>")]

    sent = {f"{name}.2": "y", f"{name}.1": "6,650"}
    asked = browser.post(f"{address}/attempts/{attempt.uid}", sent).content.decode()
    assert "Read as 6650, not 6.65" in asked
    assert f'name="read.{name}.1" value="6650"' in asked
    assert browser.post(f"{address}/attempts/{attempt.uid}", sent | {f"{name}.1": "many"}).status_code == 400
    browser.post(f"{address}/attempts/{attempt.uid}", sent | {f"read.{name}.1": "6650"})

    attempt.refresh_from_db()
    assert (attempt.percent, attempt.results[0]["verdict"]) == (75, "partly")
    page = browser.get(address).content.decode()
    assert 'gap--filled is-wrong"><span class="gap__n">1</span>Rhine' in page
    assert "Partly correct, 3 of 4" in page
