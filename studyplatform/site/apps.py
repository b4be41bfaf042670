from django.apps import AppConfig, apps
from django.contrib import admin


class SiteConfig(AppConfig):
    """The pages that compose several apps. Removes the admin pages of other packages."""

    name = "studyplatform.site"
    label = "site"

    def ready(self) -> None:
        """Unregister the admin pages of packages: they show secrets and change rows without our services."""
        for model in apps.get_models():
            if not admin.site.is_registered(model):
                continue
            screen = type(admin.site.get_model_admin(model)).__module__
            if not screen.startswith(("apps.", "studyplatform.")):
                admin.site.unregister(model)
