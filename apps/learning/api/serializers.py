"""Shapes of enrollments, progress, quiz attempts and certificates. No shape that a browser gets before
submission has a field for an answer, an explanation or a remark."""

from rest_framework import serializers

from apps.courses.models import Lesson
from studyplatform.kit.web.fields import BoundedListField

# --- Enrollments -----------------------------------------------------------------------------------


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


class ExternalOut(serializers.Serializer[object]):
    """A video that another host plays or sends. Load nothing of it before the learner asks for it."""

    host = serializers.ChoiceField(
        choices=["youtube", "vimeo", "file", "hls"], help_text="Whose player, or what the site's own player plays."
    )
    name = serializers.CharField(help_text="Of the host, for people.")
    contacts = serializers.CharField(help_text="The host that a browser contacts to play it.")
    address = serializers.CharField(help_text="Its canonical address.")
    frame = serializers.CharField(allow_blank=True, help_text="The address of the host's player; empty for a file.")
    media = serializers.CharField(allow_blank=True, help_text="The address of the file; empty for a host's player.")
    start = serializers.IntegerField(help_text="The second at which it begins.")
    may_tell_length = serializers.BooleanField(
        help_text="Whether the lesson has no length yet and the user may save the one that the player tells."
    )


class LessonDownloadOut(serializers.Serializer[object]):
    name = serializers.CharField()
    url = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")


class PlayerOut(serializers.Serializer[object]):
    """All that the player needs to start; the lesson page hands it over as the island's props."""

    uid = serializers.UUIDField()
    number = serializers.CharField()
    title = serializers.CharField()
    url = serializers.CharField()
    course = PlayerCourse()
    sources = SourcesOut(allow_null=True, help_text="Null while there is nothing to play.")
    is_processing = serializers.BooleanField(
        help_text="Whether the video is being processed, so that sources will follow. False if that failed."
    )
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
    may_save = serializers.BooleanField(help_text="False for visitors of a preview and for staff who are not enrolled.")
    previous = LessonLink(allow_null=True)
    next = LessonLink(allow_null=True)
    transcript = CueOut(many=True)
    chapters = ChapterOut(many=True)
    progress_url = serializers.CharField(help_text="Where progress is posted.")
    downloads = LessonDownloadOut(many=True, required=False, help_text="Files that the lesson offers.")
    external = ExternalOut(required=False, help_text="Of lessons that show a video of another host: what plays it.")


class OutlineLesson(LessonLink):
    is_optional = serializers.BooleanField(required=False, help_text="Doesn't count for completing the course.")
    opens_at = serializers.DateTimeField(
        required=False, allow_null=True, help_text="When it opens, if that keeps it closed."
    )


class OutlineSection(serializers.Serializer[object]):
    title = serializers.CharField()
    number = serializers.IntegerField()
    lesson_count = serializers.IntegerField()
    completed_lessons = serializers.IntegerField()
    lessons = OutlineLesson(many=True)


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
    watched = BoundedListField(
        child=BoundedListField(
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
    revoked_at = serializers.DateTimeField(allow_null=True, help_text="When it was revoked; null while it is valid.")
    url = serializers.CharField()
