"""Rows in Django's admin that are looked at and not changed by hand: services write them, with their rules."""

from django.http import HttpRequest


class ReadOnly:
    """For a ModelAdmin or an inline: nothing is added, changed or deleted."""

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False
