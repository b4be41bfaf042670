"""Courses are written in a real browser: slow and failing saves, two tabs, two people, keyboard and touch."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.conftest import PASSWORD
from tests.e2e.looking import violations

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

NEW = "/dashboard/instructor/courses/new"
KEY_MS = 100  # between two keys: 600 characters a minute
SLOW_MS = 3_000
# Each save takes three seconds; typing goes on meanwhile.
SLOW = f"""const real = fetch; window.fetch = async (request, ...rest) => {{
  const isSave = request instanceof Request && request.method === "PATCH";
  if (isSave) await new Promise((done) => setTimeout(done, {SLOW_MS}));
  return real(request, ...rest);
}};"""
SENTENCE = "Most trouble with chance is trouble with counting, so we count coins and queues before any formula. "
SUMMARY = "Count coins, queues and test results carefully, and meet the formulas last."
_numbers = count(1)


@pytest.fixture
def teacher(people: Callable[..., Page]) -> Page:
    return people("sorter")


def begin(page: Page) -> str:
    """Begin a course in the wizard; returns the address of its steps."""
    page.goto(NEW)
    page.get_by_label("Title", exact=True).fill(f"Chance {next(_numbers)}")
    page.get_by_label("Category", exact=True).select_option(index=1)
    page.get_by_role("button", name="Create the draft").click()
    page.wait_for_url(re.compile("/edit#details$"))
    expect(page.get_by_label("One-sentence summary")).to_be_visible()
    return page.url.partition("#")[0]


def field(page: Page, name: str) -> Locator:
    return page.locator(f"#wizard-{name}")


def outcome(page: Page, number: int = 1) -> Locator:
    return page.get_by_role("textbox", name=f"Outcome {number}")


def saving(page: Page) -> Locator:
    """What the page says of saving, where it can be seen."""
    return page.locator("[data-save-status], [data-saving]").filter(visible=True)


def expect_saved(page: Page) -> None:
    expect(saving(page)).to_have_text(re.compile(r"^Saved \d"), timeout=60_000)


def open_step(page: Page, address: str, step: str) -> None:
    page.goto("about:blank")
    page.goto(f"{address}#{step}")
    expect(page.locator(f"[data-step={step}]")).to_be_visible()


def write_in_editor(page: Page, text: Locator) -> None:
    """Turn to a text whose live editor appears with the focus."""
    text.click()
    expect(page.locator(".composer", has=text).locator(".cm-content")).to_be_focused()


def let_saves_fail(page: Page) -> list[int]:
    """Let each save take three seconds, and every third fail. Returns a list that grows with each save."""
    saves: list[int] = []

    def answer(route: Route) -> None:
        if route.request.method != "PATCH":
            route.continue_()
            return
        saves.append(len(saves) + 1)
        if len(saves) % 3 == 0:
            route.abort()
        else:
            route.continue_()

    page.route("**/api/v1/studio/courses/*/", answer)
    page.add_init_script(SLOW)
    return saves


def test_course_is_begun_and_saved_field_by_field(teacher: Page) -> None:
    address = begin(teacher)
    field(teacher, "summary").fill(SUMMARY)
    outcome(teacher).press_sequentially("Tell independent events apart.")
    teacher.keyboard.press("Enter")
    teacher.keyboard.type("Spot a misleading percentage.")
    expect_saved(teacher)
    assert violations(teacher) == []

    # Another page's link to a field.
    teacher.goto("about:blank")
    teacher.goto(f"{address}#id_summary")
    expect(field(teacher, "summary")).to_be_focused()
    expect(field(teacher, "summary")).to_have_value(SUMMARY)
    expect(outcome(teacher, 2)).to_have_value("Spot a misleading percentage.")
    missing = teacher.get_by_role("region", name="Before review").get_by_role("button", name="At least one lesson")
    missing.click()
    expect(teacher.locator("[data-step=curriculum]")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("wait", [150, 600])  # milliseconds of each request
def test_what_is_typed_while_the_page_loads_goes_on_in_the_same_field(teacher: Page, wait: int) -> None:
    address = begin(teacher)
    field(teacher, "summary").fill("Count them.")
    expect_saved(teacher)
    teacher.goto("about:blank")

    line = teacher.context.new_cdp_session(teacher)
    line.send("Network.enable")
    slow = {"offline": False, "latency": wait, "downloadThroughput": -1, "uploadThroughput": -1}
    line.send("Network.emulateNetworkConditions", slow)
    teacher.goto(address, wait_until="commit")
    summary = teacher.get_by_label("One-sentence summary")
    summary.press("Home")
    teacher.keyboard.type("Coins, queues and results: ", delay=40)
    teacher.keyboard.type("count them twice. ", delay=40)
    expect(field(teacher, "summary")).to_have_value("Coins, queues and results: count them twice. Count them.")
    expect(field(teacher, "summary")).to_be_focused()
    expect_saved(teacher)
    open_step(teacher, address, "details")
    expect(field(teacher, "summary")).to_have_value("Coins, queues and results: count them twice. Count them.")


@pytest.mark.long
def test_nothing_that_is_typed_is_lost_moved_or_doubled_while_saves_are_slow_and_fail(teacher: Page) -> None:
    saves = let_saves_fail(teacher)
    address = begin(teacher)
    open_step(teacher, address, "basics")
    title = field(teacher, "title")
    title.press("Control+a")
    typed = ""
    for letter in ("Chance is a patient teacher " * 4)[:110]:
        teacher.keyboard.type(letter, delay=KEY_MS)
        typed += letter
        if len(typed) % 10 == 0:
            expect(title).to_have_value(typed)
            assert title.evaluate("field => [field.selectionStart, field.selectionEnd]") == [len(typed)] * 2
    # In the middle of a text, the caret stays where it is, too.
    teacher.keyboard.press("Home")
    teacher.keyboard.type("Pure ", delay=KEY_MS)
    typed = f"Pure {typed}"
    teacher.wait_for_timeout(2 * SLOW_MS)
    expect(title).to_have_value(typed)
    assert title.evaluate("field => field.selectionStart") == len("Pure ")

    open_step(teacher, address, "details")
    write_in_editor(teacher, field(teacher, "description"))
    text = (SENTENCE * 3)[:200]
    teacher.keyboard.type(text, delay=KEY_MS)
    expect(field(teacher, "description")).to_have_value(text)
    expect_saved(teacher)
    assert len(saves) > 6
    open_step(teacher, address, "details")
    expect(field(teacher, "description")).to_have_value(text.strip())
    open_step(teacher, address, "basics")
    expect(field(teacher, "title")).to_have_value(typed.strip())


@pytest.mark.long
def test_two_tabs_show_each_others_changes_and_ask_where_both_changed(teacher: Page) -> None:
    address = begin(teacher)
    other = teacher.context.new_page()
    other.goto(f"{address}#details")
    expect(field(other, "summary")).to_be_visible()

    field(teacher, "summary").fill("From the first tab")
    expect(field(other, "summary")).to_have_value("From the first tab")

    # Nothing is written into a field while somebody is in it.
    field(other, "summary").focus()
    field(teacher, "summary").fill("From the first tab again")
    expect(other.get_by_text("It's shown when you leave the field.")).to_be_visible()
    expect(field(other, "summary")).to_have_value("From the first tab")
    other.keyboard.press("End")
    other.keyboard.type(", no: from the second")
    conflict = other.get_by_role("alert").filter(has_text="while you were writing")
    expect(conflict).to_contain_text("From the first tab again")
    expect(field(other, "summary")).to_have_value("From the first tab, no: from the second")
    conflict.get_by_role("button", name="Keep mine").click()
    expect_saved(other)
    teacher.keyboard.press("Tab")
    expect(field(teacher, "summary")).to_have_value("From the first tab, no: from the second")


@pytest.mark.long
def test_two_people_write_one_description(teacher: Page, people: Callable[..., Page]) -> None:
    address = begin(teacher)
    write_in_editor(teacher, field(teacher, "description"))
    teacher.keyboard.type("First line\n\nSecond line\n\nThird line")
    expect_saved(teacher)

    admin = people("admin")
    admin.goto(f"{address}#details")
    expect(field(admin, "description")).to_have_value("First line\n\nSecond line\n\nThird line")
    write_in_editor(admin, field(admin, "description"))
    admin.keyboard.press("Control+End")
    admin.keyboard.type(", by the admin")
    expect(teacher.get_by_text("is editing too").filter(visible=True)).to_be_visible()
    teacher.keyboard.press("Control+Home")
    teacher.keyboard.type("The ")
    expect_saved(teacher)
    expect_saved(admin)
    both = "The First line\n\nSecond line\n\nThird line, by the admin"
    outcome(teacher).focus()
    outcome(admin).focus()
    expect(field(teacher, "description")).to_have_value(both)
    expect(field(admin, "description")).to_have_value(both)


def sign_in(page: Page, name: str) -> None:
    """In a session of its own: the shared ones must not end."""
    page.goto("/auth/login")
    page.get_by_label("Email").fill(f"{name}@example.com")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(re.compile("^(?!.*auth/login)"))


@pytest.mark.long
def test_a_session_that_ended_loses_nothing_and_nobody_else_saves_it(people: Callable[..., Page]) -> None:
    page = people()
    sign_in(page, "sorter")
    address = begin(page)
    other = page.context.new_page()
    other.goto("/dashboard/instructor/courses/")
    field(page, "summary").press_sequentially("Typed before the end", delay=20)
    other.get_by_role("button", name="Sign out").click()
    other.wait_for_url(re.compile("^(?!.*dashboard)"))
    field(page, "summary").press_sequentially(" and after it", delay=20)
    expect(page.get_by_role("alert").filter(has_text="your session has ended")).to_be_visible(timeout=60_000)
    sign_in(other, "admin")
    field(page, "summary").press_sequentially(", by its author", delay=20)
    expect(page.get_by_role("alert").filter(has_text="Not saved")).to_be_visible()
    other.goto(f"{address}#details")
    expect(field(other, "summary")).not_to_have_value(re.compile("after it"))

    other.goto("/")
    other.locator("summary[aria-label='Account menu']").click()
    other.get_by_role("button", name="Sign out").click()
    expect(other.locator(".top__auth").get_by_role("link", name="Sign in")).to_be_visible()
    sign_in(other, "sorter")
    expect_saved(page)
    open_step(page, address, "details")
    expect(field(page, "summary")).to_have_value("Typed before the end and after it, by its author")


def tab_to(page: Page, target: Locator, most: int = 150) -> None:
    """Go to a control by the Tab key alone."""
    expect(target).to_be_attached()
    for _ in range(most):
        if target.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} cannot be reached by Tab")


@pytest.mark.long
def test_a_course_is_written_by_keyboard_from_its_title_to_submitted(teacher: Page) -> None:
    page = teacher
    page.goto("/dashboard/instructor/courses/")
    tab_to(page, page.get_by_role("link", name="New course"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Title", exact=True))
    page.keyboard.type(f"Chance by keys {next(_numbers)}")
    tab_to(page, page.get_by_label("Category", exact=True))
    page.keyboard.press("ArrowDown")
    tab_to(page, page.get_by_role("button", name="Create the draft"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/edit#details$"))
    tab_to(page, field(page, "summary"))
    page.keyboard.type(SUMMARY)
    tab_to(page, outcome(page))
    page.keyboard.type("Tell independent events apart.")
    tab_to(page, page.get_by_role("button", name="Continue to curriculum"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Sections and lessons")).to_be_focused()
    tab_to(page, page.get_by_label("Title of a new section", exact=True))
    page.keyboard.type("Counting")
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Title of a new lesson in section 1"))
    page.keyboard.type("What a coin knows")
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("link", name="What a coin knows"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/lectures/"))
    body = page.locator("textarea[name=body]")
    editor = page.locator(".composer", has=body).locator(".cm-content")
    tab_to(page, editor)
    page.keyboard.type("A coin knows nothing of what it did before.")
    expect(body).to_have_value("A coin knows nothing of what it did before.")
    page.keyboard.press("Control+s")
    expect_saved(page)
    tab_to(page, page.get_by_role("navigation", name="This course").get_by_role("link", name="Details"))
    page.keyboard.press("Enter")
    review = page.get_by_role("navigation", name="Steps").get_by_role("link", name="Review")
    tab_to(page, review)
    page.keyboard.press("Enter")
    submit = page.get_by_role("button", name="Submit for review")
    expect(submit).to_be_enabled()
    tab_to(page, page.get_by_label("Note to the reviewer"))
    page.keyboard.type("My first course.")
    tab_to(page, submit)
    page.keyboard.press("Enter")
    expect(page.locator("[data-field=submitted]")).to_be_focused()
    expect(page.locator("[data-wizard=state]")).to_contain_text("Under review")
    assert violations(page) == []


@pytest.mark.long
def test_a_course_is_written_by_touch_on_a_phone_until_it_is_submitted(people: Callable[..., Page]) -> None:
    page = people("sorter", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.goto("/dashboard/instructor/courses/")
    page.get_by_role("link", name="New course").tap()
    page.get_by_label("Title", exact=True).tap()
    page.keyboard.type(f"Chance by touch {next(_numbers)}")
    page.get_by_label("Category", exact=True).select_option(index=1)
    page.get_by_role("button", name="Create the draft").tap()
    page.wait_for_url(re.compile("/edit#details$"))
    # What is missing leads to its field.
    page.get_by_role("button", name="3 things missing").tap()
    page.locator("#wizard-missing").get_by_role("button", name="Summary of at least 40 characters").tap()
    expect(field(page, "summary")).to_be_focused()
    page.keyboard.type(SUMMARY)
    outcome(page).tap()
    page.keyboard.type("Tell independent events apart.")
    expect_saved(page)
    page.get_by_role("button", name="Continue").tap()
    page.get_by_label("Title of a new section", exact=True).tap()
    page.keyboard.type("Counting")
    page.get_by_role("button", name="Add a section").tap()
    page.get_by_label("Title of a new lesson in section 1").tap()
    page.keyboard.type("What a coin knows")
    page.get_by_role("button", name="Text", exact=True).tap()
    for step in ("media", "price", "review"):
        page.get_by_role("button", name="Continue").tap()
        expect(page.locator(f"[data-step={step}]")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert violations(page) == []
    expect(page.get_by_text("Complete the required items before submitting.")).to_be_visible()

    page.get_by_role("navigation", name="Steps").get_by_role("link", name="Curriculum").tap()
    page.get_by_role("link", name="What a coin knows").tap()
    page.wait_for_url(re.compile("/lectures/"))
    body = page.locator("textarea[name=body]")
    editor = page.locator(".composer", has=body).locator(".cm-content")
    editor.tap()
    expect(editor).to_be_focused()
    page.keyboard.type("A coin knows nothing of what it did before.")
    expect_saved(page)
    page.get_by_role("link", name="Back to the lessons").tap()
    page.get_by_role("navigation", name="This course").get_by_role("link", name="Details").tap()
    page.get_by_role("navigation", name="Steps").get_by_role("link", name="Review").tap()
    page.get_by_role("button", name="Submit for review").tap()
    expect(page.locator("[data-field=submitted]")).to_be_focused()
    expect(page.locator("[data-wizard=state]")).to_contain_text("Under review")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert violations(page) == []
