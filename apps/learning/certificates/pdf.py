"""The certificate as a PDF: one landscape page, with the course's plate around it (``certificate.typ``).

It is not printed from HTML, so it needs no browser, embeds its fonts, and looks the same everywhere.
"""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.formats import date_format
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from apps.courses import artwork
from apps.learning.certificates.vector_drawing import COLORS, draw_mark, draw_plate, draw_seal
from apps.learning.models import Certificate
from apps.learning.queries.addresses import certificate_url
from apps.learning.queries.certificates import completion_line, quizzes_line, readable_code
from studyplatform.kit.text.durations import length
from studyplatform.kit.typesetting import compile_pdf, make_phrase

_TEMPLATE = Path(__file__).with_name("certificate.typ")
_WIDTH, _HEIGHT = 841.89, 595.28  # points
MAX_QUIZZES_LINE = 150  # characters; longer ones are summarized


def draw(certificate: Certificate) -> bytes:
    """Return the certificate as a PDF."""
    return compile_pdf(_TEMPLATE, _contents(certificate), dated=certificate.issued_at)


def _contents(certificate: Certificate) -> dict[str, Any]:
    course = certificate.enrollment.course
    subject, variant = course.subject.slug, course.plate_variant
    inks = artwork.inks(course.slug, subject, variant)
    count = certificate.lesson_count
    lessons = ngettext("has completed the one lesson of", "has completed the %(count)d lessons of", count)
    quizzes = quizzes_line(certificate)
    if len(quizzes) > MAX_QUIZZES_LINE:
        quizzes = quizzes_line(certificate, briefly=True)
    address = f"{settings.SITE_URL}{certificate_url(certificate.code)}"
    facts = [
        (_("Completed"), date_format(certificate.issued_at, "j F Y")),
        (_("Instructor"), certificate.instructor_name),
        (_("Length"), length(certificate.duration)),
        (_("Verify"), readable_code(certificate.code)),
    ]
    return {
        "title": _("Certificate: %(course)s") % {"course": certificate.course_title},
        "author": settings.SITE_NAME,
        "subject": _("Completed by %(name)s") % {"name": certificate.learner_name},
        "keywords": [certificate.code, certificate.course_title],
        "lang": (get_language() or "en").partition("-")[0],
        "colors": COLORS,
        "plate": draw_plate(course.slug, subject, variant, inks, width=_WIDTH, height=_HEIGHT),
        "seal": draw_seal(
            artwork.seal(f"certificate-{course.slug}"), ink=COLORS["accent"], paper=COLORS["accent-soft"]
        ),
        "mark": draw_mark(),
        "brand": make_phrase(settings.SITE_NAME),
        "certifies": make_phrase(_("This certifies that")),
        "name": make_phrase(certificate.learner_name),
        "lessons": make_phrase(lessons % {"count": count}),
        "course": make_phrase(certificate.course_title, language=course.language),
        "facts": [(make_phrase(label), make_phrase(value)) for label, value in facts],
        "completion": make_phrase(completion_line(certificate)),
        "quizzes": make_phrase(quizzes, language=course.language) if quizzes else None,
        "address": address,
        "shown-address": make_phrase(address),
    }
