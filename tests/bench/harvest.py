"""Prints addresses of the site and what stands in them for two people of the demo. Run it by ``manage.py shell``."""

import json
from typing import Any

from django.urls import URLPattern, get_resolver

from apps.accounts.models import User
from apps.courses.models import Lesson, Question, Section
from apps.files.models import CaptionTrack, File, Folder, Share, VideoAsset
from apps.forum.models import Board, Post, Topic
from apps.learning.models import Attempt, Certificate, Note, PracticeCard
from apps.tutor.models import Answer, Chat, Exchange


def patterns() -> dict[str, str]:
    """The routes of all pages and calls by their names; those without a name by themselves."""
    found: dict[str, str] = {}

    def walk(entries: Any, before: str) -> None:
        for entry in entries:
            route = before + str(entry.pattern)
            if isinstance(entry, URLPattern):
                found[f"/{route}"] = f"/{route}"
            else:
                walk(entry.url_patterns, route)

    walk(get_resolver().url_patterns, "")
    return found


def known_to(user: User) -> dict[str, Any]:
    """Values of the parameters in addresses: objects of this person where there are some."""
    lessons = Lesson.objects.filter(course__status="published").select_related("course")
    own = lessons.filter(course__instructor=user)
    taken = lessons.filter(course__enrollments__user=user)
    mine = own if own.exists() else taken if taken.exists() else lessons

    def first(rows: Any) -> str:
        row = rows.first()
        return str(row.uid) if row is not None else "5b1ef1cc-9f0c-4b0a-8b5e-000000000000"

    lesson = mine.filter(kind="video").first() or mine.first() or lessons.first()
    assert lesson is not None
    topic = Topic.objects.filter(state="visible", author=user).first() or Topic.objects.filter(state="visible").first()
    post = Post.objects.filter(author=user).first() or Post.objects.filter(topic=topic).first()
    board, certificate = Board.objects.first(), Certificate.objects.first()
    return {
        "slug": lesson.course.slug, "course": lesson.course.slug, "lesson": lesson.slug, "topic": topic and topic.pk,
        "post": post and post.pk, "file": first(File.objects.filter(owner=user)), "board": board and board.slug,
        "note": first(Note.objects.filter(user=user)), "tab": "latest", "key": "reply-1",
        "code": certificate.code if certificate else "ABCD", "number": 1, "token": "abc", "name": "a",
        "day": "2026-11-01", "tag": "python", "article": "a", "action": 1, "ban": 1, "user": user.pk, "rating": 1,
        "pk": 1, "grant": "abc",
        "uids": {
            "attempts": first(Attempt.objects.filter(enrollment__user=user)),
            "cards": first(PracticeCard.objects.filter(user=user)),
            "captions": first(CaptionTrack.objects.filter(video__owner=user)),
            "folders": first(Folder.objects.filter(owner=user)),
            "folder": first(Folder.objects.filter(owner=user)),
            "files": first(File.objects.filter(owner=user)),
            "links": first(Share.objects.filter(owner=user)),
            "shared": first(Share.objects.all()),
            "lessons": str(lesson.uid),
            "quizzes": first(mine.filter(kind="quiz")),
            "sections": first(Section.objects.filter(lessons=lesson)),
            "questions": first(Question.objects.filter(quiz__lesson__course=lesson.course)),
            "answers": first(Answer.objects.filter(exchange__user=user)),
            "chats": first(Chat.objects.filter(user=user)),
            "exchanges": first(Exchange.objects.filter(user=user)),
            "videos": first(VideoAsset.objects.filter(owner=user)),
            "": str(lesson.uid),
        },
    }  # fmt: skip


def harvest(emails: list[str]) -> str:
    """JSON: the routes, and what each person knows."""
    people = {email: known_to(User.objects.get(email=email)) for email in emails}
    return json.dumps({"routes": list(patterns()), "known": people}, default=str)
