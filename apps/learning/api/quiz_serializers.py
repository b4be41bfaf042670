"""Shapes of quizzes and attempts.

No shape that a browser receives before submission has a field for an answer, an explanation or a remark."""

from rest_framework import serializers

from apps.courses.models import Question, Quiz
from apps.courses.services import MAX_ESSAY_LENGTH, QUESTION_LIMIT
from apps.learning.api.serializers import LessonLink, ProgressOut
from apps.learning.quizzes.marking import MAX_LENGTH
from studyplatform.kit.web.fields import BoundedDictField, BoundedListField


class OptionOut(serializers.Serializer[object]):
    id = serializers.CharField()
    html = serializers.CharField(help_text="Sanitized.")


class NumberFormatOut(serializers.Serializer[object]):
    """How the learner's language writes numbers."""

    decimal = serializers.CharField(trim_whitespace=False)
    group = serializers.CharField(trim_whitespace=False)
    second_group = serializers.IntegerField(help_text="Digits of the groups before the last one: 2 in India.")


class GapOut(serializers.Serializer[object]):
    """A field of a text with gaps, in the place of ``<span data-gap="number">`` in the prompt."""

    number = serializers.CharField(help_text="The key of its answer.")
    kind = serializers.ChoiceField(choices=[Question.Kind.SINGLE, Question.Kind.NUMERIC, Question.Kind.TEXT])
    points = serializers.IntegerField()
    options = OptionOut(many=True, help_text="Of a choice.")
    unit = serializers.CharField(allow_blank=True)
    tolerance = serializers.CharField(allow_blank=True)
    ignores_accents = serializers.BooleanField()
    is_case_sensitive = serializers.BooleanField()


class QuestionOut(serializers.Serializer[object]):
    """What may be seen before submission."""

    uid = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=Question.Kind.choices)
    prompt_html = serializers.CharField(help_text="Sanitized.")
    points = serializers.IntegerField()
    options = OptionOut(many=True, help_text="Choices, or the steps to put in order.")
    left = OptionOut(many=True, help_text="Matching: what to find partners for.")
    right = OptionOut(many=True, help_text="Matching: the partners to choose from.")
    unit = serializers.CharField(allow_blank=True)
    tolerance = serializers.CharField(
        allow_blank=True, help_text='Numbers within this distance count: "0.1", or "5%" of the value.'
    )
    ignores_accents = serializers.BooleanField(help_text="Short text: accents don't matter.")
    is_case_sensitive = serializers.BooleanField(help_text="Short text: capital letters matter.")
    number_format = NumberFormatOut(help_text="How a number with two readings is read.")
    gaps = GapOut(many=True, help_text="The fields of a text with gaps, in the order of the text.")
    limit = serializers.IntegerField(allow_null=True, help_text="Of an essay: its longest answer in code points.")


class AnswerIn(serializers.Serializer[object]):
    """One answer; which field counts follows from the question's kind. An empty answer is left out."""

    id = serializers.CharField(required=False, max_length=40, help_text="single")
    ids = BoundedListField(
        child=serializers.CharField(max_length=40), required=False, max_length=50, help_text="multiple, ordering"
    )
    value = serializers.BooleanField(required=False, help_text="truth")
    text = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_LENGTH, help_text="numeric, text: as typed"
    )
    pairs = BoundedDictField(
        child=serializers.CharField(max_length=40, allow_blank=True),
        required=False,
        max_length=50,
        help_text="matching: left to right",
    )
    gaps = BoundedDictField(
        child=serializers.CharField(max_length=MAX_LENGTH, allow_blank=True, trim_whitespace=False),
        required=False,
        max_length=50,
        help_text="gaps: by number, the id of a choice or what was typed",
    )


class AttemptAnswerIn(AnswerIn):
    """An answer in an attempt, where essays are answered too."""

    text = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_ESSAY_LENGTH, help_text="numeric, text, essay: as typed"
    )


class SubmitAttemptIn(serializers.Serializer[object]):
    answers = BoundedDictField(child=AttemptAnswerIn(), max_length=QUESTION_LIMIT, help_text="By question uid.")


class RewatchOut(serializers.Serializer[object]):
    number = serializers.CharField()
    title = serializers.CharField()
    at = serializers.IntegerField(allow_null=True, help_text="Second of the video.")
    url = serializers.CharField()


class ResultLine(serializers.Serializer[object]):
    """One option, step or pair of a submitted question."""

    html = serializers.CharField()
    chosen_html = serializers.CharField(allow_blank=True, help_text="Matching: the partner that was chosen.")
    right_html = serializers.CharField(allow_blank=True, help_text="Matching: the right partner.")
    is_chosen = serializers.BooleanField()
    is_right = serializers.BooleanField(
        allow_null=True,
        help_text="Choices: belongs to the answer. Steps: in place. Pairs: well matched. Null while it is not told.",
    )
    place = serializers.IntegerField(
        allow_null=True, help_text="Ordering: where the step belongs, from 1; null while it is not told."
    )
    points = serializers.IntegerField(allow_null=True, help_text="Gaps: what a right answer earns.")


