"""Categories of question banks as tags."""

import re

_SLASH = "\ufdd7"  # a character that no text has, for a slash within a name
MAX_TAG = 40  # code points


def tags_of_category(path: str) -> tuple[str, ...]:
    """Return the parts of a path as tags: "$course$/top/Waves/Sound" -> "Waves", "Sound". "//" is a slash in a name."""
    parts = re.sub("//", _SLASH, path.strip()).split("/")
    names = (" ".join(part.replace(_SLASH, "/").replace(",", " ").split())[:MAX_TAG].strip() for part in parts)
    return tuple(dict.fromkeys(name for name in names if name and name != "top" and not name.startswith("$")))
