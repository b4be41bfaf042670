"""What the tutor says where it needs neither passages nor a model: small talk, help with the site, arithmetic.

With a model it says the same to small talk and to questions about the site, so that these cost nothing; the rest is the
model's. It loads NumPy.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from babel import Locale, UnknownLocaleError
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from apps.accounts.models import User
from apps.courses.models import Course
from apps.learning.queries.my_learning import enrollments_of
from apps.tutor import site_help
from apps.tutor.arithmetic import NotComputable, compute, expression_in, show
from apps.tutor.intents import SMALL_TALK, Intent, intent_of
from apps.tutor.models import Mode
from apps.tutor.providers.base import Prompt
from apps.tutor.queries.switches import turned_off
from studyplatform.kit.text.escaping import escape_markdown

MAX_COURSES_TO_CHOOSE = 6
LEAST_CERTAINTY, MOST_ENGLISH = 0.6, 0.05
"""From which probability on a question is in another language than English, and up to which that of English.

English questions of tests/bench/tutor_questions reach neither.
"""
LANGUAGES = (
    *("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "cs", "sk", "sv", "da", "no", "fi", "hu", "ro", "tr"),
    *("el", "ar", "he", "fa", "hi", "bn", "ja", "zh", "ko", "vi", "th", "id"),
)
_ASK_IN = gettext_noop(
    "I can only search your courses in the language they're written in: %(languages)s. Ask in that language, and I'll "
    "look for the passages."
)
_NEEDS_COURSE = {Mode.SUMMARY, Mode.QUIZ, Mode.CARDS}


def last_course_of(user: User) -> Course | None:
    """Return the course that a learner studied last, of those with a tutor. At most two queries."""
    off = turned_off()
    row = next((one for one in enrollments_of(user)[: len(off) + 1] if one.course_id not in off), None)
    return row.course if row else None


def needs_course(mode: str) -> bool:
    """Return whether what the mode makes is made of one course, not of all."""
    return mode in _NEEDS_COURSE


def reply_all(prompts: Sequence[Prompt], *, has_model: Sequence[bool]) -> list[Prompt]:
    """Return the prompts, those that this module answers with their ``reply`` and ``intent``.

    The passages of the prompts are known: what a course says about a question counts more than what help says.
    """
    return [_reply(prompt, with_model) for prompt, with_model in zip(prompts, has_model, strict=True)]


def _reply(prompt: Prompt, has_model: bool) -> Prompt:  # noqa: FBT001 (positional by zip)
    if prompt.written:  # a model has begun this answer
        return prompt
    with translation.override(prompt.language):
        if needs_course(prompt.mode) and prompt.course is None:
            return replace(prompt, reply=_choose_course(prompt))
        if prompt.mode != Mode.ASK:
            return prompt
        intent = intent_of(prompt.question)
        if intent in SMALL_TALK:
            return replace(prompt, intent=intent, reply=_SMALL_TALK[intent](prompt))
        if intent == Intent.CALCULATION and not has_model:
            return replace(prompt, intent=intent, reply=_calculate(prompt.question))
        if intent == Intent.CONFUSED:
            return replace(prompt, intent=intent)
        if intent is not None:
            return prompt
        return replace(prompt, reply=_help(prompt) or ("" if has_model else _other_language(prompt)))


def _help(prompt: Prompt) -> str:
    """What helps with a question about the site, unless the course is nearer to it; "" for other questions."""
    found = site_help.find_help(prompt.question)
    if found is None or found.similarity < max((one.similarity for one in prompt.passages), default=0.0):
        return ""
    return found.answer(prompt.user)


def _greet(prompt: Prompt) -> str:
    name = escape_markdown(prompt.user.first_name or "")
    hello = _("Hello %(name)s!") % {"name": name} if name else _("Hello!")
    return f"{hello} {_what_i_do()}"


def _introduce(prompt: Prompt) -> str:
    return "\n\n".join([_("I'm the tutor of this site, a program and not a person."), _what_i_do()])


def _what_i_do() -> str:
    lines = [
        _("Ask a question about your courses: I look for the passages that answer it and name the place."),
        _(
            "“Summarize the course” gives you its main points, “Test me” asks you questions, and “Make flash "
            "cards” makes cards."
        ),
        _("“What should I do next?” makes a plan from your progress."),
        _("“I don't get it” shows you another passage about the same thing."),
    ]
    return "\n".join([_("This is what I can do:"), "", *(f"- {line}" for line in lines)])


def _welcome(_prompt: Prompt) -> str:
    return _("You're welcome! Ask whenever something is unclear.")


def _part(_prompt: Prompt) -> str:
    return _("See you soon! Your chats are kept, so you can continue any time.")


def _agree(_prompt: Prompt) -> str:
    return _("All right. What would you like to know next? “Test me” checks what you remember.")


_SMALL_TALK = {
    Intent.GREETING: _greet,
    Intent.THANKS: _welcome,
    Intent.GOODBYE: _part,
    Intent.AGREEMENT: _agree,
    Intent.ABOUT_TUTOR: _introduce,
}


def _calculate(message: str) -> str:
    expression = expression_in(message)
    try:
        result = show(compute(expression))
    except NotComputable:
        return _("I can't work that out. I can add, subtract, multiply and divide numbers of a reasonable size.")
    return f"{escape_markdown(expression)} = **{escape_markdown(result)}**"


def _choose_course(prompt: Prompt) -> str:
    """Where a request is about "the course" and the learner has none that was studied last."""
    off = turned_off()
    rows = [one.course for one in enrollments_of(prompt.user)[:MAX_COURSES_TO_CHOOSE] if one.course_id not in off]
    if not rows:
        return _("Enroll in a course first, then I can do that with its lessons. [Find a course](/courses/)")
    links = [f"- [{escape_markdown(one.title)}](/chat/?course={one.slug})" for one in rows]
    return "\n".join([_("For which course? Choose one:"), "", *links])


def _other_language(prompt: Prompt) -> str:
    """In which language to ask, if the question is in one that none of the courses has; "" otherwise."""
    code = language_of(prompt.question)
    if code is None:
        return ""
    spoken = languages_of(prompt)
    if not spoken or code in spoken:
        return ""
    with translation.override(code):
        is_translated = _(_ASK_IN) != _ASK_IN
    with translation.override(code if is_translated else prompt.language):
        return _(_ASK_IN) % {"languages": ", ".join(_language_name(one) for one in spoken)}


def languages_of(prompt: Prompt) -> list[str]:
    """Return the languages of the courses that a question is about, without regions, sorted. At most one query."""
    if prompt.course is not None:
        return [_plain(prompt.course.language)]
    rows: Iterable[Any] = Course.objects.filter(lessons__in=prompt.scope.lessons).values_list("language", flat=True)
    return sorted({_plain(one) for one in rows})


def _plain(code: str) -> str:
    return code.replace("_", "-").partition("-")[0].lower()


def _language_name(code: str) -> str:
    try:
        return Locale.parse(code).get_display_name(translation.to_locale(translation.get_language() or "en")) or code
    except (UnknownLocaleError, ValueError):
        return code


def language_of(text: str) -> str | None:
    """Return the language of a text (ISO 639-1) if it is certainly not English; None otherwise."""
    ranked = dict(_identifier().rank(text))
    best = max(ranked, key=lambda code: ranked[code])
    if best == "en" or ranked[best] < LEAST_CERTAINTY or ranked["en"] > MOST_ENGLISH:
        return None
    return str(best)


@lru_cache(maxsize=1)
def _identifier() -> Any:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(LANGUAGES))
    return identifier
