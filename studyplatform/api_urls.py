"""/api/v1"""

from csp.constants import UNSAFE_INLINE
from csp.decorators import csp_update
from django.contrib.auth.decorators import login_not_required
from django.urls import include, path
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

# Swagger UI writes its styles itself; its scripts are files.
swagger_page = csp_update({"style-src": UNSAFE_INLINE})(SpectacularSwaggerSplitView.as_view(url_name="schema"))

# Django tries patterns in their order: the app with the most frequent call, the player's heartbeat, comes first.
urlpatterns = [
    path("", include("apps.learning.api.urls")),
    path("schema/", login_not_required(SpectacularJSONAPIView.as_view()), name="schema"),
    path("docs/", login_not_required(swagger_page), name="docs"),
    path("", include("apps.accounts.api.urls")),
    path("", include("apps.files.api.urls")),
    path("", include("apps.courses.api.urls")),
    path("", include("apps.billing.api.urls")),
    path("", include("apps.forum.api.urls")),
    path("", include("apps.tutor.api.urls")),
]
