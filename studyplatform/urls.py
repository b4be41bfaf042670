"""Every address of the site. Each app's pages and API are listed in its own urls modules."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from apps.accounts.pages.signing_in import sign_in_for_admin
from studyplatform.site.governing.jobs import password_elsewhere

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include("studyplatform.api_urls")),
    path("admin/login/", sign_in_for_admin, name="sign-in-for-admin"),  # there is one sign-in page, and it has the lock
    # The settings change a password with all that follows from it: other sessions end, a mail says so.
    path("admin/password_change/", password_elsewhere),
    path("admin/", admin.site.urls),
    path("", include("apps.accounts.urls")),
    path("", include("apps.files.urls")),
    path("", include("apps.learning.urls")),  # before the courses: /courses/enroll is no course
    path("", include("apps.courses.urls")),
    path("", include("studyplatform.site.urls")),
]

handler400 = "studyplatform.site.system.errors.bad_request"
handler403 = "studyplatform.site.system.errors.forbidden"
handler404 = "studyplatform.site.system.errors.not_found"
handler500 = "studyplatform.site.system.errors.crash"
