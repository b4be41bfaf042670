"""The media type of a file is detected from its bytes, and the file name must match."""

import pytest

from apps.files.errors import FileEmpty, FileMisnamed, FileUnsuitable
from apps.files.file_types import clean_name, detect_media_type
from tests.cases import all_cases


@all_cases(
    "name, head, kind",
    [
        ("slides.PDF", b"%PDF-1.7\n%\xe2\xe3", "application/pdf"),
        ("sheet.xlsx", b"PK\x03\x04\x14\0", "application/zip"),
        ("locked.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", "application/x-ole-storage"),
        ("code.zip", b"PK\x03\x04\x14\0", "application/zip"),
        ("data.csv", "Höhe;1,5\r\n".encode("cp1252"), "text/plain"),
        ("notes.md", b"\xef\xbb\xbf# Notes on <html>\n", "text/plain"),
        ("sheet.txt", "\ufeffa\tb".encode("utf-16-le"), "text/plain"),
        ("run.py", b"#!/usr/bin/env python3\n", "text/plain"),
        ("README", b"Read me.", "text/plain"),
        ("model.blend", b"BLENDER\0\x01", "application/octet-stream"),
    ],
)
def test_common_file_types_are_detected(name: str, head: bytes, kind: str) -> None:
    assert detect_media_type(head, name) == kind


@pytest.mark.parametrize("name", ["slides.pdf", "slides", "slides.txt", "slides.bin"])
@pytest.mark.parametrize(
    "head",
    [
        b"<!DOCTYPE html><script>alert(1)</script>",
        b"\xef\xbb\xbf \r\n\t<HTML>",
        b"<!-- %PDF-1.7 --><body onload=alert(1)>",
        b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
        b'<?xml version="1.0"?><svg/>',
        b"<?php system($_GET[0]);",
        "\ufeff<html>".encode("utf-16-le"),
        b"\xfe\xff" + "<svg>".encode("utf-16-be"),
        b"MZ\x90\0\x03\0",
        b"\x7fELF\x02\x01\x01\0",
        b"\xcf\xfa\xed\xfe\x07\0\0\x01",
    ],
)
def test_web_pages_and_programs_are_refused(name: str, head: bytes) -> None:
    with pytest.raises(FileUnsuitable):
        detect_media_type(head, name)


@pytest.mark.parametrize("name", ["page.html", "picture.SVG", "setup.exe", "a.pdf.js", "x.jar", "feed.xml"])
def test_names_of_web_pages_and_programs_are_refused(name: str) -> None:
    with pytest.raises(FileUnsuitable):
        detect_media_type(b"%PDF-1.7", name)


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("slides.pdf", b"PK\x03\x04"),
        ("slides.pdf", b"alert(1)"),
        ("photo.png", b"%PDF-1.7"),
        ("words.txt", b"\0\x01\x02"),
        ("archive.zip", b"Rar!\x1a\x07\0"),
    ],
)
def test_a_name_that_does_not_match_the_content_is_refused(name: str, head: bytes) -> None:
    with pytest.raises(FileMisnamed):
        detect_media_type(head, name)


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(FileEmpty):
        detect_media_type(b"", "a.pdf")


@all_cases(
    "typed, kept",
    [
        ("../../etc/Formulas\0.PDF", "Formulas.PDF"),
        ("C:\\Users\\ada\\slides.pdf", "slides.pdf"),
        ("...", "file"),
        ("a\r\nSet-Cookie: x.pdf", "aSet-Cookie: x.pdf"),
        ("x" * 300 + ".pdf", "x" * 116 + ".pdf"),
        ("\u202efdp.exe", "fdp.exe"),
        ("in\u202evoice\u2066\u2069\u200f\u061c.pdf", "invoice.pdf"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("Aux .tar.gz", "_Aux .tar.gz"),
        ("com¹.log", "_com¹.log"),
        ("CONIN$", "_CONIN$"),
        ("CON\u200d.txt", "CON\u200d.txt"),  # not a device: the joiner is part of the name
        ("console.txt", "console.txt"),
        ("COM10.txt", "COM10.txt"),
        ("report.pdf. . ", "report.pdf"),
        ("a.txt\u200d", "a.txt"),
        ("Cafe\u0301.md", "Café.md"),
        ("Screenshot 3.14\u202fPM.png", "Screenshot 3.14 PM.png"),
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.txt",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.txt",
        ),
        ("\ud800.txt", "txt"),
        ("\0", "file"),
        ("\u3164", "file"),
        ("\u2800\u3164.pdf", "pdf"),
        ("\u0301.pdf", "file.pdf"),
        ("..\\..\\/", "file"),
        ("....//....//etc/passwd", "passwd"),
        ("é" * 200 + ".jpeg", "é" * 115 + ".jpeg"),
        ("\U0001f600" * 120 + ".md", "\U0001f600" * 59 + ".md"),
        ("x" * 4096, "x" * 120),
        (f"{'x' * 119}. .pdf", f"{'x' * 116}.pdf"),
        (f"nul.{'x' * 130}", f"_nul.{'x' * 105}.{'x' * 9}"),
    ],
)
def test_file_names_are_cleaned(typed: str, kept: str) -> None:
    assert clean_name(typed) == kept
    assert clean_name(kept) == kept
    assert len(kept.encode()) <= 240
