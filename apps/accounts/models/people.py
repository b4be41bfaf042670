"""People, their signed-in browsers, and the lock against guessed passwords."""

import uuid
from datetime import datetime, timedelta
from typing import Any, Self

from django.contrib.auth.base_user import BaseUserManager
from django.contrib.auth.models import AbstractUser
from django.contrib.sessions.base_session import AbstractBaseSession, BaseSessionManager
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    STUDENT = "student", _("Student")
    INSTRUCTOR = "instructor", _("Instructor")
    ADMIN = "admin", _("Admin")


class UserManager(BaseUserManager["User"]):
    @classmethod
    def normalize_email(cls, email: str | None) -> str:
        """Lowercased whole: nobody has two accounts that differ in case, and the plain index finds it."""
        return (email or "").strip().lower()

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A new person; a username is derived from the email if none is given."""
        email = self.normalize_email(email)
        fields.setdefault("username", self.free_username(email.split("@")[0]))
        user = self.model(email=email, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, **(fields | {"role": Role.ADMIN}))

    def free_username(self, wish: str) -> str:
        """A username nobody has, as near to the wish as possible."""
        base = "".join(c for c in wish.lower() if c.isalnum() or c in "._-")[:24] or "learner"
        taken = set(self.filter(username__istartswith=base).values_list(Lower("username"), flat=True))
        if base not in taken:
            return base
        return next(name for n in range(2, 10**6) if (name := f"{base}{n}") not in taken)

    def with_email(self, email: str) -> "User | None":
        """Whose account this email is, in any spelling."""
        return self.filter(email=self.normalize_email(email)).first()

    def get_by_natural_key(self, email: str | None) -> "User":
        return self.get(email=self.normalize_email(email))


class User(AbstractUser):
    """A person. Signs in by email; what they may do follows from the role and from nothing else."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    email = models.EmailField(_("email"), unique=True)
    email_verified_at = models.DateTimeField(null=True, blank=True)
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.STUDENT)
    avatar = models.ImageField(upload_to="avatars/", blank=True)
    headline = models.CharField(max_length=120, blank=True)
    bio = models.TextField(blank=True)
    time_zone = models.CharField(max_length=64, default="UTC")
    terms_accepted_at = models.DateTimeField(null=True, blank=True)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = []
    objects = UserManager()  # type: ignore[misc,assignment]

    # Django's own flags would be a second truth about who is an admin.
    is_staff = property(lambda self: self.is_admin)
    is_superuser = property(lambda self: self.is_admin)

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

    def live(self, now: datetime) -> Self:
        return self.filter(expire_date__gt=now)


class BrowserSession(AbstractBaseSession):
    """Django's session of one browser, with the person who is signed in there.

    The islands' tokens name it by ``uid``: deleting the row signs the browser out and refuses its tokens
    in one stroke. Visitors have a row only if something was kept for them.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="browser_sessions")
    user_agent = models.CharField(max_length=256, blank=True)
    address = models.GenericIPAddressField(null=True)
    signed_in_at = models.DateTimeField(null=True)
    last_seen_at = models.DateTimeField(help_text="Kept to the hour.")

    objects = BaseSessionManager.from_queryset(BrowserSessionQuerySet)()  # type: ignore[misc]

    class Meta(AbstractBaseSession.Meta):
        abstract = False

    def __str__(self) -> str:
        return f"{self.user_id} since {self.signed_in_at:%Y-%m-%d}" if self.signed_in_at else "visitor"


class LoginLock(models.Model):
    """Failures in a row under one key: an account, or an account in a browser known to it.

    The rule is "the 5th failure locks"; to hold it under parallel guesses, an attempt takes one of the
    places that are left before its password is checked, and gives it back as a failure or a success.
    """

    key = models.CharField(max_length=64, primary_key=True)
    failures = models.PositiveSmallIntegerField(default=0)
    checking = models.PositiveSmallIntegerField(default=0, help_text="Attempts whose password is being checked.")
    last_attempt_at = models.DateTimeField()
    locked_until = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["last_attempt_at"], name="login_lock_age")]

    def __str__(self) -> str:
        return f"{self.key[:8]} {self.failures}"

    def is_locked(self, now: datetime) -> bool:
        return self.locked_until is not None and self.locked_until > now

    def has_place(self, limit: int) -> bool:
        """Whether one more password may be checked before the account must lock."""
        return self.failures + self.checking < limit

    def catch_up(self, now: datetime, *, limit: int, lock: timedelta, crashed: timedelta) -> None:
        """What time has changed: attempts that died while being checked are failures; after a lock, or when
        nobody has tried for as long as one lasts, the count begins anew."""
        if self.checking and self.last_attempt_at < now - crashed:
            self.failures, self.checking = self.failures + self.checking, 0
            if self.failures >= limit:
                self.locked_until = self.last_attempt_at + lock
        is_over = self.locked_until is not None and self.locked_until <= now
        if is_over or self.last_attempt_at < now - lock:
            self.failures, self.locked_until = 0, None


class EmailProof(models.Model):
    """The newest link and code sent to prove that an email reaches its owner."""

    user = models.OneToOneField(User, models.CASCADE, related_name="email_proof")
    email = models.EmailField()
    code_hash = models.CharField(max_length=64)
    tries = models.PositiveSmallIntegerField(default=0, help_text="Wrong codes so far.")
    sent_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(tries__lte=10), name="email_proof_few_tries")]

    def __str__(self) -> str:
        return f"{self.email} {self.sent_at:%Y-%m-%d %H:%M}"
