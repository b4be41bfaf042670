"""Update the search index of posts."""

from collections.abc import Callable

from django.db import transaction

from apps.forum import text
from apps.forum.models import Post, PostDocument, Topic
from studyplatform.kit.text.folding import index_text

BATCH_SIZE = 200


def index_all_posts(*, after: int = 0, keep_lease: Callable[[], None] = lambda: None) -> None:
    """Rebuild what search reads of all posts with a greater primary key than ``after``, in batches."""
    while True:
        with transaction.atomic():
            rows = Post.objects.select_for_update(of=("self",)).filter(pk__gt=after).select_related("topic")
            batch = list(rows.order_by("pk")[:BATCH_SIZE])
            for post in batch:
                index_post(post, post.topic)
        if not batch:
            return
        after = batch[-1].pk
        keep_lease()


def index_post(post: Post, topic: Topic) -> None:
    """Write what search reads of a post. Call it in the transaction that changed the post, or the tags of its topic."""
    names = topic.tags.values_list("name", flat=True) if post.is_opening else []
    document = PostDocument(
        post=post,
        title=index_text(topic.title) if post.is_opening else "",
        tags=index_text("\n".join(names)),
        body=index_text(text.excerpt(post.source, text.MOST)),
    )
    PostDocument.objects.bulk_create(
        [document], update_conflicts=True, unique_fields=["post"], update_fields=["title", "tags", "body"]
    )
