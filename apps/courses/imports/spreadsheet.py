"""CSV: a question per row. With a header its columns may have any order; without one they are the question, the correct
answer, and wrong ones. Texts are Markdown, as in our forms.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from apps.courses.imports.categories import MAX_TAG
from apps.courses.imports.entries import MAX_ENTRIES, Entry, ParsedQuestion, RefusedEntry, UnreadableFile
from apps.courses.imports.spreadsheet_rows import LIST, MAX_COLUMNS, Row, answers_of_row, is_yes, plain_name
from apps.courses.imports.texts import TextReader, excerpt_of
from studyplatform.kit.text.csv_lines import release_cell

_DELIMITERS = ",;\t|"
_COLUMNS = {
    **dict.fromkeys(("type", "kind", "question type"), "kind"),
    **dict.fromkeys(("question", "prompt", "question text", "text", "stem"), "prompt"),
    **dict.fromkeys(
        ("correct", "correct answer", "correct answers", "correct answer(s)", "right answer", "answer", "answers",
         "key", "solution"),
        "correct",
    ),
    **dict.fromkeys(("choices", "options"), "choices"),
    **dict.fromkeys(("points", "score", "marks", "mark"), "points"),
    **dict.fromkeys(("explanation", "rationale", "general feedback", "feedback"), "explanation"),
    **dict.fromkeys(("tags", "tag", "category", "categories", "topic"), "tags"),
    **{name: name for name in ("tolerance", "unit", "name", "limit")},
    "title": "name",
    "case sensitive": "case",
    "ignore accents": "accents",
    "all or nothing": "whole",
    "withdrawn": "withdrawn",
}  # fmt: skip
_QUESTION_WORDS = {  # of headers in other languages, whose columns are read by their order
    "frage", "pregunta", "domanda", "pergunta", "vraag", "pytanie", "вопрос", "запитання", "soru", "fråga", "spørgsmål",
    "spørsmål", "kysymys", "otázka", "kérdés", "întrebare", "ερώτηση", "问题", "題目", "問題", "質問", "문제", "질문",
    "سؤال", "السؤال", "שאלה", "प्रश्न", "câu hỏi", "pertanyaan",
}  # fmt: skip
EXPORTED = frozenset(
    {
        "type", "question", "correct", "points", "explanation", "tags", "tolerance", "unit", "limit", "case sensitive",
        "ignore accents", "all or nothing", "withdrawn",
        *(f"{family} {number}" for family in ("choice", "feedback", "gap") for number in range(1, 21)),
    }
)  # fmt: skip
"""Columns as our exports write them. In files with no others, signs that spreadsheets would run are protected."""
_NUMBERED = re.compile(r"(choice|option|answer|alternative|step|pair|gap|feedback)\s*([1-9]\d?|[a-l])")


def delimiter_of(text: str) -> str:
    """Return the sign that separates cells: the one that splits the first rows into equal, several cells best."""
    sample = text[:20_000]
    if match := re.match(r"sep=([,;|\t])\n", sample):
        return match[1]
    scores = {}
    for sign in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=sign) if row][:20]
        except csv.Error:
            continue
        usual, count = Counter(widths).most_common(1)[0] if widths else (1, 0)
        scores[sign] = (count / max(len(widths), 1)) * (usual > 1) * (1 + min(usual, 20) / 100)
    best = max(scores, key=lambda sign: scores[sign], default=",")
    return best if scores.get(best) else ","


def has_header(text: str) -> bool:
    """Return whether the first row names a column for questions."""
    rows = csv.reader(io.StringIO(text[:5_000], newline=""), delimiter=delimiter_of(text))
    try:
        first = next((row for row in rows if row and not row[0].startswith("sep=")), [])
    except csv.Error:
        return False
    return any(_COLUMNS.get(plain_name(cell)) == "prompt" for cell in first) or (
        bool(first) and _begins_with_question(first)
    )


def read_csv(text: str) -> tuple[list[Entry], list[str]]:
    """Return the questions of a file, and notes about it.

    :raises UnreadableFile: it is no CSV, or has too many questions.
    """
    delimiter = delimiter_of(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    names: list[str] | None = None
    is_protected = False
    entries: list[Entry] = []
    unused: dict[str, None] = {}
    begin = 1
    try:
        for cells in reader:
            line, begin = begin, reader.line_num + 1
            if not any(cell.strip() for cell in cells) or cells[0].startswith("sep="):
                continue
            if len(cells) > MAX_COLUMNS:
                raise UnreadableFile(_("Line %d has too many columns.") % line)
            if names is None:
                known = [_name(cell) for cell in cells]
                names = known if "prompt" in known else []
                is_protected = names[:2] == ["kind", "prompt"] and all(cell in EXPORTED for cell in cells)
                if names or _begins_with_question(cells):
                    continue
            if len(entries) >= MAX_ENTRIES:
                raise UnreadableFile(_("The file has more than %d questions. Split it.") % MAX_ENTRIES)
            row = _row(names, [release_cell(cell) for cell in cells] if is_protected else cells, unused)
            entries.append(_entry(row, line, len(entries) + 1))
    except csv.Error as error:
        raise UnreadableFile(
            _("Line %(line)d can't be read: %(problem)s") % {"line": begin, "problem": error}
        ) from None
    notes = [_("A column isn't used: %s") % name[:40] for name in unused]
    if not names:
        notes.append(_("The columns were read as question, correct answer and wrong answers. A header says otherwise."))
    return entries, notes


def _begins_with_question(cells: Sequence[str]) -> bool:
    return plain_name(cells[0]) in _QUESTION_WORDS


def _name(cell: str) -> str:
    """Return what a column of this name is for; a numbered one as "choice 3"; "?…" if it isn't known."""
    plain = plain_name(cell)
    if match := _NUMBERED.fullmatch(plain):
        family = match[1] if match[1] in {"feedback", "gap"} else "choice"
        return f"{family} {match[2] if match[2].isdecimal() else ord(match[2]) - 96}"
    return _COLUMNS.get(plain, f"?{cell.strip()}")


