"""Practice without a connection: the cards of the day with what is told after an answer."""

from datetime import datetime
from typing import Any

from apps.accounts.models import User
from apps.learning.offline.localizing import Localizer
from apps.learning.queries.practice_page import solved_practice


def offline_practice_out(user: User, now: datetime) -> dict[str, Any]:
    """Return the shape ``OfflinePracticeOut``.

    Cards are only of quizzes whose right answers the learner may read anyway. Their pictures are not stored, and say so
    in place.
    """
    practice, solutions = solved_practice(user, now)
    data: dict[str, Any] = Localizer({}).data({"practice": practice, "solutions": solutions})
    return data
