"""The site's shell: themes, header, menus, search, navigation, error pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.conftest import PASSWORD, Site, code_mailed_to
from tests.e2e.looking import until, violations, violations_in_all_looks

pytestmark = pytest.mark.e2e

NARROW = {"width": 390, "height": 844}
LESSON = "/learn/linear-algebra-geometrically/a-matrix-moves-the-plane"


def menu(page: Page, name: str) -> Locator:
    return page.locator(f"summary[aria-label='{name}']:visible").locator("..")


def summary(page: Page, name: str) -> Locator:
    return page.locator(f"summary[aria-label='{name}']:visible")


# --- Look ---------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("system", "theme", "style", "shown"),
    [
        ("light", "", "", "theme-light style-academic"),
        ("dark", "", "", "theme-dark style-academic"),
        ("light", "dark", "corporate", "theme-dark style-corporate"),
        ("dark", "light", "corporate", "theme-light style-corporate"),
        ("dark", "sepia", "brutalist", "theme-dark style-academic"),
    ],
)
def test_theme_is_set_before_the_first_paint(people, system: str, theme: str, style: str, shown: str):
    page = people(color_scheme=system)
    page.add_init_script(
        f"""
        if ("{theme}") Object.assign(localStorage, {{"study.theme": "{theme}", "study.style": "{style}"}});
        new MutationObserver((_, watch) => {{
          if (!document.body) return;
          window.lookAtFirst = document.documentElement.className.split(" ").sort().reverse().join(" ");
          watch.disconnect();
        }}).observe(document, {{childList: true, subtree: true}});
        """
    )
    # Without the page's later scripts, only the inline script can set the theme.
    page.route(re.compile(r"/dist/(site|islands)-"), lambda route: route.abort())

    page.goto("/")

    assert page.evaluate("window.lookAtFirst") == shown
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    lightness = float(re.findall(r"oklch\(([\d.]+)", color)[0])
    assert (lightness < 0.5) == ("theme-dark" in shown)


@pytest.mark.long
def test_theme_menu_changes_every_tab_at_once_and_is_remembered(people):
    page = people()
    page.goto("/")
    other = page.context.new_page()
    other.goto("/courses/")
    expect(other.locator("html.theme-light.style-academic")).to_be_attached()

    summary(page, "Theme").click()
    menu(page, "Theme").get_by_label("Dark").check()
    expect(page.locator("html.theme-dark.style-academic")).to_be_attached()
    menu(page, "Theme").get_by_label("Corporate").check()

    for one in (page, other):
        expect(one.locator("html.theme-dark.style-corporate")).to_be_attached()
    assert page.evaluate("({...localStorage})") == {"study.theme": "dark", "study.style": "corporate"}
    page.reload()
    expect(page.locator("html.theme-dark.style-corporate")).to_be_attached()
    summary(page, "Theme").click()
    expect(menu(page, "Theme").get_by_label("Dark")).to_be_checked()
    expect(menu(page, "Theme").get_by_label("Corporate")).to_be_checked()

    menu(page, "Theme").get_by_label("Match this device").check()
    expect(other.locator("html.theme-light.style-corporate")).to_be_attached()
    assert page.evaluate("({...localStorage})") == {"study.style": "corporate"}


# --- Header -------------------------------------------------------------------------------------

COURSES, LEARNING, TALK = ("Courses", "/courses"), ("My Learning", "/me/enrollments"), ("Discussions", "/forum")
TUTOR, TEACH = ("AI Tutor", "/chat"), ("Instructor Dashboard", "/dashboard/instructor")


@pytest.mark.long
@pytest.mark.parametrize(
    ("who", "links"),
    [
        ("", [COURSES, TALK]),
        ("student", [COURSES, LEARNING, TALK, TUTOR]),
        ("instructor", [COURSES, LEARNING, TALK, TUTOR, TEACH]),
        ("admin", [COURSES, LEARNING, TALK, TUTOR, TEACH]),
    ],
)
def test_header_shows_the_links_of_each_role(people, who: str, links: list[tuple[str, str]]):
    page = people(who)
    page.goto("/")

    for name in ("Main", "Mobile"):
        found = page.locator(f"nav[aria-label={name}] a")
        assert [(a.text_content(), a.get_attribute("href")) for a in found.all()] == links
    top = page.get_by_role("banner")
    assert top.locator(".brand").get_attribute("href") == "/"
    if not who:
        expect(top.get_by_role("link", name="Sign in")).to_have_attribute("href", "/auth/login")
        expect(top.get_by_role("link", name="Get started")).to_have_attribute("href", "/auth/register")
        expect(summary(page, "Account menu")).to_have_count(0)
        return
    expect(top.get_by_role("link", name="Sign in")).to_have_count(0)
    summary(page, "Account menu").click()
    account = menu(page, "Account menu")
    expect(account).to_contain_text(f"{who}@example.com")
    expect(account).to_contain_text(who.capitalize())
    entries = [(a.text_content() or "", a.get_attribute("href")) for a in account.get_by_role("link").all()]
    assert [(re.sub(r"\d\+? unread$", "", name), href) for name, href in entries] == [
        ("Profile", "/me/dashboard"),
        ("My Courses", "/me/enrollments"),
        ("Practice", "/me/practice"),
        ("Messages", "/me/messages"),
        ("Billing", "/billing/methods"),
        ("Files", "/files"),
        ("Settings", "/settings"),
    ]
    expect(account.get_by_role("button", name="Sign out")).to_be_visible()
    username = account.locator(".menu__who .strong").inner_text()
    expect(summary(page, "Account menu")).to_have_text(username[0].upper())


def test_account_menu_works_by_keyboard(people):
    page = people("student")
    page.goto("/")
    account = menu(page, "Account menu")
    summary(page, "Account menu").focus()

    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    expect(account.get_by_role("link", name="Profile")).to_be_focused()
    page.keyboard.press("End")
    expect(account.get_by_role("button", name="Sign out")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(account.get_by_role("link", name="Profile")).to_be_focused()
    page.keyboard.press("Escape")

    expect(account).not_to_have_attribute("open", "")
    expect(summary(page, "Account menu")).to_be_focused()


def test_bell_opens_new_notifications_and_links_to_all(people):
    page = people("student")
    page.goto("/")

    page.locator("summary[aria-label^='Notifications']:visible").click()

    panel = page.locator("[data-bell-panel]:visible")
    expect(panel.locator("li, .notes__none").first).to_be_visible()
    panel.get_by_role("link", name="See all notifications").click()
    expect(page.get_by_role("heading", name="Notifications", level=1)).to_be_visible()


@pytest.mark.long
def test_bell_without_notifications_says_so(people, learners, site):
    who = next(learners)
    page = people(who)
    with site.database() as database:
        person = "(SELECT id FROM accounts_user WHERE username = ?)"
        database.execute(f"DELETE FROM accounts_notification WHERE user_id = {person}", [who])  # noqa: S608
    page.goto("/")

    page.locator("summary[aria-label='Notifications']:visible").click()

    panel = page.locator("[data-bell-panel]:visible")
    expect(panel.locator(".notes__none")).to_contain_text("Nothing yet")
    expect(panel.get_by_role("button", name="Mark all as read")).to_have_count(0)
    expect(panel.get_by_role("link", name="Settings")).to_have_attribute("href", "/settings/notifications")


@pytest.mark.long
def test_search_ignores_blanks_trims_and_clears_its_box(people):
    page = people()
    page.goto("/")
    box = page.get_by_role("banner").get_by_role("combobox", name="Search courses")
    expect(box).to_have_attribute("placeholder", "Search courses...")

    page.keyboard.press("/")
    expect(box).to_be_focused()
    page.keyboard.type("   ")
    page.keyboard.press("Enter")
    expect(page).to_have_url("/")
    page.keyboard.type("a/b algebra ")
    page.keyboard.press("Enter")

    expect(page).to_have_url("/courses/?q=a%2Fb+algebra")
    expect(box).to_have_value("")
    page.go_back()
    expect(page).to_have_url("/")
    expect(box).to_have_value("")


@pytest.mark.long
def test_search_suggests_while_typing(people):
    page = people()
    page.goto("/")
    box = page.get_by_role("banner").get_by_role("combobox", name="Search courses")
    box.press_sequentially("lineer alg")
    option = page.get_by_role("option", name="Linear Algebra, Geometrically")
    expect(option).to_be_visible()
    assert not violations_in_all_looks(page, ".top__search", resized=False)

    page.keyboard.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page).to_have_url("/courses/linear-algebra-geometrically")


def test_filters_are_a_dialog_on_phones(people):
    page = people(viewport=NARROW)
    page.goto("/courses/")
    opener = page.get_by_role("button", name="Filters")
    dialog = page.get_by_role("dialog", name="Filters")
    opener.click()
    found = dialog.get_by_role("button", name=re.compile(r"Show \d+ courses"))
    everything = found.inner_text()
    assert not violations(page, ".sheet")

    dialog.get_by_role("checkbox", name="Mathematics").check()
    expect(found).not_to_have_text(everything, use_inner_text=True)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    expect(page).to_have_url("/courses/")

    opener.click()
    expect(found).to_have_text(everything, use_inner_text=True)
    dialog.get_by_role("checkbox", name="Mathematics").check()
    expect(found).not_to_have_text(everything, use_inner_text=True)
    promised = found.inner_text().removeprefix("Show ")
    found.click()
    expect(page.locator(".cat__count b")).to_have_text(promised)


@pytest.mark.long
def test_columns_align_with_the_header_and_the_price_filter_starts_closed(people):
    page = people("instructor", viewport={"width": 1440, "height": 900})
    left = "(name) => document.querySelector(name).getBoundingClientRect().left"
    for address in ("/help/learning", "/certificates/", "/notifications"):
        page.goto(address)
        assert page.evaluate(left, "main h1") == page.evaluate(left, ".top .brand"), address
    page.goto("/learn/linear-algebra-geometrically/arrows-and-recipes")
    gap = page.evaluate(
        """() => {
          const box = (name) => document.querySelector(name).getBoundingClientRect();
          return [box(".player__list").left - box(".reading").right, box(".reading").left + box(".player__list").right];
        }"""
    )
    assert gap[0] < 130, "the text and its list are a pair"
    assert abs(gap[1] - 1440) < 2, "in the middle"
    assert page.evaluate(left, ".reading") == page.evaluate(left, ".top .brand")
    page.goto("/learn/linear-algebra-geometrically/a-matrix-moves-the-plane")
    assert page.evaluate(left, ".foot .brand") == page.evaluate(left, ".top .brand"), "as wide as the header"

    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/settings/notifications")
    cut = "(table) => table.scrollWidth - table.clientWidth"
    assert page.locator(".matrix").evaluate(cut) == 0, "the choices are in sight as a whole"

    page.goto("/dashboard/instructor/courses/linear-algebra-geometrically/edit#price")
    price = page.get_by_label("Price in US dollars")
    expect(price).to_be_hidden()
    page.get_by_role("radio", name="One-time price").check(force=True)
    expect(price).to_be_visible()


@pytest.mark.long
def test_search_is_behind_a_button_on_tablets(people):
    page = people(viewport={"width": 1100, "height": 800})
    page.goto("/")
    find = menu(page, "Search courses")
    expect(page.locator(".top__search")).to_be_hidden()

    page.keyboard.press("/")
    expect(find.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("algebra")
    page.keyboard.press("Enter")

    expect(page).to_have_url("/courses/?q=algebra")


@pytest.mark.long
def test_theme_is_in_the_menu_on_narrow_phones(people):
    page = people(viewport={"width": 320, "height": 640})
    page.goto("/")
    expect(page.locator(".menu--folds")).to_be_hidden()

    summary(page, "Menu").click()
    menu(page, "Menu").get_by_label("Dark").check()

    expect(page.locator("html.theme-dark")).to_be_attached()


def test_mobile_menu_opens_and_closes_in_every_way(people):
    page = people(viewport=NARROW)
    page.goto("/")
    sheet, button = menu(page, "Menu"), summary(page, "Menu")
    expect(page.locator(".top__nav")).to_be_hidden()
    expect(page.locator(".top__search")).to_be_hidden()

    button.click()
    expect(sheet.get_by_role("link", name="Courses")).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).not_to_have_attribute("open", "")
    expect(button).to_be_focused()

    button.click()
    page.mouse.click(20, 820)
    expect(sheet).not_to_have_attribute("open", "")

    button.click()
    sheet.get_by_role("combobox").fill("algebra")
    page.keyboard.press("Enter")
    expect(page).to_have_url("/courses/?q=algebra")

    button.click()
    page.evaluate("addEventListener('click', (event) => event.preventDefault())")
    sheet.get_by_role("link", name="Courses").click()
    expect(sheet).not_to_have_attribute("open", "")


def test_dashboard_has_side_navigation_instead_of_the_header(people):
    page = people("admin")
    for address in ("/dashboard/instructor/", "/dashboard/instructor/courses/", "/dashboard/admin/"):
        page.goto(address)
        expect(page.locator("header.top")).to_have_count(0)
        rail = page.get_by_role("navigation", name="Dashboard", exact=True)
        expect(rail).to_be_visible()
        expect(rail.locator("[aria-current=page]")).to_have_attribute("href", address)

    page.set_viewport_size(NARROW)
    summary(page, "Menu").click()
    expect(page.get_by_role("navigation", name="Mobile dashboard")).to_be_visible()
    page.keyboard.press("Escape")
    expect(summary(page, "Menu")).to_be_focused()


# --- From page to page --------------------------------------------------------------------------


def prefetched(page: Page) -> list[str]:
    return page.locator("a[data-prefetch]").evaluate_all("all => all.map((one) => one.getAttribute('href'))")


@pytest.mark.long
def test_page_is_prefetched_when_its_link_is_hovered(people):
    page = people()
    page.goto("/")
    with page.context.expect_event("request", lambda request: request.url.endswith("/auth/register")) as asked:
        page.get_by_role("banner").get_by_role("link", name="Get started").hover()
    assert asked.value.headers["sec-purpose"].startswith("prefetch")
    asked.value.response().finished()

    page.get_by_role("banner").get_by_role("link", name="Get started").click()

    expect(page).to_have_url("/auth/register")
    assert page.evaluate("performance.getEntriesByType('navigation')[0].deliveryType") == "navigational-prefetch"


@pytest.mark.long
def test_sign_out_links_are_not_prefetched(people):
    page = people("student")
    page.goto("/")
    summary(page, "Account menu").click()
    page.evaluate("document.querySelector('main').insertAdjacentHTML('afterbegin', '<a href=/auth/logout>Leave</a>')")

    page.get_by_role("link", name="Leave").hover()
    page.get_by_role("button", name="Sign out").hover()
    page.get_by_role("link", name="Settings").hover()

    until(page, "document.querySelector('a[data-prefetch]')")
    assert prefetched(page) == ["/settings"]


@pytest.mark.long
def test_loading_bar_appears_after_one_second_and_stays_half_a_second(people):
    page = people()
    page.add_init_script(
        """new MutationObserver(() => {
          if (document.querySelector('.pagebar')) sessionStorage.shown ??= String(Date.now());
        }).observe(document, {childList: true, subtree: true})"""
    )
    held: list[Route] = []
    page.route("**/courses/", lambda route: held.append(route))
    page.goto("/")

    page.evaluate(
        "sessionStorage.asked = Date.now(); setTimeout(() => document.querySelector('a[href=\"/courses/\"]').click())"
    )
    page.wait_for_timeout(1200)  # longer than the delay; a navigating page cannot be queried
    held[0].continue_()
    expect(page).to_have_url("/courses/")
    until(page, "document.readyState === 'complete' && !document.querySelector('.pagebar')")

    asked, shown, gone = page.evaluate("[sessionStorage.asked, sessionStorage.shown, Date.now()].map(Number)")
    assert shown - asked >= 1000
    assert gone - shown >= 500


# --- What shows when it fails -------------------------------------------------------------------


@pytest.mark.long
def test_404_page_links_to_home_and_catalog(people):
    page = people()
    answer = page.goto("/courses/nowhere/at/all")

    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("Page Not Found")
    expect(page.get_by_text("The page you're looking for doesn't exist or has been moved.")).to_be_visible()
    page.get_by_role("link", name="Browse Courses").click()
    expect(page).to_have_url("/courses/")
    page.go_back()
    page.get_by_role("link", name="Go Home").click()
    expect(page).to_have_url("/")


@contextmanager
def broken(site: Site) -> Iterator[None]:
    """A table that course pages read is missing."""

    def rename(old: str, new: str) -> None:
        with site.database() as database:
            database.execute(f"ALTER TABLE {old} RENAME TO {new}")

    rename("courses_section", "lost")
    try:
        yield
    finally:
        rename("lost", "courses_section")


def test_crashed_island_offers_three_actions(people, site):
    page = people()
    with broken(site):
        answer = page.goto("/courses/waves-and-interference")
        assert answer is not None
        assert answer.status == 500
        expect(page.get_by_role("heading", level=1)).to_have_text("Oops! Something went wrong")
        expect(page.locator(".lede")).to_have_text(
            "An unexpected error occurred while loading the page. Don't worry, our team has been notified and is"
            " working on it."
        )
        expect(page.get_by_role("link", name="support@example.com")).to_be_visible()
        expect(page.get_by_text("courses_section")).to_have_count(0)
        page.get_by_role("link", name="Reload Page").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Oops! Something went wrong")

    expect(page.get_by_role("link", name="Go to Homepage")).to_have_attribute("href", "/")
    page.get_by_role("link", name="Try Again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Waves and Interference")


def test_island_that_fails_to_load_shows_an_error_and_can_be_retried(people):
    page = people("student")
    page.route(re.compile(r"/dist/islands/player-"), lambda route: route.abort())
    page.goto(LESSON)
    page.mouse.move(300, 300)

    spot = page.locator("[data-island=player]")
    expect(spot.get_by_text("Something went wrong!")).to_be_visible()
    spot.get_by_role("button", name="Show Error").click()
    expect(spot.locator("code")).to_be_visible()
    spot.get_by_role("button", name="Hide Error").click()
    expect(spot.locator("code")).to_have_count(0)
    page.unroute_all()
    spot.get_by_role("button", name="Try Again").click()

    expect(spot.get_by_text("Something went wrong!")).to_have_count(0)


@pytest.mark.long
def test_typed_markup_is_never_run(people):
    page = people()
    page.goto("/")
    page.evaluate(
        """() => {
          window.refused = [];
          addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
          const script = document.createElement('script');
          script.textContent = 'window.ran = true';
          document.body.append(script);
          document.body.insertAdjacentHTML('beforeend', `
            <img src="/nowhere.png" onerror="window.ran = true">
            <p id="styled" style="color: rgb(1, 2, 3)">x</p>
            <style>body { color: rgb(1, 2, 3) !important }</style>
            <iframe src="https://example.org/"></iframe>`);
          const far = document.createElement('script');
          far.src = 'https://example.org/evil.js';
          document.body.append(far);
          document.querySelector('#styled').animate; // flushes styles
        }"""
    )

    until(page, "new Set(refused).size >= 5")
    assert set(page.evaluate("refused")) == {
        "script-src-elem",
        "script-src-attr",
        "style-src-elem",
        "style-src-attr",
        "frame-src",
    }
    assert page.evaluate("window.ran") is None
    assert page.evaluate("getComputedStyle(document.querySelector('#styled')).color") != "rgb(1, 2, 3)"


# --- Without scripts ----------------------------------------------------------------------------


@pytest.mark.long
def test_search_works_without_javascript(people):
    page = people(java_script_enabled=False)
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("banner").get_by_role("searchbox").fill("algebra")
    page.keyboard.press("Enter")
    expect(page).to_have_url("/courses/?q=algebra")
    expect(page.get_by_role("heading", name="Linear Algebra, Geometrically")).to_be_visible()

    page.goto("/courses/")
    page.get_by_role("checkbox", name="Beginner").check()
    page.get_by_role("button", name="Show results").click()
    expect(page).to_have_url(re.compile(r"difficulty=beginner"))
    page.get_by_label("Sort by").select_option(index=1)
    page.get_by_role("button", name="Sort").click()
    expect(page).to_have_url(re.compile(r"sort=.*difficulty=beginner|difficulty=beginner.*sort="))
    expect(page.locator(".cat__cards article").first).to_be_visible()


@pytest.mark.long
def test_sign_in_and_out_work_without_javascript(people):
    page = people(java_script_enabled=False)
    page.goto("/me/enrollments")
    expect(page).to_have_url("/auth/login?next=/me/enrollments")
    page.get_by_label("Email").fill("student@example.com")
    page.get_by_label("Password", exact=True).fill("wrong-Passw0rd")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_text("The email or password you entered is incorrect")).to_be_visible()
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page).to_have_url("/me/enrollments")

    summary(page, "Account menu").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("banner").get_by_role("link", name="Sign in")).to_be_visible()


def test_registration_enrollment_and_lessons_work_without_javascript(people, site):
    email = f"nora-{uuid4().hex[:8]}@example.com"
    page = people(java_script_enabled=False)
    page.goto("/courses/a-year-in-a-hedgerow")
    page.get_by_role("link", name="Enroll now").first.click()
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("First name").fill("Nora")
    page.get_by_label("Last name").fill("Script")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill("Hedgerow1840")
    page.get_by_label("Confirm password").fill("Hedgerow1840")
    page.get_by_role("checkbox", name="I agree").check()
    page.get_by_role("button", name="Create account").click()
    page.get_by_label("Code").fill(code_mailed_to(site, email))
    page.get_by_role("button", name="Verify email").click()

    expect(page).to_have_url("/courses/enroll?course=a-year-in-a-hedgerow")
    page.get_by_role("button", name="Enroll now").click()

    expect(page).to_have_url("/learn/a-year-in-a-hedgerow/what-a-hedge-is")
    expect(page.get_by_text("You are enrolled in")).to_be_visible()
