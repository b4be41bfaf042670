"""The picture of a certificate that other sites show with a link to it: PNG, 1200 by 630 pixels (``card.typ``).

It names what the page of the certificate names, no more.
"""

from io import BytesIO
from pathlib import Path

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from PIL import Image

from apps.courses import artwork
from apps.learning.certificates.vector_drawing import COLORS, draw_mark, draw_plate
from apps.learning.models import Certificate
from studyplatform.kit.caching.lru import LruCache
from studyplatform.kit.typesetting import compile_png, make_phrase

WIDTH, HEIGHT = 1200, 630
_TEMPLATE = Path(__file__).with_name("card.typ")
_pictures: LruCache[bytes] = LruCache(64)


def picture(certificate: Certificate) -> bytes:
    """Return the picture as PNG; drawn once per process, language and certificate."""
    key = (certificate.code, get_language(), settings.SITE_NAME)
    known = _pictures.get(key)
    return _pictures.put(key, _draw(certificate)) if known is None else known


def _draw(certificate: Certificate) -> bytes:
    course = certificate.enrollment.course
    subject, variant = course.subject.slug, course.plate_variant
    inks = artwork.inks(course.slug, subject, variant)
    contents = {
        "colors": COLORS,
        "plate": draw_plate(course.slug, subject, variant, inks, width=WIDTH, height=HEIGHT),
        "mark": draw_mark(),
        "brand": make_phrase(settings.SITE_NAME),
        "certifies": make_phrase(_("This certifies that")),
        "name": make_phrase(certificate.learner_name),
        "completed": make_phrase(_("has completed the course")),
        "course": make_phrase(certificate.course_title, language=course.language),
        "instructor": make_phrase(_("Taught by %(name)s") % {"name": certificate.instructor_name}),
        "address": make_phrase(f"{settings.SITE_URL.partition('://')[2]}/certificates"),
    }
    out = BytesIO()
    with Image.open(BytesIO(compile_png(_TEMPLATE, contents))) as sheet:
        # The fast ones of Pillow's ways: the best ones take five times as long, and nobody sees a difference.
        fewer = sheet.convert("RGB").quantize(128, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        fewer.save(out, "PNG")
    return out.getvalue()
