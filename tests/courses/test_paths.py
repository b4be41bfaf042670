"""Learning paths: services, their rules, and the pages of the studio."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from apps.accounts.errors import RoleRequired
from apps.accounts.events import AccountDeleted
from apps.courses import services
from apps.courses.errors import (
    CourseNotFound,
    NotCourseStaff,
    PathFull,
    PathNotFound,
    PathNotReady,
    TooManyPaths,
    WrongCourseStatus,
)
from apps.courses.models import LearningPath
from apps.courses.services import PathTexts
from studyplatform.kit.events import publish
from tests.factories.courses import CourseFactory
from tests.factories.paths import LearningPathFactory, put_in

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)


def order_of(path: LearningPath) -> list[tuple[int, str]]:
    return list(path.places.order_by("position").values_list("position", "course__title"))


@pytest.fixture
def path(ada) -> LearningPath:
    """Ada's path of three published courses: one, two, three."""
    courses = [CourseFactory(instructor=ada, status="published", title=title) for title in ("one", "two", "three")]
    return put_in(LearningPathFactory(owner=ada, slug="waters", title="Waters"), *courses)


def test_a_new_path_is_a_draft_with_a_free_slug(ada, mia):
    slugs = [
        services.create_path(by=ada, texts=PathTexts(title=title), now=NOW)
        for title in ("Tides", "Tides", "数学", "New")
    ]

    assert [path.slug for path in slugs] == ["tides", "tides-2", "path", "new-2"]
    assert not any(path.is_published for path in slugs)
    with pytest.raises(RoleRequired):
        services.create_path(by=mia, texts=PathTexts(title="Tides"), now=NOW)


def test_instructors_have_a_limited_number_of_paths(ada, sam, monkeypatch):
    monkeypatch.setattr("apps.courses.services.paths.PATH_LIMIT", 1)
    LearningPathFactory(owner=ada)
    LearningPathFactory(owner=sam)

    with pytest.raises(TooManyPaths):
        services.create_path(by=ada, texts=PathTexts(title="Tides"), now=NOW)
    assert services.create_path(by=sam, texts=PathTexts(title="Tides"), now=NOW).slug == "tides"


def test_positions_stay_without_gaps(path, ada):
    one, _two, three = (place.course for place in path.places.order_by("position"))

    services.move_path_course(path=path, by=ada, course=three, position=1, now=NOW)
    assert order_of(path) == [(1, "three"), (2, "one"), (3, "two")]
    services.move_path_course(path=path, by=ada, course=three, position=999, now=NOW)
    assert order_of(path) == [(1, "one"), (2, "two"), (3, "three")]
    services.remove_path_course(path=path, by=ada, course=one, now=NOW)
    services.remove_path_course(path=path, by=ada, course=one, now=NOW)
    assert order_of(path) == [(1, "two"), (2, "three")]
    services.add_path_course(path=path, by=ada, course=one, now=NOW)
    services.add_path_course(path=path, by=ada, course=one, now=NOW)
    assert order_of(path) == [(1, "two"), (2, "three"), (3, "one")]
    services.move_path_course(path=path, by=ada, course=CourseFactory(), position=1, now=NOW)
    assert order_of(path) == [(1, "two"), (2, "three"), (3, "one")]


def test_instructors_add_only_their_own_courses_and_admins_any(path, ada, eve, sam):
    published, draft = CourseFactory(instructor=eve, status="published"), CourseFactory(instructor=eve)

    with pytest.raises(NotCourseStaff):
        services.add_path_course(path=path, by=ada, course=published, now=NOW)
    with pytest.raises(CourseNotFound):
        services.add_path_course(path=path, by=ada, course=draft, now=NOW)
    with pytest.raises(PathNotFound):
        services.add_path_course(path=path, by=eve, course=published, now=NOW)
    services.add_path_course(path=path, by=sam, course=published, now=NOW)
    assert len(order_of(path)) == 4


@pytest.mark.parametrize("status", ["suspended", "archived"])
def test_a_closed_course_cannot_be_added(path, ada, status):
    with pytest.raises(WrongCourseStatus):
        services.add_path_course(path=path, by=ada, course=CourseFactory(instructor=ada, status=status), now=NOW)


def test_a_path_has_at_most_thirty_courses(ada):
    path = put_in(LearningPathFactory(owner=ada), *CourseFactory.create_batch(30, instructor=ada))

    with pytest.raises(PathFull):
        services.add_path_course(path=path, by=ada, course=CourseFactory(instructor=ada), now=NOW)


def test_a_path_needs_two_published_courses_to_be_published(path, ada, eve):
    path = services.unpublish_path(path=path, by=ada, now=NOW)
    path.places.filter(course__title="one").update(course=CourseFactory(instructor=ada))
    with pytest.raises(PathNotFound):
        services.publish_path(path=path, by=eve, now=NOW)
    assert services.publish_path(path=path, by=ada, now=NOW).is_published

    path = services.unpublish_path(path=path, by=ada, now=NOW)
    services.remove_path_course(path=path, by=ada, course=path.courses.get(title="two"), now=NOW)
    with pytest.raises(PathNotReady):
        services.publish_path(path=path, by=ada, now=NOW)


def test_a_path_deleted_in_the_meantime_is_not_found(path, ada):
    services.delete_path(path=LearningPath.objects.get(), by=ada)

    for change in (services.publish_path, services.unpublish_path):
        with pytest.raises(PathNotFound):
            change(path=path, by=ada, now=NOW)


def test_a_deleted_account_leaves_its_published_paths(path, ada, django_capture_on_commit_callbacks):
    LearningPathFactory(owner=ada, is_published=False)

    with django_capture_on_commit_callbacks(execute=True):
        publish(AccountDeleted(user_id=ada.pk))

    assert list(LearningPath.objects.all()) == [path]


