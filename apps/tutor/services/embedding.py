"""Give the passages of a course their vectors from the embedding address."""

import random
from collections.abc import Callable
from datetime import timedelta

from apps.tutor.models import Passage
from apps.tutor.retrieval import embeddings, index
from studyplatform.kit.jobs import Postpone

AT_ONCE = 32
"""Passages that are sent and saved together: a worker that is killed repeats at most these."""
AGAIN = timedelta(minutes=5)
"""When an address that failed is tried again; some later, so that the courses don't all come at once."""


def embed_course(*, course_id: int, before_batch: Callable[[], object] = lambda: None) -> int:
    """Embed the passages of a course that have no vector of the present model; return how many.

    Where the address gives vectors of another size than before, under the same name, all passages are embedded again.

    :raises Postpone: the address fails; what it has given is saved.
    """
    if not embeddings.is_used():
        return 0
    passages = Passage.objects.filter(course_id=course_id)
    stale = passages.exclude(embedded_by__startswith=embeddings.name_of(0)[:-1])
    count = 0
    while rows := list(stale.select_related("lesson").order_by("pk")[:AT_ONCE]):
        before_batch()
        try:
            vectors = embeddings.embed_passages([index.embedded_text(row) for row in rows])
        except embeddings.EmbeddingFailed as failure:
            raise Postpone(AGAIN * random.uniform(1, 1.5)) from failure  # noqa: S311 (spreads load, no secret)
        name = embeddings.name_of(vectors.shape[1])
        for row, vector in zip(rows, index.pack(vectors), strict=True):
            row.embedding, row.embedded_by = vector, name
        Passage.objects.bulk_update(rows, ["embedding", "embedded_by"])
        stale = passages.exclude(embedded_by=name)
        count += len(rows)
    return count
