"""Keyboard use: tab order, visible focus, shortcuts, and a whole quiz and video without a mouse."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from playwright.sync_api import Locator, Page, expect

from studyplatform.demo.library import CONTENT
from studyplatform.kit.text.gaps import find_gaps
from tests.e2e.looking import NARROW, WIDE, until, wear
from tests.e2e.prepare import SHORT

pytestmark = pytest.mark.e2e

SHOWN = f"/learn/{SHORT}/the-first"
ALGEBRA = "linear-algebra-geometrically"
QUIZ = "check-arrows-and-grids"

# Records for each focused element: its index among the focusable ones, whether its focus is visible, and whether it
# is on screen. A label shows the focus of its hidden radio button or checkbox, a card that of its link.
WATCH = """() => {
  const can = 'a[href], button, input, select, textarea, summary, audio[controls], [tabindex]';
  const isFirstOfGroup = (radio) => {
    const group = [...document.querySelectorAll('input[type=radio]')].filter((one) => one.name === radio.name);
    return radio === (group.find((one) => one.checked) ?? group[0]);
  };
  window.expected = [...document.querySelectorAll(can)].filter((one) =>
    one.tabIndex >= 0 && !one.disabled && one.checkVisibility({visibilityProperty: true}) && !one.closest('[inert]')
    && (one.type !== 'radio' || isFirstOfGroup(one)));
  window.visited = [];
  const nameOf = (one) => `${one.localName}.${one.className} ${(one.ariaLabel ?? one.textContent).trim().slice(0, 40)}`;
  window.names = expected.map(nameOf);
  window.watch?.abort();
  window.watch = new AbortController();
  document.addEventListener('focusin', ({target}) => {
    // Chromium stops at a second radio button now and then, when its group was redrawn under the focus.
    if (target.type === 'radio' && target.name === visited.at(-1)?.group) return;
    const frames = {input: 'label', a: '.course:has(.course__title :focus)', textarea: '.composer__box'};
    const frame = frames[target.localName];
    const drawn = (frame && target.closest(frame)) ?? target;
    const parts = [target, drawn, ...drawn.querySelectorAll('*')];
    const isMarked = parts.some((one) => {
      const {outlineStyle, outlineWidth} = getComputedStyle(one);
      return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
    });
    const {left, right, top, bottom} = drawn.getClientRects()[0];
    const within = (from, to, size) => (Math.max(from, 0) + Math.min(to, size)) / 2;
    const hit = document.elementFromPoint(within(left, right, innerWidth), within(top, bottom, innerHeight));
    const isSeen = hit !== null && (drawn.contains(hit) || hit.contains(drawn));
    const group = target.type === 'radio' ? target.name : null;
    visited.push({place: expected.indexOf(target), name: nameOf(target), group, isMarked, isSeen});
  }, {signal: watch.signal});
}"""


def walk(page: Page) -> list[str]:
    """Tab through the page from its start; returns the faults."""
    page.evaluate(WATCH)
    names: list[str] = page.evaluate("names")
    page.evaluate("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")
    page.evaluate("visited = []")
    for _ in names:
        page.keyboard.press("Tab")
    for _ in range(len(names) - page.evaluate("visited.length")):
        page.keyboard.press("Tab")
    visited = page.evaluate("visited")
    found = [f"{one['name']}: no mark" for one in visited if not one["isMarked"]]
    found += [f"{one['name']}: covered" for one in visited if not one["isSeen"]]
    went = [one["name"] for one in visited]
    if [one["place"] for one in visited] != list(range(len(names))):
        found.append("\n".join(["the way was:", *went, "and should be:", *names]))
    return found


def wait_for_rest(page: Page) -> None:
    """Wait for what is loaded late, which adds or replaces elements: once the page is at rest, or the reader near."""
    page.wait_for_load_state("networkidle")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    waiting = "one => one.checkVisibility() && one.childElementCount === 1 && one.firstElementChild.localName === 'a'"
    until(page, f"![...document.querySelectorAll('[data-fetch-part]')].some({waiting})")
    page.evaluate("scrollTo(0, 0)")


def walk_in_both_styles(page: Page) -> None:
    wait_for_rest(page)
    assert page.evaluate('document.querySelectorAll(\'[tabindex]:not([tabindex="0"], [tabindex="-1"])\').length') == 0
    page.set_viewport_size(WIDE)
    wear(page, "light", "academic")
    found = walk(page)
    page.set_viewport_size(NARROW)
    wear(page, "dark", "corporate")
    found += walk(page)
    assert not found, "\n".join(found)


@pytest.mark.long
@pytest.mark.parametrize(
    ("who", "address"),
    [
        ("", "/"),
        ("", "/courses/"),
        ("", f"/courses/{ALGEBRA}"),
        ("student", "/"),
        ("student", f"/learn/{ALGEBRA}/arrows-and-recipes"),
        ("", "/auth/register"),
        ("instructor", f"/dashboard/instructor/courses/{ALGEBRA}/lectures"),
    ],
)
def test_tab_order_and_visible_focus_of_pages(people, who: str, address: str):
    page = people(who, reduced_motion="reduce")
    page.goto(address)
    walk_in_both_styles(page)


@pytest.mark.long
def test_tab_order_and_visible_focus_of_a_lesson(watch):
    page = watch(SHOWN, plays=False)
    page.mouse.move(300, 300)
    until(page, "document.querySelector('video')")
    walk_in_both_styles(page)

    page.locator("[data-start]").press("Enter")
    expect(page.get_by_role("slider", name="Seek")).to_be_visible()
    until(page, "!document.querySelector('video').paused && document.querySelector('video').readyState === 4")
    page.get_by_label("Video player").get_by_role("button", name="Pause").press("Enter")
    until(page, "document.querySelector('video').paused")
    walk_in_both_styles(page)


@pytest.mark.long
@pytest.mark.long
def test_video_can_be_watched_by_keyboard(watch):
    page = watch(SHOWN, plays=False)
    press = page.keyboard.press
    player = page.get_by_label("Video player")
    video = "document.querySelector('video')"

    press("Tab")  # the first interaction loads the player
    until(page, video)
    tab_to(page, page.locator("[data-start]"))
    press("Enter")
    until(page, f"{video}?.currentTime > 0")
    expect(player.get_by_role("button", name="Pause")).to_be_focused()
    press("Shift+Tab")
    expect(player.get_by_role("slider", name="Seek")).to_be_focused()
    for key, second in (("Home", 0), ("PageUp", 60), ("ArrowLeft", 55)):
        press(key)
        until(page, f"Math.abs({video}.currentTime - {second}) < 4")

    tab_to(page, player.get_by_role("button", name="Pause"))
    press("Enter")
    until(page, f"{video}.paused")
    captions = player.get_by_role("button", name="Captions")
    tab_to(page, captions)
    press("Enter")
    expect(captions).to_have_attribute("aria-pressed", "false")
    tab_to(page, player.get_by_role("button", name="Speed: 1×"))
    press("Enter")
    expect(page.get_by_role("menuitemradio", name="Normal")).to_be_focused()
    for key in ("ArrowDown", "Enter"):
        press(key)
    speed = player.get_by_role("button", name="Speed: 1.25×")
    expect(speed).to_be_focused()

    tab_to(page, page.get_by_role("link", name="Play from 0:16"))
    press("Enter")
    until(page, f"{video}.currentTime >= 16 && {video}.currentTime < 40 && !{video}.paused")
    expect(page).to_have_url(SHOWN)

    page.evaluate("document.querySelector('.stage [role=slider]').focus()")
    press("End")
    expect(player.get_by_role("button", name="Stay here")).to_be_visible()
    press("Escape")
    expect(player.get_by_role("button", name="Watch again").first).to_be_visible()
    page.evaluate("document.activeElement.blur()")
    tab_to(page, player.get_by_role("button", name="Next lesson", exact=True))
    press("Enter")
    expect(page).to_have_url(SHOWN.replace("first", "second"))
    until(page, f"{video}?.currentTime > 0")


def test_the_focus_is_not_lost_when_its_place_is_closed_replaced_or_removed(people, learners):
    page = people(next(learners))
    page.goto(SHOWN)
    tutor = page.get_by_role("button", name="Ask the tutor")
    tutor.press("Enter")
    expect(page.locator("#tutor-question")).to_be_focused()
    page.keyboard.press("Escape")
    expect(tutor).to_be_focused()

    tutor.evaluate("button => button.remove()")
    until(page, "document.activeElement !== document.body")


@pytest.mark.long
def test_tab_order_and_visible_focus_of_a_quiz(people, learners):
    page = people(next(learners), reduced_motion="reduce")
    page.goto(f"/learn/{ALGEBRA}/{QUIZ}")
    page.get_by_role("button", name="Start the quiz").press("Enter")
    # The form that works without scripts comes first.
    expect(page.get_by_role("button", name="Flag question 7")).to_be_visible()
    walk_in_both_styles(page)


@pytest.mark.long
@pytest.mark.parametrize("address", ["/", "/courses/", f"/courses/{ALGEBRA}", "/help/"])
def test_skip_link_leads_to_the_content(people, address: str):
    page = people(reduced_motion="reduce")
    page.goto(address)

    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")

    first = page.evaluate(
        """() => [...document.querySelectorAll('main :is(a[href], button, input, select, summary)')]
            .find((one) => one.tabIndex >= 0 && one.checkVisibility()) === document.activeElement"""
    )
    assert first


@pytest.mark.parametrize(
    ("who", "address"),
    [
        pytest.param("learner", f"/learn/{ALGEBRA}/arrows-and-recipes", id="text", marks=pytest.mark.long),
        pytest.param("learner", f"/learn/{ALGEBRA}/{QUIZ}", id="quiz"),
        pytest.param(
            "joanna.pallas",
            "/learn/statistics-for-curious-people/sixty-journeys",
            id="file",
            marks=pytest.mark.long,
        ),
    ],
)
@pytest.mark.long
def test_shortcuts_of_a_lesson_without_a_player(people, learners, who: str, address: str):
    page = people(next(learners) if who == "learner" else who, viewport=WIDE, reduced_motion="reduce")
    page.goto(address)
    press = page.keyboard.press
    bookmark = page.locator("form[data-bookmark] button")
    before = bookmark.get_attribute("aria-pressed")

    press("b")  # the first key press
    expect(bookmark).to_have_attribute("aria-pressed", "false" if before == "true" else "true")
    press("b")
    expect(bookmark).to_have_attribute("aria-pressed", before)

    press("?")
    help_ = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(help_.locator("dt")).to_have_text(
        ["Notes", "Next lesson", "Previous lesson", "Bookmark the course", "Search", "Home", "This help"]
    )
    press("n")  # no shortcut within the dialog
    press("Escape")
    expect(help_).to_have_count(0)
    press("/")
    box = page.get_by_role("banner").get_by_role("combobox")
    expect(box).to_be_focused()
    page.keyboard.type("n p b ? h")  # text, not shortcuts
    expect(box).to_have_value("n p b ? h")
    expect(page).to_have_url(address)
    box.evaluate("box => box.blur()")

    there = page.locator(".ways [rel=next]").get_attribute("href")
    press("n")
    expect(page).to_have_url(there)
    press("p")
    expect(page).to_have_url(address)
    press("h")
    expect(page).to_have_url("/")


# --- A quiz ---------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Markdown as plain text."""
    return text.replace("**", "").replace("*", "")


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until the target, which must come later, has the focus."""
    for _ in range(120):
        if target.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {target}")


def pick(page: Page, card: Locator, wanted: str) -> None:
    """Select a radio button with the arrow keys."""
    tab_to(page, card.get_by_role("radio").first)
    page.keyboard.press(" ")
    for _ in range(8):
        if plain(wanted) in page.evaluate("document.activeElement.closest('label').innerText"):
            return
        page.keyboard.press("ArrowDown")
    raise AssertionError(f"no answer {wanted}")


def put_in_order(page: Page, card: Locator, wanted: list[str]) -> None:
    """Move each step up to its place; the focus follows it."""
    for place, text in enumerate(wanted):
        rows = [one.replace("\n", " ") for one in card.get_by_role("listitem").all_inner_texts()]
        at = next(index for index, row in enumerate(rows) if plain(text) in row)
        if at == place:
            continue
        up = card.get_by_role("button", name=f"Move step {at + 1} up")
        card.evaluate("card => card.focus()")
        tab_to(page, up)
        for _ in range(at - place):
            page.keyboard.press("Enter")
        expect(card.get_by_role("listitem").nth(place)).to_contain_text(plain(text))


def answer(page: Page, card: Locator, question: dict[str, Any]) -> None:
    right, kind = question.get("answer"), question["kind"]
    if kind == "single":
        pick(page, card, question["options"][right])
    elif kind == "truth":
        pick(page, card, str(right))
    elif kind == "multiple":
        for id_ in right:
            tab_to(page, card.get_by_role("checkbox", name=plain(question["options"][id_])))
            page.keyboard.press(" ")
    elif kind == "ordering":
        put_in_order(page, card, [question["options"][id_] for id_ in right])
    elif kind == "matching":
        for left, text in question["left"].items():
            tab_to(page, card.get_by_role("combobox", name=plain(text)))
            page.keyboard.type(plain(question["right"][question["pairs"][left]]))
    elif kind == "gaps":
        for place, number in enumerate(find_gaps(question["prompt"]), start=1):
            gap = question["gaps"][number]
            label = re.compile(rf"^Gap {place} of {len(question['gaps'])}")
            tab_to(page, card.get_by_label(label))
            page.keyboard.type(str(gap["choices"][0] if "choices" in gap else gap.get("answer") or gap["accepted"][0]))
    else:
        tab_to(page, card.get_by_role("textbox"))
        page.keyboard.type(str(right) if kind == "numeric" else question["accepted"][0])


@pytest.mark.long
def test_quiz_can_be_taken_by_keyboard(people, learners):
    questions = yaml.safe_load((CONTENT / f"courses/{ALGEBRA}/{QUIZ}.quiz.yaml").read_text())["questions"]
    assert len({one["kind"] for one in questions}) == 8
    page = people(next(learners), reduced_motion="reduce")
    page.goto(f"/learn/{ALGEBRA}/{QUIZ}")
    tab_to(page, page.get_by_role("button", name="Start the quiz"))
    page.keyboard.press("Enter")

    cards = page.locator(".question")
    expect(cards).to_have_count(len(questions))
    for question in questions:
        heading = "Fill in the gaps." if question["kind"] == "gaps" else plain(question["prompt"])
        card = cards.filter(has=page.get_by_role("heading", name=heading))
        answer(page, card, question)
    expect(page.get_by_text("You've answered every question.")).to_be_visible()
    tab_to(page, page.locator(".questions__end").get_by_role("button", name="Submit"))
    page.wait_for_timeout(1_000 * len(questions))  # faster attempts are refused: nobody reads that fast
    page.keyboard.press("Enter")

    expect(page.locator("#vd")).to_be_focused()
    expect(page.get_by_role("img", name="Score 100 percent")).to_be_visible()
    expect(page.get_by_text(re.compile("^Correct, "))).to_have_count(len(questions))
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name=re.compile("^Next: "))).to_be_focused()


@pytest.mark.long
def test_flash_cards_are_made_and_practiced_by_keyboard(people, learners):
    page = people(next(learners), reduced_motion="reduce")
    page.goto("/me/practice/cards")
    for front, back in [("Ebb?", "The falling tide"), ("Neap?", "The smallest tide")]:
        tab_to(page, page.get_by_label("Front"))
        page.keyboard.type(front)
        page.keyboard.press("Tab")
        page.keyboard.type(back)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator(".deck").get_by_text(back)).to_be_visible()

    page.goto("/me/practice")
    expect(page.locator(".keyline")).to_be_visible()
    ask, good = page.locator("#ask"), page.get_by_role("button", name=re.compile("^Good"))
    for front, back, key in [
        ("Ebb?", "The falling tide", "1"),
        ("Neap?", "The smallest tide", " "),  # takes the suggested rating
        ("Ebb?", "The falling tide", "3"),  # it returns, as it was not remembered
    ]:
        expect(ask).to_have_text(front)
        expect(page.get_by_text(back)).to_have_count(0)
        page.keyboard.press(" ")
        expect(page.get_by_text(back)).to_be_visible()
        expect(good).to_be_focused()
        page.keyboard.press(key)
    expect(page.get_by_role("heading", name="Done for today")).to_be_focused()
