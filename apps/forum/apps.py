from django.apps import AppConfig


class ForumConfig(AppConfig):
    name = "apps.forum"
    label = "forum"
