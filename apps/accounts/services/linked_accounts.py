"""A user's identities: their accounts at providers, which sign them in here."""

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import IntegrityError, transaction

from apps.accounts.errors import IdentityTaken, LastSignIn
from apps.accounts.models import User
from apps.accounts.services.notifications import notify


def link_identity(*, user: User, provider: str, uid: str, email: str, title: str) -> None:
    """Let a user sign in with an identity that they have just proved. Idempotent.

    :raises IdentityTaken: it is linked to another user.
    """
    try:
        with transaction.atomic():
            SocialAccount.objects.create(user=user, provider=provider, uid=uid, extra_data={"email": email})
            notify("account.linked", user, "/settings/connections", provider=title)
    except IntegrityError:
        if not SocialAccount.objects.filter(user=user, provider=provider, uid=uid).exists():
            raise IdentityTaken(provider=title) from None


def unlink_identity(*, user: User, pk: int, title: str) -> None:
    """Stop an identity from signing its user in.

    :raises LastSignIn: the user could no longer sign in.
    """
    with transaction.atomic():
        # Locked: of two identities unlinked at the same moment, one must stay.
        user = User.objects.select_for_update().get(pk=user.pk)
        row = SocialAccount.objects.filter(user=user, pk=pk).first()
        if row is None:
            return
        others = SocialAccount.objects.filter(user=user).exclude(pk=pk).exists()
        passkeys = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN).exists()
        if not (others or passkeys or user.has_usable_password()):
            raise LastSignIn
        row.delete()
        notify("account.unlinked", user, "/settings/connections", provider=title)


def identities_of(user: User) -> list[SocialAccount]:
    """The user's identities, the oldest first."""
    return list(SocialAccount.objects.filter(user=user).order_by("date_joined", "pk"))
