"""No page scrolls sideways on a phone with text at 200 %, whatever people have written (WCAG 2.2, 1.4.4 and 1.4.10).

Pages are rendered without a server: their style sheets are put into the document, and no script runs.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, sync_playwright

from apps.courses.models import Course, Lesson
from apps.learning import services
from tests import servers
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory, SectionFactory
from tests.factories.learning import EnrollmentFactory

ROOT = Path(__file__).resolve().parents[2]
WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung" * 3
TEXT = "\n\n".join(
    [
        WORD,
        f"`{WORD}`",
        f"```\n{WORD}\n```",
        f"|a|b|\n|-|-|\n|{WORD}|{WORD}|",
        f"<https://e.example/{WORD}>",
        f"> {WORD}",
    ]
)
CHEAP = ["/courses/hostile", "/learn/hostile/words"]
PAGES = [
    "/", "/courses/", "/courses/hostile", "/learn/hostile/words", "/learn/hostile/quiz", "/me/enrollments",
    "/me/dashboard",
    "/me/course/hostile/progress", "/me/practice", "/forum", "/premium",
]  # fmt: skip
# The elements that make the page wider than the window; what scrolls inside itself does not.
OVERFLOWING = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  const scrolls = (one) => one && one !== document.body
    && (getComputedStyle(one).overflowX !== 'visible' || scrolls(one.parentElement));
  const parts = [...document.querySelectorAll('body *:not(svg *)')].filter((one) => one.checkVisibility()
    && one.getBoundingClientRect().right > wide + 1 && !scrolls(one.parentElement));
  return ['the page', ...parts.map((one) => `${one.tagName}.${one.className}`).slice(0, 8)];
}"""
_SHEET = re.compile(r'<link rel="stylesheet" href="/static/(dist/[\w.-]+\.css)"[^>]*>')
_SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
_SHOTS = os.environ.get("REFLOW_SHOTS", "")  # a folder in which to keep a picture of each page


@pytest.fixture
def hostile(ada, leo) -> Course:
    """A course whose texts are one long word each, and a learner with such a name."""
    for user in (ada, leo):
        user.first_name, user.last_name, user.headline = WORD[:70], WORD[:70], WORD[:120]
        user.save()
    course = CourseFactory(
        instructor=ada, slug="hostile", title=WORD[:120], summary=WORD[:200], description=TEXT, outcomes=[WORD],
        before_you_begin=TEXT, status=Course.Status.PUBLISHED,
    )  # fmt: skip
    section = SectionFactory(course=course, title=WORD[:120])
    LessonFactory(section=section, course=course, title=WORD[:120], slug="words", body=TEXT, summary=WORD[:200])
    lesson = LessonFactory(section=section, course=course, title=WORD[:120], slug="quiz", kind=Lesson.Kind.QUIZ)
    quiz = QuizFactory(lesson=lesson, intro=WORD)
    sides = {"left": [{"id": "a", "text": WORD}], "right": [{"id": "1", "text": WORD}]}
    QuestionFactory(quiz=quiz, prompt=WORD, options=[{"id": "a", "text": WORD}, {"id": "b", "text": f"`{WORD}`"}])
    QuestionFactory(quiz=quiz, prompt=WORD, kind="numeric", options={"unit": WORD[:20]}, answer={"value": "1"})
    QuestionFactory(quiz=quiz, prompt=WORD, kind="matching", options=sides, answer={"pairs": {"a": "1"}})
    enrollment = EnrollmentFactory(user=leo, course=course)
    services.open_attempt(user=enrollment.user, lesson_uid=lesson.uid, now=timezone.now())
    return course


@contextmanager
def browser_with_text_of(size: int) -> Iterator[Browser]:
    """A browser whose default font size, which readers set in its preferences, is ``size`` pixels."""
    flags = ["--no-sandbox", "--disable-gpu", f"--blink-settings=defaultFontSize={size}"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=servers.chromium(), args=flags)
        yield browser
        browser.close()


def find_overflow(documents: dict[str, str], size: int, width: int) -> dict[str, list[str]]:
    """Return what makes each page scroll sideways, by address."""
    found = {}
    with browser_with_text_of(size) as browser:
        page = browser.new_page(viewport={"width": width, "height": 700})
        for address, html in documents.items():
            page.set_content(html, wait_until="commit")
            if parts := page.evaluate(OVERFLOWING):
                found[f"{address} at {width} px, text of {size} px"] = parts
            if _SHOTS:
                name = re.sub(r"\W+", "-", address).strip("-") or "home"
                page.screenshot(path=f"{_SHOTS}/{name}-{width}-{size}.png")
    return found


def render(client: Client, address: str) -> str:
    """Return a page as one document, without scripts."""
    response = client.get(address, follow=True)
    assert response.status_code == 200, address
    html = _SCRIPT.sub("", response.content.decode())
    return _SHEET.sub(lambda match: f"<style>{(ROOT / 'static' / match[1]).read_text()}</style>", html)


def test_a_course_and_a_lesson_fit_a_phone_with_large_text(hostile, leo, browser_of):
    documents = {address: render(browser_of(leo), address) for address in CHEAP}

    found = find_overflow(documents, 32, 320)
    assert not found, "\n".join(f"{page}: {parts}" for page, parts in found.items())


@pytest.mark.long
@pytest.mark.parametrize(("size", "width"), [(16, 320), (32, 320), (32, 390), (16, 800)])
def test_no_page_scrolls_sideways(hostile, leo, ada, browser_of, client, size, width):
    documents = {address: render(browser_of(leo), address) for address in PAGES}
    documents |= {
        f"{address} (visitor)": render(client, address) for address in ("/", "/courses/hostile", "/auth/login")
    }
    teaching = ["/dashboard/instructor", "/dashboard/instructor/courses", "/courses/hostile"]
    documents |= {f"{address} (instructor)": render(browser_of(ada), address) for address in teaching}

    found = find_overflow(documents, size, width)
    assert not found, "\n".join(f"{page}: {parts}" for page, parts in found.items())
