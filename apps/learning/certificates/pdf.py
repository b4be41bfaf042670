"""The certificate as a PDF: one landscape page, with the course's plate around it.

It is drawn with ReportLab and not printed from HTML, so it needs no browser, embeds its fonts, and looks the same
everywhere. Lengths are in points, measured from the lower left corner.
"""

from io import BytesIO

from django.conf import settings
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from reportlab.lib.colors import Color
from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfgen.canvas import Canvas

from apps.courses import artwork
from apps.learning.certificates.vector_drawing import draw_lines, draw_plate, draw_seal, oklch, trace
from apps.learning.models import Certificate
from apps.learning.queries.addresses import certificate_url
from apps.learning.queries.certificates import completion_line, quizzes_line, readable_code
from studyplatform.kit.pdf import DISPLAY, ITALIC, PLAIN, register_fonts, runs_of, width_of, write
from studyplatform.kit.text.durations import length

WIDTH, HEIGHT = landscape(A4)
MARGIN = 46.0  # how much of the plate shows around the paper, in points
TEXT_WIDTH = WIDTH - 2 * MARGIN - 120
MIN_SCALE = 0.7  # a title that would have to shrink more than this is set in two lines
# The colors of the light academic theme (assets/styles/tokens).
PAPER, INK, INK_2, INK_3 = (
    oklch(0.993, 0.004, 108),
    oklch(0.238, 0.020, 168),
    oklch(0.385, 0.020, 166),
    oklch(0.488, 0.018, 162),
)
RUBRIC, ACCENT, ACCENT_SOFT = oklch(0.505, 0.168, 29), oklch(0.405, 0.090, 163), oklch(0.932, 0.030, 155)
RULE, BRAND_LEFT, BRAND_RIGHT = oklch(0.80, 0.014, 125), oklch(0.395, 0.084, 163), oklch(0.505, 0.168, 29)
AWARD = [
    "m15.477 12.89 1.515 8.526a.5.5 0 0 1-.81.47l-3.58-2.687a1 1 0 0 0-1.197 0l-3.586 2.686a.5.5 0 0 1-.81-.469"
    "l1.514-8.526",
    "M18 8A6 6 0 1 1 6 8A6 6 0 1 1 18 8Z",
]
MARK = [
    ("M2 5.5 17 9.5v15L2 20.5z", BRAND_LEFT),
    ("M26 5.5 11 9.5v15l15-4z", BRAND_RIGHT),
    ("M11 9.5 14 8.7l3 .8v15l-3-.8-3 .8z", INK),
]


def draw(certificate: Certificate) -> bytes:
    """Return the certificate as a PDF."""
    register_fonts()
    out = BytesIO()
    canvas = Canvas(out, pagesize=(WIDTH, HEIGHT), pageCompression=1, lang="en")
    canvas.setTitle(_("Certificate: %(course)s") % {"course": certificate.course_title})
    canvas.setAuthor(settings.SITE_NAME)
    canvas.setSubject(_("Completed by %(name)s") % {"name": certificate.learner_name})
    canvas.setKeywords([certificate.code, certificate.course_title])
    canvas.setCreator(settings.SITE_NAME)
    canvas.setProducer(settings.SITE_NAME)
    course = certificate.enrollment.course
    subject, variant = course.subject.slug, course.plate_variant
    draw_plate(
        canvas,
        artwork.plate(course.slug, subject, variant),
        artwork.inks(course.slug, subject, variant),
        width=WIDTH,
        height=HEIGHT,
    )
    _draw_paper(canvas)
    _draw_texts(canvas, certificate)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def _draw_paper(canvas: Canvas) -> None:
    canvas.setFillColor(PAPER)
    canvas.rect(MARGIN, MARGIN, WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN, stroke=0, fill=1)
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.75)
    canvas.rect(MARGIN + 7, MARGIN + 7, WIDTH - 2 * MARGIN - 14, HEIGHT - 2 * MARGIN - 14, stroke=1, fill=0)


