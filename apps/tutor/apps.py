from django.apps import AppConfig


class TutorConfig(AppConfig):
    name = "apps.tutor"
    label = "tutor"
