from importlib import import_module

from django.apps import AppConfig


class FilesConfig(AppConfig):
    name = "apps.files"
    label = "files"

    def ready(self) -> None:
        import_module("apps.files.name_search")  # whose triggers a migration installs
