"""Write the demo content to the database.

Each user, course, video and enrollment is created in its own transaction, and only if it does not exist: a second run
changes nothing, and the next run completes an interrupted one. Outlines are written in bulk. Whatever has rules
(enrollments, quiz results, certificates, ratings, videos) goes through the services of its app, dated in the past.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import F

from apps.accounts import services as accounts
from apps.accounts.models import Notification, Role, User
from apps.courses import artwork
from apps.courses.models import Course, Lesson, Question, Quiz, Section, StatusChange, Subject, Submission
from apps.courses.services import parse_chapters
from apps.courses.services.outline_rows import refresh_outline
from apps.files.services import add_captions, import_file, import_video
from apps.learning import services as learning
from apps.learning.models import Attempt, Enrollment, LessonProgress, Rating, WatchedDay
from studyplatform.demo.answers import right_answer, wrong_answer
from studyplatform.demo.forum_library import ForumText
from studyplatform.demo.library import (
    SUBJECTS,
    Activity,
    CourseText,
    LessonText,
    Library,
    PersonText,
    QuestionText,
    RequestText,
)
from studyplatform.demo.seed_chats import seed_chats
from studyplatform.demo.seed_days import seed_learned_days
from studyplatform.demo.seed_files import LIBRARIES, seed_library
from studyplatform.demo.seed_forum import seed_forum
from studyplatform.demo.seed_half_year import seed_half_year, seed_rollups
from studyplatform.demo.seed_messages import message_steps
from studyplatform.demo.seed_notes import note_steps
from studyplatform.demo.seed_paths import seed_paths
from studyplatform.demo.seed_people import seed_co_instructors
from studyplatform.demo.seed_practice import seed_practice
from studyplatform.demo.seed_review import write_review
from studyplatform.demo.seed_sales import Year, share_premium
from studyplatform.kit.text.money import scaled_price

PASSWORD = "StudyDemo1"  # noqa: S105 (it is printed for everyone who starts the demo)
LOW_PRIORITY = -10  # of the demo's videos: uploads of instructors are processed first
BEFORE_FIRST_LESSON = timedelta(minutes=7)
Status = Course.Status
Kind = Lesson.Kind


@dataclass(frozen=True)
class Step:
    """A step of seeding: its label and its function."""

    name: str
    run: Callable[[], None]


ESSAY_POINTS = 4
AGAIN_SHARE = 0.4  # of the learners whose essay was marked write another one
MARKED_WELL = "The objection would be signed by Mrs. Ward, and your claim is smaller and better for it."
MARKED_SHORT = "A fair start. The objection is there, but I can't see what is left of your claim."


def steps(library: Library, forum: ForumText, *, year: Year, now: datetime) -> Iterator[Step]:
    """The steps in their order. A step that has run before does nothing. ``year``: the sales."""
    password = make_password(PASSWORD)  # once: hashing is slow on purpose, and these accounts share it
    yield Step("subjects", seed_subjects)
    for person in library.people:
        yield Step(person.username, partial(seed_person, person, password, now))
    for request in library.requests:
        yield Step(request.email, partial(seed_request, request, now))
    for course in library.courses:
        yield Step(course.title, partial(seed_course, course, now))
    for course in library.courses:
        if course.prerequisites:
            yield Step(course.title, partial(seed_prerequisites, course))
    yield Step("co-instructors", partial(seed_co_instructors, now))
    yield Step("learning paths", partial(seed_paths, now))
    for label, run in year.months():
        yield Step(label, run)
    for line in library.activity:
        name = f"{line.email.split('@')[0]} in {line.course}"
        yield Step(name, partial(seed_activity, line, now))
    learners = [line.email for line in library.activity if line.is_enrolled]
    yield Step("learned days", partial(seed_learned_days, learners, now))
    yield Step("half a year of learners", partial(seed_half_year, now))
    yield Step("helpful reviews", partial(seed_votes, library, now))
    yield Step("practice", partial(seed_practice, now))
    yield Step("shares of Premium", partial(share_premium, now))
    for course in library.courses:
        for lesson in course.lessons:
            if lesson.film:
                yield Step(lesson.title, partial(seed_film, course, lesson, now))
    for one in LIBRARIES:
        yield Step(f"files of {one.email}", partial(seed_library, one, now))
    yield Step("forum", partial(seed_forum, library, forum, now))
    yield from (Step(label, run) for label, run in message_steps(library, now=now))
    yield from (Step(label, run) for label, run in note_steps(library, now=now))
    yield Step("chats with the tutor", partial(seed_chats, now))
    yield Step("what has been read", partial(read_old_notifications, library, now))
    yield Step("roll-ups", partial(seed_rollups, now))


def seed_subjects() -> None:
    """The categories, in the order of the catalog."""
    rows = [Subject(slug=slug, name=name, position=place) for place, (slug, name) in enumerate(SUBJECTS.items())]
    Subject.objects.bulk_create(rows, ignore_conflicts=True)


def seed_person(text: PersonText, password: str, now: datetime) -> None:
    """One account with a verified email. An existing account with this email is not changed."""
    if User.objects.filter(email=text.email).exists():
        return
    joined = now - timedelta(days=text.joined_days_ago)
    username = text.username
    if User.objects.filter(username__iexact=username).exists():
        username = User.objects.free_username(username)
    User.objects.create(
        email=text.email,
        username=username,
        password=password,
        first_name=text.first_name,
        last_name=text.last_name,
        role=Role(text.role),
        headline=text.headline,
        bio=text.bio.strip(),
        time_zone=text.time_zone,
        date_joined=joined,
        terms_accepted_at=joined,
        email_verified_at=joined,
    )


def seed_request(text: RequestText, now: datetime) -> None:
    """One request to teach, and its answer."""
    user = User.objects.get(email=text.email)
    admin = User.objects.filter(role=Role.ADMIN).order_by("pk").first()
    if user.teaching_requests.exists() or user.can_teach:
        return
    asked = now - timedelta(days=text.days_ago)
    with transaction.atomic():
        request = accounts.request_to_teach(user=user, reason=text.reason, now=asked)
        if text.answer and admin is not None:
            decided = asked + timedelta(days=1)
            accounts.decide_teaching_request(
                uid=request.uid, by=admin, is_approved=False, answer=text.answer, now=decided
            )


def seed_course(text: CourseText, now: datetime) -> None:
    """One course with its outline, its quizzes and its reviews."""
    with transaction.atomic():
        if Course.objects.filter(slug=text.slug).exists():
            return
        published = now - timedelta(days=text.published_days_ago) if text.published_days_ago else None
        is_public = text.status in {Status.PUBLISHED, Status.ARCHIVED}
        opened = (published or now) if is_public else None
        begun = (opened or now) - timedelta(days=40)
        instructor = User.objects.get(email=text.instructor)
        course = Course.objects.create(
            slug=text.slug,
            title=text.title,
            subject=Subject.objects.get(slug=text.subject),
            instructor=instructor,
            status=Status(text.status),
            is_announced=text.announced,
            difficulty=Course.Difficulty(text.difficulty),
            language=text.language,
            pricing=Course.Pricing(text.pricing),
            price=scaled_price(text.price, settings.CURRENCY) if text.pricing == Course.Pricing.ONE_TIME else 0,
            currency=settings.CURRENCY,
            summary=text.summary,
            description=text.description,
            outcomes=list(text.outcomes),
            before_you_begin=text.before_you_begin,
            requires_order=text.requires_order,
            plate_variant=text.plate_variant,
            plate=artwork.plate(text.slug, text.subject, text.plate_variant),
            created_at=begun,
            updated_at=begun,
            published_at=opened,
        )
        _write_outline(course, text)
        _write_history(course, opened, now)
        refresh_outline(course, now=opened or now - timedelta(days=2))


def _write_outline(course: Course, text: CourseText) -> None:
    sections = Section.objects.bulk_create(
        Section(course=course, title=part.title, position=place) for place, part in enumerate(text.sections, start=1)
    )
    written: dict[str, Lesson] = {}
    for section, part in zip(sections, text.sections, strict=True):
        rows = [
            Lesson(
                course=course,
                section=section,
                slug=lesson.slug,
                title=lesson.title,
                kind=Kind(lesson.kind),
                position=place,
                number=f"{section.position}.{place}",
                summary=lesson.summary,
                chapters=[list(one) for one in parse_chapters(lesson.chapters, duration=lesson.seconds)],
                duration=lesson.seconds,
                is_preview=lesson.preview,
                body=lesson.body,
            )
            for place, lesson in enumerate(part.lessons, start=1)
        ]
        written |= {lesson.slug: lesson for lesson in Lesson.objects.bulk_create(rows)}
    for lesson in text.lessons:
        if lesson.quiz is not None:
            _write_quiz(written, lesson)
        if lesson.attachment is not None:
            written[lesson.slug].file = import_file(
                owner=course.instructor, path=lesson.attachment, now=course.created_at
            )
            written[lesson.slug].save(update_fields=["file"])


def _write_quiz(lessons: dict[str, Lesson], text: LessonText) -> None:
    if text.quiz is None:
        raise ValueError(text.slug)
    quiz = Quiz.objects.create(lesson=lessons[text.slug], intro=text.quiz.intro, pass_percent=text.quiz.pass_percent)
    Question.objects.bulk_create(
        Question(
            quiz=quiz,
            position=place,
            kind=Question.Kind(question.kind),
            prompt=question.prompt,
            options=question.options,
            answer=question.answer,
            explanation=question.explanation,
            remarks=question.remarks,
            points=_points_of(question),
            rewatch_lesson=lessons.get(question.rewatch_lesson),
            rewatch_at=question.rewatch_at,
        )
        for place, question in enumerate(text.quiz.questions, start=1)
    )


def _points_of(question: QuestionText) -> int:
    if question.kind == Question.Kind.GAPS:
        return len(question.options["gaps"])
    return ESSAY_POINTS if question.kind == Question.Kind.ESSAY else 1


def _write_history(course: Course, opened: datetime | None, now: datetime) -> None:
    """The history of the course's status: who submitted it, who decided, when."""
    if course.status == Status.DRAFT:
        return
    submitted = (opened or now) - timedelta(hours=30 if opened else 20)
    admin = User.objects.filter(role=Role.ADMIN).order_by("pk").first() or course.instructor
    submission = Submission(course=course, submitted_by=course.instructor, submitted_at=submitted)
    moves: list[tuple[str, str, User, datetime]] = [(Status.DRAFT, Status.REVIEW, course.instructor, submitted)]
    if opened is not None:
        submission.outcome = Submission.Outcome.APPROVED
        submission.decided_by, submission.decided_at = admin, opened
        moves.append((Status.REVIEW, Status.PUBLISHED, admin, opened))
    if course.status == Status.ARCHIVED:
        moves.append((Status.PUBLISHED, Status.ARCHIVED, course.instructor, now - timedelta(days=12)))
    submission.save()
    StatusChange.objects.bulk_create(
        StatusChange(course=course, was=was, became=became, changed_by=by, changed_at=at)
        for was, became, by, at in moves
    )
    if course.status == Status.REVIEW:
        write_review(course, submission, admin, now)


