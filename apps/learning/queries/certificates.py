"""Certificates: a user's own, and any certificate by its code."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.learning.errors import CertificateUnknown
from apps.learning.models import Certificate
from apps.learning.queries.addresses import certificate_url


def certificates_of(user: User) -> QuerySet[Certificate]:
    """Return the user's certificates, newest first."""
    return Certificate.objects.filter(enrollment__user=user).order_by("-issued_at", "-pk")


def certificate_by_code(code: str) -> Certificate:
    """Return the certificate with this code; spaces, dashes and case are ignored.

    :raises CertificateUnknown: no certificate has the code.
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
    """Return the code in groups of four characters, as it is printed."""
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))


def completion_line(certificate: Certificate) -> str:
    """Return one line about the lessons completed and the video watched."""
    count = certificate.lesson_count
    lessons = ngettext("%(count)d lesson completed", "All %(count)d lessons completed", count) % {"count": count}
    if certificate.video_percent is None:
        return lessons
    return _("%(lessons)s, %(percent)d%% of the video watched") % {
        "lessons": lessons,
        "percent": certificate.video_percent,
    }


def quizzes_line(certificate: Certificate, *, briefly: bool = False) -> str:
    """Return one line with the percent of each quiz; empty without quizzes.

    ``briefly`` gives only the number of quizzes and the range of their percents.
    """
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


def linkedin_url(certificate: Certificate) -> str:
    """Return the address that adds the certificate to a LinkedIn profile."""
    issued = certificate.issued_at
    facts = {
        "startTask": "CERTIFICATION_NAME",
        "name": certificate.course_title,
        "organizationName": settings.SITE_NAME,
        "issueYear": issued.year,
        "issueMonth": issued.month,
        "certUrl": settings.SITE_URL + certificate_url(certificate.code),
        "certId": readable_code(certificate.code),
    }
    return f"https://www.linkedin.com/profile/add?{urlencode(facts)}"


def certificate_out(certificate: Certificate) -> dict[str, Any]:
    """Return the shape ``CertificateOut``: only what anyone may verify."""
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
        "revoked_at": certificate.revoked_at,
        "url": certificate_url(certificate.code),
    }
