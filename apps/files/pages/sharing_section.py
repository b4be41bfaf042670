"""The section of a page about how a file or a folder is shared."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User
from apps.files import policies, services
from apps.files import sharing_queries as queries
from apps.files.forms import ShareForm
from apps.files.models import File, Folder, Share

SHOWN = 50  # shares of one entry; the page of links lists all


def sharing_context(
    user: User, entry: File | Folder, *, courses: dict[UUID, str] | None = None, form: ShareForm | None = None
) -> dict[str, Any]:
    """What the section about sharing shows: the present shares of an entry, and the form for another one.

    ``courses``: those that the user belongs to, if the caller has read them. Three queries at most, and one more if the
    entry is shared with a course that the user has left.
    """
    now = timezone.now()
    courses = policies.course_members().courses_of(user) if courses is None else courses
    form = form or ShareForm(courses=courses, now=now)
    found = queries.states_of(queries.shares_of(user, entry)[:SHOWN], courses=courses, now=now)
    return {
        "share_form": form,
        "share_address": address_of(entry),
        "shares": [(each, link_of(each.share)) for each in found],
    }


def address_of(entry: File | Folder) -> str:
    """The address of the page where its owner shares it."""
    return reverse("files:share-file" if isinstance(entry, File) else "files:share-folder", args=[entry.uid])


def address_of_entry(entry: File | Folder) -> str:
    """The address of a file or a folder in its owner's library."""
    if isinstance(entry, File):
        return reverse("files:library-file", args=[entry.uid])
    return f"{reverse('files:library')}?folder={entry.uid}"


def link_of(share: Share) -> str:
    """The address to send to others; "" for a share with a course."""
    if share.kind != Share.Kind.LINK:
        return ""
    return settings.SITE_URL + reverse("files:link", args=[services.link_token(share)])
