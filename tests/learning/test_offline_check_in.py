"""Check-in and the storable course: what may stay on a device, until when, and what it weighs."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from apps.billing.models import Grant, Subscription
from apps.courses.models import Course, CourseFileUse, Lesson, LessonDownload, Quiz, Section
from apps.files.models import CaptionTrack, VideoAsset
from apps.learning.models import Attempt, Enrollment, LessonProgress, Note, OfflineDevice, SealedPaper
from apps.learning.queries.offline_lessons import ACCESS_IN_DOUBT, check_lessons, expiry_of
from apps.learning.queries.offline_stamps import stamps_of, states_of
from apps.learning.queries.storable_course import PAGE_BYTES, PICTURE_BYTES, storable_course_out
from studyplatform.kit.caching.lru import clear_caches
from tests.cases import all_cases
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, SectionFactory
from tests.factories.files import CaptionFactory, RenditionFactory, StoredFileFactory, VideoFactory
from tests.factories.learning import (
    AttemptFactory,
    EnrollmentFactory,
    LessonProgressFactory,
    NoteFactory,
    OfflineDeviceFactory,
)
from tests.factories.selling import GrantFactory, SubscriptionFactory
from tests.learning.conftest import NOON
from tests.learning.offline_content import make_course_file, make_video_lesson, offer
from tests.learning.quiz import make_quiz

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
UNKNOWN = "0b9f7f4e-3f43-4c6a-9d57-7f6a8c1f2d10"


@pytest.fixture
def device(leo):
    return OfflineDeviceFactory(user=leo, created_at=NOON - DAY)


@pytest.fixture
def check_in(call_as, device):
    """Check in with these lessons; return what is said of each."""

    def ask(*lessons):
        uids = [str(getattr(one, "uid", one)) for one in lessons]
        status, _code, found = call_as("leo", "POST", f"/offline/devices/{device.uid}/check-in/", {"lessons": uids})
        assert status == 200, found
        assert [one["uid"] for one in found["lessons"]] == list(dict.fromkeys(uids))
        return found["lessons"]

    return ask


def refusals(checked):
    return [one["refusal"]["code"] if one["refusal"] else None for one in checked]


# --- Until when --------------------------------------------------------------------------------------


@all_cases(
    "end, expected",
    [
        (None, NOON + 30 * DAY),
        (NOON + 40 * DAY, NOON + 30 * DAY),
        (NOON + 3 * DAY, NOON + 3 * DAY),
        (NOON, NOON + ACCESS_IN_DOUBT),  # it opens still: its renewal is on the way
    ],
)
def test_a_lesson_stays_for_thirty_days_or_as_long_as_its_access(end, expected, settings):
    settings.OFFLINE_DAYS = 30
    assert expiry_of(end, NOON) == expected


def test_a_check_in_renews_what_is_stored(check_in, enrollment, lessons):
    for days in (0, 3):
        with time_machine.travel(NOON + days * DAY, tick=False):
            [checked] = check_in(lessons[0])
        assert checked["expires_at"] == (NOON + (days + 30) * DAY).isoformat().replace("+00:00", "Z")
        assert (checked["refusal"], len(checked["stamp"])) == (None, 16)


def test_the_end_of_premium_is_the_end_of_its_lessons(check_in, call_as, device, leo, enrollment, lessons, course):
    Course.objects.filter(pk=course.pk).update(pricing="premium")
    end = NOON + 4 * DAY
    SubscriptionFactory(user=leo, period_end=end, cancels_at_period_end=True)
    with time_machine.travel(NOON, tick=False):
        [checked] = check_in(lessons[0])
        address = f"/offline/devices/{device.uid}/lessons/{lessons[0].uid}/"
        package = call_as("leo", "POST", address, {})[2]

    assert checked["expires_at"] == package["expires_at"] == end.isoformat().replace("+00:00", "Z")


# --- What may stay -----------------------------------------------------------------------------------


@pytest.mark.database
def test_what_ended_is_refused_with_the_reason_and_the_rest_stays(check_in, leo, enrollment, lessons, course):
    film, other = make_video_lesson(course), LessonFactory(section__course__status="published")
    lost = EnrollmentFactory(user=leo, revoked_at=timezone.now()).course
    gone = LessonFactory(section=SectionFactory(course=lost), course=lost)
    GrantFactory(user=leo, course=lost, source=Grant.Source.PREMIUM, ended_at=timezone.now(), end_reason="premium")
    Lesson.objects.filter(pk=lessons[1].pk).update(removed_at=timezone.now())
    Lesson.objects.filter(pk=lessons[2].pk).update(opens_at=timezone.now() + DAY)
    LessonProgressFactory(enrollment=enrollment, lesson=lessons[3])
    Lesson.objects.filter(pk=lessons[3].pk).update(opens_at=timezone.now() + DAY)  # begun while it was open
    hidden = LessonFactory()

    checked = check_in(*lessons[:4], film, other, gone, hidden, UNKNOWN)

    assert refusals(checked) == [
        None, "LESSON_TAKEN_OUT", "LESSON_NOT_OPEN_YET", None, None,
        "ENROLLMENT_REQUIRED", "SUBSCRIPTION_EXPIRED", "COURSE_NOT_FOUND", "LECTURE_UNAVAILABLE",
    ]  # fmt: skip
    for one in checked:
        assert (one["expires_at"] is None) == (one["stamp"] == "") == (one["refusal"] is not None)


def test_a_refund_ends_what_is_stored_at_the_next_contact(check_in, enrollment, lessons):
    assert refusals(check_in(*lessons)) == [None] * 6
    Enrollment.objects.update(revoked_at=timezone.now())
    assert set(refusals(check_in(*lessons))) == {"ENROLLMENT_REQUIRED"}


def test_what_an_earlier_lesson_locks_stays(check_in, enrollment, lessons, course):
    Course.objects.filter(pk=course.pk).update(requires_order=True)
    lessons[1].prerequisites.add(lessons[0])

    assert refusals(check_in(*lessons)) == [None] * 6


def test_a_lesson_that_is_named_twice_is_checked_once(check_in, enrollment, lessons):
    assert len(check_in(lessons[0], lessons[0])) == 1


def test_lessons_are_bounded(call_as, device):
    found = call_as("leo", "POST", f"/offline/devices/{device.uid}/check-in/", {"lessons": [UNKNOWN] * 1001})

    assert found[:2] == (400, "VALIDATION_FAILED")


def test_a_check_in_releases_papers_of_quizzes_that_are_not_stored(call_as, check_in, device, enrollment, course):
    quiz = make_quiz(course).lesson
    call_as("leo", "POST", f"/offline/devices/{device.uid}/lessons/{quiz.uid}/", {})

    SealedPaper.objects.update(sealed_at=timezone.now() - DAY)

    check_in(quiz)
    assert SealedPaper.objects.get().released_at is None
    # It stores more lessons than one call names.
    call_as("leo", "POST", f"/offline/devices/{device.uid}/check-in/", {"lessons": [], "is_partial": True})
    assert SealedPaper.objects.get().released_at is None
    check_in()
    assert SealedPaper.objects.get().released_at is not None


# --- Stamps ------------------------------------------------------------------------------------------


def stamp(lesson):
    return stamps_of([Lesson.with_removed.get(pk=lesson.pk)])[lesson.pk]


@pytest.mark.database
def test_a_stamp_changes_with_what_the_page_shows_and_with_nothing_else(course, enrollment, lessons, leo):
    film, quiz = make_video_lesson(course), make_quiz(course)
    download = offer(lessons[0], make_course_file(course), "Sheet.pdf")
    question = quiz.questions.first()

    def update(model, pk, **values):
        return lambda: model._base_manager.filter(pk=pk).update(**values)

    steps = [
        (lessons[0], update(Lesson, lessons[0].pk, body="Other words."), True),
        (lessons[0], update(Lesson, lessons[0].pk, title="Another"), True),
        (lessons[0], update(LessonDownload, download.pk, name="Table.pdf"), True),
        (lessons[0], update(Course, course.pk, version=99), True),
        (lessons[0], update(Course, course.pk, learner_count=7), False),
        (lessons[0], update(Section, lessons[0].section_id, title="Another"), True),
        (lessons[0], update(Lesson, lessons[1].pk, body="Other words."), False),
        (lessons[0], lambda: LessonProgressFactory(enrollment=enrollment, lesson=lessons[0]), False),
        (film, update(CaptionTrack, film.video.captions.first().pk, webvtt="WEBVTT\n"), True),
        (film, lambda: CaptionFactory(video=film.video, language="fr"), True),
        (film, update(VideoAsset, film.video.pk, directory="videos/other"), True),
        (film, update(VideoAsset, film.video.pk, percent=7), False),
        (film, update(Lesson, film.pk, chapters=[[0, "Begin"]]), True),
        (quiz.lesson, update(Quiz, quiz.pk, pass_percent=71), True),
        (quiz.lesson, lambda: QuestionFactory(quiz=quiz), True),
        (quiz.lesson, update(type(question), question.pk, prompt="Which one?"), False),  # the device has them sealed
        (quiz.lesson, update(Quiz, quiz.pk, intro="Take your time."), True),
    ]
    for number, (lesson, change, changes) in enumerate(steps):
        before = stamp(lesson)
        assert stamp(lesson) == before
        change()
        assert (stamp(lesson) != before) == changes, number


def test_the_stamp_of_a_package_is_that_of_the_check_in(call_as, check_in, device, enrollment, course, lessons):
    for lesson in (lessons[0], make_video_lesson(course), make_quiz(course).lesson):
        package = call_as("leo", "POST", f"/offline/devices/{device.uid}/lessons/{lesson.uid}/", {})[2]
        [checked] = check_in(lesson)
        assert (checked["stamp"], checked["state"]) == (package["stamp"], package["state"])


# --- What was done elsewhere -------------------------------------------------------------------------


def test_a_check_in_tells_what_is_completed_in_the_course(call_as, device, enrollment, lessons):
    LessonProgressFactory(enrollment=enrollment, lesson=lessons[0], completed_at=NOON)
    LessonProgressFactory(enrollment=enrollment, lesson=lessons[1])

    address = f"/offline/devices/{device.uid}/check-in/"
    found = call_as("leo", "POST", address, {"lessons": [str(lessons[2].uid)]})[2]

    assert found["completed"] == [str(lessons[0].uid)]  # also of what the device does not store


@pytest.mark.database
def test_a_state_changes_with_what_the_learner_does_and_with_nothing_else(course, enrollment, lessons, leo, mia):
    quiz, text = make_quiz(course), lessons[0]
    mine = NoteFactory(user=leo, course=course, lesson=text)
    steps = [
        (text, lambda: LessonProgressFactory(enrollment=enrollment, lesson=text), True),
        (text, lambda: LessonProgress.objects.update(position=40), True),
        (text, lambda: LessonProgress.objects.update(completed_at=NOON), True),
        (text, lambda: LessonProgressFactory(enrollment=enrollment, lesson=lessons[1]), False),
        (text, lambda: NoteFactory(user=leo, course=course, lesson=text), True),
        (text, lambda: NoteFactory(user=mia, course=course, lesson=text), False),
        (text, lambda: Note.objects.filter(pk=mine.pk).update(is_deleted=True, updated_at=timezone.now() + DAY), True),
        (text, lambda: Lesson.objects.filter(pk=text.pk).update(title="Another"), False),
        (quiz.lesson, lambda: AttemptFactory(enrollment=enrollment, quiz=quiz, submitted_at=None), True),
        (quiz.lesson, lambda: Attempt.objects.update(submitted_at=NOON), True),
        (quiz.lesson, lambda: Attempt.objects.update(percent=Attempt.objects.get().percent + 1), True),
    ]
    for number, (lesson, change, changes) in enumerate(steps):
        before = states_of(leo, [lesson])
        assert states_of(leo, [lesson]) == before
        change()
        assert (states_of(leo, [lesson]) != before) == changes, number


# --- Sizes -------------------------------------------------------------------------------------------


@pytest.mark.database
def test_sizes_are_told_by_quality_the_best_first(call_as, enrollment, course, lessons, ada):
    film = make_video_lesson(course)
    upload = StoredFileFactory(owner=ada, length=5_000)
    file = LessonFactory(section=SectionFactory(course=course), course=course, kind="file", file=upload)
    picture = make_course_file(course, width=800, height=600, rendition_width=800)
    sheet = make_course_file(course)
    for one in (picture, sheet):
        CourseFileUse.objects.create(file=one, place="lesson", lesson=lessons[0])
    CourseFileUse.objects.create(file=picture, place="lesson", lesson=lessons[1], ended_at=timezone.now())
    picture.upload.length = PICTURE_BYTES * 9
    picture.upload.save()

    status, _code, found = call_as("leo", "GET", f"/offline/courses/{course.slug}/")

    assert (status, found["days"], len(found["sections"])) == (200, 30, 4)
    sizes = {one["uid"]: one["sizes"] for one in found["lessons"]}
    # Of 10,000 stored bytes, 1,000 for each letter of a quality are its segments; the rest is stored with each.
    assert sizes[str(film.uid)] == [
        {"quality": "720p", "size": PAGE_BYTES + 4000 + 0},
        {"quality": "480p", "size": PAGE_BYTES + 4000 + 0},
        {"quality": "audio", "size": PAGE_BYTES + 5000 + 0},
    ]
    VideoAsset.objects.update(stored_bytes=20_000)
    found = call_as("leo", "GET", f"/offline/courses/{course.slug}/")[2]
    sizes = {one["uid"]: one["sizes"] for one in found["lessons"]}
    assert sizes[str(film.uid)][0] == {"quality": "720p", "size": PAGE_BYTES + 4000 + 7000}
    assert sizes[str(file.uid)] == [{"quality": "", "size": PAGE_BYTES + 5_000}]
    assert sizes[str(lessons[0].uid)] == [{"quality": "", "size": PAGE_BYTES + PICTURE_BYTES + sheet.upload.length}]
    assert sizes[str(lessons[1].uid)] == [{"quality": "", "size": PAGE_BYTES}]


def test_what_cannot_be_stored_says_why_and_has_no_size(call_as, enrollment, course, lessons):
    film = make_video_lesson(course)
    VideoAsset.objects.update(stage="audio")
    Lesson.objects.filter(pk=lessons[0].pk).update(opens_at=timezone.now() + DAY)

    found = call_as("leo", "GET", f"/offline/courses/{course.slug}/")[2]

    by_uid = {one["uid"]: one for one in found["lessons"]}
    assert by_uid[str(film.uid)]["refusal"]["code"] == "OFFLINE_NOT_POSSIBLE"
    assert by_uid[str(lessons[0].uid)]["refusal"]["code"] == "LESSON_NOT_OPEN_YET"
    assert by_uid[str(film.uid)]["sizes"] == by_uid[str(lessons[0].uid)]["sizes"] == []
    assert by_uid[str(lessons[1].uid)]["refusal"] is None


@pytest.mark.parametrize(("who", "code"), [("mia", "ENROLLMENT_REQUIRED"), ("ada", "OFFLINE_NOT_POSSIBLE")])
def test_those_who_are_not_enrolled_read_why_not(call_as, course, lessons, mia, who, code):
    found = call_as(who, "GET", f"/offline/courses/{course.slug}/")[2]

    assert {one["refusal"]["code"] for one in found["lessons"]} == {code}


# --- Many --------------------------------------------------------------------------------------------


@pytest.fixture
def large_course(leo, ada):
    """A Premium course of 130 lessons: videos with captions and texts in ten sections."""
    course = CourseFactory(status="published", pricing="premium", instructor=ada)
    for number in range(1, 11):
        section = SectionFactory(course=course, position=number)
        for place in range(1, 14):
            facts = {"section": section, "course": course, "position": place, "update_counts": False}
            if place % 2:
                video = VideoFactory(owner=ada)
                RenditionFactory(video=video)
                CaptionFactory(video=video)
                facts |= {"kind": "video", "video": video}
            LessonFactory(**facts)
    EnrollmentFactory(user=leo, course=course)
    SubscriptionFactory(user=leo, period_end=timezone.now() + 9 * DAY)
    return course


def test_a_course_of_130_lessons_costs_few_queries(leo, large_course, django_assert_max_num_queries):
    clear_caches()
    with django_assert_max_num_queries(8):
        found = storable_course_out(leo, large_course.slug, timezone.now())

    assert len(found["lessons"]) == 130
    assert all(one["sizes"] for one in found["lessons"])


def test_a_check_in_of_many_lessons_and_courses_costs_few_queries(leo, large_course, django_assert_max_num_queries):
    others = [LessonFactory(section__course__status="published").uid for _each in range(20)]
    uids = [*large_course.lessons.values_list("uid", flat=True), *others]
    clear_caches()

    with django_assert_max_num_queries(19):
        checked = check_lessons(leo, uids, now=timezone.now())

    assert refusals(checked["lessons"]) == [None] * 130 + ["ENROLLMENT_REQUIRED"] * 20
    assert Subscription.objects.count() == 1
    assert not OfflineDevice.objects.exists()
