"""People, their browsers' sessions, and the lock against guessed passwords."""

import uuid
from datetime import datetime
from typing import Any, Self

from django.contrib.auth.base_user import BaseUserManager
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    STUDENT = "student", _("Student")
    INSTRUCTOR = "instructor", _("Instructor")
    ADMIN = "admin", _("Admin")


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A new person; the email's domain is lowercased, the username derived if none is given."""
        email = self.normalize_email(email).strip()
        fields.setdefault("username", self.free_username(email.split("@")[0]))
        user = self.model(email=email, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        fields |= {"is_staff": True, "is_superuser": True, "role": Role.ADMIN}
        return self.create_user(email, password, **fields)

    def free_username(self, wish: str) -> str:
        """A username nobody has, as near to the wish as possible."""
        base = "".join(c for c in wish.lower() if c.isalnum() or c in "._-")[:24] or "learner"
        taken = set(self.filter(username__istartswith=base).values_list(Lower("username"), flat=True))
        if base not in taken:
            return base
        return next(name for n in range(2, 10**6) if (name := f"{base}{n}") not in taken)

    def get_by_natural_key(self, email: str | None) -> "User":
        return self.get(email__iexact=email)


class User(AbstractUser):
    """A person. Signs in by email; what they may do follows from the role."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    email = models.EmailField(_("email"), unique=True)
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.STUDENT)
    avatar = models.ImageField(upload_to="avatars/", blank=True)
    headline = models.CharField(max_length=120, blank=True)
    bio = models.TextField(blank=True)
    time_zone = models.CharField(max_length=64, default="UTC")
    terms_accepted_at = models.DateTimeField(null=True, blank=True)
    token_epoch = models.PositiveIntegerField(
        default=0, help_text="Raised by a password change or a block: older tokens are refused."
    )

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = []
    objects = UserManager()  # type: ignore[misc,assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("email"), name="one_account_per_email"),
            models.UniqueConstraint(Lower("username"), name="one_account_per_username"),
        ]

    def __str__(self) -> str:
        return self.email

    @property
    def display_name(self) -> str:
        """The full name, else the username, else the email."""
        return self.get_full_name() or self.username or self.email

    @property
    def initial(self) -> str:
        """The avatar's letter: of the username, else of the email, else U."""
        return (self.username or self.email or "U")[0].upper()

    @property
    def roles(self) -> list[str]:
        """All roles held: an admin may also teach."""
        return [Role.INSTRUCTOR, Role.ADMIN] if self.role == Role.ADMIN else [self.role]

    @property
    def is_admin(self) -> bool:
        return self.role == Role.ADMIN

    @property
    def can_teach(self) -> bool:
        return self.role in {Role.INSTRUCTOR, Role.ADMIN}


class BrowserSessionQuerySet(models.QuerySet["BrowserSession"]):
    def of(self, user: User) -> Self:
        return self.filter(user=user)


class BrowserSession(models.Model):
    """One signed-in browser. Tokens name it by ``uid``; deleting the row refuses them at once."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="browser_sessions")
    session_key = models.CharField(max_length=40, unique=True)
    user_agent = models.CharField(max_length=256, blank=True)
    address = models.GenericIPAddressField(null=True)
    created_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()

    objects = BrowserSessionQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.user_id} since {self.created_at:%Y-%m-%d}"


class LoginLock(models.Model):
    """Failures in a row for one key (account, or account and known browser)."""

    key = models.CharField(max_length=64, primary_key=True)
    failures = models.PositiveSmallIntegerField(default=0)
    last_failure_at = models.DateTimeField()
    locked_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.key[:8]} {self.failures}"

    def is_locked(self, now: datetime) -> bool:
        return self.locked_until is not None and self.locked_until > now
