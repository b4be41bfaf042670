"""How long a text is. The composer counts the same way (assets/shared/composer/length.ts)."""

import re

from apps.forum.errors import PostEmpty, PostTooLong
from studyplatform.kit.text.blank import stripped

MOST = 5000  # code points of a post

_BREAK = re.compile(r"\r\n?")
_NEVER_SENT = re.compile(r"[\x00\ud800-\udfff]")  # no database stores NUL, no encoding a half of a pair
_NOT_STORABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def normalize(source: str) -> str:
    """The text as it is counted and stored: every line ends with LF; what cannot be stored is U+FFFD."""
    return _NEVER_SENT.sub("\ufffd", _BREAK.sub("\n", source))


def storable(line: str) -> str:
    """A line without control characters and the code points that XML and databases refuse."""
    return _NOT_STORABLE.sub("", line)


def is_visible(source: str) -> bool:
    """Whether a text has a character that one can see."""
    return bool(stripped(source))


def length(source: str) -> int:
    """Unicode code points, where a line break is one."""
    return len(normalize(source))


def check(source: str) -> str:
    """The normalized text, if it can be posted.

    :raises PostEmpty: it has no visible character.
    :raises PostTooLong: it has more than `MOST` code points.
    """
    text = normalize(source)
    if not is_visible(text):
        raise PostEmpty
    if len(text) > MOST:
        raise PostTooLong
    return text
