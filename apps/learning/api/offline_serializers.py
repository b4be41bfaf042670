"""Shapes of offline lessons: devices, and what they may store."""

from rest_framework import serializers

from apps.courses.models import Lesson
from apps.learning.api.note_serializers import NoteOut
from apps.learning.api.practice_serializers import PracticeOut
from apps.learning.api.quiz_serializers import AttemptOut, QuestionResult, QuizOut
from apps.learning.api.serializers import CourseLink
from apps.learning.queries.storable_course import QUALITIES
from studyplatform.kit.web.fields import BoundedListField

MAX_LESSONS_AT_ONCE = 1000
MAX_DEVICE_NAME_LENGTH = 120

# --- Devices ---------------------------------------------------------------------------------------


class RegisterDeviceIn(serializers.Serializer[object]):
    name = serializers.CharField(max_length=MAX_DEVICE_NAME_LENGTH, help_text='For people, e.g. "Firefox on Android".')


class OfflineDeviceOut(serializers.Serializer[object]):
    """A browser in which the learner stores lessons."""

    uid = serializers.UUIDField()
    name = serializers.CharField()
    created_at = serializers.DateTimeField()
    last_contact_at = serializers.DateTimeField()


class OpenedDeviceOut(OfflineDeviceOut):
    """A device with what opens the lessons that it stores. Only for the session of its learner."""

    key = serializers.CharField(help_text="32 bytes as base64url without padding: the AES-GCM key of what is stored.")
    now = serializers.DateTimeField(help_text="The server's clock.")


class RefusalOut(serializers.Serializer[object]):
    """Why something was refused: an entry of the error catalog."""

    code = serializers.CharField()
    title = serializers.CharField()
    message = serializers.CharField()


class CheckInIn(serializers.Serializer[object]):
    lessons = BoundedListField(
        child=serializers.UUIDField(), max_length=MAX_LESSONS_AT_ONCE, help_text="The lessons that it stores."
    )
    is_partial = serializers.BooleanField(
        default=False, help_text="It stores others, too, which other calls name: no quiz counts as removed."
    )


