"""The files of posts: claimed when a post is written, released when its text no longer shows them."""

from apps.accounts.models import User
from apps.files import services as files
from apps.files.models import Upload
from apps.forum import text
from apps.forum.errors import TooManyFiles
from apps.forum.models import Post, PostFile

MOST = 20  # files of a post
MAX_NAME = 120


def attach_files(post: Post, *, by: User) -> None:
    """Attach the files that the text of a post shows, and let go of those it no longer shows; within a transaction.

    Only own files of ``by`` are attached. A file of someone else, such as in a quotation, is seen by those who may see
    the post to which it is attached.

    :raises TooManyFiles: the text shows more than `MOST`.
    :raises AppError: a file may not be offered to others, or its upload is not complete (``files.claim_content``).
    """
    wanted = text.files_in(post.source)
    if len(wanted) > MOST:
        raise TooManyFiles
    kept = {row.uid: row for row in PostFile.objects.filter(post=post)}
    missing = [uid for uid in wanted if uid not in kept]
    for upload in Upload.objects.filter(uid__in=missing, owner=by).order_by("pk") if missing else ():
        claimed = files.claim_content(source=upload, by=by)
        PostFile.objects.create(post=post, upload=claimed.upload, uid=claimed.upload.uid, name=claimed.name[:MAX_NAME])
    for uid, row in kept.items():
        if uid not in wanted:
            row.delete()  # the receiver of its deletion releases the content
