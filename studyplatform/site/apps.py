from django.apps import AppConfig, apps
from django.contrib import admin


class SiteConfig(AppConfig):
    """The frame. It closes the desks that other people's packages open in Django's admin."""

    name = "studyplatform.site"
    label = "site"

    def ready(self) -> None:
        """Keep only this project's own screens: those of packages show secrets and change rows past the services."""
        for model in apps.get_models():
            if not admin.site.is_registered(model):
                continue
            screen = type(admin.site.get_model_admin(model)).__module__
            if not screen.startswith(("apps.", "studyplatform.")):
                admin.site.unregister(model)
