"""Shapes of seats, progress, quiz attempts and certificates. No shape that a browser gets before
submission has a field for an answer, an explanation or a remark."""

from rest_framework import serializers

from apps.courses.models import Lesson, Question, Quiz
from apps.learning.quizzes.marking import LONGEST

# --- Seats -----------------------------------------------------------------------------------------


class EnrollIn(serializers.Serializer[object]):
    course = serializers.SlugField(max_length=80)


class CourseLink(serializers.Serializer[object]):
    slug = serializers.CharField()
    title = serializers.CharField()
    url = serializers.CharField()


class LessonLink(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    number = serializers.CharField(help_text='As shown, e.g. "2.4".')
    title = serializers.CharField()
    kind = serializers.ChoiceField(choices=Lesson.Kind.choices)
    duration = serializers.IntegerField(help_text="Seconds.")
    url = serializers.CharField()
    state = serializers.ChoiceField(choices=["completed", "in_progress", "available", "locked"])


class EnrollmentOut(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    course = CourseLink()
    lesson_count = serializers.IntegerField()
    completed_lessons = serializers.IntegerField()
    percent = serializers.IntegerField()
    enrolled_at = serializers.DateTimeField()
    last_activity_at = serializers.DateTimeField()
    completed_at = serializers.DateTimeField(allow_null=True)
    resume_url = serializers.CharField()
    is_bookmarked = serializers.BooleanField()
    certificate_code = serializers.CharField(allow_null=True)


class RateIn(serializers.Serializer[object]):
    stars = serializers.IntegerField(min_value=1, max_value=5)
    text = serializers.CharField(max_length=2000, allow_blank=True, default="")


class RatingOut(serializers.Serializer[object]):
    stars = serializers.IntegerField()
    text = serializers.CharField()
    updated_at = serializers.DateTimeField()


# --- The player ------------------------------------------------------------------------------------


class CaptionOut(serializers.Serializer[object]):
    language = serializers.CharField(help_text="BCP 47.")
    label = serializers.CharField()  # type: ignore[assignment]
    url = serializers.CharField(help_text="Signed address of the WebVTT text.")


class SourcesOut(serializers.Serializer[object]):
    """Signed addresses; ask again for new ones when they have expired."""

    master = serializers.CharField(help_text="HLS master playlist.")
    audio = serializers.CharField(allow_null=True, help_text="HLS playlist of the sound alone.")
    sound = serializers.CharField(allow_null=True, help_text="The sound as one file, for a plain audio element.")
    poster = serializers.CharField(allow_null=True)
    storyboard = serializers.CharField(allow_null=True, help_text="WebVTT that points into the sprite.")
    captions = CaptionOut(many=True)
    expires_at = serializers.DateTimeField()


class CueOut(serializers.Serializer[object]):
    start = serializers.FloatField(help_text="Seconds.")
    end = serializers.FloatField()
    text = serializers.CharField()


class ChapterOut(serializers.Serializer[object]):
    start = serializers.FloatField()
    title = serializers.CharField()


class PlayerCourse(CourseLink):
    lesson_count = serializers.IntegerField()
    completed_lessons = serializers.IntegerField()
    percent = serializers.IntegerField()


class PlayerOut(serializers.Serializer[object]):
    """All that the player needs to start; the lesson page hands it over as the island's props."""

    uid = serializers.UUIDField()
    number = serializers.CharField()
    title = serializers.CharField()
    url = serializers.CharField()
    course = PlayerCourse()
    sources = SourcesOut(allow_null=True, help_text="Null while the video is still being processed.")
    duration = serializers.FloatField(help_text="Seconds.")
    position = serializers.FloatField(help_text="Where to resume, in seconds; 0 after the lesson was seen to its end.")
    position_at = serializers.DateTimeField(
        allow_null=True, help_text="When the learner was there, by their own clock; null if that is not known."
    )
    watched = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2),
        help_text="Distinct seconds already saved, as merged [from, to) pairs.",
    )
    watched_seconds = serializers.IntegerField()
    completed = serializers.BooleanField()
    may_save = serializers.BooleanField(help_text="False for visitors of a preview and for staff without a seat.")
    previous = LessonLink(allow_null=True)
    next = LessonLink(allow_null=True)
    transcript = CueOut(many=True)
    chapters = ChapterOut(many=True)
    progress_url = serializers.CharField(help_text="Where progress is posted.")


