"""Shapes of learning paths."""

from rest_framework import serializers

from apps.courses.models import Course
from apps.learning.api.serializers import CourseLink
from apps.learning.queries.path_progress import CLOSED, COMPLETED, IN_PROGRESS, OPEN, SOON, WAITING


class PathProgressOut(serializers.Serializer[object]):
    """How far the caller is. Only published courses count."""

    completed_courses = serializers.IntegerField()
    course_count = serializers.IntegerField()
    percent = serializers.IntegerField(help_text="The mean of the progress in the courses.")


class PathCardOut(serializers.Serializer[object]):
    """A learning path in a list."""

    slug = serializers.CharField()
    title = serializers.CharField()
    summary = serializers.CharField()
    url = serializers.CharField()
    course_count = serializers.IntegerField(help_text="Published courses.")
    duration = serializers.IntegerField(help_text="Seconds of all lessons.")
    progress = PathProgressOut(allow_null=True, help_text="Null for visitors.")


class PathStepOut(serializers.Serializer[object]):
    """A course of a path."""

    course = CourseLink()
    number = serializers.IntegerField(allow_null=True, help_text="Its place among the published courses, from 1.")
    state = serializers.ChoiceField(
        choices=[COMPLETED, IN_PROGRESS, WAITING, OPEN, SOON, CLOSED],
        help_text="waiting: a prerequisite is not complete. soon, closed: it does not count.",
    )
    percent = serializers.IntegerField()
    difficulty = serializers.ChoiceField(choices=Course.Difficulty.choices)
    lesson_count = serializers.IntegerField()
    duration = serializers.IntegerField(help_text="Seconds.")
    waits_for = CourseLink(many=True, help_text="The courses to complete first.")


class PathOut(serializers.Serializer[object]):
    """A learning path with its courses in their order."""

    slug = serializers.CharField()
    title = serializers.CharField()
    summary = serializers.CharField()
    description = serializers.CharField(help_text="Markdown.")
    url = serializers.CharField()
    duration = serializers.IntegerField(help_text="Seconds of all lessons.")
    progress = PathProgressOut(allow_null=True, help_text="Null for visitors.")
    next = serializers.CharField(allow_null=True, help_text="The slug of the course to begin or continue.")
    courses = PathStepOut(many=True)
