"""Addresses of the versions of a course."""

from django.urls import path

from apps.courses.pages import version_history, versions

_own = "dashboard/instructor/courses/<slug:slug>"

urlpatterns = [
    path(f"{_own}/version", versions.version, name="studio-version"),
    path(f"{_own}/version/begin", versions.version_begin, name="studio-version-begin"),
    path(f"{_own}/version/corrections", versions.corrections_publish, name="studio-version-correct"),
    path(f"{_own}/version/discard", version_history.version_discard, name="studio-version-discard"),
    path(f"{_own}/versions", version_history.version_list, name="studio-versions"),
    path(f"{_own}/versions/<uuid:uid>/back", version_history.version_bring_back, name="studio-version-back"),
    path(f"{_own}/versions/<uuid:uid>/forget", version_history.version_forget, name="studio-version-forget"),
    path(f"{_own}/versions/<uuid:uid>/undo", version_history.correction_undo, name="studio-version-undo"),
    path(f"{_own}/versions/<uuid:uid>/restore", version_history.version_restore, name="studio-version-restore"),
]
