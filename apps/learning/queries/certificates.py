"""Certificates: one's own, and anyone's by its code."""

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.learning.errors import CertificateUnknown
from apps.learning.models import Certificate
from apps.learning.queries.addresses import certificate_url


def certificates_of(user: User) -> QuerySet[Certificate]:
    """The user's certificates, newest first."""
    return Certificate.objects.filter(enrollment__user=user).order_by("-issued_at", "-pk")


def certificate_by_code(code: str) -> Certificate:
    """The certificate with this code, however it was typed: spaces, dashes and case do not count.

    :raises CertificateUnknown: none was issued with it.
    """
    plain = "".join(char for char in code.upper() if char.isalnum())
    certificate = (
        Certificate.objects.select_related("enrollment__course__subject", "enrollment__user").filter(code=plain).first()
        if 0 < len(plain) <= 16
        else None
    )
    if certificate is None:
        raise CertificateUnknown
    return certificate


def readable_code(code: str) -> str:
    """The code in groups of four, as it is printed."""
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))


def work_done(certificate: Certificate) -> str:
    """What was completed and watched, in one line."""
    count = certificate.lesson_count
    lessons = ngettext("%(count)d lesson completed", "All %(count)d lessons completed", count) % {"count": count}
    if certificate.video_percent is None:
        return lessons
    return _("%(lessons)s, %(percent)d%% of the video watched") % {
        "lessons": lessons,
        "percent": certificate.video_percent,
    }


def quizzes_passed(certificate: Certificate, *, briefly: bool = False) -> str:
    """With what each quiz was passed, in one line; empty without quizzes. ``briefly``: how many, from what to what."""
    passed = certificate.quizzes
    if not passed:
        return ""
    if not briefly:
        return _("Quizzes passed: %(quizzes)s") % {
            "quizzes": ", ".join(f"{one['title']} {one['percent']}%" for one in passed)
        }
    percents = [one["percent"] for one in passed]
    return _("%(count)d quizzes passed with %(least)d to %(most)d%%") % {
        "count": len(passed),
        "least": min(percents),
        "most": max(percents),
    }


def certificate_out(certificate: Certificate) -> dict[str, Any]:
    """The shape ``CertificateOut``: what anyone may verify, and nothing else about the learner."""
    return {
        "code": certificate.code,
        "learner_name": certificate.learner_name,
        "course_title": certificate.course_title,
        "instructor_name": certificate.instructor_name,
        "lesson_count": certificate.lesson_count,
        "duration": certificate.duration,
        "video_percent": certificate.video_percent,
        "quizzes": certificate.quizzes,
        "issued_at": certificate.issued_at,
        "url": certificate_url(certificate.code),
    }
