"""Users: who they are, what they may do, and their preferences."""

import uuid
from datetime import datetime
from typing import Any

from django.contrib.auth.base_user import BaseUserManager
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.accounts.email_addresses import canonical_address
from studyplatform.kit.names import NameField
from studyplatform.kit.passwords import normalize_password, spellings_of


class Role(models.TextChoices):
    STUDENT = "student", _("Student")
    INSTRUCTOR = "instructor", _("Instructor")
    ADMIN = "admin", _("Admin")


class Theme(models.TextChoices):
    LIGHT = "light", _("Light")
    DARK = "dark", _("Dark")


class Style(models.TextChoices):
    ACADEMIC = "academic", _("Academic")
    CORPORATE = "corporate", _("Corporate")


# What people say about themselves in their profile: fields of User. The form, save_profile, the data archive, deletion,
# the admin and the caches of pages that show people follow this list (docs/recipes.md, "A profile field").
PROFILE_FIELDS = ("username", "first_name", "last_name", "time_zone", "headline", "bio")


class UserManager(BaseUserManager["User"]):
    @classmethod
    def normalize_email(cls, email: str | None) -> str:
        """In one spelling (`canonical_address`), so that the plain index finds it and no two accounts share a mailbox.

        What cannot be an address is returned in lowercase: no account has it.
        """
        try:
            return canonical_address(email or "")
        except ValueError:
            return (email or "").strip().lower()

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A new user; the username is derived from the email unless given."""
        email = self.normalize_email(email)
        fields.setdefault("username", self.free_username(email.split("@")[0]))
        user = self.model(email=email, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """An admin, created by the site's operator, who vouches for the email."""
        return self.create_user(email, password, **(fields | {"role": Role.ADMIN, "email_verified_at": timezone.now()}))

    def free_username(self, wanted: str) -> str:
        """A username that is free, as similar to ``wanted`` as possible."""
        base = "".join(c for c in wanted.lower() if c.isalnum() or c in "._-")[:24] or "learner"
        taken = set(self.filter(username__istartswith=base).values_list(Lower("username"), flat=True))
        if base not in taken:
            return base
        return next(name for n in range(2, 10**6) if (name := f"{base}{n}") not in taken)

    def with_email(self, email: str) -> "User | None":
        """The user with this email, in any spelling."""
        return self.filter(email=self.normalize_email(email)).first()

    def get_by_natural_key(self, email: str | None) -> "User":
        return self.get(email=self.normalize_email(email))


class User(AbstractUser):
    """A user. Signs in by email; what they may do depends on the role alone."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    first_name = NameField(_("first name"), max_length=150, blank=True)
    last_name = NameField(_("last name"), max_length=150, blank=True)
    email = models.EmailField(_("email"), unique=True)
    email_verified_at = models.DateTimeField(null=True, blank=True)
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.STUDENT)
    avatar = models.ImageField(upload_to="avatars/", blank=True)
    headline = NameField(max_length=120, blank=True)
    bio = models.TextField(blank=True, max_length=300)
    time_zone = models.CharField(max_length=64, default="UTC")
    former_zone = models.CharField(
        max_length=64, blank=True, help_text="Counts the user's days until former_zone_until."
    )
    former_zone_until = models.DateTimeField(null=True, blank=True)
    terms_accepted_at = models.DateTimeField(null=True, blank=True)
    blocked_at = models.DateTimeField(null=True, blank=True)
    block_reason = models.CharField(max_length=300, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True, help_text="The account is an empty shell since then.")

    theme = models.CharField(max_length=5, choices=Theme.choices, blank=True, help_text="Empty: as the device.")
    style = models.CharField(max_length=9, choices=Style.choices, blank=True)
    daily_minutes = models.PositiveSmallIntegerField(default=30)
    weekly_lessons = models.PositiveSmallIntegerField(default=5)
    shares_email = models.BooleanField(
        default=False, help_text="Show the email to those who teach the courses that the user takes."
    )

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = []
    objects = UserManager()  # type: ignore[misc,assignment]

    # Django's own flags would be a second source of who is an admin.
    is_staff = property(lambda self: self.is_admin)
    is_superuser = property(lambda self: self.is_admin)

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("email"), name="one_account_per_email"),
            models.UniqueConstraint(Lower("username"), name="one_account_per_username"),
            models.CheckConstraint(condition=Q(daily_minutes__range=(5, 600)), name="goal_of_minutes_in_a_day"),
            models.CheckConstraint(condition=Q(weekly_lessons__range=(1, 100)), name="goal_of_lessons_in_a_week"),
        ]
        # Lists of people leave the deleted out without reading all the others.
        indexes = [models.Index(fields=["id"], condition=Q(deleted_at__isnull=False), name="deleted_accounts")]

    def __str__(self) -> str:
        return self.email

    def set_password(self, raw_password: str | None) -> None:
        super().set_password(None if raw_password is None else normalize_password(raw_password))

    def check_password(self, raw_password: str | None) -> bool:
        """Whether this is the password, in any normalization: hashes of earlier versions are of what was typed."""
        return raw_password is not None and any(self._is_hash_of(spelling) for spelling in spellings_of(raw_password))

    def has_old_spelling(self, password: str) -> bool:
        """Whether the hash of this correct password is of a form that is not normalized."""
        return len(spellings_of(password)) > 1 and not self._is_hash_of(normalize_password(password))

    def _is_hash_of(self, spelling: str) -> bool:
        return super().check_password(spelling)

    @property
    def display_name(self) -> str:
        """The full name, else the username, else the email; of a deleted account, "Deleted user"."""
        if self.deleted_at:
            return str(_("Deleted user"))
        return self.get_full_name() or self.username or self.email

    def day_zone(self, now: datetime) -> str:
        """The name of the time zone by which the user's days are counted. A new one counts from the next day."""
        if self.former_zone_until is not None and now < self.former_zone_until:
            return self.former_zone
        return self.time_zone

    @property
    def initial(self) -> str:
        """The avatar's letter: of the username, else of the email, else U."""
        return (self.username or self.email or "U")[0].upper()

    @property
    def avatar_url(self) -> str:
        """The address of the picture; an empty string if there is none."""
        return f"/avatars/{self.avatar.name.rsplit('/', 1)[-1]}" if self.avatar.name else ""

    @property
    def roles(self) -> list[str]:
        """All roles of the user: an admin may also teach."""
        return [Role.INSTRUCTOR, Role.ADMIN] if self.role == Role.ADMIN else [self.role]

    @property
    def is_admin(self) -> bool:
        return self.role == Role.ADMIN

    @property
    def can_teach(self) -> bool:
        return self.role in {Role.INSTRUCTOR, Role.ADMIN}
