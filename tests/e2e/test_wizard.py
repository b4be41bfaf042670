"""Courses are written in a real browser: slow and failing saves, crashes, two tabs, two people, keyboard and touch."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator
from itertools import count

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.conftest import PASSWORD
from tests.e2e.looking import violations

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

NEW = "/dashboard/instructor/courses/new"
KEY_MS = 100  # between two keys: 600 characters a minute
SLOW_MS = 3_000
# Each save takes three seconds, while the author keeps typing.
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


def editor_of(page: Page, text: Locator) -> Locator:
    """The live editor that stands for this text."""
    return page.locator(".composer", has=text).locator(".cm-content")


def write_in_editor(page: Page, text: Locator) -> None:
    """Turn to a text whose live editor appears with the focus."""
    text.click()
    expect(editor_of(page, text)).to_be_focused()


def let_saves_fail(page: Page) -> list[str]:
    """Let each save take three seconds, and every third fail: by the network, by the server, or once it is saved.

    Returns what became of the saves; the list grows with each.
    """
    ends = ["lost", "refused", "unanswered"]
    seen: list[str] = []

    def answer(route: Route) -> None:
        if route.request.method != "PATCH":
            route.continue_()
            return
        fails = len(seen) % 3 == 2
        end = ends[len(seen) // 3 % len(ends)] if fails else "saved"
        seen.append(end)
        if end == "saved":
            route.continue_()
        elif end == "refused":
            route.fulfill(status=503, body="{}")
        else:
            if end == "unanswered":
                route.fetch()
            route.abort()

    page.route(re.compile(r"/api/v1/studio/(courses|lessons)/[^/]+/$"), answer)
    page.add_init_script(SLOW)
    return seen


def type_in_the_middle(page: Page, target: Locator, text: str, *, read: Callable[[], str]) -> str:
    """Type a text, then more at its beginning, while saves go on. Returns all of it."""
    for typed in range(20, len(text) + 20, 20):
        page.keyboard.type(text[typed - 20 : typed], delay=KEY_MS)
        assert read() == text[:typed]
    page.keyboard.press("Control+Home")
    page.keyboard.type("Here is more: ", delay=KEY_MS)
    assert read() == f"Here is more: {text}"
    expect(target).to_be_focused()
    return f"Here is more: {text}"


def kill_tab(page: Page) -> Page:
    """Kill the process that runs this page, and open a new page beside it.

    No event tells the page that it ends (closing it would tell it), as when a phone takes the tab's memory.
    """
    browser = page.context.browser
    assert browser
    line = browser.new_browser_cdp_session()
    with page.expect_event("crash"):
        for process in line.send("SystemInfo.getProcessInfo")["processInfo"]:
            if process["type"] == "renderer":  # no other page is open
                os.kill(process["id"], signal.SIGKILL)
    line.detach()
    context = page.context
    page.close()  # the context cannot speak to it
    context.set_offline(False)
    return context.new_page()


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
    # Within the page, in the moment in which it has the field: the island replaces the form soon after.
    teacher.wait_for_function(
        "() => { const one = document.querySelector('[name=summary]'); one?.focus(); return one !== null; }"
    )
    teacher.keyboard.press("Home")
    teacher.keyboard.type("Coins, queues and results: ", delay=40)
    teacher.keyboard.type("count them twice. ", delay=40)
    expect(field(teacher, "summary")).to_have_value("Coins, queues and results: count them twice. Count them.")
    expect(field(teacher, "summary")).to_be_focused()
    expect_saved(teacher)
    open_step(teacher, address, "details")
    expect(field(teacher, "summary")).to_have_value("Coins, queues and results: count them twice. Count them.")


@pytest.mark.long
def test_a_course_keeps_each_key_while_saves_are_slow_and_fail(teacher: Page) -> None:
    seen = let_saves_fail(teacher)
    address = begin(teacher)
    open_step(teacher, address, "basics")
    title = field(teacher, "title")
    title.press("Control+a")
    named = type_in_the_middle(teacher, title, ("Chance is patient. " * 6)[:100], read=title.input_value)
    assert title.evaluate("one => [one.selectionStart, one.selectionEnd]") == [len("Here is more: ")] * 2

    open_step(teacher, address, "details")
    description = field(teacher, "description")
    write_in_editor(teacher, description)
    editor = editor_of(teacher, description)
    text = type_in_the_middle(teacher, editor, (SENTENCE * 3)[:240], read=description.input_value)
    expect_saved(teacher)
    assert {"saved", "lost", "refused"} <= set(seen)
    open_step(teacher, address, "details")
    expect(description).to_have_value(text)
    open_step(teacher, address, "basics")
    expect(title).to_have_value(named.strip())


@pytest.mark.long
def test_a_lesson_keeps_each_key_while_saves_are_slow_and_fail(teacher: Page, drafts: Iterator[str]) -> None:
    seen = let_saves_fail(teacher)
    address = f"{next(drafts)}/spring"
    teacher.goto(address)
    title, body = teacher.locator("#panel [name=title]"), teacher.locator("[name=body]")
    title.press("Control+a")
    named = type_in_the_middle(teacher, title, ("Where rivers begin. " * 5)[:95], read=title.input_value)
    editor = editor_of(teacher, body)
    editor.click()
    teacher.keyboard.press("Control+a")
    text = type_in_the_middle(teacher, editor, (SENTENCE * 3)[:240], read=body.input_value)
    expect_saved(teacher)
    assert {"saved", "lost", "refused"} <= set(seen)
    teacher.goto("about:blank")
    teacher.goto(address)
    expect(body).to_have_value(text)
    expect(title).to_have_value(named.strip())


@pytest.mark.long
@pytest.mark.parametrize("loaded", ["editor loaded", "editor not loaded"])
def test_what_was_typed_offline_is_whole_after_the_tab_is_killed(teacher: Page, loaded: str) -> None:
    address = begin(teacher)
    description = field(teacher, "description")
    if loaded == "editor loaded":
        write_in_editor(teacher, description)
    teacher.context.set_offline(True)
    description.focus()
    text = SENTENCE * 2
    teacher.keyboard.type(text, delay=KEY_MS)
    outcome(teacher).press_sequentially("Count what happens.")
    expect(saving(teacher)).to_contain_text("On this device")
    expect(description).to_have_value(text)
    again = kill_tab(teacher)
    again.goto(f"{address}#details")
    expect(field(again, "description")).to_have_value(text)
    expect(outcome(again)).to_have_value("Count what happens.")
    expect_saved(again)
    open_step(again, address, "details")
    expect(field(again, "description")).to_have_value(text)


@pytest.mark.long
def test_a_lesson_typed_offline_is_whole_after_the_tab_is_killed(teacher: Page, drafts: Iterator[str]) -> None:
    address = f"{next(drafts)}/brook"
    teacher.goto(address)
    body = teacher.locator("[name=body]")
    editor_of(teacher, body).click()
    teacher.keyboard.press("Control+a")
    teacher.context.set_offline(True)
    text = SENTENCE * 2
    teacher.keyboard.type(text, delay=KEY_MS)
    teacher.get_by_label("Summary").fill("How a brook finds its way.")
    expect(saving(teacher)).to_contain_text("On this device")
    again = kill_tab(teacher)
    again.goto(address)
    expect(again.locator("[name=body]")).to_have_value(text)
    expect(again.get_by_label("Summary")).to_have_value("How a brook finds its way.")
    expect_saved(again)
    again.goto("about:blank")
    again.goto(address)
    expect(again.locator("[name=body]")).to_have_value(text)


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
    editor = editor_of(page, body)
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
    editor = editor_of(page, body)
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
