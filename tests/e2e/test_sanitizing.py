"""No text that someone writes in the discussions can run anything in a browser, or show anything of another site.

The judge is Chromium: it parses the rendered HTML in a page without a content security policy. The attacks are those of
the OWASP XSS Filter Evasion Cheat Sheet (tests/data/owasp_xss.json), each in every place of a Markdown text, and texts
that are made of pieces of attacks and of Markdown by chance.
"""

from __future__ import annotations

import json
import random

import pytest
from playwright.sync_api import Browser, Page, Route

from apps.forum import text
from tests.e2e.looking import ROOT

pytestmark = pytest.mark.e2e

OWASP: list[str] = json.loads((ROOT / "tests/data/owasp_xss.json").read_text())["payloads"]
PLACES = [
    "{}", "[a]({})", "![a]({})", "[a](<{}>)", "<{}>", '[a](http://a.example "{}")', "```{}\nx\n```", "`{}`", "    {}",
    "${}$", "$\\text{{{}}}$", "$$\n{}\n$$", "[{}](/x)", "![{}](/forum/images/0f8fad5b-d9cb-469f-a165-70867728950e)",
    "| {} |\n|---|\n| {} |", "# {}", "> {}", "- {}", "**{}** @amara {}", "[r]\n\n[r]: {}", "https://a.example/{}",
]  # fmt: skip
PIECES = [
    "[", "](", ")", "![", "`", "```html\n", "\n```\n", "*", "**", "_", "$", "$$", "\n\n", "\n", "> ", "- ", "|",
    "\n|---|\n", "<", ">", "\\", "&lt;", "&#60;", "&#x3c;", '"', "'", "{", "}", "\\text{", "\\frac{",
    "\\href{javascript:alert(1)}{", "@amara", "@", "https://a.example/", "//evil.example/x.png",
    "javascript:alert(1)", "JaVaScRiPt&colon;alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x",
    "/forum/images/0f8fad5b-d9cb-469f-a165-70867728950e", "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<iframe src=//evil.example>",
    "<math><mtext></mtext><mglyph><style>", "<a href=javascript:alert(1)>", '" onmouseover="alert(1)', "</span>",
    "</div>", "<!--", "-->", "<![CDATA[", "]]>", "<style>*{background:url(//evil.example)}", "\x00", "\u2028",
    "\ufeff", "formula-0-", "<base href=//evil.example>", "<form action=//evil.example><button>",
    "[a]: javascript:alert(1)\n", "text ",
]  # fmt: skip
ALLOWED = [
    "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "h2", "h3", "h4", "h5",
    "table", "thead", "tbody", "tr", "th", "td", "sup", "sub", "span", "img", "div",
    "figure", "figcaption",
]  # fmt: skip
HERE = "http://study.test/"
SPY = "for (const name of ['alert', 'confirm', 'prompt', 'open']) window[name] = () => (window.ran = name);"
JUDGE = """(allowed) => {
  const bad = [];
  const posts = [...document.querySelectorAll("body > section")];
  const others = [...document.body.children].filter((one) => one.localName !== "section");
  if (others.length > 0 || document.head.children.length > 0) bad.push(["outside", document.body.innerHTML]);
  for (const [place, post] of posts.entries())
    for (const one of post.querySelectorAll("*")) {
      const isMath = one.namespaceURI === "http://www.w3.org/1998/Math/MathML";
      if (!isMath && !allowed.includes(one.localName)) bad.push([place, one.outerHTML]);
      if (isMath && !one.closest("math")) bad.push([place, one.outerHTML]);
      for (const { name, value } of one.attributes) {
        if (/^(on.*|style|srcset|action|formaction|.*xlink.*|srcdoc|id|name)$/i.test(name))
          bad.push([place, one.outerHTML]);
        if (name === "href" && !["http:", "https:", "mailto:"].includes(one.protocol))
          bad.push([place, one.outerHTML]);
        if (name === "src" && !value.startsWith("/forum/images/")) bad.push([place, one.outerHTML]);
        const plain = /^(code|mention|formula|table-wrap|tok-\\w+|language-\\w+)$/;
        const rich = /^(callout callout--\\w+|callout__\\w+|(figure|picture)( \\2--\\d+)?)$/;
        if (name === "class" && !plain.test(value) && !rich.test(value))
          bad.push([place, one.outerHTML]);
      }
    }
  return { bad, posts: posts.length, ran: window.ran ?? null };
}"""


def judge(page: Page, sources: list[str]) -> None:
    """Have the browser open a page with these texts as posts, and say what is in it that may not be."""
    posts = [text.render(source, is_trusted=True, mentions={"amara": "amara"}) for source in sources]
    html = "".join(f"<section>{post}</section>" for post in posts)
    asked: list[str] = []

    def answer(route: Route) -> None:
        if route.request.url == HERE:
            route.fulfill(
                content_type="text/html", body=f"<!doctype html><html><head></head><body>{html}</body></html>"
            )
        else:
            asked.append(route.request.url)
            route.abort()

    page.unroute_all()
    page.route("**", answer)
    page.add_init_script(SPY)
    page.goto(HERE, wait_until="domcontentloaded")
    page.evaluate("for (const one of document.querySelectorAll('section *')) one.dispatchEvent(new Event('mouseover'))")
    found = page.evaluate(JUDGE, ALLOWED)

    assert [(sources[at] if isinstance(at, int) else at, html) for at, html in found["bad"]] == []
    assert found["posts"] == len(sources)
    assert found["ran"] is None
    assert [url for url in asked if not url.startswith(f"{HERE}forum/images/")] == []


def attacks(places: list[str]) -> list[str]:
    return [place.format(attack, attack) for attack in OWASP for place in places]


def generated(count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    pieces = [*PIECES, *OWASP]
    return ["".join(chance.choices(pieces, k=chance.randint(3, 40)))[: text.MOST] for _ in range(count)]


@pytest.fixture
def page(browser: Browser):
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_no_text_of_a_post_runs_anything(page: Page):
    assert len(OWASP) > 100
    judge(page, [*attacks(PLACES[:2]), *generated(200, seed=1)])


@pytest.mark.long
def test_no_attack_runs_anywhere_in_a_post(page: Page):
    for place in PLACES:
        judge(page, attacks([place]))


@pytest.mark.long
def test_no_generated_text_runs_anything(page: Page):
    for seed in range(10):
        judge(page, generated(200, seed=seed + 100))


@pytest.mark.long
def test_the_judge_finds_what_is_forbidden(page: Page, monkeypatch: pytest.MonkeyPatch):
    for html in (
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "</section><p>",
        "<a href=javascript:x>x</a>",
    ):
        monkeypatch.setattr(text, "render", lambda source, html=html, **_: html)
        with pytest.raises(AssertionError):
            judge(page, ["x"])
