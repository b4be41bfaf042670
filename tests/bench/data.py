"""Realistic amounts: 10,000 courses, 1,000 learners, one course of 130 lessons with a learner half through it."""

from __future__ import annotations

import random
from datetime import timedelta
from itertools import accumulate

from django.contrib.auth.hashers import make_password
from django.utils import timezone

from apps.accounts.models import Role, User
from apps.courses.models import Course, Lesson, Section, Subject
from apps.courses.services import search
from apps.learning.models import Enrollment, LessonProgress, Rating
from studyplatform.kit import plates
from tests.bench import BIG, EMAIL, PASSWORD

COURSES, LEARNERS, LESSONS = 10_000, 1_000, 130
# As in a language: a few words are everywhere, most are rare (Zipf), so that searches find some and not all.
_SYLLABLES = "al bra ve tor li ght wa rim stel ar ver bo cho dal mar ke gra pho pro of ma".split()  # noqa: SIM905
WORDS = [a + b + c for a in _SYLLABLES for b in _SYLLABLES[:14] for c in ("", "s", "ing", "ic")]
ZIPF = list(accumulate(1 / rank for rank in range(1, len(WORDS) + 1)))


def fill() -> None:
    """Make the data; about half a minute."""
    dice, now = random.Random(7), timezone.now()
    password = make_password(PASSWORD)
    teachers = User.objects.bulk_create(
        User(email=f"t{n}@example.com", username=f"t{n}", first_name="Tea", last_name=f"Cher {n}", role=Role.INSTRUCTOR)
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
        for n, slug in enumerate(plates.SUBJECTS)
    ]
    art = {s.slug: plates.plate(f"bench-{s.slug}", s.slug) for s in subjects}

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
            body=" ".join(dice.choices(WORDS, cum_weights=ZIPF, k=400)),
        )
        for section in sections
        for n in range(1, 11)
    )
    seat = Enrollment.objects.create(
        user=person,
        course=big,
        enrolled_at=now,
        last_activity_at=now,
        completed_lessons=65,
        percent=50,
        last_lesson=lessons[65],
    )
    LessonProgress.objects.bulk_create(
        LessonProgress(enrollment=seat, lesson=lesson, started_at=now, updated_at=now, completed_at=now)
        for lesson in lessons[:65]
    )
    seats = Enrollment.objects.bulk_create(
        Enrollment(user=learner, course=big, enrolled_at=now, last_activity_at=now) for learner in learners
    )
    Rating.objects.bulk_create(
        Rating(enrollment=row, course=big, stars=dice.randint(3, 5), text="Clear.", created_at=now, updated_at=now)
        for row in seats
    )
    search.index_all()
