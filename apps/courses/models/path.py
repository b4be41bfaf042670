"""Learning paths: courses in the order in which to take them."""

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy as _

from apps.courses.models.course import Course
from studyplatform.kit.names import NameField


class LearningPathQuerySet(models.QuerySet["LearningPath"]):
    def published(self) -> Self:
        return self.filter(is_published=True)

    def listed(self) -> Self:
        """The paths that lists show: published, with at least one published course."""
        return self.published().filter(
            Exists(PathCourse.objects.filter(path=OuterRef("pk"), course__status=Course.Status.PUBLISHED))
        )

    def owned_by(self, user_id: int) -> Self:
        return self.filter(owner_id=user_id)


class LearningPath(models.Model):
    """Courses in the order in which to take them. Only published courses count; the others may return later."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    slug = models.SlugField(_("slug"), max_length=80, unique=True)
    title = NameField(_("title"), max_length=120)
    summary = NameField(_("summary"), max_length=220, blank=True)
    description = models.TextField(_("description"), blank=True, help_text=_("Markdown."))
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="learning_paths", verbose_name=_("owner")
    )
    is_published = models.BooleanField(_("published"), default=False)
    created_at = models.DateTimeField(_("created at"))
    updated_at = models.DateTimeField(_("updated at"))
    courses: models.ManyToManyField[Course, "PathCourse"] = models.ManyToManyField(
        Course, through="PathCourse", related_name="learning_paths"
    )

    objects = LearningPathQuerySet.as_manager()

    class Meta:
        verbose_name = _("learning path")
        verbose_name_plural = _("learning paths")
        indexes = [models.Index(fields=["owner", "-updated_at"], name="path_of_owner")]

    def __str__(self) -> str:
        return self.title


class PathCourse(models.Model):
    """A course's place in a path. Positions are 1, 2, 3 … without gaps; services keep them so."""

    path = models.ForeignKey(LearningPath, models.CASCADE, related_name="places")
    course = models.ForeignKey(Course, models.CASCADE, related_name="path_places")
    position = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["path", "course"], name="one_place_per_course_in_a_path"),
            models.UniqueConstraint(fields=["path", "position"], name="one_course_per_place_in_a_path"),
        ]

    def __str__(self) -> str:
        return f"{self.path_id} {self.position}: {self.course_id}"
