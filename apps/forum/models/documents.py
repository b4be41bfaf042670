"""What full-text search reads of posts."""

from django.db import models

from apps.forum.models.posts import Post


class PostDocument(models.Model):
    """The text of a post that full-text search reads. Only ``services.indexing`` writes it.

    Every post has one, whatever its state: searches join the post, so what is held, hidden or deleted is never found.
    All text is folded as that of courses, and the migration adds what the ORM doesn't describe in the same way
    (``courses.SearchDocument``).
    """

    post = models.OneToOneField(Post, models.CASCADE, primary_key=True, related_name="document")
    title = models.TextField(blank=True, help_text="Of the topic, if it is the opening post.")
    tags = models.TextField(blank=True, help_text="Of the topic, if it is the opening post.")
    body = models.TextField()

    def __str__(self) -> str:
        return f"{self.post_id}"
