"""The lookups ``folded_contains`` and ``folded_startswith``: whether a text contains another, or begins with it.

Case, accents and forms of letters make no difference. `Alphabetical` sorts by the alphabet instead of by the numbers of
letters.

Both databases answer as `kit.text.folding.fold` does: SQLite calls it, PostgreSQL has the same tables as a query.
"""

import sys
import unicodedata
from functools import cache
from typing import Any

from django.db.backends.signals import connection_created
from django.db.models import CharField, Func, TextField
from django.db.models.lookups import Lookup

from studyplatform.kit.text.folding import KEPT_MARKS, NASAL_BEFORE_CONSONANT, fold

_LATIN_ACCENTS = "".join(map(chr, range(0x300, 0x370)))
_LATIN = r"^[\x01-\x7f\u0300-\u036f]*$"  # taken apart: letters of ASCII, and accents
_ESCAPED = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})


@cache
def _tables() -> tuple[str, str, str, list[tuple[str, str]]]:
    """Return for PostgreSQL: characters to remove, letters and what each becomes, and letters that become several."""
    marks, letters, become, several = ["\u00ad", "\u200c", "\u200d"], [], [], []
    for point in range(0x80, sys.maxunicode + 1):
        char = chr(point)
        if unicodedata.combining(char) and char not in KEPT_MARKS:
            marks.append(char)
            continue
        if unicodedata.category(char)[0] in "LNM" and unicodedata.normalize("NFKD", char) == char:
            folded = fold(char)
            if not folded:
                marks.append(char)
            elif len(folded) == 1 and folded != char:
                letters.append(char)
                become.append(folded)
            elif folded != char:
                several.append((char, folded))
    upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return "".join(marks), upper + "".join(letters), upper.lower() + "".join(become), several


@CharField.register_lookup
@TextField.register_lookup
class FoldedContains(Lookup[str]):
    """Whether a column contains a text, both folded: ``Q(first_name__folded_contains="zoe")`` finds "Zoë"."""

    lookup_name = "folded_contains"
    prepare_rhs = False
    before = "%"

    def _pattern(self) -> str:
        return f"{self.before}{fold(str(self.rhs)).translate(_ESCAPED)}%"

    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        """Call `fold` for each row."""
        column, params = self.process_lhs(compiler, connection)
        return f"fold_text({column}) LIKE %s ESCAPE '\\'", [*params, self._pattern()]

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        """Fold each row by functions of PostgreSQL 13 and later.

        Looking each letter up in the tables takes some 250 µs a row. What is ASCII, or becomes it without the accents
        of Latin letters, is only made lower case.
        """
        column, params = self.process_lhs(compiler, connection)
        marks, letters, become, several = _tables()
        text = f"normalize(regexp_replace({column}, %s, 'ं', 'g'), NFKD)"
        text = f"translate({text}, %s, '')"
        text, values = f"translate({text}, %s, %s)", [*params, NASAL_BEFORE_CONSONANT, marks, letters, become]
        for char, folded in several:
            text = f"replace({text}, %s, %s)"
            values += [char, folded]
        # The collation: in another language, the small letter of I may have no dot.
        plain = f'lower({column}::text COLLATE "C")'
        latin = f"lower(translate(normalize({column}, NFKD), %s, '') COLLATE \"C\")"
        return (
            f"CASE WHEN octet_length({column}) = char_length({column}) THEN {plain}"
            f" WHEN normalize({column}, NFKD) ~ %s THEN {latin}"
            f" ELSE normalize({text}, NFC) END LIKE %s",
            [*params * 4, _LATIN, *params, _LATIN_ACCENTS, *values, self._pattern()],
        )


@CharField.register_lookup
@TextField.register_lookup
class FoldedStartsWith(FoldedContains):
    """Whether a column begins with a text, both folded: ``Q(first_name__folded_startswith="zo")`` finds "Zoë"."""

    lookup_name = "folded_startswith"
    before = ""


class Alphabetical(Func):
    """A text to sort by: "Émile" stands among those with E, and "van Dyk" beside "Van Dyk"."""

    function = "fold_text"
    arity = 1
    output_field = TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **_more: Any) -> tuple[str, list[Any]]:
        """Sort as Unicode does for all languages together. Folding each row would be too slow for a long list.

        PostgreSQL is built with ICU unless somebody asks for it without.
        """
        column, params = compiler.compile(self.source_expressions[0])
        return f'{column} COLLATE "und-x-icu"', [*params]


def _fold_or_none(text: str | None) -> str | None:
    return None if text is None else fold(text)


def _add_function(sender: Any, connection: Any, **_more: Any) -> None:
    if connection.vendor == "sqlite":
        connection.connection.create_function("fold_text", 1, _fold_or_none, deterministic=True)


connection_created.connect(_add_function, dispatch_uid="fold_text")
