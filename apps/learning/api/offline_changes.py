"""Changes that devices send, as a service takes them, and what became of them."""

from datetime import datetime
from typing import Any

from apps.accounts.models import User
from apps.learning import services
from apps.learning.models import OfflineDevice
from apps.learning.services.offline_sending import Outcome
from studyplatform.kit.errors import ValidationFailed


def answer_changes(
    user: User, device: OfflineDevice, changes: list[dict[str, Any]], *, now: datetime
) -> list[dict[str, Any]]:
    """Take changes and return the shapes ``TakenChange``, in their order. What has only an id was not valid."""
    valid = [
        services.Change(
            id=one["id"], kind=one["kind"], lesson=one["lesson"], made_at=one["made_at"], said=one[one["kind"]]
        )
        for one in changes
        if "kind" in one
    ]
    outcomes = iter(services.take_changes(user=user, device=device, changes=valid, sent=len(changes), now=now))
    invalid = Outcome.refused(ValidationFailed())
    return [{"id": str(one["id"]), **(next(outcomes) if "kind" in one else invalid).as_json()} for one in changes]
