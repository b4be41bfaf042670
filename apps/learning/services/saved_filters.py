"""Save, rename and delete filters of the list of learners."""

from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from apps.accounts.models import User
from apps.accounts.policies import teach
from apps.learning.errors import FilterTooLong, SavedFilterNameless, SavedFilterNameTaken, TooManySavedFilters
from apps.learning.models import MAX_FILTER_NAME_LENGTH, MAX_FILTER_QUERY_LENGTH, MAX_SAVED_FILTERS, SavedFilter
from studyplatform.kit.errors import NotFound
from studyplatform.kit.names import tidy_name
from studyplatform.kit.policies import enforce


def save_filter(*, user: User, name: str, query: str, now: datetime) -> SavedFilter:
    """Save a filter under a name. The same filter under the same name is saved once.

    :raises SavedFilterNameless: the name is empty or too long.
    :raises SavedFilterNameTaken: another filter of the user has it, in any case of its letters.
    :raises TooManySavedFilters: the user has `MAX_SAVED_FILTERS`.
    :raises FilterTooLong: the filter has more than `MAX_FILTER_QUERY_LENGTH` characters.
    :raises AppError: the user doesn't teach.
    """
    enforce(teach(user))
    name = _checked_name(name)
    if len(query) > MAX_FILTER_QUERY_LENGTH:
        raise FilterTooLong
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)  # two at once don't exceed the limit together
        own = SavedFilter.objects.filter(user=user)
        same = own.filter(name__iexact=name).first()
        if same is not None and (same.name, same.query) == (name, query):
            return same
        if same is not None:
            raise SavedFilterNameTaken(name=name)
        if own.count() >= MAX_SAVED_FILTERS:
            raise TooManySavedFilters(most=MAX_SAVED_FILTERS)
        return _stored(SavedFilter(user=user, name=name, query=query, created_at=now))


def rename_filter(*, user: User, uid: UUID, name: str) -> SavedFilter:
    """Give a saved filter another name.

    :raises NotFound: the user has none with this uid.
    :raises SavedFilterNameless: the name is empty or too long.
    :raises SavedFilterNameTaken: another filter of the user has it.
    :raises AppError: the user doesn't teach.
    """
    enforce(teach(user))
    name = _checked_name(name)
    with transaction.atomic():
        found = SavedFilter.objects.select_for_update().filter(user=user, uid=uid).first()
        if found is None:
            raise NotFound
        if SavedFilter.objects.filter(user=user, name__iexact=name).exclude(pk=found.pk).exists():
            raise SavedFilterNameTaken(name=name)
        found.name = name
        return _stored(found)


def delete_filter(*, user: User, uid: UUID) -> None:
    """Delete a saved filter of the user. Idempotent.

    :raises AppError: the user doesn't teach.
    """
    enforce(teach(user))
    SavedFilter.objects.filter(user=user, uid=uid).delete()


def forget_saved_filters(*, user_id: int) -> None:
    """Delete those of a user whose account was deleted. Idempotent."""
    SavedFilter.objects.filter(user=user_id).delete()


def _checked_name(name: str) -> str:
    tidy = tidy_name(name)
    if not tidy or len(tidy) > MAX_FILTER_NAME_LENGTH:
        raise SavedFilterNameless
    return tidy


def _stored(one: SavedFilter) -> SavedFilter:
    """Save the row; the constraint decides where databases compare letters in another way than ``iexact``."""
    try:
        with transaction.atomic():
            one.save()
    except IntegrityError:
        raise SavedFilterNameTaken(name=one.name) from None
    return one
