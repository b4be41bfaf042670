"""What has changed in topics that people have open."""

from apps.forum.models import Topic

State = tuple[int, int]


def states(topic_ids: set[int]) -> dict[int, State]:
    """The newest number and the stamp of each of these topics that is visible. One query."""
    rows = Topic.objects.public().filter(pk__in=topic_ids).values_list("pk", "last_number", "stamp")
    return {pk: (last, stamp) for pk, last, stamp in rows}
