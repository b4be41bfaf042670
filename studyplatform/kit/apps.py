from importlib import import_module
from importlib.util import find_spec

from django.apps import AppConfig, apps


class KitConfig(AppConfig):
    name = "studyplatform.kit"
    label = "kit"

    def ready(self) -> None:
        # Every error code, job kind, kind of notification and subscriber must be known before the first request,
        # or the catalogue, the schema and the worker would be incomplete.
        for config in apps.get_app_configs():
            if not config.name.startswith(("apps.", "studyplatform.")):
                continue
            for module in ("errors", "jobs", "notices", "receivers", "checks", "components"):
                name = f"{config.name}.{module}"
                if find_spec(name):
                    import_module(name)
