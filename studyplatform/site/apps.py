from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "studyplatform.site"
    label = "site"
