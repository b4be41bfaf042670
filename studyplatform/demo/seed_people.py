"""Who teaches a course of the demo beside its instructor: one with a share, and one who was invited."""

import secrets
from datetime import datetime, timedelta

from django.db import transaction

from apps.accounts.models import User
from apps.courses.models import CoInstructor, CoInstructorInvitation, Course, RevenueShare

COURSE = "probability-without-tricks"
CO_INSTRUCTOR = "priya.raman@example.com"
PERCENT = 20
INVITED = "noor.haddad@school.example"
JOINED_DAYS_AGO = 90


def seed_co_instructors(now: datetime) -> None:
    """Let somebody teach the course with its instructor for some months, once."""
    course = Course.objects.select_related("instructor").filter(slug=COURSE).first()
    user = User.objects.filter(email=CO_INSTRUCTOR).first()
    if course is None or user is None or course.co_instructors.exists() or user.pk == course.instructor_id:
        return
    joined = now - timedelta(days=JOINED_DAYS_AGO)
    with transaction.atomic():
        CoInstructor.objects.create(
            course=course,
            user=user,
            role=CoInstructor.Role.EDIT,
            invited_by=course.instructor,
            joined_at=joined,
        )
        RevenueShare.objects.create(course=course, user=user, percent=PERCENT, since=joined)
        CoInstructorInvitation.objects.create(
            course=course,
            email=INVITED,
            role=CoInstructor.Role.TEACH,
            percent=5,
            token_hash=secrets.token_hex(32),  # no link has it
            invited_by=course.instructor,
            invited_at=now,
            expires_at=now + timedelta(days=14),
        )
