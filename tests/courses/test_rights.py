"""What co-instructors may do by their role, in every place that asks."""

from datetime import UTC, datetime

import pytest

from apps.accounts.models import Role
from apps.courses import policies, services
from apps.courses.errors import NotCourseStaff, OnlyForInstructor, RightNotGiven
from apps.courses.models import CoInstructor, Course, Right
from apps.courses.policies import courses_with_right, has_right, teachers_of
from apps.courses.queries.catalogue import Criteria, page_of
from apps.courses.queries.insertable import insertable_lessons
from apps.courses.services import CourseTexts, people
from apps.forum import message_policies
from apps.forum import policies as forum
from apps.forum.message_policies import Side
from apps.forum.models import Board, Conversation
from apps.forum.queries import messages
from apps.forum.queries.completion import people_to_mention
from apps.forum.queries.shown import show_posts
from apps.forum.queries.threads import thread
from apps.forum.services.messages import send_message
from apps.learning import rating_policies
from apps.learning.queries.marking import essays_for
from studyplatform.kit.errors import AppError
from tests.factories.accounts import UserFactory
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import VideoFactory
from tests.factories.learning import EnrollmentFactory
from tests.factories.topics import make_post, make_topic

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
ROLES = {
    "edit": {Right.VIEW, Right.TEACH, Right.EDIT},
    "teach": {Right.VIEW, Right.TEACH},
    "view": {Right.VIEW},
}


def join(course, role, **user):
    return CoInstructorFactory(
        course=course, role=role, **{f"user__{name}": value for name, value in user.items()}
    ).user


def rights_in(course, user):
    return {right for right in Right if has_right(user, course, right)}


def test_each_role_includes_its_rights_and_no_other():
    course = CourseFactory()
    for role, rights in ROLES.items():
        assert rights_in(course, join(course, role)) == rights
    assert rights_in(course, course.instructor) == set(Right)
    assert rights_in(CourseFactory(), join(course, "edit")) == set()


def test_rights_end_with_the_removal_the_role_of_the_account_and_the_account():
    course = CourseFactory()
    member = CoInstructorFactory(course=course)
    CoInstructor.objects.filter(pk=member.pk).update(removed_at=NOW)
    assert rights_in(course, member.user) == set()
    assert rights_in(course, CoInstructorFactory(course=course, user__role=Role.STUDENT).user) == set()
    assert rights_in(course, CoInstructorFactory(course=course, user__is_active=False).user) == set()


def test_learners_cost_no_query(django_assert_num_queries):
    course, learner = CourseFactory(), UserFactory()
    with django_assert_num_queries(0):
        assert not has_right(learner, course, Right.VIEW)


def test_rights_over_many_courses_are_one_query(django_assert_num_queries):
    member = CoInstructorFactory(role="teach")
    own, other = CourseFactory(instructor=member.user), CourseFactory()
    courses = [own, other, member.course]
    with django_assert_num_queries(1):
        assert courses_with_right(member.user, courses, Right.TEACH) == {own.pk, member.course.pk}
    assert courses_with_right(member.user, courses, Right.EDIT) == {own.pk}
    assert courses_with_right(member.user, courses, Right.OWN) == {own.pk}


def test_policies_of_courses_follow_the_roles():
    course = CourseFactory()
    edits, teaches, views = (join(course, role) for role in ("edit", "teach", "view"))
    assert policies.edit_course(edits, course) is None
    assert policies.submit_course(edits, course) is None
    for other in (teaches, views):
        assert policies.manage_course(other, course) is None
        assert isinstance(policies.edit_course(other, course), RightNotGiven)
        assert isinstance(policies.submit_course(other, course), RightNotGiven)
    for policy in (policies.delete_course, policies.archive_course, policies.unpublish_course, policies.own_course):
        assert isinstance(policy(edits, course), OnlyForInstructor)
    published = CourseFactory(status="published")
    assert isinstance(policies.edit_course(edits, published), NotCourseStaff)


def test_a_co_instructor_edits_texts_but_not_the_price(ada):
    course = CourseFactory(instructor=ada)
    edits = join(course, "edit")
    present = {name: getattr(course, name) for name in CourseTexts.__dataclass_fields__ if name != "prerequisites"}
    texts = CourseTexts(**{**present, "title": "A better title"})
    services.edit_course(course=course, by=edits, texts=texts, now=NOW)
    priced = CourseTexts(**{**present, "title": "Another", "pricing": Course.Pricing.ONE_TIME, "price": 900})
    with pytest.raises(OnlyForInstructor):
        services.edit_course(course=course, by=edits, texts=priced, now=NOW)
    course.refresh_from_db()
    assert (course.title, course.pricing) == ("A better title", Course.Pricing.FREE)


def test_lists_have_the_courses_of_co_instructors():
    member = CoInstructorFactory(role="view")
    user = member.user
    assert list(Course.objects.taught_by(user.pk)) == [member.course]
    assert not Course.objects.taught_by(user.pk, Right.TEACH).exists()
    assert not Course.objects.taught_by(user.pk, Right.OWN).exists()


def test_those_who_teach_moderate_the_board_and_are_told():
    course = CourseFactory(status="published")
    board = Board.objects.create(slug="b", title="B", course=course)
    teaches, views = join(course, "teach"), join(course, "view")
    assert forum.moderates(teaches, board)
    assert not forum.moderates(views, board)
    assert set(teachers_of(course)) == {course.instructor, teaches}
    assert message_policies.announce(teaches, course) is None
    assert message_policies.announce(views, course) is not None


