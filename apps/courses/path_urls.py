"""Addresses of learning paths in the studio."""

from django.urls import path

from apps.courses.pages import paths

_path = "dashboard/instructor/paths/<uuid:uid>"

urlpatterns = [
    path("dashboard/instructor/paths/", paths.path_list, name="studio-paths"),
    path("dashboard/instructor/paths/new", paths.path_new, name="studio-path-new"),
    path(_path, paths.path, name="studio-path"),
    path(f"{_path}/courses", paths.path_add, name="studio-path-add"),
    path(f"{_path}/courses/move", paths.path_move, name="studio-path-move"),
    path(f"{_path}/courses/remove", paths.path_remove, name="studio-path-remove"),
    path(f"{_path}/publish", paths.path_publish, name="studio-path-publish"),
    path(f"{_path}/delete", paths.path_delete, name="studio-path-delete"),
]
