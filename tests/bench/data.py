"""Data for the benchmark: 10,000 courses, 1,000 learners, one course of 130 lessons with a learner halfway through."""

from __future__ import annotations

import os
import random
import uuid
from datetime import timedelta
from itertools import accumulate
from typing import Any

from django.contrib.auth.hashers import make_password
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from apps.accounts.models import BrowserSession, Role, User
from apps.accounts.sessions import tokens
from apps.courses import artwork
from apps.courses.models import Course, Lesson, Question, Quiz, Section, Subject
from apps.courses.services import search
from apps.files.models import CaptionTrack, File, FileVersion, Upload, VideoAsset
from apps.learning.activity.time_budget import RATE
from apps.learning.models import Attempt, Enrollment, LearningTime, LessonProgress, Rating
from tests.bench import BIG, EMAIL, PASSWORD, QUIZ, VIDEO

COURSES, LEARNERS, LESSONS = 10_000, 1_000, 130
# As in a language, a few words are frequent and most are rare (Zipf), so that searches find some courses.
_SYLLABLES = "al bra ve tor li ght wa rim stel ar ver bo cho dal mar ke gra pho pro of ma".split()  # noqa: SIM905
WORDS = [a + b + c for a in _SYLLABLES for b in _SYLLABLES[:14] for c in ("", "s", "ing", "ic")]
ZIPF = list(accumulate(1 / rank for rank in range(1, len(WORDS) + 1)))


def fill() -> None:
    """Create the data (about 30 seconds)."""
    dice, now = random.Random(7), timezone.now()
    password = make_password(PASSWORD)
    teachers = User.objects.bulk_create(
        User(
            email=f"t{n}@example.com",
            username=f"t{n}",
            first_name="Tea",
            last_name=f"Cher {n}",
            role=Role.INSTRUCTOR,
            email_verified_at=now,
        )
        for n in range(50)
    )
    learners = User.objects.bulk_create(
        User(email=f"l{n}@example.com", username=f"l{n}", first_name="Lea", last_name=f"Rner {n}")
        for n in range(LEARNERS)
    )
    person = User.objects.create(email=EMAIL, username="bench", first_name="Ben", last_name="Ch", password=password)
    subjects = [
        Subject.objects.get_or_create(slug=slug, defaults={"name": slug.replace("-", " ").capitalize(), "position": n})[
            0
        ]
        for n, slug in enumerate(artwork.SUBJECTS)
    ]
    art = {s.slug: artwork.plate(f"bench-{s.slug}", s.slug) for s in subjects}

    def course(n: int, slug: str, title: str) -> Course:
        subject = dice.choice(subjects)
        return Course(
            slug=slug,
            title=title,
            summary=" ".join(dice.choices(WORDS, cum_weights=ZIPF, k=14)).capitalize() + ".",
            description=" ".join(dice.choices(WORDS, cum_weights=ZIPF, k=120)),
            subject=subject,
            instructor=dice.choice(teachers),
            status=Course.Status.PUBLISHED,
            difficulty=dice.choice(Course.Difficulty.values),
            outcomes=[" ".join(dice.choices(WORDS, cum_weights=ZIPF, k=9)).capitalize() for _ in range(5)],
            plate=art[subject.slug],
            lesson_count=12,
            duration=dice.randint(3_000, 30_000),
            rating_count=100,
            rating_sum=dice.randint(350, 490),
            learner_count=dice.randint(0, 5_000),
            created_at=now,
            updated_at=now,
            published_at=now - timedelta(minutes=n),
        )

    rows = [
        course(n, f"course-{n}", " ".join(dice.choices(WORDS, cum_weights=ZIPF, k=4)).title()) for n in range(COURSES)
    ]
    Course.objects.bulk_create(rows, batch_size=1_000)
    big = course(0, BIG, "A Course of 130 Lessons")
    big.lesson_count = LESSONS
    big.save()
    sections = Section.objects.bulk_create(Section(course=big, title=f"Section {n}", position=n) for n in range(1, 14))
    lessons = Lesson.objects.bulk_create(
        Lesson(
            course=big,
            section=section,
            slug=f"lesson-{section.position}-{n}",
            title=" ".join(dice.choices(WORDS, cum_weights=ZIPF, k=4)).capitalize(),
            kind=Lesson.Kind.TEXT,
            position=n,
            number=f"{section.position}.{n}",
            duration=480,
            is_preview=section.position == 1 and n == 1,
            body=" ".join(dice.choices(WORDS, cum_weights=ZIPF, k=400)),
        )
        for section in sections
        for n in range(1, 11)
    )
    _film(next(lesson for lesson in lessons if lesson.slug == VIDEO), teachers[0], dice)
    _ask(next(lesson for lesson in lessons if lesson.slug == QUIZ))
    enrollment = Enrollment.objects.create(
        user=person,
        course=big,
        enrolled_at=now,
        last_activity_at=now,
        completed_lessons=65,
        percent=50,
        last_lesson=lessons[65],
    )
    LessonProgress.objects.bulk_create(
        LessonProgress(enrollment=enrollment, lesson=lesson, started_at=now, updated_at=now, completed_at=now)
        for lesson in lessons[:65]
    )
    enrollments = Enrollment.objects.bulk_create(
        Enrollment(user=learner, course=big, enrolled_at=now, last_activity_at=now) for learner in learners
    )
    Rating.objects.bulk_create(
        Rating(enrollment=row, course=big, stars=dice.randint(3, 5), text="Clear.", created_at=now, updated_at=now)
        for row in enrollments
    )
    big.rating_count, big.rating_sum = len(enrollments), sum(Rating.objects.values_list("stars", flat=True))
    big.save(update_fields=["rating_count", "rating_sum"])
    search.index_all()