def read_old_notifications(library: Library, now: datetime) -> None:
    """Mark all notifications of the demo's users as read, except those of the last days."""
    old = Notification.objects.filter(user__email__in=[person.email for person in library.people], read_at=None)
    old.filter(created_at__lt=now - timedelta(days=5)).update(read_at=F("created_at") + timedelta(hours=3))


def seed_prerequisites(text: CourseText) -> None:
    """The prerequisites of a course. Idempotent."""
    course = Course.objects.get(slug=text.slug)
    course.prerequisites.add(*Course.objects.filter(slug__in=text.prerequisites))


def seed_film(text: CourseText, lesson: LessonText, now: datetime) -> None:
    """Enqueue the processing of one video with its captions, after uploads of users."""
    row = Lesson.objects.select_related("course__instructor").get(course__slug=text.slug, slug=lesson.slug)
    if row.video_id is not None or lesson.film is None:
        return
    owner = row.course.instructor
    with transaction.atomic():
        video = import_video(owner=owner, path=lesson.film, now=now, priority=LOW_PRIORITY)
        if lesson.captions is not None:
            raw = lesson.captions.read_bytes()
            add_captions(video=video, by=owner, raw=raw, language="en", label="English", now=now)
        # Not attach_video: it would copy the duration of a video that has not been probed yet.
        Lesson.objects.filter(pk=row.pk, video=None).update(video=video)


