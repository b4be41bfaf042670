"""Shapes of the findings of a course."""

from rest_framework import serializers

from apps.courses.findings.rules import Rule


class CourseFindingOut(serializers.Serializer[object]):
    """Something to look at in a course."""

    key = serializers.CharField(help_text="The same as long as the finding is about the same.")
    rule = serializers.ChoiceField(choices=[rule.value for rule in Rule])
    is_required = serializers.BooleanField(help_text="Whether the course can't be submitted without it.")
    title = serializers.CharField()
    message = serializers.CharField()
    why = serializers.CharField()
    lesson = serializers.CharField(allow_blank=True, help_text="Number and title of the lesson.")
    line = serializers.IntegerField(help_text="Of the text; 0 where there is none.")
    href = serializers.CharField(help_text="Opens the place.")
    ignored_because = serializers.CharField(allow_blank=True, help_text="Why its authors ignore it.")


class IgnoreFindingIn(serializers.Serializer[object]):
    reason = serializers.CharField(max_length=300)
