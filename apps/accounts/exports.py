"""What accounts contributes to a user's data archive."""

from collections.abc import Iterator
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount

from apps.accounts.models import PROFILE_FIELDS, BrowserSession, Notification, PersonalToken, TeachingRequest, User
from apps.accounts.queries import choices_of
from apps.accounts.services import Part, register_export

_ACCOUNT = (
    "email", *PROFILE_FIELDS, "former_zone", "former_zone_until", "role", "theme", "style",
    "daily_minutes", "weekly_lessons", "shares_email", "date_joined", "last_login", "email_verified_at",
    "terms_accepted_at",
)  # fmt: skip


@register_export("accounts")
def export_account(user: User) -> Iterator[Part]:
    yield Part("account.json", [{name: getattr(user, name) for name in _ACCOUNT}])
    if user.avatar:
        yield Part("picture.webp", file=lambda: user.avatar.open("rb"))
    sessions = BrowserSession.objects.filter(user=user).values("user_agent", "address", "signed_in_at", "last_seen_at")
    yield Part("signed_in.json", sessions.iterator())
    tokens = PersonalToken.objects.filter(user=user).order_by("pk")
    shown = (
        "name",
        "scopes",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    )  # no hash: as of the second step
    yield Part("personal_tokens.json", tokens.values(*shown))
    told = Notification.objects.filter(user=user).values("kind", "params", "link", "created_at", "read_at")
    yield Part("notifications.json", told.iterator())
    asked = TeachingRequest.objects.filter(user=user)
    yield Part("requests_to_teach.json", asked.values("reason", "state", "answer", "created_at", "decided_at"))
    chosen = choices_of(user).items()
    yield Part(
        "notification_choices.json", [{"kind": kind, "on_the_site": on, "mail": way} for kind, (on, way) in chosen]
    )
    linked = SocialAccount.objects.filter(user=user)
    yield Part("linked_accounts.json", linked.values("provider", "uid", "extra_data", "date_joined", "last_login"))
    yield Part("second_step.json", map(_without_secrets, Authenticator.objects.filter(user=user).order_by("pk")))


def _without_secrets(factor: Any) -> dict[str, Any]:
    """Which factor it is and when it was used; without keys and codes, which would let anyone with the archive sign
    in.
    """
    return {
        "kind": factor.get_type_display(),
        "name": factor.data.get("name", ""),
        "added": factor.created_at,
        "last_used": factor.last_used_at,
    }