def _draw_texts(canvas: Canvas, certificate: Certificate) -> None:
    middle = WIDTH / 2
    _draw_brand(canvas, middle, 478)
    _center(canvas, _("This certifies that"), 436, ITALIC, 17, RUBRIC)
    name = certificate.learner_name
    if not runs_of(name.strip(), DISPLAY):  # a script that none of the fonts can write
        name = certificate.enrollment.user.username
    _title(canvas, name, 386, 46, least=20)
    count = certificate.lesson_count
    lessons = ngettext("has completed the one lesson of", "has completed the %(count)d lessons of", count)
    _center(canvas, lessons % {"count": count}, 350, PLAIN, 11.5, INK_2)
    _title(canvas, certificate.course_title, 315, 25, least=13)
    canvas.saveState()
    canvas.translate(middle, 248)
    seal = artwork.seal(f"certificate-{certificate.enrollment.course.slug}")
    draw_seal(canvas, seal, ink=ACCENT, paper=ACCENT_SOFT, size=82)
    draw_lines(canvas, AWARD, ink=ACCENT, size=24)
    canvas.restoreState()
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.75)
    canvas.line(middle - 260, 188, middle + 260, 188)
    facts = [
        (_("Completed"), date_format(certificate.issued_at, "j F Y")),
        (_("Instructor"), certificate.instructor_name),
        (_("Length"), length(certificate.duration)),
        (_("Verify"), readable_code(certificate.code)),
    ]
    for place, (label, value) in enumerate(facts):
        x = middle - 260 + 130 * (place + 0.5)
        _center(canvas, label, 166, PLAIN, 9, INK_3, x=x)
        _center(canvas, value, 150, PLAIN, 11, INK, x=x, least=6, width=122)
    _center(canvas, completion_line(certificate), 127, PLAIN, 10, INK_2, least=6)
    quizzes = quizzes_line(certificate)
    if width_of(runs_of(quizzes, PLAIN), MIN_SCALE * 10) > TEXT_WIDTH:
        quizzes = quizzes_line(certificate, briefly=True)
    _center(canvas, quizzes, 112, PLAIN, 10, INK_2, least=6)
    address = f"{settings.SITE_URL}{certificate_url(certificate.code)}"
    width = _center(canvas, address, 84, PLAIN, 9, INK_3, least=6)
    canvas.linkURL(address, (middle - width / 2, 80, middle + width / 2, 94), relative=0)


def _draw_brand(canvas: Canvas, middle: float, y: float) -> None:
    word = settings.SITE_NAME
    runs = runs_of(word, DISPLAY)
    width = 28 + width_of(runs, 17)
    canvas.saveState()
    canvas.translate(middle - width / 2, y + 17)
    canvas.scale(0.8, -0.8)
    for data, color in MARK:
        canvas.setFillColor(color)
        canvas.drawPath(trace(canvas, data), stroke=0, fill=1)
    canvas.restoreState()
    write(canvas, runs, middle - width / 2 + 28, y, 17, INK)


def _title(canvas: Canvas, text: str, y: float, size: float, *, least: float) -> None:
    """Draw a name or a title in one line, or in two where one line would have to be much smaller."""
    if width_of(runs_of(text, DISPLAY), size) * MIN_SCALE <= TEXT_WIDTH or " " not in text.strip():
        _center(canvas, text, y, DISPLAY, size, INK, least=least)
        return
    words = text.split()
    halves = [(" ".join(words[:n]), " ".join(words[n:])) for n in range(1, len(words))]
    widest, pair = min((max(width_of(runs_of(half, DISPLAY), 1) for half in pair), pair) for pair in halves)
    size = max(least, min(size * 0.6, TEXT_WIDTH / widest))
    for half, place in zip(pair, (0.62, -0.5), strict=True):
        _center(canvas, half, y + size * place, DISPLAY, size, INK, least=least)


def _center(
    canvas: Canvas,
    text: str,
    y: float,
    font: str,
    size: float,
    color: Color,
    *,
    x: float = WIDTH / 2,
    width: float = TEXT_WIDTH,
    least: float = 0,
) -> float:
    """Draw a centered line and return its width in points.

    A line that is too long is set smaller, down to the size ``least`` (0: not at all), and then cut.
    """
    runs = runs_of(text, font)
    natural = width_of(runs, size)
    if natural > width and least:
        size = max(least, size * width / natural)
    while width_of(runs, size) > width and len(text) > 1:
        text = text[:-1].rstrip(" …") + "…" if not text.endswith("…") else text[:-2].rstrip() + "…"
        runs = runs_of(text, font)
    set_width = width_of(runs, size)
    write(canvas, runs, x - set_width / 2, y, size, color)
    return set_width
