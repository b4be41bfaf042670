"""Security headers: the Content-Security-Policy and others."""

from csp.constants import NONCE, NONE, SELF

from studyplatform.kit.web.inline_scripts import csp_hashes
from studyplatform.settings.parts.storage import S3_ORIGIN

# The origin of segments that the browser fetches from the bucket (apps/files/streaming.py).
_STORE = [S3_ORIGIN] if S3_ORIGIN else []

CONTENT_SECURITY_POLICY = {
    "EXCLUDE_URL_PREFIXES": ("/api/v1/docs/",),
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, *csp_hashes()],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:", "blob:"],
        "media-src": [SELF, "blob:", *_STORE],
        "font-src": [SELF],
        "connect-src": [SELF, *_STORE],
        "worker-src": [SELF, "blob:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "strict-origin-when-cross-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
PERMISSIONS_POLICY = "camera=(), geolocation=(), microphone=(), payment=(self), usb=(), browsing-topics=()"
