from django.urls import path

from apps.billing.pages import methods

app_name = "billing"
urlpatterns = [
    path("billing/methods", methods.methods, name="methods"),
    path("billing/methods/<uuid:uid>/default", methods.make_default, name="card-default"),
    path("billing/methods/<uuid:uid>/remove", methods.remove, name="card-remove"),
]