def test_the_board_marks_what_those_who_teach_write(django_assert_max_num_queries):
    course = CourseFactory(status="published")
    topic = make_topic(board=Board.objects.create(slug="b", title="B", course=course))
    teaches, views = join(course, "teach"), join(course, "view")
    posts = [make_post(topic, author=author) for author in (course.instructor, teaches, views, UserFactory())]
    with django_assert_max_num_queries(2):
        shown = show_posts(posts, topic, topic.author, is_moderator=False)
    assert [one.is_staff for one in shown] == [True, True, False, False]
    assert [one.is_staff for one in people_to_mention(topic.author, teaches.username, topic)] == [True]


def test_those_who_teach_answer_messages(django_assert_num_queries):
    course, learner = CourseFactory(status="published"), UserFactory()
    teaches, views = join(course, "teach"), join(course, "view")
    times = {"created_at": NOW, "last_message_at": NOW, "changed_at": NOW}
    row = Conversation.objects.create(course=course, learner=learner, unread_by_instructor=1, **times)
    assert message_policies.side_in(teaches, course, learner) is Side.INSTRUCTOR
    assert message_policies.side_in(views, course, learner) is None
    assert list(Conversation.objects.as_instructor(teaches.pk)) == [row]
    with django_assert_num_queries(3):
        counts = messages.unread_counts({course.instructor_id, teaches.pk, views.pk})
    assert counts == {course.instructor_id: (0, 1), teaches.pk: (0, 1), views.pk: (0, 0)}
    [changed] = messages.changed_conversations({teaches.pk}, NOW)
    assert messages.people_in(changed) == {learner.pk, course.instructor_id, teaches.pk}


def test_those_who_teach_reply_to_ratings_and_mark(ada, sam):
    course = CourseFactory(instructor=ada)
    teaches, views = join(course, "teach"), join(course, "view")
    assert rating_policies.teaches(teaches, course)
    assert rating_policies.teaches(ada, course)
    assert not rating_policies.teaches(views, course)
    assert not rating_policies.teaches(sam, course)  # an admin decides about ratings, and answers none
    assert not essays_for(views).exists()


def test_a_co_instructor_shows_own_videos_and_no_others_of_the_instructor(ada):
    lesson = LessonFactory(section__course__instructor=ada, kind="video")
    edits = join(lesson.course, "edit")
    mine, hers = VideoFactory(owner=edits), VideoFactory(owner=ada)
    services.attach_video(lesson=lesson, by=edits, video=mine, now=NOW)
    with pytest.raises(services.media.VideoNotYours):
        services.attach_video(lesson=lesson, by=edits, video=hers, now=NOW)


def test_what_was_under_way_at_the_removal_is_refused_and_stays_theirs(ada):
    """An upload that was running belongs to who sent it; a message that was being typed isn't sent."""
    lesson = LessonFactory(section__course__instructor=ada, kind="video")
    member = CoInstructorFactory(course=lesson.course, role="edit")
    video, learner = VideoFactory(owner=member.user), EnrollmentFactory(course=lesson.course).user
    people.remove_co_instructor(course=lesson.course, by=ada, user_id=member.user_id, now=NOW)
    with pytest.raises(AppError):
        services.attach_video(lesson=lesson, by=member.user, video=video, now=NOW)
    with pytest.raises(AppError):
        send_message(course=lesson.course, learner=learner, user=member.user, source="An answer", now=NOW)
    video.refresh_from_db()
    assert video.owner == member.user
    assert not Conversation.objects.exists()


def test_lessons_of_the_instructors_other_courses_are_not_shown_to_co_instructors(ada):
    course = CourseFactory(instructor=ada)
    other = LessonFactory(section__course__instructor=ada)
    edits = join(course, "edit")
    assert list(insertable_lessons(course, ada)) == [other]
    assert not insertable_lessons(course, edits).exists()


def test_the_course_page_and_the_catalog_name_who_teaches(ada, client):
    course = CourseFactory(instructor=ada, status="published", title="Rivers of Asia")
    teaches = join(course, "teach")
    views = join(course, "view")
    page = client.get(f"/courses/{course.slug}").content.decode()
    assert teaches.display_name in page
    assert views.display_name not in page
    for user, is_found in ((ada, True), (teaches, True), (views, False)):
        found = page_of(Criteria(teacher=user.username))
        assert (found.total, found.teacher) == ((1, user.display_name) if is_found else (0, ""))
    people.remove_co_instructor(course=course, by=ada, user_id=teaches.pk, now=NOW)
    assert teaches.display_name not in client.get(f"/courses/{course.slug}").content.decode()


def test_messages_name_their_writer(ada):
    course, learner = CourseFactory(instructor=ada, status="published"), UserFactory()
    EnrollmentFactory(course=course, user=learner)
    teaches = join(course, "teach")
    for user in (learner, ada, teaches):
        send_message(course=course, learner=learner, user=user, source=f"By {user.pk}", now=NOW)
    row = Conversation.objects.get()
    names = {
        user: [said.writer for day in thread(row, user, now=NOW).days for said in day.said]
        for user in (learner, ada, teaches)
    }
    assert names == {
        learner: ["", "", teaches.display_name],
        ada: ["", "", teaches.display_name],
        teaches: ["", ada.display_name, ""],
    }
