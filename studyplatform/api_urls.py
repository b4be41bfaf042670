"""/api/v1"""

from django.contrib.auth.decorators import login_not_required
from django.urls import include, path
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerView

# Django tries patterns in their order: the app with the most frequent call, the player's heartbeat, comes first.
urlpatterns = [
    path("", include("apps.learning.api.urls")),
    path("schema/", login_not_required(SpectacularJSONAPIView.as_view()), name="schema"),
    path("docs/", login_not_required(SpectacularSwaggerView.as_view(url_name="schema")), name="docs"),
    path("", include("apps.accounts.api.urls")),
    path("", include("apps.files.api.urls")),
    path("", include("apps.courses.api.urls")),
    path("", include("apps.billing.api.urls")),
    path("", include("apps.forum.api.urls")),
    path("", include("apps.tutor.api.urls")),
]
