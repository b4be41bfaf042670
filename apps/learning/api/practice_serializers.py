"""Shapes of practice. A card that is not answered yet has no field for the answer of its question."""

from rest_framework import serializers

from apps.learning.api.quiz_serializers import AnswerIn, QuestionOut, QuestionResult
from apps.learning.models import PracticeReview


class PracticeCardOut(serializers.Serializer[object]):
    """A question that was missed, or a flash card with its two sides."""

    uid = serializers.UUIDField()
    turn = serializers.IntegerField(help_text="How often the card was reviewed; sent back with the review.")
    course = serializers.CharField(allow_blank=True, help_text="Its title; empty for a flash card.")
    quiz = serializers.CharField(allow_blank=True, help_text="The number of its lesson.")
    missed = serializers.IntegerField(help_text="In how many attempts.")
    missed_at = serializers.DateTimeField(allow_null=True)
    question = QuestionOut(allow_null=True, help_text="Null for a flash card.")
    front_html = serializers.CharField(allow_blank=True, help_text="Sanitized.")
    back_html = serializers.CharField(allow_blank=True, help_text="Sanitized.")
    intervals = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Seconds until the card returns, for each rating: again, hard, good, easy.",
    )


class PracticeOut(serializers.Serializer[object]):
    """What is left to practice today. The island's props."""

    origin = serializers.CharField(allow_blank=True, help_text='A course\'s slug, "own" for flash cards; empty: all.')
    total = serializers.IntegerField(help_text="All cards of the learner.")
    left = serializers.IntegerField(help_text="Cards that are due today, after the limits of the day.")
    done_today = serializers.IntegerField(help_text="Cards practiced today.")
    tomorrow = serializers.IntegerField(help_text="Cards that will be due tomorrow.")
    next_due = serializers.DateTimeField(allow_null=True, help_text="When the next card after today returns.")
    cards = PracticeCardOut(many=True, help_text="The next ones, at most 20.")


class PracticeAnswerIn(serializers.Serializer[object]):
    answer = AnswerIn(required=False, allow_null=True, help_text="Left out: the learner doesn't know.")


class PracticeAnswered(serializers.Serializer[object]):
    result = QuestionResult()
    suggested = serializers.ChoiceField(choices=PracticeReview.Rating.choices, help_text="The rating that fits.")


class PracticeReviewIn(serializers.Serializer[object]):
    """A rating. The same key again is the same review."""

    key = serializers.UUIDField(help_text="Made by the browser.")
    turn = serializers.IntegerField(min_value=0, max_value=1_000_000)
    rating = serializers.ChoiceField(
        choices=PracticeReview.Rating.choices, help_text="1 again, 2 hard, 3 good, 4 easy."
    )
    answer = AnswerIn(required=False, allow_null=True)
    reviewed_at = serializers.DateTimeField(
        required=False, allow_null=True, help_text="When it was rated, if that was before now."
    )


class PracticeReviewed(serializers.Serializer[object]):
    is_counted = serializers.BooleanField(help_text="False if another review of the same turn came first.")
    due = serializers.DateTimeField()
    turn = serializers.IntegerField()