def beginnings(library: Library, now: datetime) -> dict[tuple[str, str], datetime]:
    """When each learner of the library began each of their courses, by email and slug."""
    counts = {course.slug: len(course.lessons) for course in library.courses}
    found = {}
    for line in library.activity:
        if line.is_enrolled:
            times = _times(line, counts[line.course], _dice(line), now)
            found[line.email, line.course] = times[0] - BEFORE_FIRST_LESSON
    return found


def seed_activity(line: Activity, now: datetime) -> None:
    """One learner in one course: enrollment, lessons, quiz attempts, rating, bookmark.

    A course that is sold was opened by the sales before.
    """
    user = User.objects.get(email=line.email)
    course = Course.objects.get(slug=line.course)
    with transaction.atomic():
        if line.is_enrolled:
            _live(user, course, line, now)
        if line.bookmarked and not user.bookmarks.filter(course=course).exists():
            learning.set_bookmark(user=user, course=course, on=True, now=_latest(line, _dice(line), now))


def _live(user: User, course: Course, line: Activity, now: datetime) -> None:
    enrollment = Enrollment.objects.active().of(user.pk).filter(course=course).first()
    if enrollment is not None and enrollment.progress.exists():
        return
    lessons = list(course.lessons.select_related("quiz").order_by("section__position", "position").defer("body"))
    done = line.lessons_of(len(lessons))
    dice = _dice(line)
    times = _times(line, len(lessons), dice, now)
    latest = times[-1]
    if enrollment is None:
        enrollment = learning.grant_enrollment(user=user, course=course, now=times[0] - BEFORE_FIRST_LESSON)
    rows: list[LessonProgress] = []
    for lesson, at in zip(lessons[:done], times, strict=False):
        if lesson.kind == Kind.QUIZ:
            _take_quiz(enrollment, lesson.quiz, dice, at)
        else:
            rows.append(_completed(enrollment, lesson, at))
    after = lessons[done] if done < len(lessons) else None
    if after is not None and done and after.kind == Kind.VIDEO:
        rows.append(_half_watched(enrollment, after, dice, latest))
    LessonProgress.objects.bulk_create(rows)
    _watch(enrollment, rows)
    last = (
        after if after is not None and rows and rows[-1].lesson_id == after.pk else lessons[done - 1] if done else None
    )
    learning.recount(enrollment_id=enrollment.pk, now=latest, last_lesson_id=last.pk if last else None)
    if line.stars:
        rating = learning.rate_course(user=user, course=course, stars=line.stars, text=line.review, now=latest)
        if line.reply:
            answered_at = min(latest + timedelta(hours=20), now)
            learning.reply_to_rating(rating=rating, by=course.instructor, text=line.reply, now=answered_at)


