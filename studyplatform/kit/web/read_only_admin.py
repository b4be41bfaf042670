"""Read-only models in Django's admin: only services write them, because they enforce the rules."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest


class ReadOnly:
    """Mixin for a ModelAdmin or an inline that can neither add, change nor delete rows."""

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class ReadOnlyScreen(ReadOnly, admin.ModelAdmin[Any]):
    """A list and a page for each row, whose numbers of queries don't grow with the table."""

    list_per_page = 50
    show_full_result_count = False


def register_read_only(
    model: type[Model],
    columns: Sequence[str],
    *,
    search: Sequence[str],
    filters: Sequence[str] = (),
    hidden: Sequence[str] = (),
) -> None:
    """Show a model to admins, the newest row first.

    ``columns`` of the list; rows that they refer to come with the same query. ``hidden``: fields that are shown
    nowhere, such as secrets and what people write to each other.
    """
    fields = model._meta.get_fields()  # noqa: SLF001 (documented: Django's model _meta API)
    related = [one.name for one in fields if one.is_relation and one.concrete and one.name in columns]
    options: dict[str, Any] = {
        "__module__": __name__,  # by it studyplatform.site knows the screens of packages, which it removes
        "list_display": tuple(columns),
        "list_select_related": tuple(related),
        "list_filter": tuple(filters),
        "search_fields": tuple(search),
        "exclude": tuple(hidden) or None,
        "ordering": ("-pk",),
    }
    if admin.site.is_registered(model):  # by its package, with actions that go around our services
        admin.site.unregister(model)
    admin.site.register(model, type(f"{model.__name__}Admin", (ReadOnlyScreen,), options))
