"""Queries that are built once, and the look at a kept connection."""

import datetime as dt

import pytest
from django.db import connection, connections
from django.db.models import BigIntegerField, CharField, Count, DateTimeField, Exists, F, OuterRef, UUIDField
from django.utils import timezone

from apps.courses.models import Course, Section
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery, PreparedRows, PreparedUpdate
from tests.factories.courses import CourseFactory, SectionFactory

pytestmark = pytest.mark.database

BY_SLUG = PreparedQuery(
    lambda: (
        Course.objects.select_related("instructor", "subject")
        .annotate(has_sections=Exists(Section.objects.filter(course=OuterRef("pk"))), sections_=Count("sections"))
        .filter(slug=Param("slug", CharField()), created_at__lt=Param("now", DateTimeField()))
    )
)


def test_a_prepared_query_returns_the_objects_of_its_queryset(db, django_assert_num_queries):
    course = CourseFactory(slug="rivers", outcomes=["Read a map."])
    SectionFactory(course=course)
    CourseFactory(slug="lakes")

    with django_assert_num_queries(1):
        [found] = BY_SLUG(slug="rivers", now=timezone.now() + dt.timedelta(days=900))
        assert found == course
        assert found.subject.name == course.subject.name
        assert found.instructor.email == course.instructor.email

    expected = Course.objects.get(pk=course.pk)
    for field in Course._meta.concrete_fields:
        assert getattr(found, field.attname) == getattr(expected, field.attname), field.name
    assert (found.has_sections, found.sections_) == (True, 1)


def test_each_call_uses_its_own_values(db):
    CourseFactory(slug="rivers")
    CourseFactory(slug="lakes")
    later, never = timezone.now() + dt.timedelta(days=900), dt.datetime(2000, 1, 1, tzinfo=dt.UTC)

    assert [BY_SLUG.first(slug=slug, now=later).slug for slug in ("rivers", "lakes")] == ["rivers", "lakes"]
    assert BY_SLUG.first(slug="rivers", now=never) is None
    assert BY_SLUG.first(slug="' OR 1=1 --", now=later) is None
    assert BY_SLUG.first(slug="%s", now=later) is None


def test_an_integer_too_large_for_its_column_matches_nothing(db):
    course = CourseFactory()
    by_pk = PreparedQuery(lambda: Course.objects.filter(pk=Param("pk", BigIntegerField())))

    assert [by_pk(pk=pk) for pk in (course.pk, 10**30, -(10**30), None)] == [[course], [], [], []]


def test_prepared_rows_are_those_of_the_queryset(db, django_assert_num_queries):
    courses = [CourseFactory(slug=slug) for slug in ("rivers", "lakes", "seas")]
    for course in courses[:2]:
        SectionFactory(course=course)
    SectionFactory(course=courses[0])
    places = [Param("first", BigIntegerField()), Param("second", BigIntegerField())]

    def counts(wanted):
        rows = Section.objects.filter(course__pk__in=[getattr(one, "pk", one) for one in wanted]).values_list(
            "course", "course__uid"
        )
        return rows.annotate(n=Count("pk")).order_by("course")

    prepared = PreparedRows(lambda: counts(places))
    for one, two in [(courses[0], courses[1]), (courses[0], courses[0]), (courses[2], courses[2])]:
        with django_assert_num_queries(1):
            rows = prepared(first=one.pk, second=two.pk)
        assert rows == list(counts([one, two]))


def test_an_object_can_be_changed_and_saved(db):
    CourseFactory(slug="rivers")
    found = BY_SLUG.first(slug="rivers", now=timezone.now() + dt.timedelta(days=900))
    found.title = "Streams"
    found.save()

    assert Course.objects.get().title == "Streams"


def test_values_are_converted_by_their_fields(db):
    course = CourseFactory()
    by_uid = PreparedQuery(lambda: Course.objects.filter(uid=Param("uid", UUIDField())).order_by(F("pk")))

    assert by_uid.first(uid=course.uid) == course
    assert by_uid.first(uid=str(course.uid)) == course


def test_a_prepared_update_changes_only_its_fields_and_rows(db, django_assert_num_queries):
    rivers, lakes = CourseFactory(slug="rivers"), CourseFactory(slug="lakes")
    save = PreparedUpdate(
        lambda: Course.objects.filter(slug=Param("which", CharField())),
        *("title", "outcomes", "published_at"),
        learner_count=F("learner_count") + 1,
    )
    with django_assert_num_queries(2):
        assert save(which="rivers", title="Streams", outcomes=["Read a map."], published_at=None) == 1
        assert save(which="' OR 1=1 --", title="Streams", outcomes=[], published_at=None) == 0

    changed, kept = Course.objects.get(pk=rivers.pk), Course.objects.get(pk=lakes.pk)
    assert (changed.title, changed.outcomes, changed.published_at) == ("Streams", ["Read a map."], None)
    assert changed.learner_count == rivers.learner_count + 1
    assert (kept.title, kept.learner_count) == (lakes.title, lakes.learner_count)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only a server can close a connection")
@pytest.mark.django_db(transaction=True)
def test_a_connection_closed_by_the_server_is_detected():
    other = connections.create_connection("default")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [pid] = cursor.fetchone()
    assert connection.is_usable()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    other.close()

    assert not connection.is_usable()
    connection.close()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL prepares")
@pytest.mark.parametrize(("kept_for", "prepared"), [(600, 1), (0, 0)])
def test_a_persistent_connection_keeps_the_plan(db, kept_for, prepared):
    usual, other = connections["default"], connections.create_connection("default")
    other.settings_dict = {**other.settings_dict, "CONN_MAX_AGE": kept_for}
    connections["default"] = other
    try:
        query = PreparedQuery(lambda: Course.objects.filter(slug=Param("slug", CharField())).order_by())
        assert [query(slug=slug) for slug in ("rivers", "lakes", "%s")] == [[], [], []]
        with other.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_prepared_statements")
            assert cursor.fetchone() == (prepared,)
    finally:
        connections["default"] = usual
        other.close()
