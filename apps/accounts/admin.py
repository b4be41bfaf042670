from django.contrib import admin

from apps.accounts.models import User


@admin.register(User)
class UserAdmin(admin.ModelAdmin[User]):
    list_display = ["email", "username", "role", "is_active", "date_joined"]
    list_filter = ["role", "is_active"]
    search_fields = ["email", "username", "first_name", "last_name"]
    fields = ["email", "username", "first_name", "last_name", "role", "headline", "bio", "is_active", "is_staff"]
