"""An instructor's milestones in students are told once, however many learners enroll at the same time."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from apps.accounts.models import Notification, User
from apps.billing.models import EarningsMilestone
from apps.courses.models import Course
from apps.learning import services
from apps.learning.models import Enrollment
from studyplatform.kit import jobs
from studyplatform.kit.models import Job
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory
from tests.learning.test_races import run_simultaneously

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


def note_after_a_while():
    waiting = Job.objects.filter(kind="billing.note_students", state="queued")
    # From the moment at which it was planned: a minute may end between that and here.
    assert not waiting.filter(run_at__lte=F("created_at") + timedelta(minutes=1)).exists()
    waiting.update(run_at=timezone.now())
    jobs.run_pending("default")


def told(user):
    return [each.params["milestone"] for each in Notification.objects.filter(user=user, kind="billing.milestone")]


@pytest.fixture
def courses(ada):
    """Ada's courses with 98 and no learners."""
    known, fresh = [CourseFactory(instructor=ada, status="published", pricing="free") for _ in range(2)]
    now = timezone.now()
    learners = User.objects.bulk_create(UserFactory.build_batch(98))
    Enrollment.objects.bulk_create(
        Enrollment(user=one, course=known, enrolled_at=now, last_activity_at=now) for one in learners
    )
    Course.objects.filter(pk=known.pk).update(learner_count=len(learners))
    return known, fresh


def test_the_hundredth_student_is_told(ada, courses):
    _, fresh = courses
    services.enroll(user=UserFactory(), course=fresh, now=timezone.now())
    note_after_a_while()
    assert told(ada) == []

    for _ in range(2):
        services.enroll(user=UserFactory(), course=fresh, now=timezone.now())
        note_after_a_while()

    assert told(ada) == ["100 students"]


def test_simultaneous_enrollments_are_told_once(ada, courses):
    _, fresh = courses
    learners = UserFactory.create_batch(4)

    outcomes = run_simultaneously(
        *[lambda user=user: services.enroll(user=user, course=fresh, now=timezone.now()) for user in learners]
    )
    assert not [each for each in outcomes if isinstance(each, Exception)]
    assert Job.objects.filter(kind="billing.note_students").count() <= 2  # two if a minute ended in between
    note_after_a_while()
    run_simultaneously(*[note_after_a_while] * 3)

    assert told(ada) == ["100 students"]
    assert EarningsMilestone.objects.filter(user=ada).count() == 1
