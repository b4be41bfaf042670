import gc
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.translation import gettext_lazy as _

from studyplatform.kit.db import triggers


class KitConfig(AppConfig):
    name = "studyplatform.kit"
    label = "kit"
    verbose_name = _("Site")

    def __init__(self, app_name: str, app_module: Any) -> None:
        super().__init__(app_name, app_module)
        # What is loaded from here until `ready` stays: looking for garbage in it took a fifth of the start.
        gc.disable()

    def ready(self) -> None:
        # Error codes, kinds of jobs and notifications, and subscribers must be registered before the first request;
        # otherwise the catalog, the schema and the worker would be incomplete.
        for config in apps.get_app_configs():
            if not config.name.startswith(("apps.", "studyplatform.")):
                continue
            for module in (
                "errors",
                "jobs",
                "notices",
                "receivers",
                "exports",
                "extensions",
                "checks",
                "components",
                "help_topics",
            ):
                name = f"{config.name}.{module}"
                if find_spec(name):
                    import_module(name)
        import_module("studyplatform.kit.db.folded")  # a lookup of all models
        import_module("studyplatform.kit.web.validation_texts").replace_validation_texts()
        pre_migrate.connect(triggers.drop_triggers, sender=self)
        post_migrate.connect(triggers.install_triggers, sender=self)
        gc.enable()
        gc.freeze()  # what was loaded until now is never garbage