def _row(names: Sequence[str], cells: Sequence[str], unused: dict[str, None]) -> Row:
    if not names:
        stripped = [cell.strip() for cell in cells]
        wrong = [cell for cell in stripped[2:] if cell]
        right = stripped[1] if len(stripped) > 1 else ""
        return Row({"prompt": stripped[0], "correct": right}, [right, *wrong] if wrong else [], [], [])
    by_name: dict[str, str] = {}
    for place, cell in enumerate(cells):
        name = names[place] if place < len(names) else f"?{place + 1}"
        if not cell.strip():
            continue
        if name.startswith("?"):
            unused[name[1:] or str(place + 1)] = None
        by_name[name] = cell.strip()
    families = {
        family: [by_name.get(f"{family} {number}", "") for number in range(1, 100)]
        for family in ("choice", "feedback", "gap")
    }
    choices = families["choice"] if any(families["choice"]) else LIST.split(by_name.get("choices", ""))
    return Row(by_name, choices, families["feedback"], families["gap"])


def _entry(row: Row, line: int, number: int) -> Entry:
    reader = TextReader()
    prompt = row.get("prompt")
    tags = tuple(tag.strip()[:MAX_TAG] for tag in re.split("[,;|\n]", row.get("tags")) if tag.strip())
    entry = Entry(
        number=number,
        line=line,
        source_type=row.get("kind")[:40],
        name=row.get("name")[:200],
        excerpt=excerpt_of(prompt),
        tags=tags,
    )
    try:
        if not prompt:
            raise RefusedEntry(_("The question is empty."))
        kind, answers = answers_of_row(row, reader)
    except RefusedEntry as refusal:
        return replace(entry, problem=str(refusal), notes=tuple(reader.notes))
    question = ParsedQuestion(
        kind=kind,
        prompt=prompt,
        answers=answers,
        points=_points(row.get("points"), reader),
        explanation=row.get("explanation"),
        all_or_nothing=is_yes(row.get("whole")),
        is_withdrawn=is_yes(row.get("withdrawn")),
    )
    return replace(entry, source_type=entry.source_type or kind, question=question, notes=tuple(reader.notes))


def _points(text: str, reader: TextReader) -> int:
    if not text:
        return 1
    if text.isdecimal() and 1 <= int(text[:6]) <= 100:
        return int(text)
    reader.note(_("“%s” is no number of points from 1 to 100. It is worth 1.") % text[:20])
    return 1
