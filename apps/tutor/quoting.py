"""Answers of the search: passages quoted, and what can be made of them without a model. It speaks gettext's language.

``[1]`` cites the first passage of the prompt.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.courses.models import Lesson, Question
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.questions_to_practice import options_of, questions_to_practice
from apps.tutor.answers import Certainty, certainty_of, choose_quoted, introduce, is_declined
from apps.tutor.intents import Intent
from apps.tutor.plans import facts_of
from apps.tutor.providers.base import Prompt
from apps.tutor.retrieval.words import content_words, stem
from studyplatform.kit.text.escaping import escape_markdown
from studyplatform.kit.text.gaps import blank_gaps

if TYPE_CHECKING:
    from apps.tutor.retrieval.search import Found

MAX_OTHER_PASSAGES = 2
"""That are quoted for a learner who didn't understand an answer."""
MOST_CARDS = 8
MOST_POINTS = 7
MOST_QUESTIONS = 3
ASKED = {"single", "multiple", "truth", "numeric", "text", "ordering"}
"""Kinds of quiz questions that can be asked in a chat."""
_CITED = re.compile(r"\[\d{1,2}\]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^a-z])")
_DEFINITION = re.compile(r"(?:an?|the)?\s*([\w’' -]{3,40}?) (is|are) (?:an?|the|when|what|how)\b", re.IGNORECASE)
_SAYS_NOTHING = re.compile(r"\b(?:it|this|that|these|those|they|he|she|we|you|there|here|which|what|one|each)\b", re.I)
_LETTERS = 4
_SHORTEST, _LONGEST = 6, 40  # words of a sentence to learn from


def answer(prompt: Prompt) -> str:
    """Return the Markdown of an answer in the prompt's mode. A plan and a quiz take about nine queries, others none."""
    if prompt.reply:
        return prompt.reply
    if prompt.intent == Intent.CONFUSED:
        return _other_words(prompt)
    if prompt.mode == "plan":
        return _plan(prompt)
    making = {"hint": _hint, "quiz": _quiz, "summary": _summary, "cards": _cards, "explain": _explain}
    return making.get(prompt.mode, _quotes)(prompt) or _("I couldn't find this in the course.")


def _quotes(prompt: Prompt) -> str:
    """The best passages."""
    certainty = certainty_of(prompt.passages)
    if certainty == Certainty.NONE:
        return ""
    return "\n\n".join([introduce(certainty), *_best(prompt, certainty)])


def _other_words(prompt: Prompt) -> str:
    """For a learner who didn't understand: passages that no answer quoted before, and how to go on."""
    cited = [one.answer for one in prompt.history if _CITED.search(one.answer)]
    said = " ".join(" ".join(cited).replace("\\", "").split())
    others = [
        f"> {escape_markdown(found.text)} [{number}]"
        for number, found in enumerate(prompt.passages, start=1)
        if " ".join(found.text.replace("\\", "").split()) not in said
    ][:MAX_OTHER_PASSAGES]
    if not cited or not others:
        unclear = _(
            "Tell me which word or step is unclear, and I'll look for the passages about it. You can also ask "
            "people in the [discussions](/forum/)."
        )
        return "\n\n".join([*_gist(prompt), unclear])
    more = _("If it's still unclear, tell me which word or step, or ask people in the [discussions](/forum/).")
    return "\n\n".join([_("No problem. These passages explain it in other words:"), *others, more])


def _gist(prompt: Prompt) -> list[str]:
    """The summary of the lesson beside which the chat is, for a learner who hasn't asked about it yet. One query."""
    if len(prompt.scope.lessons) != 1:
        return []
    (pk,) = prompt.scope.lessons
    summary = Lesson.objects.filter(pk=pk).values_list("summary", flat=True).first()
    return [_("In short, this lesson says:"), f"> {escape_markdown(summary)}"] if summary else []


def _best(prompt: Prompt, certainty: Certainty = Certainty.CERTAIN) -> list[str]:
    quoted = choose_quoted(prompt.passages, certainty)
    numbered = [(number, one) for number, one in enumerate(prompt.passages, start=1) if one in quoted]
    return [f"> {escape_markdown(found.text)} [{number}]" for number, found in numbered]