class CheckedLesson(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    expires_at = serializers.DateTimeField(allow_null=True, help_text="Renewed; null: it may no longer be stored.")
    stamp = serializers.CharField(allow_blank=True, help_text="Of its present content: another one means it changed.")
    state = serializers.CharField(
        allow_blank=True, help_text="Of what its learner has done in it: another one means that its page changed."
    )
    refusal = RefusalOut(allow_null=True, help_text="Why it may no longer be stored.")


class CheckInOut(serializers.Serializer[object]):
    """What became of the lessons that a device stores. What is refused must be deleted there."""

    now = serializers.DateTimeField(help_text="The server's clock.")
    build = serializers.CharField(help_text="Of the scripts that show lessons: another one means they changed.")
    lessons = CheckedLesson(many=True)
    completed = serializers.ListField(
        child=serializers.UUIDField(), help_text="All lessons of their courses that the learner has completed."
    )


# --- What may be stored ------------------------------------------------------------------------------


class OfflineCourse(CourseLink):
    """A course of offline lessons, with what draws it without a connection."""

    plate = serializers.CharField(help_text="Its artwork as SVG.")


class LessonSize(serializers.Serializer[object]):
    quality = serializers.ChoiceField(
        choices=[*QUALITIES, ""], allow_blank=True, help_text="Empty for lessons without a video."
    )
    size = serializers.IntegerField(help_text="Bytes.")


class StorableLesson(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    number = serializers.CharField()
    title = serializers.CharField()
    kind = serializers.ChoiceField(choices=Lesson.Kind.choices)
    duration = serializers.IntegerField(help_text="Seconds.")
    url = serializers.CharField()
    section = serializers.IntegerField(help_text="The number of its section.")
    is_completed = serializers.BooleanField()
    sizes = LessonSize(many=True, help_text="By quality, the best first; empty if it can't be stored.")
    refusal = RefusalOut(allow_null=True, help_text="Why it can't be stored.")


class StorableSection(serializers.Serializer[object]):
    number = serializers.IntegerField()
    title = serializers.CharField()


class StorableCourseOut(serializers.Serializer[object]):
    """The lessons of a course with their sizes."""

    course = OfflineCourse()
    days = serializers.IntegerField(help_text="How long a lesson stays without a connection.")
    sections = StorableSection(many=True)
    lessons = StorableLesson(many=True)


class StoreLessonIn(serializers.Serializer[object]):
    quality = serializers.ChoiceField(
        choices=QUALITIES, default="720p", help_text="Of a video; one that doesn't exist means the next lower one."
    )


class OfflineResource(serializers.Serializer[object]):
    """A file of an offline lesson. The page refers to it as ``/offline/media/{lesson}/{name}``."""

    name = serializers.CharField(help_text="A relative path, e.g. 480p/00001.m4s.")
    source = serializers.CharField(  # type: ignore[assignment]  # a field of the response, not of the serializer
        help_text="Where to fetch it; signed addresses expire."
    )
    size = serializers.IntegerField(allow_null=True, help_text="Bytes; null if it is not known.")
    media_type = serializers.CharField()
    filename = serializers.CharField(allow_blank=True, help_text="Under which it is saved; empty if the page shows it.")
    content = serializers.CharField(
        allow_blank=True, help_text="The same value means the same bytes; empty: not known."
    )


class OfflinePage(serializers.Serializer[object]):
    """The page of the lesson: what stands in ``<main>``, for the shell that the browser keeps."""

    title = serializers.CharField()
    main_class = serializers.CharField(allow_blank=True)
    html = serializers.CharField()
    sheets = serializers.ListField(child=serializers.CharField(), help_text="Its style sheets beside core, by name.")
    scripts = serializers.ListField(child=serializers.CharField(), help_text="Its scripts beside the shell's, by name.")


class OfflineLessonOut(serializers.Serializer[object]):
    """All that a device stores of a lesson. Everything but the resources is in this response."""

    uid = serializers.UUIDField()
    course = OfflineCourse()
    section = StorableSection()
    number = serializers.CharField()
    title = serializers.CharField()
    kind = serializers.ChoiceField(choices=Lesson.Kind.choices)
    duration = serializers.IntegerField(help_text="Seconds.")
    url = serializers.CharField()
    quality = serializers.CharField(allow_blank=True, help_text="That was chosen; empty for lessons without a video.")
    is_completed = serializers.BooleanField()
    requires = serializers.ListField(
        child=serializers.UUIDField(), help_text="Lessons to complete before it may be opened."
    )
    now = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    stamp = serializers.CharField(help_text="As the check-in says it.")
    state = serializers.CharField(help_text="As the check-in says it.")
    build = serializers.CharField()
    page = OfflinePage()
    notes = NoteOut(many=True)
    quiz = QuizOut(allow_null=True, help_text="Of a quiz: its rules and past attempts.")
    paper = AttemptOut(allow_null=True, help_text="The questions of the next attempt, without answers.")
    paper_refusal = RefusalOut(allow_null=True, help_text="Why no attempt can be taken offline.")
    resources = OfflineResource(many=True)
    size = serializers.IntegerField(help_text="Bytes of the resources whose size is known.")


class OfflineFile(serializers.Serializer[object]):
    address = serializers.CharField(help_text="Under which the shell asks for it.")
    source = serializers.CharField(help_text="Where to fetch it.")  # type: ignore[assignment]  # as above


class OfflineShellOut(serializers.Serializer[object]):
    """The shell: the page that shows lessons without a connection, and its files. It names nobody."""

    build = serializers.CharField()
    html = serializers.CharField()
    files = OfflineFile(many=True)
    sheets = serializers.DictField(child=serializers.CharField(), help_text="Name → address.")
    scripts = serializers.DictField(child=serializers.CharField(), help_text="Name → address.")


class OfflineSolution(serializers.Serializer[object]):
    card = serializers.UUIDField()
    result = QuestionResult()


class OfflinePracticeOut(serializers.Serializer[object]):
    """Practice cards with what is told after an answer. It was shown to the learner before."""

    practice = PracticeOut()
    solutions = OfflineSolution(many=True)
