"""One question of a Moodle XML file, with its texts and embedded files."""

from collections.abc import Mapping
from xml.etree.ElementTree import Element

from django.utils.translation import gettext as _

from apps.courses.imports.entries import EmbeddedFile
from apps.courses.imports.texts import AUTO, FORMATS, HTML, TextReader, decode_base64, excerpt_of
from apps.courses.imports.xml_tree import content_of


class MoodleQuestion:
    """The element of a question. Its texts are read by a ``TextReader``, which collects what is lost."""

    def __init__(self, element: Element) -> None:
        self.element = element
        self.type_name = (element.get("type") or "").strip().lower()
        self.reader = TextReader()

    def value(self, name: str) -> str:
        """Return the text of a simple element, "" if there is none."""
        return content_of(self.element.find(name)).strip()

    def block(self, name: str) -> str:
        """Return a text with blocks, such as the one that asks."""
        return self.read_block(self.element.find(name))

    def read_block(self, element: Element | None) -> str:
        """Return the Markdown of an element with ``text`` and files."""
        if element is None:
            return ""
        files = files_of(element)
        shown = set(self.reader.used)
        text = self.reader.block(content_of(element.find("text")), format_of(element), files)
        for name, file in files.items():
            if file is not None and file.address not in self.reader.used and file.address not in shown:
                self.reader.note(_("A file that no text shows is left out: %s") % name[:200])
        return text

    def phrase(self, element: Element) -> str:
        """Return a choice, a step or one side of a pair."""
        return self.reader.phrase(content_of(element.find("text")), format_of(element), files_of(element))

    def words(self, element: Element) -> str:
        """Return what learners type."""
        return self.reader.words(content_of(element.find("text")), FORMATS.get(_name_of_format(element), AUTO))

    def note_lost(self, name: str) -> None:
        """Note that a text is lost, if there is one."""
        text = content_of(self.element.find(f"{name}/text"))
        if text.strip():
            self.reader.note(_("A text is lost: “%s”") % excerpt_of(text, 200))


def files_of(element: Element) -> Mapping[str, EmbeddedFile | None]:
    """Return the files embedded with a text, by the name under which it shows them; None for a damaged one."""
    found: dict[str, EmbeddedFile | None] = {}
    for file in element.findall("file"):
        name, folder = file.get("name", "").strip(), (file.get("path") or "/").strip("/")
        raw = decode_base64(file.text or "") if file.get("encoding", "base64") == "base64" else b""
        found[f"{folder}/{name}" if folder else name] = EmbeddedFile(name[-200:] or "file", raw) if raw else None
    return found


def _name_of_format(element: Element) -> str:
    return (element.get("format") or "").strip().lower()


def format_of(element: Element) -> str:
    """Return how a text is written: one of those in ``texts``."""
    return FORMATS.get(_name_of_format(element), HTML if element.get("format") is None else AUTO)