def _explain(prompt: Prompt) -> str:
    """What was said at that moment, and where the courses speak of it."""
    if not prompt.transcript:
        return _quotes(prompt)
    said = [_("This was said in the last minute:"), f"> {escape_markdown(prompt.transcript)}"]
    if prompt.passages:
        said += [_("I'm a search, so I can't rephrase it, but these passages are about the same thing:")]
        said += _best(prompt)
    return "\n\n".join(said)


def _hint(prompt: Prompt) -> str:
    """Where to look, and how the passage begins."""
    if is_declined(prompt.passages):
        return ""
    number, found = next(
        (one for one in enumerate(prompt.passages, start=1) if one[1].passage.kind != "summary"),
        (1, prompt.passages[0]),
    )
    words = _sentences(found.text)[0].split()
    begins = " ".join(words[: max(3, min(len(words) // 2, 12))])
    place = found.passage.lesson.title
    if found.passage.heading:
        place = f"{place}, {found.passage.heading}"
    where = _("Look at %(place)s.") % {"place": f"**{escape_markdown(place)}**"} + f" [{number}]"
    return "\n\n".join([where, _("The passage begins: “%(words)s …”") % {"words": escape_markdown(begins)}])


def _quiz(prompt: Prompt) -> str:
    """Questions of quizzes that the learner has submitted; without any, sentences with a gap."""
    return _questions(prompt) or _sentences_with_gaps(prompt)


def _questions(prompt: Prompt) -> str:
    """Questions about the lessons, other ones for each exchange; the pages of their quizzes have the answers."""
    found = [one for one in questions_to_practice(prompt.user, prompt.scope.lessons) if one.kind in ASKED]
    if not found:
        return ""
    seed = f"{prompt.user.pk} {len(prompt.history)} {prompt.question}"
    chosen = random.Random(seed).sample(found, min(MOST_QUESTIONS, len(found)))  # noqa: S311 (no secret)
    asked = [f"{number}. {_question(one, seed)}" for number, one in enumerate(chosen, start=1)]
    lessons = {one.quiz.lesson_id: one.quiz.lesson for one in chosen}
    links = [f"[{escape_markdown(one.title)}]({lesson_url(one.course.slug, one.slug)})" for one in lessons.values()]
    intro = _("These questions come from quizzes you've submitted. Answer from memory.")
    return "\n\n".join([intro, *asked, _("The answers: %(quizzes)s") % {"quizzes": ", ".join(links)}])


def _question(question: Question, seed: str) -> str:
    """Markdown of a question, as the rest of an item of a list; nothing in it reveals the answer."""
    options = [f"- {one}" for one in options_of(question, seed=seed)]
    how = {
        Question.Kind.MULTIPLE: _("Choose all correct answers."),
        Question.Kind.TRUTH: _("True or false?"),
        Question.Kind.ORDERING: _("Put these in order."),
        Question.Kind.GAPS: _("Fill in the gaps."),
    }.get(Question.Kind(question.kind), "")
    prompt = blank_gaps(question.prompt) if question.kind == Question.Kind.GAPS else question.prompt
    unit = question.options.get("unit", "") if isinstance(question.options, dict) else ""
    if unit:
        how = _("The answer is in %(unit)s.") % {"unit": unit}
    lines = [line for part in (prompt.strip(), how, "\n".join(options)) if part for line in (*part.splitlines(), "")]
    return "\n".join([lines[0], *(f"   {line}" if line else "" for line in lines[1:])]).rstrip()


def _sentences_with_gaps(prompt: Prompt) -> str:
    """Sentences with a gap; their passages have the answers."""
    asked: list[str] = []
    for number, sentence, word in _gaps(prompt):
        asked.append(f"{len(asked) + 1}. {_with_gap(sentence, word)} [{number}]")
        if len(asked) == MOST_QUESTIONS:
            break
    if not asked:
        return ""
    intro = _("Which word is missing? Answer from memory, then open the passage to check.")
    return "\n\n".join([intro, "\n".join(asked)])


def _summary(prompt: Prompt) -> str:
    """The summary of the lesson, and the first sentence of each passage in its order."""
    points, summaries = list[str](), dict[int, str]()
    ordered = sorted(enumerate(prompt.passages, start=1), key=lambda one: (one[1].passage.lesson_id, _place(one[1])))
    for number, found in ordered[:MOST_POINTS]:
        lesson = found.passage.lesson
        if lesson.summary:
            summaries[lesson.pk] = f"**{escape_markdown(lesson.title)}**: {escape_markdown(lesson.summary)}"
        if lesson.summary and found.passage.kind == "summary":
            continue
        heading = f"**{escape_markdown(found.passage.heading)}**: " if found.passage.heading else ""
        points.append(f"- {heading}{escape_markdown(_sentences(found.text)[0])} [{number}]")
    if not points:
        return "\n\n".join(summaries.values())
    return "\n\n".join([*summaries.values(), _("The main points, in the words of the course:"), "\n".join(points)])


def _cards(prompt: Prompt) -> str:
    """Definitions as questions, other sentences with a gap. The chat reads the lines "Front:" and "Back:"."""
    cards, seen = list[tuple[str, str, int]](), set[str]()
    for number, found in enumerate(prompt.passages, start=1):
        for sentence in _sentences(found.text):
            defined = _DEFINITION.match(sentence)
            if defined and not _SAYS_NOTHING.search(defined[1]) and sentence not in seen:
                seen.add(sentence)
                word = _("What is %(word)s?") if defined[2].lower() == "is" else _("What are %(word)s?")
                name = sentence[: defined.end(1)]
                cards.append((escape_markdown(word % {"word": name[0].lower() + name[1:]}), sentence, number))
    for number, sentence, word in _gaps(prompt):
        if sentence not in seen:
            seen.add(sentence)
            cards.append((_with_gap(sentence, word), f"{word}. {sentence}", number))
    lines = [f"Front: {front}\nBack: {escape_markdown(back)} [{number}]" for front, back, number in cards[:MOST_CARDS]]
    return "\n\n".join([_("Flash cards from the words of the course:"), *lines]) if lines else ""


def _gaps(prompt: Prompt) -> Iterator[tuple[int, str, str]]:
    """A sentence of each passage with the word to leave out: the one of which the passages speak most often."""
    spoken = Counter(stem(word) for found in prompt.passages for word in content_words(found.text))
    for number, found in enumerate(prompt.passages, start=1):
        if found.passage.kind in {"explanation", "summary"}:
            continue
        for sentence in _sentences(found.text):
            if not _SHORTEST <= len(sentence.split()) <= _LONGEST or not sentence[0].isalpha():
                continue
            if _SAYS_NOTHING.match(sentence):
                continue
            telling = set(content_words(sentence))
            _first, *words = re.findall(r"[^\W\d_]+", sentence)
            words = [one for one in words if len(one) >= _LETTERS and one.lower() in telling and not one.endswith("ly")]
            if words:
                yield number, sentence, max(words, key=lambda one: (spoken[stem(one.lower())], len(one)))
                break


def _with_gap(sentence: str, word: str) -> str:
    """Markdown of the sentence without the word."""
    parts = re.split(rf"\b{word}\b", sentence, maxsplit=1)
    return escape_markdown("____").join(escape_markdown(one) for one in parts)


def _plan(prompt: Prompt) -> str:
    """The cards that are due, the next lesson of each unfinished course, and the learner's goal."""
    facts = facts_of(prompt.user, prompt.course, timezone.now())
    if facts.is_empty:
        return _("You have no unfinished courses. Enroll in one, and I can make a plan.")
    steps: list[str] = []
    if facts.due:
        text = ngettext("Practice %(count)d card that is due.", "Practice %(count)d cards that are due.", facts.due)
        steps.append(text % {"count": facts.due})
    for one in facts.steps:
        text = ngettext(
            "**%(course)s** (%(percent)d%% done): %(lesson)s, about %(count)d minute.",
            "**%(course)s** (%(percent)d%% done): %(lesson)s, about %(count)d minutes.",
            one.minutes,
        )
        lesson = f"[{one.number} {escape_markdown(one.lesson)}]({one.url})"
        course = escape_markdown(one.course)
        steps.append(text % {"course": course, "percent": one.percent, "lesson": lesson, "count": one.minutes})
    parts = [_("This plan comes from your progress. Take the steps in this order:")]
    parts.append("\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1)))
    if facts.goal:
        parts.append(
            _("Your goal is %(goal)d minutes a day; you've learned for %(learned)d today.")
            % {"goal": facts.goal, "learned": facts.learned}
        )
    return "\n\n".join(parts)


def _sentences(text: str) -> list[str]:
    return [one.strip() for one in _SENTENCE_END.split(text) if one.strip()] or [text]


def _place(found: "Found") -> int:
    return found.parts[0].position
