"""Addresses of the versions of a course."""

from django.urls import path

from apps.courses.pages import versions

_own = "dashboard/instructor/courses/<slug:slug>"

urlpatterns = [
    path(f"{_own}/version", versions.version, name="studio-version"),
    path(f"{_own}/version/begin", versions.version_begin, name="studio-version-begin"),
    path(f"{_own}/version/corrections", versions.corrections_publish, name="studio-version-correct"),
    path(f"{_own}/version/discard", versions.version_discard, name="studio-version-discard"),
    path(f"{_own}/versions", versions.version_list, name="studio-versions"),
    path(f"{_own}/versions/<uuid:uid>/undo", versions.correction_undo, name="studio-version-undo"),
    path(f"{_own}/versions/<uuid:uid>/restore", versions.version_restore, name="studio-version-restore"),
]
