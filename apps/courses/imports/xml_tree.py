"""A tree of an XML file from somebody else: no document types, no entities of its own, limited depth and size."""

from xml.etree.ElementTree import Element, ParseError, TreeBuilder, tostring

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser
from django.utils.translation import gettext as _

from apps.courses.imports.entries import UnreadableFile

MAX_DEPTH = 50
MAX_ELEMENTS = 400_000
LINE = "{line}"
"""The attribute of each element that has the line in which it begins; no file can have one of this name."""


class _Builder(TreeBuilder):
    """Builds the tree; stops where it gets too deep or too large."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = self.count = 0
        self.position: object = None

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        self.depth += 1
        self.count += 1
        if self.depth > MAX_DEPTH or self.count > MAX_ELEMENTS:
            raise UnreadableFile(_("The file is nested too deeply, or has too many elements. Split it."))
        return super().start(tag, {**attrs, LINE: str(getattr(self.position, "CurrentLineNumber", 0))})

    def end(self, tag: str, /) -> Element:
        self.depth -= 1
        return super().end(tag)


def parse_xml(text: str) -> Element:
    """Return the root of an XML file.

    :raises UnreadableFile: it is no XML, or it has what no file of questions needs.
    """
    builder = _Builder()
    parser = DefusedXMLParser(target=builder, forbid_dtd=True)
    builder.position = parser.parser
    try:
        parser.feed(text)
        root: Element = parser.close()
    except DefusedXmlException:
        raise UnreadableFile(_("The file has a document type (DOCTYPE), which isn't allowed.")) from None
    except ParseError as error:
        line, column = error.position
        problem = _("The file is no valid XML: line %(line)d, column %(column)d.")
        raise UnreadableFile(problem % {"line": line, "column": column + 1}) from None
    return root


def line_of(element: Element) -> int:
    """Return the line in which an element begins."""
    return int(element.get(LINE, "0"))


def content_of(element: Element | None) -> str:
    """Return the text of an element; of one with elements inside, which should have been escaped, as HTML."""
    if element is None:
        return ""
    if not len(element):
        return element.text or ""
    parts = [element.text or ""]
    for child in element:
        for one in child.iter():
            one.attrib.pop(LINE, None)
        parts.append(tostring(child, encoding="unicode", method="html"))
    return "".join(parts)
