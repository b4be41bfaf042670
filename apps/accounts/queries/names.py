"""Searching people by their names, and sorting them."""

import re

from django.db.models import Q
from django.db.models.expressions import OrderBy
from django.db.models.functions import Concat

from studyplatform.kit.db.folded import Alphabetical, FoldedContains
from studyplatform.kit.text.folding import fold, has_east_asian

_BETWEEN_WORDS = re.compile(r"[\s,;、，]+")


def words_of_name(text: str, *, most: int) -> list[str]:
    """Return the words of a name that is searched: "Marsh, Leo" has two. Signs alone are searched as they are.

    Words without anything that is compared, such as an accent alone, are left out if there are others.
    """
    text = text.replace("\x00", "").strip()
    words = [word for word in _BETWEEN_WORDS.split(text) if fold(word).strip()]
    return words[:most] or [text][: len(text)]


def name_contains(word: str, person: str = "") -> Q:
    """Return the condition that a person's first name, last name or username contains a word.

    Chinese, Japanese and Korean names are written without a space, so there a word may be both names, in either order.

    A word without anything that is compared is in no name.

    :param person: the way from the row to the person, such as ``user__``.
    """
    if not fold(word).strip():
        return Q(**{f"{person}pk__in": []})
    first, last = f"{person}first_name", f"{person}last_name"
    found = Q(**{f"{person}username__folded_contains": word})
    if has_east_asian(word):
        return found | Q(FoldedContains(Concat(last, first), word)) | Q(FoldedContains(Concat(first, last), word))
    return found | Q(**{f"{first}__folded_contains": word}) | Q(**{f"{last}__folded_contains": word})


def order_by_name(person: str = "", *, falls: bool = False) -> list[OrderBy]:
    """Return the order of people by first name, last name and username. Case and accents make no difference.

    :param falls: from Z to A.
    """
    names = (Alphabetical(f"{person}{name}") for name in ("first_name", "last_name", "username"))
    return [name.desc() if falls else name.asc() for name in names]
