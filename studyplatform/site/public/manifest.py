"""The web app manifest: how browsers install the site as an app."""

import json
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone

LIGHT, DARK = "#f7f7f2", "#101714"  # the canvas of the academic style (assets/shared/appearance.ts)
ICONS = (("icon-192", "192x192", "any"), ("icon-512", "512x512", "any"), ("maskable-512", "512x512", "maskable"))
MAX_AGE_SECONDS = 3600


def app_manifest() -> dict[str, Any]:
    """Return the manifest. The app begins with the dashboard, which opens without a connection too."""
    return {
        "id": "/",
        "name": settings.SITE_NAME,
        "short_name": settings.SITE_NAME,
        "description": str(settings.SITE_DESCRIPTION),
        "lang": get_language() or settings.LANGUAGE_CODE,
        "start_url": "/dashboard",
        "scope": "/",
        "display": "standalone",
        "categories": ["education"],
        "background_color": LIGHT,
        "theme_color": LIGHT,
        "color_scheme_dark": {"background_color": DARK, "theme_color": DARK},
        "icons": [
            {"src": static(f"favicons/{name}.png"), "sizes": sizes, "type": "image/png", "purpose": purpose}
            for name, sizes, purpose in ICONS
        ],
        "screenshots": [
            {
                "src": static(f"img/app-{form}.webp"),
                "sizes": sizes,
                "type": "image/webp",
                "form_factor": form,
                "label": label,
            }
            for form, sizes, label in (
                ("wide", "1280x800", _("A video lesson with its transcript")),
                ("narrow", "780x1688", _("Lessons on this device")),
            )
        ],
        "shortcuts": [
            {"name": name, "url": address}
            for name, address in (
                (_("On this device"), "/offline"),
                (_("My Learning"), "/me/enrollments"),
                (_("Practice"), "/me/practice"),
            )
        ],
    }


@open_to_everyone
@require_safe
def manifest(request: HttpRequest) -> HttpResponse:
    """/manifest.webmanifest, the same for everyone."""
    return HttpResponse(
        json.dumps(app_manifest(), ensure_ascii=False),
        content_type="application/manifest+json; charset=utf-8",
        headers={"Cache-Control": f"public, max-age={MAX_AGE_SECONDS}"},
    )
