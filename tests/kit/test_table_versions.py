"""A version changes with every change of the tables it watches, in the same transaction, no matter who makes it."""

import threading

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from apps.courses.models import Course, Subject
from studyplatform.kit.caching import table_versions
from studyplatform.kit.db import triggers
from tests.factories.courses import CourseFactory

pytestmark = pytest.mark.database


def now() -> str | None:
    return table_versions.current("catalogue")


@pytest.fixture
def one(db) -> Course:
    return CourseFactory(status="published")


def rises(change) -> bool:
    before = now()
    change()
    return now() != before


@pytest.mark.parametrize("fields", [{"title": "Else"}, {"status": "suspended"}, {"rating_sum": 5}, {"version": 7}])
def test_the_version_changes_with_an_update_outside_the_models(one, fields):
    assert rises(lambda: Course.objects.filter(pk=one.pk).update(**fields))


def test_the_version_changes_when_rows_are_added_or_deleted(one):
    assert rises(CourseFactory)
    assert rises(
        lambda: Course.objects.bulk_create([CourseFactory.build(subject=one.subject, instructor=one.instructor)])
    )
    assert rises(lambda: Course.objects.filter(pk=one.pk).delete())


def test_the_version_changes_with_related_rows(one):
    people = get_user_model().objects.filter(pk=one.instructor_id)
    assert rises(lambda: people.update(first_name="Else"))
    assert rises(lambda: Subject.objects.update(name="Else"))


def test_the_version_changes_after_an_insert_that_ignores_conflicts(one):
    twin = CourseFactory.build(subject=one.subject, instructor=one.instructor, slug="another")
    assert rises(lambda: Course.objects.bulk_create([twin], ignore_conflicts=True))


def test_the_version_stays_when_only_unwatched_columns_change(one):
    assert not rises(lambda: Course.objects.filter(pk=one.pk).update(learner_count=5))
    assert not rises(lambda: get_user_model().objects.update(last_login=None))
    assert not rises(lambda: get_user_model().objects.create_user("new@example.com", "Password1"))


def test_no_version_is_repeated(one):
    seen = {now()}
    for title in "ababab":
        Course.objects.filter(pk=one.pk).update(title=title)
        seen.add(now())

    assert len(seen) == 7


def test_a_rolled_back_change_keeps_the_version(one):
    before = now()
    try:
        with transaction.atomic():
            Course.objects.update(title="Else")
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass

    assert now() == before


def test_the_version_is_read_once_per_request(one, django_assert_num_queries):
    with table_versions.read_once(), django_assert_num_queries(1):
        assert now() == now() is not None


@pytest.mark.django_db(transaction=True)
def test_another_connection_sees_the_version_together_with_the_change():
    """The flushed table has no row yet: nothing may be kept until the first change makes one."""
    one = CourseFactory(status="published")
    before, seen = now(), []

    def look() -> None:
        seen.append((now(), Course.objects.get(pk=one.pk).title))
        connection.close()

    def elsewhere() -> None:
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()

    with transaction.atomic():
        Course.objects.filter(pk=one.pk).update(title="New")
        elsewhere()
    elsewhere()

    assert seen[0] == (before, one.title)
    assert seen[1] == (now(), "New")
    assert seen[1][0] != before


@pytest.mark.django_db(transaction=True)
def test_triggers_dropped_by_a_migration_are_created_again():
    CourseFactory(status="published")
    triggers.drop_triggers(plan=["something"])
    assert not rises(lambda: Course.objects.update(title="Unseen"))
    before = now()

    call_command("migrate", "kit", verbosity=0)

    assert now() != before  # what changed meanwhile was not noticed by itself
    assert rises(lambda: Course.objects.update(title="Seen"))


@pytest.mark.django_db(transaction=True)
def test_triggers_wait_for_the_last_migration_of_all_apps():
    """On the way of one app alone, tables may lack columns that triggers name."""
    newest = MigrationRecorder.Migration.objects.filter(app="billing").latest("name")
    MigrationRecorder.Migration.objects.filter(pk=newest.pk).delete()
    plan = [("a migration of another app", False)]
    triggers.drop_triggers(plan=plan)

    triggers.install_triggers(plan=plan)
    assert not rises(lambda: Course.objects.update(title="Unseen"))

    newest.save(force_insert=True)
    triggers.install_triggers(plan=plan)
    CourseFactory(status="published")
    assert rises(lambda: Course.objects.update(title="Seen"))
