"""A quiz with all seven kinds of questions, worth 8 points, and its answers. SECRETS are words that reveal them."""

from apps.courses.models import Course, Lesson, Quiz
from tests.factories.courses import LessonFactory, QuestionFactory, QuizFactory, SectionFactory

SECRETS = ["zeppelin-explains", "zeppelin-remark", "zeppelin-accepted", "314159"]


def make_quiz(course: Course, *, rewatch: Lesson | None = None, **rules) -> Quiz:
    section = SectionFactory(course=course)
    lesson = LessonFactory(section=section, course=course, kind=Lesson.Kind.QUIZ, title="Check yourself")
    quiz = QuizFactory(lesson=lesson, **rules)
    steps = [{"id": one, "text": f"Step {one}"} for one in "pqrs"]
    sides = {
        "left": [{"id": "a", "text": "Nile"}, {"id": "b", "text": "Rhine"}],
        "right": [{"id": "1", "text": "North Sea"}, {"id": "2", "text": "Mediterranean"}],
    }
    common = {"quiz": quiz, "explanation": "zeppelin-explains why."}
    QuestionFactory(
        **common, points=2, remarks={"a": "zeppelin-remark: that is the *other* one."}, rewatch_lesson=rewatch,
        rewatch_at=42 if rewatch else None,
    )  # fmt: skip
    QuestionFactory(**common, kind="multiple", options=steps, answer={"ids": ["p", "q"]})
    QuestionFactory(**common, kind="truth", options=[], answer={"value": True})
    QuestionFactory(
        **common,
        kind="numeric",
        options={"unit": "m"},
        answer={"value": 314159, "tolerance": 0.5},
        remarks={"3.0": "zeppelin-remark: only the first digit."},
    )
    QuestionFactory(**common, kind="text", options=[], answer={"accepted": ["zeppelin-accepted"]})
    QuestionFactory(**common, kind="ordering", options=steps, answer={"ids": ["s", "r", "q", "p"]})
    QuestionFactory(**common, kind="matching", options=sides, answer={"pairs": {"a": "2", "b": "1"}})
    return quiz


def right_answers(quiz: Quiz) -> dict[str, dict]:
    shapes: list[dict] = [
        {"id": "b"},
        {"ids": ["p", "q"]},
        {"value": True},
        {"text": "314159,5"},
        {"text": "Zeppelin-Accepted"},
        {"ids": ["s", "r", "q", "p"]},
        {"pairs": {"a": "2", "b": "1"}},
    ]
    uids = quiz.questions.order_by("position").values_list("uid", flat=True)
    return {str(uid): shape for uid, shape in zip(uids, shapes, strict=True)}
