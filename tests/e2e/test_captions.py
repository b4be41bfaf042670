"""Captions in a real browser: thousands of them by keyboard alone, a tab that closes, edges dragged to pauses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Site
from tests.e2e.looking import violations

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

SET_UP = """
import json
from apps.courses.models import Course, Lesson
from apps.files.models import VideoAsset
from tests.factories.files import CaptionFactory, VideoFactory

course = Course.objects.get(slug={slug!r})
film = Lesson.objects.get(course__slug="linear-algebra-geometrically", slug="a-matrix-moves-the-plane").video
names = ["directory", "poster", "sound_levels", "width", "height"]
video = VideoFactory(
    owner=course.instructor, duration=7200, **{{name: getattr(film, name) for name in names}}
)
stamp = lambda second: f"{{second // 3600:02}}:{{second // 60 % 60:02}}:{{second % 60:02}}"
cues = [
    f"{{stamp(3 * n - 3)}}.000 --> {{stamp(3 * n - 1)}}.500\\nText {{n}} of the lecture.\\n" for n in range(1, 2001)
]
CaptionFactory(video=video, language="en", webvtt="WEBVTT\\n\\n" + "\\n".join(cues))
course.lessons.filter(slug="brook").update(kind="video", video=video, duration=7200)
from apps.files.sound_queries import levels_of
levels = levels_of(video)
print(json.dumps([str(video.uid), levels.silences if levels else []]))
"""


@dataclass(frozen=True)
class Prepared:
    """A lesson whose video of two hours has 2,000 captions; ``silences`` in seconds."""

    address: str
    video: str
    silences: list[list[float]]


@pytest.fixture
def lesson(site: Site, drafts: Iterator[str]) -> Prepared:
    outline = next(drafts)
    said = site.manage("shell", "-v", "0", "-c", SET_UP.format(slug=outline.split("/")[4]))
    video, silences = json.loads(said.splitlines()[-1])
    return Prepared(f"{outline}/brook/captions", video, silences)


def open_editor(page: Page, lesson: Prepared, count: int = 2000) -> None:
    page.goto(lesson.address)
    expect(heading(page)).to_have_text(f"{count} captions")


def heading(page: Page) -> Locator:
    return page.locator("#captions-count")


def focused(page: Page) -> Locator:
    return page.locator(":focus")


def enter_by_keyboard(page: Page) -> None:
    """Go into the editor as somebody does who has no mouse."""
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # skip to content
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("!!document.activeElement?.closest('[data-island=captions]')"):
            return
    raise AssertionError("the editor is not reached by Tab")


def test_two_thousand_captions_are_edited_by_keyboard_alone(
    people: Callable[..., Page], lesson: Prepared, site: Site
) -> None:
    page = people("sorter")
    keys = page.keyboard
    open_editor(page, lesson)
    assert page.locator("[data-cue]").count() < 60  # only those that are seen are drawn
    enter_by_keyboard(page)

    keys.press("Alt+ArrowDown")
    expect(focused(page)).to_have_value("Text 1 of the lecture.")
    keys.press("Home")
    for _ in "Text":
        keys.press("ArrowRight")
    keys.press("Alt+Enter")
    expect(heading(page)).to_have_text("2001 captions")
    expect(focused(page)).to_have_value("1 of the lecture.")
    keys.type("Number ")
    expect(focused(page)).to_have_value("Number 1 of the lecture.")
    keys.press("Alt+ArrowUp")
    expect(focused(page)).to_have_value("Text")
    keys.press("Alt+m")
    expect(focused(page)).to_have_value("Text\nNumber 1 of the lecture.")
    assert focused(page).evaluate("field => field.selectionStart") == len("Text")

    keys.press("Control+f")
    keys.type("text 1999 ")
    keys.press("Enter")
    keys.press("Escape")
    expect(focused(page)).to_have_value("Text 1999 of the lecture.")
    keys.press("Alt+Delete")
    expect(heading(page)).to_have_text("1999 captions")
    expect(focused(page)).to_have_value("Text 2000 of the lecture.")
    keys.press("Alt+Delete")
    expect(focused(page)).to_have_value("Text 1998 of the lecture.")
    keys.press("Control+z")
    keys.press("Control+z")
    expect(heading(page)).to_have_text("2000 captions")
    expect(focused(page)).to_have_value("Text 1999 of the lecture.")

    keys.press("Alt+s")
    keys.type("1.5")
    keys.press("Enter")
    expect(page.get_by_label("Caption 1999 begins")).to_have_value("1:39:55.50")
    keys.press("Control+f")
    page.keyboard.press("Control+a")
    keys.type("lecture")
    keys.press("Tab")
    keys.type("talk")
    keys.press("Tab")
    keys.press("Enter")
    expect(page.get_by_text("2000 places replaced")).to_be_visible()
    keys.press("Escape")
    keys.press("Alt+ArrowDown")
    expect(focused(page)).to_have_value("Text 2000 of the talk.")

    expect(page.get_by_text("Saved", exact=False).first).to_be_visible()
    page.get_by_role("button", name="Publish English").press("Enter")
    expect(page.get_by_text("English captions are published.")).to_be_visible()
    assert violations(page) == []
    with site.database() as database:
        ((webvtt,),) = database.execute(
            "SELECT webvtt FROM files_captiontrack t JOIN files_videoasset v ON v.id = t.video_id WHERE v.uid = ?",
            [lesson.video.replace("-", "")],
        )
    assert webvtt.count("-->") == 2000
    assert "01:39:58.500 --> 01:40:01.000\nText 2000 of the talk." in webvtt
    assert "00:00:00.000 --> 00:00:02.500\nText\nNumber 1 of the talk." in webvtt


def test_what_was_typed_survives_a_closed_tab_and_an_edge_is_dragged_to_a_pause(
    people: Callable[..., Page], lesson: Prepared
) -> None:
    page = people("sorter", viewport={"width": 1280, "height": 900})
    open_editor(page, lesson)
    context = page.context
    page.locator("[id^=text-]").nth(1).fill("Typed just before the tab was closed")
    page.close()

    page = context.new_page()
    open_editor(page, lesson)
    expect(page.locator("[id^=text-]").nth(1)).to_have_value("Typed just before the tab was closed")
    page.reload()
    expect(page.locator("[id^=text-]").nth(1)).to_have_value("Typed just before the tab was closed")

    # The strip shows 20 seconds. The end of the first caption is dropped near the begin of a pause.
    pause = next(begin for begin, _ in lesson.silences if 0.5 < begin < 2.4)
    edge = page.locator(".wave__edge--end").first.bounding_box()
    strip = page.locator(".wave").bounding_box()
    assert edge
    assert strip
    page.mouse.move(edge["x"] + edge["width"] / 2, edge["y"] + 20)
    page.mouse.down()
    page.mouse.move(strip["x"] + strip["width"] * (pause + 0.5) / 20, edge["y"] + 20, steps=4)
    page.mouse.move(strip["x"] + strip["width"] * pause / 20 - 2, edge["y"] + 20)
    page.mouse.up()
    minutes, seconds = page.get_by_label("Caption 1 ends").input_value().split(":")
    assert abs(int(minutes) * 60 + float(seconds) - pause) < 0.005
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Caption 1 ends")).to_have_value("0:02.50")
    page.get_by_label("Caption 1 ends").fill("0:02.25")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Caption 1 ends")).to_have_value("0:02.25")
