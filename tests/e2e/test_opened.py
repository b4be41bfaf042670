"""Looks of what opens on a page: menus, dialogs, the player, a quiz, uploads, failures.

No violations in any look; where Escape closes the part, the focus returns.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.looking import NARROW, WIDE, hold, until, violations, violations_in_all_looks
from tests.e2e.prepare import DRAFTS, SHORT

pytestmark = pytest.mark.e2e

SHOWN = f"/learn/{SHORT}/the-first"
QUIZ = "/learn/linear-algebra-geometrically/check-arrows-and-grids"
STUDIO = "/dashboard/instructor/courses/linear-algebra-geometrically"
OUTLINE = f"/dashboard/instructor/courses/draft-{DRAFTS}/lectures"  # the last draft, which no test edits


def assert_page_passes(page: Page, part: str, *, resized: bool = True) -> None:
    """Audit the page, then the opened part in all looks."""
    expect(page.locator(part).first).to_be_visible()
    found = violations(page) + violations_in_all_looks(page, part, resized=resized)
    assert not found, "\n".join(found)


def escape_returns_to(page: Page, opener: str) -> None:
    page.keyboard.press("Escape")
    expect(page.locator(opener)).to_be_focused()


# --- Menus --------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("who", "address", "name", "size"),
    [
        ("student", "/", "Account menu", WIDE),
        ("student", "/", "Notifications", WIDE),
        ("student", "/", "Theme", WIDE),
        ("student", "/", "Menu", NARROW),
        ("", "/courses/", "Menu", NARROW),
        ("admin", "/dashboard/admin/", "Menu", NARROW),
        ("admin", "/dashboard/admin/", "Theme", WIDE),
        ("sorter", OUTLINE, "More actions for lesson 1.1", WIDE),
        ("sorter", OUTLINE, "More actions for section 1", WIDE),
    ],
)
def test_look_of_an_open_menu(people, who: str, address: str, name: str, size: dict):
    page = people(who, viewport=size, reduced_motion="reduce")
    page.goto(address)
    # The bell's accessible name ends with the number of new notifications.
    opener = f"summary:is([aria-label='{name}'], [aria-label^='{name},']):visible"
    panel = "details.menu[open] > .menu__panel"
    page.locator(opener).focus()

    page.keyboard.press("Enter")
    assert_page_passes(page, panel, resized=False)

    escape_returns_to(page, opener)
    expect(page.locator(panel)).to_have_count(0)


# --- Dialogs ------------------------------------------------------------------------------------


@pytest.mark.long
def test_look_of_a_confirmation_dialog(people):
    page = people("instructor", viewport=WIDE, reduced_motion="reduce")
    page.goto(f"{STUDIO}/edit#review")
    button = page.get_by_role("button", name="Unpublish")
    button.focus()

    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Unpublish this course?")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    assert_page_passes(page, "dialog[open]")

    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(dialog).to_have_count(0)
    expect(button).to_be_enabled()


# --- Forms that were refused ------------------------------------------------------------------------


@pytest.mark.long
def test_look_of_a_form_with_errors(people):
    page = people(viewport=WIDE, reduced_motion="reduce")
    page.goto("/auth/register")
    page.locator("form[data-check]").evaluate("form => form.noValidate = true")
    page.get_by_label("Email").fill("nobody")
    page.get_by_label("Password", exact=True).fill("short")
    page.get_by_label("Confirm password").fill("short")  # equal passwords only
    page.get_by_role("button", name="Create account").click()

    expect(page.locator("[data-errors]")).to_be_focused()
    assert_page_passes(page, "main")


# --- The player -----------------------------------------------------------------------------------


@pytest.mark.long
def test_look_of_the_player(watch):
    page = watch(SHOWN, size=WIDE)
    expect(page.locator(".stage__cap")).to_be_visible()
    # The controls stay visible while one has the focus.
    page.get_by_role("slider", name="Seek").focus()
    assert_page_passes(page, ".stage")
    page.set_viewport_size(WIDE)

    settings = page.get_by_role("group", name="Settings")
    for opener, first in (
        (page.locator(".stage button[aria-label^='Speed: ']"), page.get_by_role("menuitemradio", checked=True)),
        (page.locator(".stage button[aria-label='Settings']"), settings.get_by_role("checkbox")),
    ):
        opener.focus()
        page.keyboard.press("Enter")
        expect(first).to_be_focused()
        assert_page_passes(page, ".stage")
        page.set_viewport_size(WIDE)
        page.keyboard.press("Escape")
        expect(opener).to_be_focused()
        expect(first).to_have_count(0)

    keys = page.get_by_label("Video player").get_by_role("button", name="Keyboard shortcuts")
    keys.focus()
    page.keyboard.press("Enter")
    assert_page_passes(page, "dialog[open]")
    page.set_viewport_size(WIDE)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(keys).to_be_focused()


@pytest.mark.long
def test_look_of_the_card_after_a_video(watch):
    page = watch(f"{SHOWN}?t=60", size=WIDE)
    stay = page.get_by_role("button", name="Stay here")
    stay.click()
    assert_page_passes(page, ".stage")


@pytest.mark.long
def test_look_of_the_player_offline(watch):
    page = watch(SHOWN, size=WIDE)
    page.context.set_offline(True)
    page.get_by_role("slider", name="Seek").press("End")
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Stop retrying").click()

    assert_page_passes(page, ".stage")


# --- A quiz -----------------------------------------------------------------------------------------


@pytest.mark.long
def test_look_of_a_quiz_during_and_after_an_attempt(people, learners):
    page = people(next(learners), viewport=WIDE, reduced_motion="reduce")
    page.goto(QUIZ)
    page.get_by_role("button", name="Start the quiz").click()
    page.get_by_role("radio", name="(0, 3)").check(force=True)
    page.get_by_role("button", name="Flag question 2").click()
    number = page.get_by_role("textbox", name="Your answer").first
    number.fill("three")
    number.blur()
    expect(page.get_by_text("This can't be read as one number.")).to_be_visible()
    assert_page_passes(page, "main")
    page.set_viewport_size(WIDE)
    number.fill("4")

    page.get_by_role("button", name="Submit").last.click()
    dialog = page.get_by_role("dialog", name="Submit with unanswered questions?")
    expect(dialog.get_by_role("button", name="Keep working")).to_be_focused()
    assert_page_passes(page, "dialog[open]")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Submit").last).to_be_focused()

    page.keyboard.press("Enter")
    dialog.get_by_role("button", name="Submit").click()
    expect(page.locator("#vd")).to_be_focused()
    expect(page.locator("#r1").get_by_text(re.compile("^Correct"))).to_be_visible()
    expect(page.locator("#r4").get_by_text(re.compile("^Incorrect"))).to_be_visible()
    expect(page.locator("#r3").get_by_text(re.compile("^Not answered"))).to_be_visible()
    assert_page_passes(page, "main")


# --- Uploads ----------------------------------------------------------------------------------------


@pytest.mark.long
def test_look_of_active_and_refused_uploads(people, tmp_path: Path):
    page = people("instructor", viewport=WIDE, reduced_motion="reduce")
    release = hold(page, r"/api/v1/uploads/", method="PATCH")
    page.goto("/dashboard/instructor/upload/")
    expect(page.get_by_text("free of 50 GB")).to_be_visible()
    notes, clip = tmp_path / "notes.txt", tmp_path / "long-lecture.mp4"
    notes.write_text("no video at all")
    clip.write_bytes(b"\0" * 4096)

    page.get_by_label("Choose videos").set_input_files([notes, clip])
    expect(page.get_by_role("listitem").filter(has_text=notes.name)).to_contain_text("MP4")
    running = page.get_by_role("listitem").filter(has_text=clip.name)
    expect(running.get_by_role("list", name="Stages")).to_be_visible()
    assert_page_passes(page, "main")
    page.set_viewport_size(WIDE)

    cross = running.get_by_role("button", name=f"Cancel upload of {clip.name}")
    cross.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("button", name="Keep it")).to_be_focused()
    assert_page_passes(page, "dialog[open]")
    page.keyboard.press("Escape")
    expect(cross).to_be_focused()

    # The content is no video, despite its name.
    release()
    expect(page.locator(".job--bad")).to_have_count(2)
    assert_page_passes(page, ".job--bad")
    page.get_by_role("button", name=f"Remove {clip.name}").click()
    page.get_by_role("dialog", name="Remove this video?").get_by_role("button", name="Remove").click()
    expect(page.locator(".job--bad")).to_have_count(1)


# --- Failures ---------------------------------------------------------------------------------------


def refuse(page: Page, pattern: str) -> None:
    page.route(re.compile(pattern), lambda route: route.abort())


@pytest.mark.long
def test_look_of_an_island_that_failed_to_load(people):
    page = people("student", viewport=WIDE, reduced_motion="reduce")
    refuse(page, r"/dist/islands/player-")
    page.goto("/learn/linear-algebra-geometrically/a-matrix-moves-the-plane")
    page.mouse.move(300, 300)
    page.get_by_role("button", name="Show Error").click()

    assert_page_passes(page, "[data-island=player]")


@pytest.mark.long
def test_look_of_the_offline_page(people):
    page = people("instructor", viewport=WIDE, reduced_motion="reduce")
    refuse(page, r"/dist/islands/uploader-")
    page.goto("/dashboard/instructor/upload/")
    expect(page.get_by_role("heading", name="Oops! Something went wrong")).to_be_visible()

    assert_page_passes(page, "main")


@pytest.mark.long
def test_request_without_a_connection_shows_the_offline_page(people: Callable[..., Page]):
    page = people("instructor", viewport=WIDE, reduced_motion="reduce")
    refuse(page, r"/api/v1/videos/")
    page.goto("/dashboard/instructor/upload/")
    until(page, "document.querySelector('main .notice')")

    assert_page_passes(page, "main")
