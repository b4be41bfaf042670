"""Analytics in a real browser: filtered, compared and exported, by keyboard, and on a phone; a curve that plays."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site
from tests.e2e.prepare import FILM

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

ANALYTICS = "/dashboard/instructor/analytics/"
COURSE, LESSON = FILM.split("/")[2:]
PHONE = {"width": 390, "height": 800}

SET_UP = """
from datetime import timedelta
from django.utils import timezone
from apps.courses.models import Lesson
from apps.learning.analytics.counting import Counting, rebuild
from apps.learning.models import LessonProgress, WatchedDay
from tests.factories.learning import EnrollmentFactory

film = Lesson.objects.get(course__slug={course!r}, slug={lesson!r})
then, end = timezone.now() - timedelta(days=3), film.duration
for number in range(12):
    one = EnrollmentFactory(course=film.course, enrolled_at=then, last_activity_at=then)
    seconds = [[0, end if number < 6 else end // 2]]
    LessonProgress.objects.create(
        enrollment=one, lesson=film, started_at=then, updated_at=then, watched=seconds,
        watched_seconds=sum(to - start for start, to in seconds),
    )
    WatchedDay.objects.create(user=one.user, course=film.course, day=then.date(), seconds=end)
rebuild(Counting(timezone.now()))
"""


@pytest.fixture(scope="module")
def _watched(site: Site) -> None:
    """Twelve learners began the processed video; half of them watched all of it."""
    site.manage("shell", "-v", "0", "-c", SET_UP.format(course=COURSE, lesson=LESSON))


def fits(page: Page) -> bool:
    """Whether nothing makes the page scroll sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


def tab_to(page: Page, name: re.Pattern[str] | str, role: str = "link") -> None:
    """Press Tab until what is named has the focus."""
    wanted = page.get_by_role(role, name=name).first  # type: ignore[arg-type]  # a role
    expect(wanted).to_be_visible()
    for _press in range(80):
        page.keyboard.press("Tab")
        if wanted.evaluate("(one) => one === document.activeElement"):
            return
    raise AssertionError(f"Tab does not reach {name}")


@pytest.mark.usefixtures("_watched")
def test_analytics_are_filtered_compared_and_exported_by_keyboard(people: Callable[..., Page], tmp_path: Path) -> None:
    ines = people("instructor", viewport=PHONE)
    ines.goto(ANALYTICS)
    expect(ines.locator(".kpi")).to_have_count(8)
    assert fits(ines)

    # Another period, and a course.
    tab_to(ines, "30 days")
    ines.keyboard.press("Enter")
    ines.wait_for_url("**range=30**")
    course = ines.get_by_role("combobox", name="Course")
    course.focus()
    course.select_option(COURSE)
    ines.wait_for_url(re.compile(f"course={COURSE}"))
    assert "range=30" in ines.url
    expect(ines.locator(".work-head .muted")).to_contain_text("Linear Algebra, Geometrically")

    # Compared with the period before.
    tab_to(ines, re.compile("Show the period before"))
    ines.keyboard.press("Enter")
    ines.wait_for_url("**compare=1**")
    expect(ines.locator(".chart__key").first).to_contain_text("period before")
    chart = ines.get_by_role("slider").first
    chart.focus()
    ines.keyboard.press("Home")
    first = chart.get_attribute("aria-valuetext")
    ines.keyboard.press("ArrowRight")
    assert chart.get_attribute("aria-valuetext") != first
    assert fits(ines)

    # As a file, by keyboard.
    ines.locator("summary", has_text="Export").focus()
    ines.keyboard.press("Enter")
    tab_to(ines, "Each day, with the period before")
    with ines.expect_download() as saved:
        ines.keyboard.press("Enter")
    file = tmp_path / "days.csv"
    saved.value.save_as(file)
    with file.open(encoding="utf-8-sig", newline="") as text:
        rows = list(csv.reader(text))
    assert len(rows) == 1 + 2 * 30
    assert sum(int(row[4]) for row in rows[1:] if row[0] == "Now") >= 12


@pytest.mark.usefixtures("_watched")
def test_the_retention_curve_plays_the_video(people: Callable[..., Page]) -> None:
    ines = people("instructor", viewport=PHONE, reduced_motion="reduce")
    ines.goto(f"{ANALYTICS}lessons/{COURSE}/{LESSON}")
    curve = ines.get_by_role("slider", name="Position in the video, on its retention curve")
    expect(curve).to_be_visible()
    assert fits(ines)

    curve.focus()
    ines.keyboard.press("ArrowRight")
    ines.wait_for_function("() => document.querySelector('.retention__stage video').currentTime >= 5")
    expect(curve).to_have_attribute("aria-valuetext", re.compile("watched by"))

    box = curve.bounding_box()
    assert box is not None
    ines.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    ines.wait_for_function(
        "() => { const one = document.querySelector('.retention__stage video');"
        " return Math.abs(one.currentTime - one.duration / 2) < 6 }"
    )


@pytest.mark.usefixtures("_watched")
def test_without_scripts_everything_is_there(people: Callable[..., Page]) -> None:
    ines = people("instructor", java_script_enabled=False)
    ines.goto(ANALYTICS)
    ines.get_by_role("combobox", name="Course").select_option(COURSE)
    ines.get_by_role("button", name="Show", exact=True).click()
    expect(ines).to_have_url(re.compile(f"course={COURSE}"))
    ines.locator(".as-table summary").first.click()
    expect(ines.locator("table[data-chart-table]").first).to_be_visible()
    ines.goto(f"{ANALYTICS}lessons/{COURSE}/{LESSON}")
    expect(ines.locator("table[data-chart-table]")).to_have_count(1)
