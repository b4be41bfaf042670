"""The files that apps offer at signed URLs, as lessons do."""

import uuid
from collections.abc import Callable
from typing import Any

from django.db.models import BigIntegerField, Exists, Q, QuerySet, UUIDField

from apps.files.models import Upload
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery
from studyplatform.kit.errors import NotFound

Offer = Callable[[Param], QuerySet[Any]]
NOBODY = 0  # the reader of an address that was signed for everyone
_offers: list[Offer] = []


def register_offer(rows: Offer) -> Offer:
    """Register the rows by which an app offers uploads at signed URLs (``services.sign_file``).

    ``rows(reader)`` builds their queryset, with ``OuterRef("pk")`` for the upload; ``reader`` stands for the id of the
    user for whom the URL was signed, or `NOBODY`. It is called once, by the first download. A URL works only as long as
    a row offers its upload to its reader.
    """
    _offers.append(rows)
    return rows


def offered_file(uid: uuid.UUID, reader: int) -> Upload:
    """A complete file that a row of some app offers to the reader now: a user's id, or `NOBODY`. One query.

    :raises NotFound: it does not exist any longer, or is no longer offered.
    """
    found = _offered_by_uid.first(uid=uid, reader=reader)
    if found is None:
        raise NotFound
    return found


def _offered() -> QuerySet[Upload]:
    is_offered = Q(pk__in=[])
    for rows in _offers:
        is_offered |= Q(Exists(rows(Param("reader", BigIntegerField()))))
    files = Upload.objects.defer("metadata", "concat").filter(purpose=Upload.Purpose.FILE, completed_at__isnull=False)
    return files.filter(is_offered, uid=Param("uid", UUIDField()))


# Prepared, because each range of a download needs it.
_offered_by_uid = PreparedQuery(_offered)
