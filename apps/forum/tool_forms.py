"""Forms of what moderators do with a topic."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.forum.forms import title_field
from apps.forum.models import Board, Post, Topic
from apps.forum.models.topics import moderated_boards
from apps.forum.services.naming import clean_tags
from studyplatform.kit.errors import AppError

_ADDRESS = re.compile(r"(?:^|/topics/|#)(\d{1,15})(?:[/?#].*)?$", re.ASCII)
_POST = re.compile(r"/posts/(\d{1,15})(?:[/?#].*)?$", re.ASCII)


def boards_moderated_by(user: User) -> Any:
    """The boards that the user moderates, as a query of boards with their courses."""
    moderated = moderated_boards(user)
    boards = Board.objects.none() if moderated is None else Board.objects.filter(moderated)
    return boards.select_related("course").order_by("position", "title")


class TitleForm(forms.Form):
    """The title and the tags of a topic."""

    title = title_field()
    tags = forms.CharField(label=_("Tags"), required=False, max_length=300)

    def clean_tags(self) -> list[str]:
        try:
            return clean_tags(self.cleaned_data["tags"].split(","))
        except AppError as error:
            raise forms.ValidationError(str(error.message)) from None


class PublicForm(forms.Form):
    """Asks before more people can read something."""

    is_public_ok = forms.BooleanField(label=_("Everyone who can read that board can read this topic"), required=False)


class MoveForm(PublicForm):
    """The board to which a topic is moved: one that the user moderates."""

    board = forms.ModelChoiceField(
        Board.objects.none(),
        label=_("Board"),
        to_field_name="slug",
        empty_label=_("Choose a board"),
        error_messages={"required": _("Choose a board."), "invalid_choice": _("Choose one of the boards.")},
    )
    field_order = ["board", "is_public_ok"]

    def __init__(self, topic: Topic, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        board = self.fields["board"]
        assert isinstance(board, forms.ModelChoiceField)  # noqa: S101 (for the type checker)
        board.queryset = boards_moderated_by(user).exclude(pk=topic.board_id)


class SplitForm(forms.Form):
    """A new topic from posts of another one."""

    title = title_field()
    kind = forms.ChoiceField(
        label=_("Kind"),
        choices=[one for one in Topic.Kind.choices if one[0] != Topic.Kind.ANNOUNCEMENT],
        error_messages={"required": _("Choose a kind of topic.")},
    )
    posts = forms.TypedMultipleChoiceField(
        coerce=int, label=_("Posts"), error_messages={"required": _("Choose the posts of the new topic.")}
    )
    with_later = forms.BooleanField(label=_("Include every post after the first one you choose"), required=False)

    def __init__(self, offered: list[Post], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        posts = self.fields["posts"]
        assert isinstance(posts, forms.TypedMultipleChoiceField)  # noqa: S101 (for the type checker)
        posts.choices = [(one.pk, one.pk) for one in offered]


def topic_in(text: str) -> int | None:
    """The topic that a number or an address names, also that of a post in it."""
    post = _POST.search(text)
    if post is not None:
        return Post.objects.filter(pk=int(post[1])).values_list("topic", flat=True).first()
    found = _ADDRESS.search(text)
    return int(found[1]) if found is not None else None