class OutlineSection(serializers.Serializer[object]):
    title = serializers.CharField()
    number = serializers.IntegerField()
    lesson_count = serializers.IntegerField()
    completed_lessons = serializers.IntegerField()
    lessons = LessonLink(many=True)


class OutlineOut(serializers.Serializer[object]):
    course = PlayerCourse()
    sections = OutlineSection(many=True)


# --- Progress --------------------------------------------------------------------------------------


class SaveProgressIn(serializers.Serializer[object]):
    """Where the learner is and which seconds were watched since the page was opened.

    Send all of this page's intervals each time: they are merged, so a repeated or late message adds nothing
    twice, and what was refused as too fast is accepted when enough time has passed.
    """

    position = serializers.FloatField(min_value=0, max_value=86_400 * 2)
    watched = serializers.ListField(
        child=serializers.ListField(
            child=serializers.IntegerField(min_value=0, max_value=86_400 * 2), min_length=2, max_length=2
        ),
        max_length=500,
        default=list,
        help_text="[from, to) pairs of whole seconds.",
    )
    at = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="When the learner was at that position. Without it the furthest position wins.",
    )

    def validate_position(self, value: float) -> float:
        if value != value:  # NaN passes both limits
            raise serializers.ValidationError("A number is required.", code="invalid")
        return value

    def validate_watched(self, value: list[list[int]]) -> list[list[int]]:
        if any(start >= end for start, end in value):
            raise serializers.ValidationError("Each pair ends after it begins.", code="invalid")
        return value


class ProgressOut(serializers.Serializer[object]):
    position = serializers.FloatField()
    watched_seconds = serializers.IntegerField()
    completed = serializers.BooleanField()
    newly_completed = serializers.BooleanField(help_text="True once: with the message that completed the lesson.")
    course_percent = serializers.IntegerField()
    completed_lessons = serializers.IntegerField()
    certificate_url = serializers.CharField(allow_null=True, help_text="When this completed the course.")
    milestone = serializers.IntegerField(
        allow_null=True, help_text="25, 50, 75 or 100: with the message that reached it."
    )


# --- Quiz ------------------------------------------------------------------------------------------


class OptionOut(serializers.Serializer[object]):
    id = serializers.CharField()
    html = serializers.CharField(help_text="Sanitized.")


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
    tolerance = serializers.CharField(allow_blank=True, help_text="Numbers within this distance count.")


class AnswerIn(serializers.Serializer[object]):
    """One answer; which field counts follows from the question's kind. An empty answer is left out."""

    id = serializers.CharField(required=False, max_length=40, help_text="single")
    ids = serializers.ListField(
        child=serializers.CharField(max_length=40), required=False, max_length=50, help_text="multiple, ordering"
    )
    value = serializers.BooleanField(required=False, help_text="truth")
    text = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST, help_text="numeric (point or comma), text"
    )
    pairs = serializers.DictField(
        child=serializers.CharField(max_length=40, allow_blank=True),
        required=False,
        help_text="matching: left to right",
    )


class SubmitAttemptIn(serializers.Serializer[object]):
    answers = serializers.DictField(child=AnswerIn(), help_text="By question uid.")


class RewatchOut(serializers.Serializer[object]):
    number = serializers.CharField()
    title = serializers.CharField()
    at = serializers.IntegerField(allow_null=True, help_text="Second of the video.")
    url = serializers.CharField()


class ResultLine(serializers.Serializer[object]):
    """One option, step or pair of a handed-in question."""

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