class QuestionResult(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=Question.Kind.choices)
    prompt_html = serializers.CharField()
    verdict = serializers.ChoiceField(choices=["right", "partly", "wrong", "open", "waiting"])
    earned = serializers.CharField(help_text='E.g. "0.5".')
    points = serializers.IntegerField()
    lines = ResultLine(many=True)
    given = serializers.CharField(allow_blank=True, help_text="Number, text, essay and truth: as answered.")
    comment = serializers.CharField(allow_blank=True, help_text="Essay: what was written with the mark.")
    accepted = serializers.CharField(
        allow_blank=True, help_text="Number, text and truth: what counts as right; empty while it is not told."
    )
    explanation_html = serializers.CharField(allow_blank=True)
    remarks_html = serializers.ListField(
        child=serializers.CharField(), help_text="What a wrong choice would have meant."
    )
    rewatch = RewatchOut(allow_null=True)


class AttemptResult(serializers.Serializer[object]):
    score = serializers.CharField(help_text='E.g. "5.2".')
    points = serializers.IntegerField()
    percent = serializers.IntegerField()
    is_passed = serializers.BooleanField()
    waiting = serializers.IntegerField(
        help_text="How many essays wait for a mark. Until then score and percent are preliminary, and it isn't passed."
    )
    best_percent = serializers.IntegerField(help_text="Over all attempts: the best counts.")
    headline = serializers.CharField(help_text="A sentence that sums up the result.")
    seconds = serializers.IntegerField(help_text="From opening to submitting.")
    is_offline = serializers.BooleanField(
        help_text="It was taken without a connection, and the learner's device measured its time."
    )
    shows_answers = serializers.BooleanField(help_text="Whether the right answers are told now.")
    questions = QuestionResult(many=True)
    next = LessonLink(allow_null=True)
    certificate_url = serializers.CharField(allow_null=True, help_text="The learner's certificate of the course.")
    may_try_again = serializers.BooleanField()


class AttemptOut(serializers.Serializer[object]):
    """An attempt: open, with its questions; or submitted, with its result."""

    uid = serializers.UUIDField()
    number = serializers.IntegerField()
    started_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    time_limit = serializers.IntegerField(help_text="Seconds; 0: none.")
    seconds_left = serializers.IntegerField(allow_null=True, help_text="When this was answered; null: no limit.")
    pass_percent = serializers.IntegerField()
    questions = QuestionOut(many=True, help_text="Empty once submitted.")
    continues = serializers.UUIDField(allow_null=True, help_text="The attempt that was reopened.")
    answers = serializers.DictField(
        child=AttemptAnswerIn(), help_text="What an open attempt begins with: those of the attempt that it continues."
    )
    result = AttemptResult(allow_null=True)


class SubmittedAttempt(AttemptOut):
    """What came of submitting, and what it changed in the course."""

    progress = ProgressOut(allow_null=True, help_text="What passing changed; null if nothing did.")


class PastAttempt(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    number = serializers.IntegerField()
    percent = serializers.IntegerField()
    is_passed = serializers.BooleanField()
    is_waiting = serializers.BooleanField(help_text="Essays in it have no mark yet: its percent is preliminary.")
    is_continued = serializers.BooleanField(help_text="It continues the one before it, which was reopened.")
    submitted_at = serializers.DateTimeField()


class ReopenedOut(serializers.Serializer[object]):
    """The newest attempt, which the staff of the course has reopened."""

    number = serializers.IntegerField()
    time_limit = serializers.IntegerField(help_text="Seconds from when it is continued; 0: none.")


class KindCount(serializers.Serializer[object]):
    kind = serializers.ChoiceField(choices=Question.Kind.choices)
    count = serializers.IntegerField()


class QuizOut(serializers.Serializer[object]):
    """The quiz lesson's page: its rules, past attempts, and the attempt to continue. The island's props."""

    lesson_uid = serializers.UUIDField()
    title = serializers.CharField()
    url = serializers.CharField()
    intro_html = serializers.CharField(allow_blank=True)
    question_count = serializers.IntegerField(help_text="Of one attempt.")
    pool_count = serializers.IntegerField(help_text="Of the quiz: where it is more, each attempt draws at random.")
    kinds = KindCount(
        many=True,
        help_text="How many questions of each kind it asks, the most frequent first; empty where they are drawn.",
    )
    pass_percent = serializers.IntegerField()
    time_limit = serializers.IntegerField(help_text="The learner's, in seconds; 0: none.")
    has_extra_time = serializers.BooleanField(help_text="Others have less time.")
    attempts_left = serializers.IntegerField(allow_null=True, help_text="Null: unlimited.")
    reveal = serializers.ChoiceField(choices=Quiz.Reveal.choices, help_text="When the right answers are told.")
    wait = serializers.IntegerField(help_text="Seconds until another attempt may be opened, when this was answered.")
    retry_wait = serializers.IntegerField(help_text="Seconds between attempts after the second; 0: none.")
    may_attempt = serializers.BooleanField(help_text="Whether another attempt may be opened, after the wait.")
    reopened = ReopenedOut(allow_null=True, help_text="What the next call to open an attempt continues.")
    is_removed = serializers.BooleanField(
        help_text="A version of the course took it out: attempts are read, and ended."
    )
    past = PastAttempt(many=True)
    attempt = AttemptOut(allow_null=True, help_text="The open one, otherwise the last that was submitted.")
    progress_page = serializers.CharField()
