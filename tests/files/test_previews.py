"""Previews: texts of every encoding, code, Markdown and tables as HTML, with limits; what could run is only shown."""

import itertools
from typing import Any

import pytest
from markupsafe import Markup

from apps.files import previews
from apps.files.file_types import library_media_type
from apps.files.library_names import kind_of
from apps.files.previews import decoded, preview_of, text_as_html
from studyplatform.kit.text import code, content
from studyplatform.kit.text.code import highlighted
from tests.cases import all_cases
from tests.factories.files import FileFactory


@pytest.fixture
def site(leo, browser_of, own_folders):
    return browser_of(leo)


def file_of(leo: Any, name: str, content: bytes) -> Any:
    """A file with the type that an upload of these bytes gets."""
    media_type = library_media_type(content[:4096])
    return FileFactory(
        owner=leo, name=name, content=content, media_type=media_type, kind=kind_of(media_type, name), size=len(content)
    )


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("Grüße 🌲".encode(), "Grüße 🌲"),
        ("Grüße".encode("utf-8-sig"), "Grüße"),
        ("Grüße".encode("utf-16"), "Grüße"),
        ("\ufeffGrüße".encode("utf-16-be"), "Grüße"),
        ("Grüße „hier“".encode("cp1252"), "Grüße „hier“"),
        (b"\xff\xfea", "\ufffd"),
        (b"\x81\xff", "\ufffdÿ"),
        (b"", ""),
    ],
)
def test_the_encoding_is_found_from_the_bytes(raw, text):
    assert decoded(raw) == text


def test_a_character_at_the_cut_does_not_change_the_encoding():
    assert decoded("Grü".encode()[:-1], is_cut=True) == "Gr"
    assert decoded("Grü".encode()[:-1]) == "GrÃ"


def test_code_is_highlighted_by_its_name(site, leo):
    file = file_of(leo, "tides.PY", b"def ebb():\r\n    return '<b>'\r\n")

    page = site.get(f"/files/{file.uid}").content.decode()

    assert '<pre class="files__text code" tabindex="0"><code><span class="tok-k">def</span>' in page
    assert "&lt;b&gt;" in page
    assert str(preview_of(file).html) in page


@all_cases("language", sorted({*code.LANGUAGES.values()}))
def test_highlighting_changes_no_character(language):
    text = "  <a b='1'>&amp;</a> /* x */ \"é\" `q` $1 {{ }}\n\n\tend\n\n"

    assert highlighted(text, language).striptags() == Markup.escape(text).striptags()
    assert Markup(highlighted(text, language)).unescape().count("\n") == text.count("\n")  # noqa: S704


def test_highlighting_has_a_length_and_a_time(monkeypatch):
    monkeypatch.setattr(code, "MOST_HIGHLIGHTED", 10)
    html = highlighted("x = 1 + 2\ny = 3 + 4\n", "python")
    assert 'tok-mi">2' in html
    assert html.endswith("y = 3 + 4\n")

    ticks = itertools.count(0, code.HIGHLIGHT_SECONDS / 4)
    html = highlighted("1 2 3 4\n", "python", clock=lambda: next(ticks))
    assert html.count("<span") == 2
    assert html.endswith(" 3 4\n")


HOSTILE = [
    "(",
    "[",
    "<",
    "{",
    "'",
    '"',
    "`",
    "\\",
    "/*",
    "/**/",
    "//",
    "a ",
    "a.",
    "1e",
    "0x",
    "\n",
    "= ",
    "$",
    "'''",
    "<a ",
    "&",
]


