"""Questions as Moodle XML (https://docs.moodle.org/en/Moodle_XML_format), with texts in Markdown and embedded files."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from apps.courses.imports.texts import PLUGIN_FILE, excerpt_of
from apps.courses.models import Question
from apps.courses.question_export.cloze import texts_of, write_field
from apps.courses.question_export.facts import FILE, GAP_MARK, QuestionWithTags, share_of
from apps.courses.question_export.gift import weights_of
from apps.courses.shares import write_share
from studyplatform.kit.text.gaps import find_gaps
from studyplatform.kit.text.numbers import write_number

Kind = Question.Kind
BEGIN, END = '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n', "</quiz>\n"
_TYPES = {
    Kind.SINGLE: "multichoice", Kind.MULTIPLE: "multichoice", Kind.TRUTH: "truefalse", Kind.NUMERIC: "numerical",
    Kind.TEXT: "shortanswer", Kind.ORDERING: "ordering", Kind.MATCHING: "matching", Kind.GAPS: "cloze",
    Kind.ESSAY: "essay",
}  # fmt: skip
_LINK = re.compile(rf"\]\(({FILE.pattern})")


@dataclass(frozen=True)
class EmbeddedContent:
    """A file of the course as it is embedded."""

    name: str
    raw: bytes


class MoodleWriter:
    """Writes questions with their files, by the addresses in texts. Files that aren't given stay addresses."""

    def __init__(self, files: Mapping[str, EmbeddedContent]) -> None:
        self.files = files

    def write(self, one: QuestionWithTags) -> str:
        """Return the element of a question."""
        question = one.question
        is_whole_choice = question.kind == Kind.MULTIPLE and question.all_or_nothing
        type_name = "multichoiceset" if is_whole_choice else _TYPES[Kind(question.kind)]
        tags = "".join(f"<tag><text>{escape(tag)}</text></tag>" for tag in one.tags)
        lines = [
            f'<question type="{type_name}">',
            f"<name><text>{escape(excerpt_of(question.prompt, 60))}</text></name>",
            self._text("questiontext", self._prompt(question)),
            self._text("generalfeedback", question.explanation),
            f"<defaultgrade>{question.points}</defaultgrade>",
            f"<hidden>{int(question.is_withdrawn)}</hidden>",
            *self._answers(question, is_whole_choice=is_whole_choice),
            *([f"<tags>{tags}</tags>"] if tags else []),
            "</question>\n",
        ]
        return "\n".join(lines)

    def _prompt(self, question: Question) -> str:
        if question.kind != Kind.GAPS:
            return question.prompt
        fields = {gap.position: write_field(gap) for gap in question.gaps}
        marks = set(find_gaps(question.prompt))
        return GAP_MARK.sub(lambda mark: fields[int(mark[1])] if int(mark[1]) in marks else mark[0], question.prompt)

    def _text(self, tag: str, text: str, attributes: str = "", inside: str = "") -> str:
        """Return an element with a text, and the files that it shows."""
        shown: dict[str, None] = {}

        def embed(link: re.Match[str]) -> str:
            address = link[1]
            if address not in self.files:
                return link[0]
            shown[address] = None
            return f"]({PLUGIN_FILE}{_folder(address)}/{quote(self.files[address].name)}"

        written = escape(_LINK.sub(embed, text))
        files = "".join(self._file(address) for address in shown)
        return f'<{tag}{attributes} format="markdown"><text>{written}</text>{files}{inside}</{tag}>'

    def _file(self, address: str) -> str:
        file = self.files[address]
        raw = base64.b64encode(file.raw).decode()
        return f'<file name={quoteattr(file.name)} path="/{_folder(address)}/" encoding="base64">{raw}</file>'

    def _answer(self, text: str, share: Fraction, remark: str = "") -> str:
        feedback = self._text("feedback", remark) if remark else ""
        return self._text("answer", text, f' fraction="{write_share(share)}"', feedback)

    def _answers(self, question: Question, *, is_whole_choice: bool) -> list[str]:
        remarks, options = question.remarks or {}, question.options
        match question.kind:
            case Kind.SINGLE:
                shares = {one["id"]: share_of(question, one["id"]) for one in options}
            case Kind.MULTIPLE:
                shares = weights_of(question)
                if is_whole_choice:
                    shares = {key: max(share, Fraction(0)) for key, share in shares.items()}
            case _:
                return self._other_answers(question)
        is_single = question.kind == Kind.SINGLE
        return [
            f"<single>{str(is_single).lower()}</single>",
            "<shuffleanswers>false</shuffleanswers>",
            *(self._answer(one["text"], shares[one["id"]], remarks.get(one["id"], "")) for one in options),
        ]

    def _other_answers(self, question: Question) -> list[str]:
        remarks, answer, options = question.remarks or {}, question.answer, question.options
        match question.kind:
            case Kind.TRUTH:
                return [
                    self._answer(str(value).lower(), Fraction(value is bool(answer["value"])),
                                 remarks.get(str(value).lower(), "") if value is not bool(answer["value"]) else "")
                    for value in (True, False)
                ]  # fmt: skip
            case Kind.NUMERIC:
                return self._number(question)
            case Kind.TEXT:
                texts = [self._typed(text, share) for text, share in texts_of(question)]
                return [f"<usecase>{int(question.strictness.is_case_sensitive)}</usecase>", *texts]
            case Kind.ORDERING:
                texts_by_id = {one["id"]: one["text"] for one in options}
                grading = "ALL_OR_NOTHING" if question.all_or_nothing else "ABSOLUTE_POSITION"
                steps = [
                    self._text("answer", texts_by_id[one], f' fraction="{place}"')
                    for place, one in enumerate(answer["ids"], start=1)
                ]
                return ["<layouttype>VERTICAL</layouttype>", f"<gradingtype>{grading}</gradingtype>", *steps]
            case Kind.MATCHING:
                rights = {one["id"]: one["text"] for one in options["right"]}
                pairs = [(one["text"], rights[answer["pairs"][one["id"]]]) for one in options["left"]]
                used = set(answer["pairs"].values())
                pairs += [("", text) for key, text in rights.items() if key not in used]
                return [
                    "<shuffleanswers>true</shuffleanswers>",
                    *(self._text("subquestion", left, "", self._text("answer", right)) for left, right in pairs),
                ]
        return []

    def _typed(self, text: str, share: Fraction, inside: str = "") -> str:
        written = f"<text>{escape(text)}</text>{inside}"
        return f'<answer fraction="{write_share(share)}" format="plain_text">{written}</answer>'

    def _number(self, question: Question) -> list[str]:
        low, high = question.accepted_range
        within = f"<tolerance>{write_number((high - low) / 2)}</tolerance>"
        lines = [self._typed(write_number((low + high) / 2), Fraction(1), within)]
        for key, remark in (question.remarks or {}).items():
            feedback = f"<tolerance>0</tolerance>{self._text('feedback', remark)}"
            lines.append(self._typed(write_number(Fraction(key)), Fraction(0), feedback))
        if question.unit:
            unit = f"<multiplier>1</multiplier><unit_name>{escape(question.unit)}</unit_name>"
            lines.append(f"<units><unit>{unit}</unit></units>")
        return lines


def _folder(address: str) -> str:
    """Return a folder for each file: two may have one name."""
    return address.rpartition("/")[2][:13]