def seed_votes(library: Library, now: datetime) -> None:
    """Learners of the demo found some of the reviews helpful, the longer ones more often."""
    emails = {person.email for person in library.people}
    people = list(User.objects.filter(email__in=emails, role=Role.STUDENT, is_active=True).order_by("pk"))
    for rating in Rating.objects.exclude(text="").filter(votes=None).select_related("enrollment").order_by("pk"):
        dice = random.Random(f"{rating.enrollment.user_id} {rating.course_id}")  # noqa: S311 (the same votes each time)
        readers = [user for user in people if user.pk != rating.enrollment.user_id]
        count = min(dice.randrange(1 + len(rating.text) // 12), len(readers))
        for user in dice.sample(readers, count):
            learning.vote_helpful(rating=rating, user=user, on=True, now=now)


def _watch(enrollment: Enrollment, rows: list[LessonProgress]) -> None:
    """How long the learner watched on each day."""
    seconds: Counter[date] = Counter()
    for row in rows:
        seconds[row.updated_at.astimezone(UTC).date()] += row.watched_seconds
    user, course = enrollment.user_id, enrollment.course_id
    days = [
        WatchedDay(user_id=user, course_id=course, day=day, seconds=count) for day, count in seconds.items() if count
    ]
    # A quiz that was taken on the day has a row already.
    of_day = ["user", "course", "day"]
    WatchedDay.objects.bulk_create(days, update_conflicts=True, unique_fields=of_day, update_fields=["seconds"])


def _dice(line: Activity) -> random.Random:
    """Dice that fall in the same way each time for this learner in this course."""
    return random.Random(zlib.crc32(f"{line.email} {line.course}".encode()))  # noqa: S311 (the same progress each time)


def _latest(line: Activity, dice: random.Random, now: datetime) -> datetime:
    return now - timedelta(days=line.days_ago, minutes=dice.randrange(10, 55))


def _times(line: Activity, lessons: int, dice: random.Random, now: datetime) -> list[datetime]:
    """When the learner completed each lesson. The last day is for the next one, or for the end of the course."""
    latest = _latest(line, dice, now)
    return _evenings(min(line.lessons_of(lessons) + 1, lessons), dice, latest)


def _evenings(count: int, dice: random.Random, latest: datetime) -> list[datetime]:
    """``count`` moments until ``latest``, with one or two lessons a day."""
    times = [latest]
    for _ in range(count - 1):
        hours = dice.choice([0.6, 0.8, 23, 24, 25, 26, 47])
        times.append(times[-1] - timedelta(hours=hours, minutes=dice.randrange(40)))
    return times[::-1]


def _completed(enrollment: Enrollment, lesson: Lesson, at: datetime) -> LessonProgress:
    length = lesson.duration if lesson.kind == Kind.VIDEO else 0
    return LessonProgress(
        enrollment=enrollment,
        lesson=lesson,
        position=float(length),
        watched=[[0, length]] if length else [],
        watched_seconds=length,
        started_at=at - timedelta(seconds=max(lesson.duration, 60)),
        updated_at=at,
        completed_at=at,
    )


def _half_watched(enrollment: Enrollment, lesson: Lesson, dice: random.Random, at: datetime) -> LessonProgress:
    """The position where the learner stopped; the player resumes there."""
    place = round(lesson.duration * dice.uniform(0.35, 0.6))
    return LessonProgress(
        enrollment=enrollment,
        lesson=lesson,
        position=float(place),
        watched=[[0, place]],
        watched_seconds=place,
        started_at=at - timedelta(seconds=place + 5),
        updated_at=at,
    )


def _take_quiz(enrollment: Enrollment, quiz: Quiz, dice: random.Random, at: datetime) -> None:
    """One or two attempts, the last of them passed, graded by the usual service."""
    questions = list(quiz.questions.order_by("position"))
    has_essay = any(question.kind == Question.Kind.ESSAY for question in questions)
    slips = dice.choice([0, 0, 1, 1, 2])
    attempts = [len(questions) // 2 + 1, min(slips, 1)] if dice.random() < 0.25 else [slips]
    start = at - timedelta(minutes=9 * len(attempts))
    for number, wrong in enumerate(attempts, start=1):
        missed = set(dice.sample(range(len(questions)), min(wrong, len(questions))))
        answers = {
            str(question.uid): (wrong_answer(question) if place in missed else right_answer(question))
            for place, question in enumerate(questions)
        }
        attempt = learning.draw_attempt(enrollment=enrollment, quiz=quiz, number=number, now=start)
        start += timedelta(minutes=8)
        attempt, _ = learning.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers=answers, now=start)
        if has_essay:
            _mark_essays(attempt, wrong, start + timedelta(minutes=1))
    if not attempt.is_passed:  # a short quiz in which each mistake counts too much
        answers = {str(question.uid): right_answer(question) for question in questions}
        attempt = learning.draw_attempt(enrollment=enrollment, quiz=quiz, number=len(attempts) + 1, now=start)
        start += timedelta(minutes=5)
        attempt, _ = learning.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers=answers, now=start)
        if has_essay:
            _mark_essays(attempt, 0, start + timedelta(minutes=1))
    if has_essay and dice.random() < AGAIN_SHARE:  # another answer, which waits for a mark
        number = attempt.number + 1
        answers = {str(question.uid): right_answer(question) for question in questions}
        last = learning.draw_attempt(enrollment=enrollment, quiz=quiz, number=number, now=start)
        learning.submit_attempt(user=enrollment.user, attempt=last, answers=answers, now=start + timedelta(minutes=20))


def _mark_essays(attempt: Attempt, mistakes: int, at: datetime) -> None:
    """The instructor's marks, by the usual service. The attempt then has its result."""
    for essay in attempt.essays.all():
        learning.mark_essay(
            by=attempt.quiz.lesson.course.instructor,
            essay=essay,
            earned=max(Decimal(0), Decimal(essay.points) - mistakes),
            comment=MARKED_WELL if not mistakes else MARKED_SHORT,
            revision=0,
            now=at,
        )
    attempt.refresh_from_db(fields=["waiting", "percent", "is_passed"])