@pytest.mark.long
@pytest.mark.timeout(60)
@pytest.mark.parametrize("language", sorted({*code.LANGUAGES.values()}))
def test_no_text_takes_long_to_highlight(language, monkeypatch):
    """Four times the limit of characters: a lexer that needs seconds for a single token would need minutes."""
    monkeypatch.setattr(code, "MOST_HIGHLIGHTED", 4 * code.MOST_HIGHLIGHTED)
    monkeypatch.setattr(code, "HIGHLIGHT_SECONDS", 0.01)
    for piece in HOSTILE:
        text = piece * (code.MOST_HIGHLIGHTED // len(piece))
        assert len(Markup(highlighted(text, language)).unescape()) >= len(text)  # noqa: S704


def test_markdown_is_sanitized(site, leo):
    file = file_of(leo, "notes.md", b"# Ebb\n\n<script>alert(1)</script> [a](javascript:alert(1)) **b**")

    html = site.get(f"/api/v1/files/{file.uid}/").json()["preview"]["html"]

    assert "<h2>Ebb</h2>" in html
    assert "<strong>b</strong>" in html
    assert "<script" not in html
    assert 'href="javascript' not in html


def test_quotation_marks_stay_as_typed_however_many():
    """Bending them cost the square of their number: 32,000 took half a minute."""
    assert content.render('"a" "b"', content.FILE) == '<p>"a" "b"</p>\n'
    assert "“" not in content.render("\"a' " * 16_000, content.FILE)


def test_a_table(site, leo):
    file = file_of(leo, "tides.csv", 'Ort;Höhe\nCuxhaven;"3,5 <m>"\n\nEmden;3\n'.encode("cp1252"))

    page = site.get(f"/files/{file.uid}").content.decode()

    assert '<th scope="col">Ort</th><th scope="col">Höhe</th>' in page
    assert "<tr><td>Cuxhaven</td><td>3,5 &lt;m&gt;</td></tr><tr><td>Emden</td><td>3</td></tr>" in page


@pytest.mark.parametrize("text", ["", "a\nb", "a,b\nc", 'a,b\n"c', 'a,b\nc"d"e,"x"y', "a,b\n" + "x" * 140_000 + ",1"])
def test_what_is_no_simple_table_is_shown_as_text(text):
    html, is_cut = text_as_html(text, "a.csv")

    assert html.startswith("<pre")
    assert not is_cut


def test_only_the_beginning_of_a_long_file_is_shown(site, leo, monkeypatch):
    monkeypatch.setattr(previews, "MOST_TEXT", 100)
    monkeypatch.setattr(previews, "MOST_MARKDOWN", 40)
    monkeypatch.setattr(previews, "MOST_ROWS", 2)
    monkeypatch.setattr(previews, "MOST_COLUMNS", 2)
    shown = {
        name: preview_of(file_of(leo, name, content))
        for name, content in {
            "a.txt": "ü".encode() * 51, "b.txt": b"x" * 100, "c.md": b"x" * 41, "d.csv": b"a,b\n1,2\n3,4",
            "e.csv": b"a,b,c\n1,2,3",
        }.items()
    }  # fmt: skip

    assert {name: preview.is_cut for name, preview in shown.items()} == {
        "a.txt": True, "b.txt": False, "c.md": True, "d.csv": True, "e.csv": True,
    }  # fmt: skip
    assert shown["a.txt"].html.striptags() == "ü" * 50
    assert "c" not in shown["e.csv"].html.striptags().split()
    file = file_of(leo, "f.txt", b"x" * 200)
    assert "Only the beginning is shown." in site.get(f"/files/{file.uid}").content.decode()


SCRIPT = b"<script>alert(1)</script>"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("page.html", b"<!doctype html>" + SCRIPT, "html"),
        ("picture.svg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'>" + SCRIPT + b"</svg>", "html"),
        ("page.png", b"<html>" + SCRIPT, "html"),
        ("page.xhtml", b"<?xml version='1.0'?><html>" + SCRIPT, "html"),
        ("polyglot.html", PNG + SCRIPT, "image"),
        ("polyglot.svg", b"GIF89a=1;/*" + SCRIPT, "image"),
        ("polyglot.pdf.html", b"%PDF-1.7\n" + SCRIPT, "pdf"),
        ("late.pdf", b"\0" * 100 + b"%PDF-1.7\n" + SCRIPT, "none"),
        ("run.html", b"MZ\0\0" + SCRIPT, "none"),
        ("archive.html", b"PK\x03\x04" + SCRIPT, "none"),
        ("text.js", b"alert(1)", "html"),
        ("table.csv", b"=cmd|' /C calc'!A0," + SCRIPT + b"\n1,2", "html"),
        ("notes.md", b"<img src=x onerror=alert(1)>" + SCRIPT, "html"),
    ],
)
def test_what_could_run_does_not(site, leo, name, content, kind):
    file = file_of(leo, name, content)

    preview = site.get(f"/api/v1/files/{file.uid}/").json()["preview"]
    assert preview["kind"] == kind
    assert "<script" not in (preview["html"] or "")
    assert "<img" not in (preview["html"] or "")
    assert SCRIPT.decode() not in site.get(f"/files/{file.uid}").content.decode()
    for address in ("view", "download", "versions/1/download"):
        answer = site.get(f"/files/{file.uid}/{address}")
        is_shown = address == "view" and kind in {"image", "pdf"}
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Disposition"].startswith("inline" if is_shown else "attachment")
        policy = answer["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src" not in policy
        assert ("sandbox" in policy) != (is_shown and kind == "pdf")  # browsers show no PDF in a sandbox
        shown = {"image/png", "image/gif", "application/pdf"}
        passive = {"text/plain", "application/octet-stream", "application/zip"}
        assert answer["Content-Type"] in (shown if kind in {"image", "pdf"} else set()) | passive


def test_a_missing_content_has_no_preview(site, leo):
    from django.core.files.storage import default_storage

    file = file_of(leo, "a.txt", b"ebb")
    default_storage.delete(file.current.stored_as)

    assert site.get(f"/api/v1/files/{file.uid}/").json()["preview"]["kind"] == "none"
    assert site.get(f"/files/{file.uid}").status_code == 200


@all_cases("blank", [" " * 30_000, "\n" * 30_000, "\t \u00a0" * 10_000])
def test_code_with_an_endless_blank_is_shown_plainly(blank):
    """The lexers of C and C++ take minutes for it."""
    text = f"int a;{blank}b <c>"
    assert highlighted(text, "c") == Markup.escape(text)
    assert "tok-" in highlighted("int a;\n\n\n    b", "c")
