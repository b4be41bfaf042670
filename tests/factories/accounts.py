"""Factories of users."""

from datetime import timedelta

from django.utils import timezone
from factory.declarations import LazyAttribute, LazyFunction, Sequence
from factory.django import DjangoModelFactory

from apps.accounts.models import Role, User

PASSWORD = "StudyDemo1"


class UserFactory(DjangoModelFactory[User]):
    """A student; ``UserFactory(role=Role.INSTRUCTOR)`` teaches. The password is ``StudyDemo1``, the email verified."""

    class Meta:
        model = User

    username = Sequence(lambda n: f"learner{n}")
    email = LazyAttribute(lambda person: f"{person.username}@example.com")
    role = Role.STUDENT
    email_verified_at = LazyFunction(timezone.now)
    date_joined = LazyFunction(lambda: timezone.now() - timedelta(days=60))  # not a new account, whose posts are held

    @classmethod
    def _create(cls, model_class, *args, **kwargs):
        password = kwargs.pop("password", PASSWORD)
        return model_class.objects.create_user(kwargs.pop("email"), password, **kwargs)
