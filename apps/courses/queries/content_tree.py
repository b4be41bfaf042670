"""Read everything that the authors of a course wrote as a content tree."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.db.models import Model

from apps.courses.content_tree.shape import (
    COURSE_COLUMNS,
    FILE_COLUMNS,
    FORMAT,
    LESSON_COLUMNS,
    PICTURE_COLUMNS,
    QUESTION_COLUMNS,
    QUIZ_COLUMNS,
    Tree,
)
from apps.courses.models import (
    Course,
    CourseFile,
    CoursePicture,
    Lesson,
    LessonDownload,
    Question,
    Quiz,
    QuizDraw,
)
from apps.files.models import CaptionTrack


def read_tree(course: Course) -> Tree:
    """Return the content tree of a course, in the shape of ``content_tree.shape``: plain JSON. Fifteen queries.

    What was removed isn't in it. Rows have the uid by which the published course knows them.
    """
    quizzes, bank = _read_quizzes(course)
    lessons = _read_lessons(course, quizzes)
    inside: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for section, lesson in lessons:
        inside[section].append(lesson)
    return {
        "format": FORMAT,
        "course": _read_course(course),
        "picture": _read_picture(course),
        "files": [
            {"uid": str(file["uid"]), **{name: file[name] for name in FILE_COLUMNS}}
            for file in CourseFile.objects.filter(course=course).order_by("added_at", "pk").values("uid", *FILE_COLUMNS)
        ],
        "sections": [
            {"uid": str(one.tree_uid), "title": one.title, "lessons": inside[one.pk]}
            for one in course.sections.order_by("position")
        ],
        "bank": bank,
    }


def _read_course(course: Course) -> dict[str, Any]:
    prerequisites = course.prerequisites.order_by("pk").values_list("uid", flat=True)
    return {
        **_columns(course, COURSE_COLUMNS),
        "subject": course.subject.slug,
        "prerequisites": [str(uid) for uid in prerequisites],
    }


def _read_picture(course: Course) -> dict[str, Any] | None:
    picture = CoursePicture.objects.select_related("upload").filter(course=course).first()
    if picture is None:
        return None
    return {**_columns(picture, PICTURE_COLUMNS), "upload": str(picture.upload.uid)}


def _columns(row: Model, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def lesson_columns(lesson: Lesson) -> dict[str, Any]:
    """Return the columns of a lesson as the tree has them."""
    columns = _columns(lesson, LESSON_COLUMNS)
    columns["opens_at"] = lesson.opens_at.isoformat() if lesson.opens_at is not None else None
    columns["chapters"] = [list(chapter) for chapter in lesson.chapters]
    return columns


def _read_lessons(course: Course, quizzes: dict[int, dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """Return the lessons in their order, each with the primary key of its section. Four queries."""
    rows = list(course.lessons.order_by("position").select_related("video", "file"))
    uid_of = {row.pk: str(row.tree_uid) for row in rows}
    links: dict[int, list[str]] = defaultdict(list)
    through = Lesson.prerequisites.through.objects.filter(from_lesson__course=course)
    for waits, needed in through.values_list("from_lesson", "to_lesson"):
        if needed in uid_of:
            links[waits].append(uid_of[needed])
    downloads: dict[int, list[dict[str, str]]] = defaultdict(list)
    offered = LessonDownload.objects.filter(lesson__course=course).order_by("position")
    for lesson, file, name in offered.values_list("lesson", "file__uid", "name"):
        downloads[lesson].append({"file": str(file), "name": name})
    captions = _read_captions({row.video_id for row in rows if row.video_id is not None})
    return [
        (
            row.section_id,
            {
                "uid": uid_of[row.pk],
                **lesson_columns(row),
                "video": str(row.video.uid) if row.video is not None else None,
                "file": str(row.file.uid) if row.file is not None else None,
                "prerequisites": sorted(links[row.pk]),
                "downloads": downloads[row.pk],
                "captions": captions[row.video_id or 0],
                "quiz": quizzes.get(row.pk),
            },
        )
        for row in rows
    ]


def _read_captions(videos: set[int]) -> dict[int, dict[str, str]]:
    """Return a digest of the captions of each video in each language."""
    found: dict[int, dict[str, str]] = defaultdict(dict)
    tracks = CaptionTrack.objects.filter(video__in=videos).order_by("language")
    for video, language, text in tracks.values_list("video", "language", "webvtt"):
        found[video][language] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return found


def _read_quizzes(course: Course) -> tuple[dict[int, dict[str, Any]], dict[str, Any] | None]:
    """Return the quizzes by the primary key of their lesson, and the question bank. Seven queries."""
    quizzes = list(Quiz.objects.filter(lesson__course=course, lesson__removed_at=None))
    bank = Quiz.objects.filter(course=course).first()
    every = {quiz.pk for quiz in quizzes} | ({bank.pk} if bank is not None else set())
    questions = list(Question.objects.filter(quiz__in=every).order_by("position").select_related("rewatch_lesson"))
    tags = _tags_by_row(Question.tags.through, "question", every)
    draws = list(QuizDraw.objects.filter(quiz__in=every).order_by("position"))
    tags_of_draws = _tags_by_row(QuizDraw.tags.through, "quizdraw", every)
    uid_of = {question.pk: str(question.tree_uid) for question in questions}
    asked: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in questions:
        asked[row.quiz_id].append(question_columns(row, tags[row.pk]))
    drawn: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for draw in draws:
        drawn[draw.quiz_id].append(
            {
                "uid": str(draw.tree_uid),
                "question": uid_of.get(draw.question_id or 0),
                "tags": tags_of_draws[draw.pk],
                "count": draw.count,
            }
        )
    by_lesson = {
        quiz.lesson_id or 0: {**_columns(quiz, QUIZ_COLUMNS), "questions": asked[quiz.pk], "draws": drawn[quiz.pk]}
        for quiz in quizzes
    }
    return by_lesson, {"questions": asked[bank.pk]} if bank is not None and asked[bank.pk] else None


def question_columns(question: Question, tags: list[str]) -> dict[str, Any]:
    """Return a question as the tree has it. A lesson to watch again that was removed isn't named."""
    lesson = question.rewatch_lesson
    is_there = lesson is not None and not lesson.is_removed
    return {
        "uid": str(question.tree_uid),
        **_columns(question, QUESTION_COLUMNS),
        "rewatch_at": question.rewatch_at if is_there else None,
        "rewatch_lesson": str(lesson.tree_uid) if lesson is not None and is_there else None,
        "tags": tags,
    }


def _tags_by_row(through: Any, name: str, quizzes: set[int]) -> dict[int, list[str]]:
    """Return the names of the tags of questions or draws, by primary key."""
    found: dict[int, list[str]] = defaultdict(list)
    links = through.objects.filter(**{f"{name}__quiz__in": quizzes}).order_by("questiontag__key")
    for pk, tag in links.values_list(f"{name}_id", "questiontag__name"):
        found[pk].append(tag)
    return found
