"""Texts of other programs as the Markdown of our questions, with the pictures that are embedded in the file."""

import base64
import binascii
import html
import re
from collections.abc import Mapping
from urllib.parse import unquote

from django.utils.translation import gettext as _

from apps.courses.imports.entries import EmbeddedFile, RefusedEntry
from studyplatform.kit.text.escaping import escape_markdown
from studyplatform.kit.text.html_to_markdown import Converted, HtmlTooLong, convert_html

HTML, PLAIN, MARKDOWN, AUTO = "html", "plain", "markdown", "auto"
FORMATS = {
    "html": HTML, "plain": PLAIN, "plain_text": PLAIN, "markdown": MARKDOWN, "moodle": AUTO, "moodle_auto_format": AUTO,
    "0": AUTO, "1": HTML, "2": PLAIN, "4": MARKDOWN,
}  # fmt: skip
MAX_EXCERPT = 80
PLUGIN_FILE = "@@PLUGINFILE@@/"
# Words that Markdown, TeX and HTML leave alone.
_SIMPLE = re.compile(r"[^\W\d_][^\W_]*(?:[ ,;:?'()/%.-]{1,2}[^\W_]+)*[?.!]?")
_HAS_HTML = re.compile(r"</?[a-zA-Z][^<>]*>|<!--|&(?:[a-zA-Z]{2,8}|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_OWN_FORMULA = re.compile(r"^\$\$\n([^\n$]+)\n\$\$$", re.MULTILINE)  # a paragraph of its own
_TAG = re.compile(r"<[^<>]*>")
_BLOCK_TAG = re.compile(r"<(?:p|div|ul|ol|table|pre|br|h[1-6])\b", re.IGNORECASE)
_PICTURE = r"!\[(?P<alt>(?:\\.|[^\]\\])*)\]\({address}(?P<title> \"(?:\\.|[^\"\\])*\")?\)"
_FILE_LINK = re.compile(r"(?P<begin>!?\[(?:\\.|[^\]\\])*\]\()@@PLUGINFILE@@/(?P<name>[^)\s]+)")
_MEDIA = re.compile(r"<(audio|video|object|embed|iframe|script|form|input|select|textarea|svg)\b", re.IGNORECASE)
_DATA = re.compile(r"data:(?P<type>[\w.+-]+/[\w.+-]+)?(?:;[\w=-]+)*;base64,(?P<raw>.*)", re.DOTALL)


def excerpt_of(text: str, length: int = MAX_EXCERPT) -> str:
    """Return the beginning of a text without tags, in one line."""
    line = " ".join(html.unescape(_TAG.sub(" ", text[: 20 * length])).split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


class TextReader:
    """Reads the texts of one question, and collects what is lost (``notes``) and the files they show (``used``)."""

    def __init__(self) -> None:
        self.notes: dict[str, None] = {}
        self.used: dict[str, EmbeddedFile] = {}

    def note(self, text: str) -> None:
        """Tell the author of the file that something is lost or changed."""
        self.notes[text] = None

    def block(self, text: str, form: str = AUTO, files: Mapping[str, EmbeddedFile | None] | None = None) -> str:
        """Return a prompt, an explanation or feedback. ``files``: those embedded with it; None is a damaged one.

        :raises RefusedEntry: it is longer than any text here.
        """
        text = text.strip()
        if not text:
            return ""
        files = files or {}
        if form == MARKDOWN:
            return _FILE_LINK.sub(lambda link: link["begin"] + self._address(link["name"], files), text)
        if _SIMPLE.fullmatch(text):
            return text
        self._note_lost_media(text)
        try:
            converted = convert_html(_as_html(text, form))
        except HtmlTooLong:
            raise RefusedEntry(_("A text of this question is too long.")) from None
        for code in converted.notes:
            if words := _conversion_notes().get(code):
                self.note(words)
        return self._with_files(converted, files)

    def phrase(self, text: str, form: str = AUTO, files: Mapping[str, EmbeddedFile | None] | None = None) -> str:
        """Return a choice, a step or one side of a pair: one line."""
        read = _OWN_FORMULA.sub(r"$\1$", self.block(text, form, files))
        *most, last = read.split("\n")
        lines = [line for line in (*(one.removesuffix("\\").strip() for one in most), last.strip()) if line]
        if len(lines) > 1:
            self.note(_("An answer with several lines is now one line: “%s”.") % excerpt_of(text))
        return " ".join(lines)

    def words(self, text: str, form: str = PLAIN) -> str:
        """Return what learners have to type: without tags, in one line."""
        if form in {HTML, AUTO} and _HAS_HTML.search(text):
            text = html.unescape(_TAG.sub(" ", text))
        return " ".join(text.split())

    def _note_lost_media(self, text: str) -> None:
        for tag in sorted({one.lower() for one in _MEDIA.findall(text)} - {"iframe"}):
            self.note(_("A part of the text can't be shown here and is left out: <%s>.") % tag)

    def _with_files(self, converted: Converted, files: Mapping[str, EmbeddedFile | None]) -> str:
        text = converted.markdown
        for picture in converted.pictures:
            if picture.source == picture.address:  # of another site
                self.note(_("A picture of another site is shown as a link: %s") % picture.source[:200])
                continue
            pattern = re.compile(_PICTURE.format(address=re.escape(picture.address)))
            address = self._address_of(picture.source, files)
            if address and not picture.alt:
                self.note(_("A picture has no alternative text."))
            shown = rf"![\g<alt>]({address}\g<title>)" if address else r"\g<alt>"
            text = pattern.sub(lambda found, shown=shown: found.expand(shown), text, count=1)  # type: ignore[misc]
        return _FILE_LINK.sub(lambda link: link["begin"] + self._address(link["name"], files), text)

    def _address_of(self, source: str, files: Mapping[str, EmbeddedFile | None]) -> str:
        if source.startswith(PLUGIN_FILE):
            return self._address(source.removeprefix(PLUGIN_FILE), files)
        if match := _DATA.fullmatch(source):
            raw = decode_base64(match["raw"])
            suffix = (match["type"] or "").rpartition("/")[2].partition("+")[0].replace("jpeg", "jpg")
            return self._use(EmbeddedFile(f"picture.{suffix or 'png'}", raw) if raw else None, _("an embedded picture"))
        return self._use(None, source[:200])

    def _address(self, name: str, files: Mapping[str, EmbeddedFile | None]) -> str:
        name = html.unescape(unquote(name.partition("?")[0]))
        if name in files:
            return self._use(files[name], name)
        self.note(_("A picture or file that the text shows isn't in the file: %s") % name[:200])
        return ""

    def _use(self, file: EmbeddedFile | None, name: str) -> str:
        if file is None:
            self.note(_("A picture or file is damaged or can't be found: %s") % name)
            return ""
        self.used[file.address] = file
        return file.address


def decode_base64(text: str) -> bytes:
    """Return the bytes; none if the text is no base64."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _as_html(text: str, form: str) -> str:
    if form == HTML:
        return text
    if form == AUTO and _HAS_HTML.search(text):
        return text if _BLOCK_TAG.search(text) else text.replace("\n", "<br>")
    paragraphs = re.split(r"\n[ \t]*\n", html.escape(text, quote=False))
    return "".join(f"<p>{paragraph.strip().replace(chr(10), '<br>')}</p>" for paragraph in paragraphs)


def _conversion_notes() -> dict[str, str]:
    return {
        "merged_cells": _("Merged cells of a table are now single ones."),
        "embedded": _("An embedded page or player is shown as a link."),
        "raised": _("Some raised or lowered text is now on the line."),
        "cut": _("A text was nested too deeply and is cut."),
    }


def escaped(text: str) -> str:
    """Return a plain text as Markdown that shows it as it is, in one line."""
    return escape_markdown(" ".join(text.split()))
