"""The worst inputs known: for Markdown, code, searches and JSON. Each is made for a length in characters."""

from collections.abc import Callable, Iterator

Maker = Callable[[int], str]


def _repeated(unit: str) -> Maker:
    return lambda length: (unit * (length // len(unit) + 1))[:length]


def _nested(before: str, after: str = "") -> Maker:
    def make(length: int) -> str:
        depth = length // (len(before) + len(after))
        return before * depth + after * depth

    return make


def _table(columns: int, cell: str = "a") -> Maker:
    def make(length: int) -> str:
        row = f"|{cell}" * columns + "|\n"
        return row + "|-" * columns + "|\n" + row * max(1, (length - 2 * len(row)) // len(row))

    return make


def _narrow_rows(columns: int) -> Maker:
    """A wide head with rows of one cell: each row is filled up to the width of the head."""

    def make(length: int) -> str:
        head = "|a" * columns + "|\n" + "|-" * columns + "|\n"
        return head + "a\n" * max(1, (length - len(head)) // 2)

    return make


def _references(length: int) -> str:
    count = length // 24
    return "".join(f"[a{n}]: /b{n}\n" for n in range(count)) + "".join(f"[a{n}] " for n in range(count))


MARKDOWN: dict[str, Maker] = {
    "table of 2 columns": _table(2),
    "table of 30 columns": _table(30),
    "table of 1,000 columns": _table(1000),
    "table of emphasis": _table(30, "*a*"),
    "wide head, short rows": _narrow_rows(1000),
    "very wide head": _narrow_rows(8000),
    "nested quotes": _nested("> "),
    "callouts": _repeated("> [!NOTE] a\n> b\n\n"),
    "nested callouts": _nested("> [!TIP]\n> "),
    "pictures": _repeated('![a](/course-files/0f8fad5b-d9cb-469f-a165-70867728950e "b"){width=50%}\n\n'),
    "captions": _repeated('![a](/course-files/0f8fad5b-d9cb-469f-a165-70867728950e "*a **b [c](d) $x$ ![e](f)")\n\n'),
    "code blocks": _repeated("```py\ndef a(): pass\n```\n"),
    "quotes of one level": _repeated("> a\n\n"),
    "staircase of quotes": lambda n: "".join(">" * (1 + k % 18) + " a\n" for k in range(n // 11)),
    "nested lists": lambda n: "".join("  " * (k % 18) + "- a\n" for k in range(n // 22)),
    "list of short items": _repeated("- a\n"),
    "numbered list": _repeated("1. a\n"),
    "one marker per line": _repeated("* * * * a\n"),
    "unclosed emphasis": _repeated("*a "),
    "unclosed strong": _repeated("**a "),
    "mixed emphasis": _repeated("*a **b _c __d "),
    "emphasis of all lengths": _repeated("***a**b*c_d__"),
    "closing emphasis": _repeated("a* "),
    "strikethrough": _repeated("~~a "),
    "open brackets": _repeated("["),
    "open images": _repeated("!["),
    "nested links": _nested("[", "](a)"),
    "links": _repeated("[a](b)"),
    "broken links": _repeated("[a](b "),
    "links with titles": _repeated('[a](b "'),
    "references": _references,
    "autolinks": _repeated("<http://a.b>"),
    "bare links": _repeated("www.a.bc "),
    "bare emails": _repeated("a@b.cd "),
    "dots for links": _repeated("a.b."),
    "open angle brackets": _repeated("<a "),
    "comments": _repeated("<!-- "),
    "entities": _repeated("&amp;"),
    "half entities": _repeated("&"),
    "backslashes": _repeated("\\*"),
    "backticks": lambda n: "".join("`" * (1 + k % 400) + "a" for k in range(n // 200)),
    "code spans": _repeated("`a` "),
    "fences": _repeated("```\n"),
    "code of a language": lambda n: "```python\n" + _repeated("f(x) + \n")(n - 14) + "\n```\n",
    "headings": _repeated("# a\n"),
    "underlines": _repeated("a\n=\n"),
    "rules": _repeated("---\n"),
    "short paragraphs": _repeated("a\n\n"),
    "one letter per line": _repeated("a\n"),
    "hard breaks": _repeated("a  \n"),
    "spaces": _repeated(" "),
    "tabs": _repeated("\t"),
    "quotation marks": _repeated('"a '),
    "apostrophes": _repeated("'"),
    "dashes and dots": _repeated("(c) ... -- "),
    "mentions": _repeated("@a "),
    "formulas": _repeated("$x$ "),
    "different formulas": lambda n: " ".join(f"$x_{{{k}}}$" for k in range(n // 9)),
    "deep formula": lambda n: "$" + _nested("{")(n // 2) + _nested("}")(n // 2) + "$",
    "fractions": lambda n: " ".join("$" + "\\frac{" * 60 + f"{k}" + "}{2}" * 60 + "$" for k in range(n // 670)),
    "long formulas": lambda n: " ".join("$" + "x^2+" * 240 + f"{k}$" for k in range(n // 970)),
    "matrices": lambda n: " ".join(
        "$\\begin{matrix}" + "a&" * 200 + f"{k}\\end{{matrix}}$" for k in range(n // 440)
    ),
    "functions": lambda n: " ".join("$" + "\\cos x" * 140 + f"{k}$" for k in range(n // 860)),
    "roots": lambda n: " ".join("$" + "\\sqrt{" * 120 + f"{k}" + "}" * 120 + "$" for k in range(n // 850)),
    "dollars": _repeated("$"),
    "double dollars": _repeated("$$a\n"),
    "open formulas": _repeated("$a "),
    "combining characters": lambda n: "a" + "\u0301\u0323" * (n // 2),
    "long ligatures": _repeated("\ufdfa"),
    "emoji of many parts": _repeated("\U0001f468\u200d"),
    "right to left": _repeated("\u202e\u0627"),
    "null characters": _repeated("\0"),
}  # fmt: skip


CODE: dict[str, Maker] = {
    "open strings": _repeated('"""\'\'\'"'),
    "open comments": _repeated("/* "),
    "open brackets": _repeated("({["),
    "escapes": lambda n: '"' + "\\" * n,
    "templates": _repeated("`${"),
    "regular expressions": _repeated("/a[/ "),
    "tags": _repeated("<a b='"),
    "identifiers": _repeated("a.b::c->"),
    "numbers": _repeated("1e1_0x"),
    "spaces": lambda n: "a" + " " * n + "b",
    "line ends": _repeated("a\n"),
    "here documents": _repeated("<<A "),
    "hashes": _repeated("# "),
    "f-strings": _repeated("f'{a}' "),
    "tokens": _repeated("a=1;"),
    "colons": _repeated("a: b: - "),
    "dollars": _repeated("$a${b}$("),
}


def inputs(makers: dict[str, Maker], length: int) -> Iterator[tuple[str, str]]:
    """Each input by its name."""
    for name, make in makers.items():
        yield name, make(length)
