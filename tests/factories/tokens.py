"""Personal tokens."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import PersonalToken, Scope, User


def make_token(
    user: User,
    scopes: Collection[Scope] = tuple(Scope),
    *,
    name: str = "Desk assistant",
    lifetime: timedelta | None = timedelta(days=90),
    now: datetime | None = None,
) -> tuple[PersonalToken, str]:
    """A personal token with its row; it opens everything unless told otherwise."""
    return services.create_personal_token(
        user=user, name=name, scopes=scopes, lifetime=lifetime, now=now or timezone.now()
    )
