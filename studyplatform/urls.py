"""All URLs of the site. Each app lists its pages and its API in its own urls modules."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from apps.accounts.pages.signing_in import sign_in_for_admin
from studyplatform.site.system.redirects import admin_password

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include("studyplatform.api_urls")),
    path(
        "admin/login/", sign_in_for_admin, name="sign-in-for-admin"
    ),  # the one sign-in page, which counts failed attempts
    # Only the settings do what a new password requires: end other sessions and send an email about it.
    path("admin/password_change/", admin_password),
    path("admin/", admin.site.urls),
    path("stripe/", include("djstripe.urls", namespace="djstripe")),  # the payment provider's webhooks
    path("", include("apps.accounts.urls")),
    path("", include("apps.files.urls")),
    path("", include("apps.billing.urls")),
    path("", include("apps.learning.urls")),  # before courses, so that /courses/enroll is not read as a course's slug
    path("", include("apps.courses.urls")),
    path("", include("apps.forum.urls")),
    path("", include("apps.tutor.mcp.urls")),
    path("", include("apps.tutor.urls")),
    path("", include("studyplatform.samples.urls")),
    path("", include("studyplatform.site.urls")),
]

handler400 = "studyplatform.site.system.errors.bad_request"
handler403 = "studyplatform.site.system.errors.forbidden"
handler404 = "studyplatform.site.system.errors.not_found"
handler500 = "studyplatform.site.system.errors.crash"
