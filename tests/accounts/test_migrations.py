"""Migrations of accounts that keep existing rows."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from studyplatform.kit.db.triggers import drop_triggers, install_triggers


@pytest.mark.long
@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_renamed_tables_keep_their_rows() -> None:
    executor = MigrationExecutor(connection)
    newest = executor.loader.graph.leaf_nodes()
    drop_triggers(plan=newest)  # as `manage.py migrate` does
    try:
        executor.migrate([("accounts", "0005_one_truth_about_shortcuts")])
        old = executor.loader.project_state([("accounts", "0005_one_truth_about_shortcuts")]).apps
        now = timezone.now()
        user = old.get_model("accounts", "User").objects.create(email="leo@example.com", username="leo")
        old.get_model("accounts", "EmailProof").objects.create(user=user, email=user.email, code_hash="a", sent_at=now)
        old.get_model("accounts", "HandOver").objects.create(user=user, token_hash="b", expires_at=now)
        old.get_model("accounts", "Joining").objects.create(email="mia@example.com", asked_at=now)

        executor = MigrationExecutor(connection)
        executor.migrate(newest)
        new = executor.loader.project_state(newest).apps

        assert (
            new.get_model("accounts", "EmailVerification").objects.get(user__email="leo@example.com").code_hash == "a"
        )
        assert new.get_model("accounts", "SignInToken").objects.get(user__email="leo@example.com").token_hash == "b"
        assert new.get_model("accounts", "Registration").objects.get().email == "mia@example.com"
    finally:
        MigrationExecutor(connection).migrate(newest)
        install_triggers()
