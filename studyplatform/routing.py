"""The URLs of the websockets."""

from channels.auth import AuthMiddlewareStack
from django.urls import path

from apps.accounts.consumers import NotificationsConsumer
from apps.courses.consumers import StudioConsumer
from apps.files.consumers import VideosConsumer
from apps.forum.consumers import MessagesConsumer, TopicConsumer
from apps.learning.consumers import LessonConsumer
from apps.tutor.consumers import TutorConsumer

websocket_urlpatterns = [
    path("ws/notifications/", AuthMiddlewareStack(NotificationsConsumer.as_asgi())),
    path("ws/videos/", AuthMiddlewareStack(VideosConsumer.as_asgi())),
    path("ws/tutor/", AuthMiddlewareStack(TutorConsumer.as_asgi())),
    path("ws/messages/", AuthMiddlewareStack(MessagesConsumer.as_asgi())),
    path("ws/studio/<uuid:course>/", AuthMiddlewareStack(StudioConsumer.as_asgi())),
    path("ws/lessons/<uuid:lesson>/", AuthMiddlewareStack(LessonConsumer.as_asgi())),
    path("ws/forum/topics/<int:topic>/", AuthMiddlewareStack(TopicConsumer.as_asgi())),
]
