"""The live editor in a real browser: texts of lessons by keyboard, by pasting, with slow and failing calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Site
from tests.e2e.looking import violations

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000"
    "000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)
# Each answer of the preview takes three seconds, and every third fails.
SLOW_AND_FAILING = """() => {
  const real = window.fetch;
  let calls = 0;
  window.fetch = async (request, options) => {
    const {url} = new Request(request, options);
    if (!/content.preview|uploads/.test(url)) return real(request, options);
    calls += 1;
    const fails = calls % 3 === 0;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    if (fails) throw new TypeError("Failed to fetch");
    return real(request, options);
  };
}"""
PASTE = """([html, text]) => {
  const data = new DataTransfer();
  data.setData('text/plain', text);
  data.setData('text/html', html);
  const event = new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true});
  document.querySelector('.cm-content').dispatchEvent(event);
}"""


@pytest.fixture
def lesson(people: Callable[..., Page], drafts: Iterator[str]) -> Page:
    """The empty text of the lesson Spring in the studio, with the caret in it."""
    page = people("sorter", viewport={"width": 1440, "height": 1000}, reduced_motion="reduce")
    page.goto(f"{next(drafts)}/spring")
    page.locator("[name=body]").evaluate("(field) => { field.value = ''; field.dispatchEvent(new Event('input')); }")
    editor(page).click()
    return page


def editor(page: Page) -> Locator:
    return page.locator(".cm-content").first


def text_of(page: Page) -> str:
    return page.locator("[name=body]").input_value()


@pytest.mark.long
def test_a_text_is_written_by_keyboard_saved_and_read(lesson: Page) -> None:
    lesson.keyboard.type("/head")
    expect(lesson.get_by_role("option", name="Heading", exact=False).first).to_be_visible()
    lesson.keyboard.press("Enter")
    lesson.keyboard.type("Forces\n\n- one\nwith $a^2$")
    lesson.keyboard.press("Tab")
    lesson.keyboard.press("Enter")
    lesson.keyboard.press("Enter")
    lesson.keyboard.press("Enter")
    lesson.keyboard.type("After **all**.")
    written = "## Forces\n\n- one\n  - with $a^2$\n\nAfter **all**."
    assert text_of(lesson) == written
    expect(lesson.locator(".ed-formula math")).to_be_visible()
    assert violations(lesson) == []
    expect(lesson.locator("[data-saving]").get_by_text("Saved").first).to_be_visible()
    lesson.reload()
    expect(lesson.locator("[name=body]")).to_have_value(written)


@pytest.mark.long
def test_fast_typing_survives_slow_and_failing_calls_and_a_killed_tab(lesson: Page) -> None:
    lesson.evaluate(SLOW_AND_FAILING)
    sentence = "Each formula $x_{%d}$ asks for its picture, and **typing** goes on. "
    text = "".join(sentence % number for number in range(3))
    lesson.keyboard.type(text[:60], delay=100)
    with lesson.expect_file_chooser() as chooser:
        lesson.get_by_role("button", name="Image or file").click()
    files = [{"name": f"plot-{number}.png", "mimeType": "image/png", "buffer": PNG} for number in range(2)]
    chooser.value.set_files(files)  # type: ignore[arg-type]
    lesson.keyboard.type(text[60:], delay=100)  # 600 characters a minute

    # The pictures came in where they were chosen; every other character is where it was typed.
    pictures = re.compile(r"\s*!\[\]\([^)]*\)\s*")
    assert pictures.sub("", text_of(lesson)).replace(" ", "") == text.replace(" ", "")
    lesson.keyboard.type("|")
    assert text_of(lesson).rstrip().endswith("|")
    written = text_of(lesson)

    context, address = lesson.context, lesson.url
    lesson.close(run_before_unload=False)
    again = context.new_page()
    again.goto(address)
    expect(again.locator("[name=body]")).to_have_value(written)


@pytest.mark.long
def test_pictures_tables_and_formulas_are_inserted_by_keyboard(lesson: Page) -> None:
    lesson.keyboard.type("/pic")
    expect(lesson.get_by_role("option", name="Picture or file")).to_be_visible()
    with lesson.expect_file_chooser() as chooser:
        lesson.keyboard.press("Enter")
    chooser.value.set_files({"name": "plot.png", "mimeType": "image/png", "buffer": PNG})
    dialog = lesson.get_by_role("dialog", name="Picture")
    expect(dialog.get_by_label("Alternative text")).to_be_focused()
    lesson.keyboard.press("Enter")  # nothing was said yet
    expect(dialog.get_by_role("alert")).to_have_text("Describe the picture, or mark it as decorative.")
    lesson.keyboard.type("A straight line")
    lesson.keyboard.press("Enter")
    expect(editor(lesson)).to_be_focused()
    expect(lesson.locator(".ed-picture img")).to_have_attribute("alt", "A straight line")
    assert re.fullmatch(r"!\[A straight line\]\(/course-files/[0-9a-f-]+\)\s*", text_of(lesson))

    lesson.keyboard.press("Control+End")
    lesson.keyboard.type("/table")
    lesson.keyboard.press("Enter")
    for cell in ("Angle", "Force", "Unit", "0", "1"):
        lesson.keyboard.type(cell)
        lesson.keyboard.press("Tab")
    lesson.keyboard.type("N")
    lesson.keyboard.press("Enter")
    lesson.keyboard.press("Enter")  # out of the table, whose last row is empty
    lesson.keyboard.type("/formula")
    lesson.keyboard.press("Enter")
    lesson.keyboard.type(r"\frac{1}{2}")
    expect(lesson.locator(".ed-piece--open mfrac")).to_be_visible()
    body = text_of(lesson)
    assert "| Angle | Force | Unit |" in body
    assert re.search(r"\|\s*0\s*\|\s*1\s*\|\s*N\s*\|", body)
    assert "$$\n\\frac{1}{2}\n$$" in body
    expect(lesson.locator(".ed-piece table")).to_be_visible()

    lesson.locator(".ed-piece table").click()
    lesson.get_by_role("button", name="Table", exact=True).focus()
    lesson.keyboard.press("Enter")
    lesson.get_by_role("menuitem", name="Insert column after").focus()
    lesson.keyboard.press("Enter")
    expect(editor(lesson)).to_be_focused()
    assert "| --- | --- | --- | --- |" in text_of(lesson)
    lesson.keyboard.press("Escape")
    lesson.keyboard.press("Tab")
    expect(editor(lesson)).not_to_be_focused()


@pytest.mark.long
def test_what_is_pasted_keeps_its_structure_and_undo_takes_it_back(lesson: Page) -> None:
    lesson.keyboard.type("Before. ")
    word = Path(__file__).with_name("word.html").read_text()
    lesson.evaluate(PASTE, [word, "Forces\nFirst\nSecond\nAngle\tForce\n0\t1"])
    lesson.keyboard.type("!")
    expect(lesson.locator(".ed-heading")).to_have_text("Forces")
    body = text_of(lesson)
    assert "## Forces" in body
    assert "1. First" in body
    assert "| **Angle** | **Force** |" in body
    assert "mso" not in body
    assert body.endswith("!")
    expect(lesson.get_by_text("1 picture wasn't copied by the other program")).to_be_visible()
    for _ in range(10):
        lesson.keyboard.press("Control+z")
    assert "Forces" not in text_of(lesson)


@pytest.mark.long
def test_text_from_right_to_left_has_its_marks_and_arrow_keys_on_that_side(lesson: Page) -> None:
    lesson.keyboard.type("- מטבע")
    lesson.keyboard.press("Enter")
    lesson.keyboard.type("תור\n\nA coin")
    lines = editor(lesson).locator(".cm-line")
    assert lines.evaluate_all("(all) => all.map((line) => getComputedStyle(line).direction)") == [
        "rtl", "rtl", "ltr", "ltr"
    ]  # fmt: skip
    bullet, line = lines.first.locator(".ed-bullet").bounding_box(), lines.first.bounding_box()
    assert bullet
    assert line
    assert bullet["x"] > line["x"] + line["width"] / 2
    lesson.keyboard.press("Control+Home")
    for _ in range(4):
        lesson.keyboard.press("ArrowLeft")
    lesson.keyboard.type("ות")
    assert text_of(lesson).startswith("- מטותבע")


@pytest.mark.long
def test_a_text_with_forty_pictures_does_not_move_while_it_loads(
    site: Site, people: Callable[..., Page], lesson: Page
) -> None:
    course, slug = re.search(r"courses/([^/]+)/lectures/([^/?#]+)", lesson.url).groups()  # type: ignore[union-attr]
    site.run("-m", "tests.e2e.pictures", course, slug, "40")
    page = people("sorter", viewport={"width": 1280, "height": 900})
    page.add_init_script(
        "window.shifts = 0; new PerformanceObserver((list) => { for (const one of list.getEntries())"
        " if (!one.hadRecentInput) window.shifts += one.value; }).observe({type: 'layout-shift', buffered: true})"
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.extend([request.url] if "/course-files/" in request.url else []))
    page.goto(f"/learn/{course}/{slug}")
    images = page.locator(".prose img")
    expect(images).to_have_count(40)
    assert len(asked) < 40  # those far below wait
    for number in range(0, 40, 5):
        images.nth(number).scroll_into_view_if_needed()
        expect(images.nth(number)).to_have_js_property("complete", True)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.shifts") == 0
    uid = re.compile(r"/course-files/([0-9a-f-]+)")
    shown = [uid.search(address)[1] for address in images.evaluate_all("(all) => all.map((one) => one.src)")]  # type: ignore[index]
    first = [uid.search(address)[1] for address in asked][:3]  # type: ignore[index]
    assert first == shown[:3]
    scripts = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    assert not [one for one in scripts if re.search(r"liveSurface|islands/editor", one)]