# --- The studio ------------------------------------------------------------------------------------


def studio(path: LearningPath, rest: str = "") -> str:
    return f"/dashboard/instructor/paths/{path.uid}{rest}"


def test_a_path_is_written_put_in_order_and_published_without_scripts(browser_of, ada):
    ours = browser_of(ada)
    for title in ("Springs", "Deltas"):
        CourseFactory(instructor=ada, status="published", title=title, slug=title.lower())

    answer = ours.post("/dashboard/instructor/paths/new", {"title": " Follow  the water "}, follow=True)
    path = LearningPath.objects.get()
    assert path.title == "Follow the water"
    assert "Add 2 more published courses first" in answer.content.decode()
    for slug in ("springs", "deltas"):
        ours.post(studio(path, "/courses"), {"course": slug})
    ours.post(studio(path, "/courses/move"), {"course": "deltas", "position": "1"})
    assert order_of(path) == [(1, "Deltas"), (2, "Springs")]
    ours.post(studio(path, "/publish"), {"on": "1"})
    assert "Follow the water" in ours.get("/paths/").content.decode()
    ours.post(studio(path), {"title": "Upstream", "description": "**Slowly**"})
    assert "<strong>Slowly</strong>" in ours.get(f"/paths/{path.slug}").content.decode()
    ours.post(studio(path, "/courses/remove"), {"course": "springs"})
    assert order_of(path) == [(1, "Deltas")]
    assert "cannot be undone" in ours.get(studio(path, "/delete")).content.decode()
    assert LearningPath.objects.exists()
    ours.post(studio(path, "/delete"))
    assert not LearningPath.objects.exists()


def test_what_is_wrong_is_said_and_nothing_is_lost(browser_of, ada, path):
    ours = browser_of(ada)

    answer = ours.post(studio(path), {"title": "", "description": "My words"})
    assert answer.status_code == 422
    assert "My words" in answer.content.decode()
    assert ours.post(studio(path), {"title": "x" * 121}).status_code == 422
    for position in ("", "-1", "²", "99999", "one"):
        course = path.courses.first().slug
        assert ours.post(studio(path, "/courses/move"), {"course": course, "position": position}).status_code == 302
    for course in ({"course": "nothing\x00"}, {"course": "x" * 5000}, {}):
        answer = ours.post(studio(path, "/courses"), course, headers={"referer": f"http://testserver{studio(path)}"})
        assert answer.headers["Location"].endswith(studio(path))  # back to the page, which says why
    assert order_of(path) == [(1, "one"), (2, "two"), (3, "three")]
    assert ours.get(studio(path, "?find=%00%27%22" + "y" * 300)).status_code == 200


def test_only_its_owner_and_admins_edit_a_path(client, browser_of, path, ada, eve, mia, sam):
    calls = ["", "/courses", "/courses/move", "/courses/remove", "/publish", "/delete"]
    before = order_of(path)

    for rest in calls:
        assert browser_of(eve).post(studio(path, rest), {"course": "x", "position": "1"}).status_code in {302, 404}
        assert browser_of(mia).post(studio(path, rest)).status_code in {302, 403}
        assert client.post(studio(path, rest)).status_code == 302
    assert browser_of(eve).get(f"/dashboard/instructor/paths/{uuid4()}").status_code == 404
    assert order_of(path) == before
    assert LearningPath.objects.get().is_published
    assert "Waters" in browser_of(ada).get("/dashboard/instructor/paths/").content.decode()
    assert "Waters" in browser_of(sam).get("/dashboard/instructor/paths/").content.decode()
    assert "Waters" not in browser_of(eve).get("/dashboard/instructor/paths/").content.decode()


def test_courses_to_add_are_ones_own_and_found_by_title(browser_of, path, ada, eve, sam):
    CourseFactory(instructor=ada, title="Glaciers")
    CourseFactory(instructor=ada, title="Old Glaciers", status="archived")
    CourseFactory(instructor=eve, title="Glaciers of Others", status="published")

    mine = browser_of(ada).get(studio(path, "?find=glac")).content.decode()
    assert "Add Glaciers" in mine
    assert "Old Glaciers" not in mine
    assert "of Others" not in mine
    assert "Add Glaciers of Others" in browser_of(sam).get(studio(path, "?find=glac")).content.decode()
    assert "No courses you can add match" in browser_of(ada).get(studio(path, "?find=nothing")).content.decode()


def test_the_studio_needs_few_queries_with_many_paths_and_courses(browser_of, ada, path, django_assert_max_num_queries):
    put_in(path, *CourseFactory.create_batch(27, instructor=ada, status="published"))
    CourseFactory.create_batch(20, instructor=ada)
    LearningPathFactory.create_batch(30, owner=ada)
    ours = browser_of(ada)

    with django_assert_max_num_queries(6):
        assert ours.get("/dashboard/instructor/paths/?page=2").status_code == 200
    with django_assert_max_num_queries(6):
        assert ours.get(studio(path)).status_code == 200


def test_admins_publish_paths_in_the_records(browser_of, path, sam):
    draft = LearningPathFactory(is_published=False, title="Nothing yet")
    records = browser_of(sam)

    page = records.get("/admin/courses/learningpath/").content.decode()
    assert studio(path) in page
    assert records.get(f"/admin/courses/learningpath/{path.pk}/change/").status_code == 200
    rows = {"action": "publish", "_selected_action": [draft.pk]}
    assert (
        "at least 2 published courses"
        in records.post("/admin/courses/learningpath/", rows, follow=True).content.decode()
    )
    records.post("/admin/courses/learningpath/", {"action": "unpublish", "_selected_action": [path.pk]})
    path.refresh_from_db()
    assert not path.is_published
