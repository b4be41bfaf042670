"""The files of posts: who may see them, and where they are used."""

from collections.abc import Collection
from uuid import UUID

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.files.models import Upload
from apps.files.services import Use
from apps.forum.models import Post, PostFile
from studyplatform.kit.errors import NotFound


def file_shown_to(user: AnyUser, uid: UUID) -> tuple[Upload, str, bool]:
    """A file by its address: its content, its name, and whether it is the viewer's own. One or two queries.

    :raises NotFound: it is not the viewer's, and no post that the viewer may see shows it.
    """
    if isinstance(user, User):
        own = Upload.objects.filter(uid=uid, owner=user).first()
        if own is not None:
            return own, own.filename, True
    seen = Post.objects.seen_by(user)
    row = PostFile.objects.filter(uid=uid, post__in=seen).select_related("upload").first()
    if row is None:
        raise NotFound
    return row.upload, row.name, False


def posts_using(uploads: Collection[int], viewer: User) -> dict[int, list[Use]]:
    """The posts that show these uploads, by the upload's id. Viewers are told the topics that they may open."""
    found: dict[int, list[Use]] = {}
    rows = list(
        PostFile.objects.filter(upload__in=uploads).select_related("post__topic").defer("post__source", "post__html")
    )
    seen = set(
        Post.objects.seen_by(viewer).filter(pk__in={row.post_id for row in rows}).values_list("pk", flat=True)
        if rows
        else ()
    )
    for row in rows:
        if row.post_id in seen:
            use = Use(_("a post in “%(topic)s”") % {"topic": row.post.topic.title}, row.post.path)
        else:
            use = Use(_("a post you can't see"))
        found.setdefault(row.upload_id, []).append(use)
    return found
