"""Read-only lists of videos and uploads, and the allowances of single users; infected files can be deleted."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from apps.accounts.guards import signed_in_user
from apps.files import queries, services
from apps.files.models import (
    BinnedOriginal,
    CaptionTrack,
    File,
    FileVersion,
    Folder,
    Rendition,
    Share,
    ShareOpening,
    StorageAccount,
    Upload,
    VideoAsset,
)
from studyplatform.kit.errors import AppError, ValidationFailed
from studyplatform.kit.text.sizes import as_exact_size, as_size
from studyplatform.kit.web.read_only_admin import ReadOnly, register_read_only


@admin.register(VideoAsset)
class VideoAssetAdmin(ReadOnly, admin.ModelAdmin[VideoAsset]):
    list_display = ["filename", "owner", "stage", "failure", "duration", "stored_bytes", "created_at"]
    list_filter = ["stage", "failure", "created_at"]
    list_select_related = ["owner"]
    search_fields = ["filename", "owner__email"]
    ordering = ["-created_at"]
    list_per_page = 50
    show_full_result_count = False
    exclude = ["facts", "source", "directory", "poster", "storyboard", "sound_levels"]


@admin.register(Upload)
class UploadAdmin(ReadOnly, admin.ModelAdmin[Upload]):
    list_display = ["filename", "owner", "purpose", "length", "offset", "created_at", "completed_at", "scan", "threat"]
    list_filter = ["scan", "purpose", "created_at"]
    actions = ["delete_infected"]
    list_select_related = ["owner"]
    search_fields = ["filename", "owner__email"]
    ordering = ["-created_at"]
    list_per_page = 50
    show_full_result_count = False

    @admin.action(description=_("Delete infected files"))
    def delete_infected(self, request: HttpRequest, queryset: QuerySet[Upload]) -> None:
        done = 0
        for upload in queryset:
            try:
                services.delete_infected(upload=upload, by=signed_in_user(request))
                done += 1
            except AppError as refusal:
                messages.warning(request, f"{upload.filename}: {refusal.detail}")
        if done:
            messages.success(request, ngettext("%d file was deleted.", "%d files were deleted.", done) % done)


class AllowanceForm(forms.ModelForm[StorageAccount]):
    """A size as text, such as "20 GB"."""

    allowance = forms.CharField(
        label=_("Allowance"),
        required=False,
        max_length=30,
        help_text=_("A size such as 20 GB. Leave it empty for the allowance of the user's role."),
    )

    class Meta:
        model = StorageAccount
        fields = ["user", "allowance"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        allowance = self.instance.allowance
        self.initial["allowance"] = as_exact_size(allowance) if allowance is not None else ""

    def clean_allowance(self) -> int | None:
        try:
            return services.check_allowance(services.read_allowance(self.cleaned_data["allowance"]))
        except ValidationFailed as refusal:
            raise forms.ValidationError(refusal.in_fields["allowance"][0]["message"]) from None

    def validate_unique(self) -> None:
        """Adding an allowance for a user who has one changes it."""


@admin.register(StorageAccount)
class StorageAccountAdmin(admin.ModelAdmin[StorageAccount]):
    """How much single users may store. Django's history of each row says who changed it."""

    form = AllowanceForm
    list_display = ["user", "allowed", "used"]
    list_select_related = ["user"]
    search_fields = ["user__email"]
    autocomplete_fields = ["user"]
    ordering = ["user__email"]
    list_per_page = 50

    @admin.display(description=_("Allowance"))
    def allowed(self, account: StorageAccount) -> str:
        own = account.allowance
        return as_size(own) if own is not None else as_size(queries.allowance_of_role(account.user))

    @admin.display(description=_("Storage used"))
    def used(self, account: StorageAccount) -> str:
        return as_size(queries.storage_of(account.user).used)

    def get_readonly_fields(self, request: HttpRequest, obj: StorageAccount | None = None) -> list[str]:
        return ["user"] if obj is not None else []

    def has_delete_permission(self, request: HttpRequest, obj: StorageAccount | None = None) -> bool:
        return False  # an empty allowance is that of the role

    def save_model(self, request: HttpRequest, obj: StorageAccount, form: Any, change: bool) -> None:  # noqa: FBT001 (Django)
        if not change or "allowance" in form.changed_data:
            services.set_allowance(user=obj.user, allowance=obj.allowance)


register_read_only(Folder, ["name", "owner", "created_at", "deleted_at"], search=["name", "owner__email"])
register_read_only(
    File,
    ["name", "owner", "kind", "size", "modified_at", "deleted_at"],
    filters=["kind"],
    search=["name", "owner__email"],
)
register_read_only(FileVersion, ["file", "number", "created_at"], search=["file__name"])
register_read_only(
    Share,
    ["owner", "kind", "file", "folder", "expires_at", "downloads", "revoked_at"],
    filters=["kind"],
    search=["owner__email", "file__name"],
    hidden=["uid", "password"],
)
register_read_only(ShareOpening, ["share", "user", "what", "opened_at"], filters=["what"], search=["user__email"])
register_read_only(
    BinnedOriginal,
    ["filename", "owner", "why", "size", "deleted_at"],
    filters=["why"],
    search=["filename", "owner__email"],
    hidden=["source"],
)
register_read_only(
    Rendition, ["video", "name", "width", "height", "stored_bytes"], filters=["name"], search=["video__filename"]
)
register_read_only(
    CaptionTrack,
    ["video", "language", "label", "origin", "created_at"],
    filters=["language", "origin"],
    search=["video__filename"],
)
