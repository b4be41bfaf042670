"""HTML that refers to what a device stores."""

from uuid import UUID

import pytest

from apps.learning.offline.localizing import LocalFile, Localizer, course_files_in
from tests.cases import all_cases

KNOWN, UNKNOWN = UUID(int=7, version=4), UUID(int=8, version=4)
FILE = f"/course-files/{KNOWN}"
STORED = "/offline/media/x/files/a"


@pytest.fixture
def localizer() -> Localizer:
    return Localizer({KNOWN: LocalFile(STORED, 'Übung "1" & <2>.pdf')})


@all_cases(
    "html, expected",
    [
        ('<link href="/static/dist/a.css">', '<link href="/offline/static/dist/a.css">'),
        ('<use href="/static/dist/i.svg#bell"/>', '<use href="/offline/static/dist/i.svg#bell"/>'),
        ('<script data-fonts="/static/a.woff2 /static/b.woff2"></script>',
         '<script data-fonts="/offline/static/a.woff2 /offline/static/b.woff2"></script>'),
        # What a lesson says stays, also if it looks like an address or a tag.
        ('<code>src="/static/a.png" &lt;img src="/static/a.png"&gt;</code>',
         '<code>src="/static/a.png" &lt;img src="/static/a.png"&gt;</code>'),
        ('<p title="a > b" hidden>c</p>', '<p title="a > b" hidden>c</p>'),
        (f'<img src="{FILE}?width=960" srcset="{FILE}?width=480 480w" sizes="auto" alt="A > B">',
         f'<img src="{STORED}" alt="A > B">'),
        (f'<img alt="&lt;b&gt; &amp; c" src="/course-files/{UNKNOWN}">',
         '<span class="missing-picture">The picture “&lt;b&gt; &amp; c” needs a connection.</span>'),
        (f'<img src="/course-files/{UNKNOWN}" alt="">',
         '<span class="missing-picture">A picture here needs a connection.</span>'),
        (f'<a href="{FILE}">Sheet</a>',
         f'<a href="{STORED}" download="Übung &#34;1&#34; &amp; &lt;2&gt;.pdf">Sheet</a>'),
        (f'<a href="/course-files/{UNKNOWN}">Sheet</a>',
         f'<a href="/course-files/{UNKNOWN}" data-needs-connection="">Sheet</a>'),
        ('<a href="https://example.org/" rel="nofollow">x</a>',
         '<a href="https://example.org/" rel="nofollow" data-needs-connection="">x</a>'),
        ('<a href="/learn/c/l">x</a><a href="#a">x</a><a href="?t=3">x</a><a id="a">x</a>',
         '<a href="/learn/c/l">x</a><a href="#a">x</a><a href="?t=3">x</a><a id="a">x</a>'),
        ("no tags & nothing to do", "no tags & nothing to do"),
    ],
)  # fmt: skip
def test_addresses_are_rewritten(localizer: Localizer, html: str, expected: str) -> None:
    assert localizer.html(html) == expected
    assert localizer.html(expected) == expected  # once is enough


def test_it_remembers_which_rendition_a_page_shows(localizer: Localizer) -> None:
    for width in (960, 480):
        localizer.html(f'<img src="{FILE}?width={width}" alt="">')

    assert localizer.pictures == {KNOWN: f"{FILE}?width=960"}


def test_only_the_html_of_data_is_rewritten(localizer: Localizer) -> None:
    picture, shown = f'<img src="{FILE}" alt="">', f'<img src="{STORED}" alt="">'
    data = {
        "text": picture,
        "prompt_html": picture,
        "lines": [{"html": picture, "n": 1}],
        "remarks_html": [picture],
    }

    assert localizer.data(data) == {
        "text": picture, "prompt_html": shown, "lines": [{"html": shown, "n": 1}], "remarks_html": [shown],
    }  # fmt: skip


def test_files_are_found_in_markdown_html_and_json() -> None:
    texts = [
        f"![a](/course-files/{KNOWN})",
        f'{{"html": "<img src=\\"/course-files/{UNKNOWN}?width=480\\">"}}',
        "/course-files/7",
    ]

    assert course_files_in(texts) == {KNOWN, UNKNOWN}
