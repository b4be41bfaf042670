"""What people are told of what happens to their account."""

from django.conf import settings

from apps.accounts import services
from apps.accounts.events import EmailChanged, PersonSignedUp, RoleChanged
from apps.accounts.models import User
from studyplatform.kit.events import subscribe


@subscribe(PersonSignedUp)
def welcome(event: PersonSignedUp) -> None:
    user = User.objects.get(pk=event.user_id)
    services.notify("account.welcome", user, "/courses/", key="welcome", site=settings.SITE_NAME)


@subscribe(RoleChanged)
def tell_of_the_new_role(event: RoleChanged) -> None:
    user = User.objects.get(pk=event.user_id)
    # Without a key: a role may come, go and come back.
    services.notify("account.role_changed", user, "/dashboard", role=str(user.get_role_display()))


@subscribe(EmailChanged)
def tell_the_old_email(event: EmailChanged) -> None:
    """The mail goes to the old address: whoever lost it in this way still reads it."""
    user = User.objects.get(pk=event.user_id)
    services.notify("account.email_changed", user, "/settings/#profile", to=event.old, email=user.email)
