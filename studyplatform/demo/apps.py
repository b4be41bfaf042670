from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "studyplatform.demo"
    label = "demo"
