"""The tutor's part of a user's data archive."""

from collections.abc import Iterator
from typing import Any

from apps.accounts.models import User
from apps.accounts.services import Part, register_export
from apps.tutor.models import Answer, Chat, UsageDay
from apps.tutor.queries.withheld import withheld_answers


@register_export("tutor")
def of_tutor(user: User) -> Iterator[Part]:
    """Chats with their questions and answers, and what was used on each day.

    In place of an answer that is withheld now, a sentence says when an archive has it.
    """
    chats = Chat.objects.filter(user=user).order_by("pk")
    yield Part(
        "tutor/chats.json",
        chats.values(
            "uid", "title", "course__title", "lesson__title", "created_at", "changed_at", "deleted_at"
        ).iterator(),
    )
    yield Part("tutor/answers.json", _answers(user))
    days = UsageDay.objects.filter(user=user).order_by("day", "pk")
    yield Part(
        "tutor/usage.json",
        days.values("day", "course__title", "questions", "prompt_tokens", "completion_tokens").iterator(),
    )


def _answers(user: User) -> Iterator[dict[str, Any]]:
    withheld = withheld_answers(user)
    answers = Answer.objects.filter(exchange__user=user).order_by("exchange__chat", "exchange__position", "number")
    rows = answers.values(
        "pk", "exchange__chat__uid", "exchange__position", "exchange__question", "exchange__mode",
        "exchange__lesson__title", "exchange__second", "exchange__created_at", "number", "state", "kind", "text",
        "error_code", "provider", "created_at", "ended_at", "rating", "rating_reason",
    )  # fmt: skip
    for row in rows.iterator():
        text = withheld.get(row["pk"], row["text"])
        yield {name: text if name == "text" else value for name, value in row.items() if name != "pk"}
