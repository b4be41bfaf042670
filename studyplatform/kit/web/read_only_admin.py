"""Read-only models in Django's admin: only services write them, because they enforce the rules."""

from django.http import HttpRequest


class ReadOnly:
    """Mixin for a ModelAdmin or an inline that can neither add, change nor delete rows."""

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False
