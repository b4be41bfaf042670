"""Text as a part of Markdown."""

import re

# The colon is that of an address, which would be a link.
_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~$&]|(?<=[^\W\d_]):(?=\S)")
# Of a list, of a line below a heading or between two blocks, and of a numbered list.
_BEGINNING = re.compile(
    r"^[ \t]*(?=[-+](?:\s|$)|=+[ \t]*$|-[- \t]*$)|^[ \t]*\d{1,9}(?=[.)](?:\s|$))", flags=re.MULTILINE
)


def escape_markdown(text: str) -> str:
    """Return the text so that Markdown shows it as it is, also at the beginning of a line."""
    return _BEGINNING.sub(r"\g<0>\\", _SPECIAL.sub(r"\\\g<0>", text))