class QuestionResult(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=Question.Kind.choices)
    prompt_html = serializers.CharField()
    verdict = serializers.ChoiceField(choices=["right", "partly", "wrong", "open"])
    earned = serializers.CharField(help_text='E.g. "0.5".')
    points = serializers.IntegerField()
    lines = ResultLine(many=True)
    given = serializers.CharField(allow_blank=True, help_text="Number, text and truth: as answered.")
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
    best_percent = serializers.IntegerField(help_text="Over all tries: the best counts.")
    headline = serializers.CharField(help_text="A sentence that names the finding.")
    seconds = serializers.IntegerField(help_text="From opening to handing in.")
    shows_answers = serializers.BooleanField(help_text="Whether the right answers are told now.")
    questions = QuestionResult(many=True)
    next = LessonLink(allow_null=True)
    may_try_again = serializers.BooleanField()


class AttemptOut(serializers.Serializer[object]):
    """An attempt: open, with its questions; or handed in, with its result."""

    uid = serializers.UUIDField()
    number = serializers.IntegerField()
    started_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    time_limit = serializers.IntegerField(help_text="Seconds; 0: none.")
    seconds_left = serializers.IntegerField(allow_null=True, help_text="When this was answered; null: no limit.")
    pass_percent = serializers.IntegerField()
    questions = QuestionOut(many=True, help_text="Empty once handed in.")
    result = AttemptResult(allow_null=True)


class SubmittedAttempt(AttemptOut):
    """What came of submitting, and what it changed in the course."""

    progress = ProgressOut(allow_null=True, help_text="What passing changed; null if nothing did.")


class PastAttempt(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    number = serializers.IntegerField()
    percent = serializers.IntegerField()
    is_passed = serializers.BooleanField()
    submitted_at = serializers.DateTimeField()


class KindCount(serializers.Serializer[object]):
    kind = serializers.ChoiceField(choices=Question.Kind.choices)
    count = serializers.IntegerField()


class QuizOut(serializers.Serializer[object]):
    """The quiz lesson's page: its rules, past tries, and the attempt to go on with. The island's props."""

    lesson_uid = serializers.UUIDField()
    title = serializers.CharField()
    url = serializers.CharField()
    intro_html = serializers.CharField(allow_blank=True)
    question_count = serializers.IntegerField()
    kinds = KindCount(many=True, help_text="How many questions of each kind await, the most frequent first.")
    pass_percent = serializers.IntegerField()
    time_limit = serializers.IntegerField(help_text="Seconds; 0: none.")
    attempts_left = serializers.IntegerField(allow_null=True, help_text="Null: as many as one likes.")
    reveal = serializers.ChoiceField(choices=Quiz.Reveal.choices, help_text="When the right answers are told.")
    wait = serializers.IntegerField(help_text="Seconds until another attempt may be opened, when this was answered.")
    retry_wait = serializers.IntegerField(help_text="Seconds between attempts after the second; 0: none.")
    may_attempt = serializers.BooleanField(help_text="Whether another attempt may be opened, after the wait.")
    past = PastAttempt(many=True)
    attempt = AttemptOut(allow_null=True, help_text="The open one, else the last that was handed in.")
    progress_page = serializers.CharField()


# --- Certificates ----------------------------------------------------------------------------------


class PassedQuiz(serializers.Serializer[object]):
    title = serializers.CharField()
    percent = serializers.IntegerField(help_text="Of the attempt that passed it.")


class CertificateOut(serializers.Serializer[object]):
    """What anyone who holds the code may verify."""

    code = serializers.CharField()
    learner_name = serializers.CharField()
    course_title = serializers.CharField()
    instructor_name = serializers.CharField()
    lesson_count = serializers.IntegerField(help_text="All lessons of the course were completed: so many.")
    duration = serializers.IntegerField(help_text="Seconds.")
    video_percent = serializers.IntegerField(
        allow_null=True, help_text="Share of the video that was watched; null for a course without video."
    )
    quizzes = PassedQuiz(many=True)
    issued_at = serializers.DateTimeField()
    url = serializers.CharField()