def _film(lesson: Lesson, owner: User, dice: random.Random) -> None:
    """A video of eight minutes with captions, without files, because it is never played."""
    video = VideoAsset.objects.create(
        owner=owner,
        filename="lecture.mp4",
        stage=VideoAsset.Stage.COMPLETE,
        is_playable=True,
        duration=480.0,
        has_audio=True,
        directory=f"videos/x/{uuid.uuid4()}",
        poster="poster.jpg",
        storyboard="storyboard.vtt",
        created_at=timezone.now(),
    )
    cues = [
        f"{n // 60:02}:{n % 60:02}.000 --> {(n + 4) // 60:02}:{(n + 4) % 60:02}.000\n"
        + " ".join(dice.choices(WORDS, cum_weights=ZIPF, k=10))
        for n in range(0, 480, 4)
    ]
    CaptionTrack.objects.create(
        video=video, label="English", webvtt="\n\n".join(["WEBVTT", *cues]), created_at=timezone.now()
    )
    lesson.kind, lesson.video, lesson.body = Lesson.Kind.VIDEO, video, ""
    lesson.save()


def _ask(lesson: Lesson) -> None:
    """A quiz of ten questions: six with one correct answer, two with several, two with a number."""
    lesson.kind, lesson.body = Lesson.Kind.QUIZ, ""
    lesson.save()
    quiz = Quiz.objects.create(lesson=lesson)
    options = [{"id": sign, "text": f"The *answer* that is called {sign}"} for sign in "abcd"]
    kinds: list[tuple[str, Any, dict[str, Any]]] = [
        (Question.Kind.SINGLE, options, {"id": "b"}),
        (Question.Kind.MULTIPLE, options, {"ids": ["a", "c"]}),
        (Question.Kind.NUMERIC, {"unit": "m"}, {"value": 3.2, "tolerance": 0.1}),
    ]
    Question.objects.bulk_create(
        Question(
            quiz=quiz,
            position=n,
            kind=kind,
            options=shown,
            answer=answer,
            prompt=f"Question {n}: which of these *holds*, and for which `x`?",
            explanation="Because **the first** leads to the second, as the lesson says.",
            remarks={"a": "This would hold if x were even."} if kind == Question.Kind.SINGLE else {},
        )
        for n, (kind, shown, answer) in enumerate([kinds[0]] * 6 + [kinds[1]] * 2 + [kinds[2]] * 2, start=1)
    )


