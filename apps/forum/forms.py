"""Forms of the discussions."""

from typing import Any

from django import forms
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.courses.models import Lesson
from apps.forum import policies, text
from apps.forum.errors import PostTooLong
from apps.forum.models import Board, Topic
from apps.forum.services.naming import clean_tags
from studyplatform.kit.errors import AppError
from studyplatform.kit.names import tidy_name

EMPTY = _("Write something first.")
UNTITLED = _("Give the topic a title.")


def title_field() -> forms.CharField:
    """The title of a topic."""
    return TitleField(label=_("Title"), max_length=120, min_length=4, error_messages={"required": UNTITLED})


class TitleField(forms.CharField):
    """A line with at least one visible character."""

    def to_python(self, value: Any) -> str:
        return tidy_name(text.storable(super().to_python(value) or ""))


class SourceField(forms.CharField):
    """The Markdown of a post. The limit counts as the service does: code points after normalizing line ends.

    Of what is much longer, nothing is counted.
    """

    widget = forms.Textarea

    def __init__(self, **kwargs: Any) -> None:
        limit = MaxLengthValidator(4 * text.MOST)
        super().__init__(strip=False, error_messages={"required": EMPTY}, validators=[limit], **kwargs)

    def clean(self, value: Any) -> str:
        source = text.normalize(super().clean(value))
        try:
            text.check(source)
        except PostTooLong as error:
            over = text.length(source) - text.MOST
            raise forms.ValidationError(
                _("%(error)s This one is %(count)s too long.") % {"error": error.message, "count": f"{over:,}"}
            ) from None
        except AppError as error:
            raise forms.ValidationError(str(error.message)) from None
        return source


class ReplyForm(forms.Form):
    source = SourceField(label=_("Your reply"))
    reply_to = forms.IntegerField(required=False, widget=forms.HiddenInput)
    is_watched = forms.BooleanField(label=_("Notify me of new replies"), required=False, initial=True)


class AnswerForm(forms.Form):
    """An instructor's answer, with the id of a reply that they accept as well."""

    source = SourceField(label=_("Your answer"))
    accept = forms.IntegerField(required=False)


class EditForm(forms.Form):
    source = SourceField(label=_("Text"))
    edits = forms.IntegerField(widget=forms.HiddenInput)


class EditTopicForm(EditForm):
    title = title_field()
    field_order = ["title", "source", "edits"]


class TopicForm(forms.Form):
    """A new topic. The boards are those on which the user may open one."""

    kind = forms.ChoiceField(
        label=_("Kind"), initial=Topic.Kind.QUESTION, error_messages={"required": _("Choose a kind of topic.")}
    )
    board = forms.ModelChoiceField(
        Board.objects.none(),
        label=_("Board"),
        to_field_name="slug",
        empty_label=None,
        error_messages={"required": _("Choose a board."), "invalid_choice": _("Choose one of the boards.")},
    )
    lesson = forms.ModelChoiceField(
        Lesson.objects.none(), label=_("Lesson"), to_field_name="slug", required=False, empty_label=_("None")
    )
    second = forms.IntegerField(required=False, min_value=0, max_value=7 * 86400, widget=forms.HiddenInput)
    title = title_field()
    source = SourceField(label=_("Your question"))
    tags = forms.CharField(label=_("Tags"), required=False, max_length=300)
    is_watched = forms.BooleanField(label=_("Notify me of replies"), required=False, initial=True)

    def __init__(self, user: User, boards: list[Board], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.boards = boards
        kinds = [Topic.Kind.QUESTION, Topic.Kind.DISCUSSION, Topic.Kind.SHARE]
        if any(policies.moderates(user, board) for board in boards):
            kinds.append(Topic.Kind.ANNOUNCEMENT)
        kind = self.fields["kind"]
        assert isinstance(kind, forms.ChoiceField)  # noqa: S101 (for the type checker)
        kind.choices = [(one.value, one.label) for one in kinds]
        board = self.fields["board"]
        assert isinstance(board, forms.ModelChoiceField)  # noqa: S101
        board.queryset = Board.objects.filter(pk__in=[one.pk for one in boards])
        lesson = self.fields["lesson"]
        assert isinstance(lesson, forms.ModelChoiceField)  # noqa: S101
        chosen = next((one for one in boards if one.slug == self._board_slug()), None)
        self.course_id = chosen.course_id if chosen else None
        if self.course_id:
            lesson.queryset = Lesson.objects.filter(section__course=self.course_id).order_by(
                "section__position", "position"
            )

    def _board_slug(self) -> str:
        return str(self.data.get("board") or self.initial.get("board") or "")

    def clean_tags(self) -> list[str]:
        try:
            return clean_tags(self.cleaned_data["tags"].split(","))
        except AppError as error:
            raise forms.ValidationError(str(error.message)) from None
