"""Update the search index of posts."""

from apps.forum import text
from apps.forum.models import Post, PostDocument, Topic
from studyplatform.kit.text.folding import fold


def index_post(post: Post, topic: Topic) -> None:
    """Write what search reads of a post. Call it in the transaction that changed the post, or the tags of its topic."""
    names = topic.tags.values_list("name", flat=True) if post.is_opening else []
    document = PostDocument(
        post=post,
        title=fold(topic.title) if post.is_opening else "",
        tags=fold("\n".join(names)),
        body=fold(text.excerpt(post.source, text.MOST)),
    )
    PostDocument.objects.bulk_create(
        [document], update_conflicts=True, unique_fields=["post"], update_fields=["title", "tags", "body"]
    )
