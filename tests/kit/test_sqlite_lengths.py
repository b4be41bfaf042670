"""The tests' SQLite refuses what PostgreSQL refuses."""

import pytest
from django.db import DatabaseError, transaction

from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db


def test_a_text_longer_than_its_column_is_refused() -> None:
    user = UserFactory()
    user.headline = "x" * (user._meta.get_field("headline").max_length + 1)
    with transaction.atomic(), pytest.raises(DatabaseError):
        user.save()