def download() -> str:
    """The address at which the learner downloads a file of 10 MB."""
    owner, now = User.objects.get(email=EMAIL), timezone.now()
    file = File.objects.filter(owner=owner, name="ten.bin").first()
    if file is None:
        name = default_storage.save("files/ten", ContentFile(os.urandom(10_000_000)))
        upload = Upload.objects.create(
            owner=owner,
            purpose=Upload.Purpose.FILE,
            filename="ten.bin",
            length=10_000_000,
            offset=10_000_000,
            stored_as=name,
            created_at=now,
            expires_at=now,
            completed_at=now,
        )
        file = File.objects.create(
            owner=owner,
            name="ten.bin",
            sort_name="ten.bin",
            current=upload,
            size=upload.length,
            created_at=now,
            modified_at=now,
        )
        FileVersion.objects.create(file=file, upload=upload, number=1, created_at=now)
    return f"/files/{file.uid}/download"


def players(count: int) -> dict[str, Any]:
    """Learners halfway through the video and the quiz: their tokens, attempts and addresses.

    What an earlier run has left of them goes; the answers pass the quiz with eight of ten.
    """
    now = timezone.now()
    opened = now - timedelta(minutes=20)
    film, quiz = Lesson.objects.get(course__slug=BIG, slug=VIDEO), Quiz.objects.get(lesson__slug=QUIZ)
    learners = list(User.objects.filter(email__startswith="l").order_by("pk")[:count])
    BrowserSession.objects.filter(user__in=learners).delete()
    sessions = BrowserSession.objects.bulk_create(
        BrowserSession(
            session_key=uuid.uuid4().hex,
            session_data="",
            user=user,
            expire_date=now + timedelta(days=1),
            last_seen_at=now,
        )
        for user in learners
    )
    enrollments = {
        enrollment.user_id: enrollment for enrollment in Enrollment.objects.filter(course__slug=BIG, user__in=learners)
    }
    LessonProgress.objects.filter(enrollment__in=enrollments.values()).delete()
    Attempt.objects.filter(enrollment__in=enrollments.values()).delete()
    Enrollment.objects.filter(pk__in=[enrollment.pk for enrollment in enrollments.values()]).update(
        completed_lessons=0, percent=0, milestone=0, last_lesson=film, last_activity_at=now
    )
    LessonProgress.objects.bulk_create(
        LessonProgress(
            enrollment=enrollment,
            lesson=lesson,
            started_at=opened,
            updated_at=opened,
        )
        for enrollment in enrollments.values()
        for lesson in (film, quiz.lesson)
    )
    # As if they had opened the lesson by its page: without unused time each heartbeat would look for some.
    LearningTime.objects.filter(user__in=learners).delete()
    LearningTime.objects.bulk_create(
        LearningTime(user=user, counted_at=now, spans=[[opened.timestamp(), 20 * 60 * RATE]]) for user in learners
    )
    attempts = {
        attempt.enrollment_id: attempt
        for attempt in Attempt.objects.bulk_create(
            Attempt(enrollment=enrollment, quiz=quiz, number=1, started_at=now) for enrollment in enrollments.values()
        )
    }
    questions = list(quiz.questions.order_by("position"))
    answers = {
        str(question.uid): {"text": "3.2"} if question.kind == Question.Kind.NUMERIC else question.answer
        for question in questions[2:]
    } | {str(question.uid): {"id": "a"} for question in questions[:2]}
    return {
        "download": download(),
        "progress": f"/api/v1/lessons/{film.uid}/progress/",
        "answers": answers,
        "people": [
            {
                "token": tokens.issue(user, session.uid),
                "submit": f"/api/v1/attempts/{attempts[enrollments[user.pk].pk].uid}/submit/",
            }
            for user, session in zip(learners, sessions, strict=True)
        ],
    }
