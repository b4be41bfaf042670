"""Users in the Django admin. Changes go through the services."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib import admin, messages
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.accounts import services
from apps.accounts.models import (
    PROFILE_FIELDS,
    BrowserSession,
    DataExport,
    LoginLock,
    Notification,
    NotificationChoice,
    PersonalToken,
    Role,
    TeachingRequest,
    User,
)
from studyplatform.kit.web.read_only_admin import ReadOnly, register_read_only

admin.site.site_header = admin.site.site_title = _("Study Platform administration")
# Roles decide what one may do, and an account has one email: neither of these means anything here.
# Secrets are not shown to anyone.
admin.site.unregister([Group, EmailAddress, Authenticator])


@admin.register(User)
class UserAdmin(admin.ModelAdmin[User]):
    """Shows no password hash, and neither creates nor deletes accounts: users register themselves."""

    list_display = ["email", "username", "display_name", "role", "is_active", "email_verified_at", "date_joined"]
    list_filter = ["role", "is_active", "date_joined"]
    search_fields = ["email", "username", "first_name", "last_name"]
    ordering = ["-date_joined"]
    fields = [
        "email",
        *PROFILE_FIELDS,
        "role",
        "is_active",
        "email_verified_at",
    ]
    # Nothing here would check that a time zone exists.
    readonly_fields = ["email", "time_zone", "role", "is_active", "email_verified_at"]
    actions = ["block", "unblock", "make_student", "make_instructor", "make_admin", "reset_second_step"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    @admin.action(description=_("Block: sign out everywhere and prevent signing in"))
    def block(self, request: HttpRequest, people: QuerySet[User]) -> None:
        for user in self._others(request, people):
            services.block(user=user)

    @admin.action(description=_("Unblock"))
    def unblock(self, request: HttpRequest, people: QuerySet[User]) -> None:
        for user in people:
            services.unblock(user=user)

    @admin.action(description=_("Give the student role"))
    def make_student(self, request: HttpRequest, people: QuerySet[User]) -> None:
        self._give(request, people, Role.STUDENT)

    @admin.action(description=_("Give the instructor role"))
    def make_instructor(self, request: HttpRequest, people: QuerySet[User]) -> None:
        self._give(request, people, Role.INSTRUCTOR)

    @admin.action(description=_("Give the admin role"))
    def make_admin(self, request: HttpRequest, people: QuerySet[User]) -> None:
        self._give(request, people, Role.ADMIN)

    @admin.action(description=_("Reset two-factor: remove app, passkeys and recovery codes"))
    def reset_second_step(self, request: HttpRequest, people: QuerySet[User]) -> None:
        for user in self._others(request, people):
            services.turn_off_two_factor(user=user, by_admin=True)

    def _give(self, request: HttpRequest, people: QuerySet[User], role: Role) -> None:
        for user in self._others(request, people):
            services.change_role(user=user, role=role)

    def _others(self, request: HttpRequest, people: QuerySet[User]) -> list[User]:
        """All but the current admin, so that the last one cannot lock themselves out."""
        others = [user for user in people if user != request.user]
        if len(others) < len(people):
            messages.warning(request, _("Your own account wasn't changed."))
        return others


@admin.register(PersonalToken)
class PersonalTokenAdmin(ReadOnly, admin.ModelAdmin[PersonalToken]):
    """Which programs act for whom. Nothing here shows a token or its hash; blocking a user revokes theirs."""

    list_display = ["name", "user", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at"]
    list_filter = ["created_at"]
    list_select_related = ["user"]
    search_fields = ["name", "user__email"]
    ordering = ["-created_at"]
    fields = ["name", "user", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at"]


register_read_only(
    TeachingRequest,
    ["user", "state", "created_at", "decided_at", "decided_by"],
    filters=["state"],
    search=["user__email"],
)
register_read_only(
    Notification,
    ["user", "kind", "created_at", "read_at"],
    filters=["kind"],
    search=["user__email", "kind"],
    hidden=["params", "link", "key"],
)
register_read_only(
    NotificationChoice, ["user", "kind", "in_app", "mail"], filters=["mail"], search=["user__email", "kind"]
)
register_read_only(
    DataExport,
    ["user", "state", "size", "created_at", "expires_at"],
    filters=["state"],
    search=["user__email"],
    hidden=["file"],
)
register_read_only(LoginLock, ["key", "failures", "last_attempt_at", "locked_until"], search=["key"])
register_read_only(
    BrowserSession,
    ["uid", "user", "address", "signed_in_at", "last_seen_at"],
    search=["user__email", "address"],
    hidden=["session_key", "session_data"],
)
