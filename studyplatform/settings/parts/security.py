"""Security headers: the Content-Security-Policy and others."""

from csp.constants import NONCE, NONE, SELF

from studyplatform.settings.parts.storage import CONTENT_ORIGIN, S3_ORIGIN

# The origin of segments that the browser fetches from the bucket (apps/files/streaming.py).
_STORE = [S3_ORIGIN] if S3_ORIGIN else []
# The origin of uploaded images, audio, video and PDF (docs/operations.md).
_CONTENT = [CONTENT_ORIGIN] if CONTENT_ORIGIN else []

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],  # and the hashes of inline scripts (kit/web/middleware.py)
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:", "blob:", *_CONTENT],
        "media-src": [SELF, "blob:", *_STORE, *_CONTENT],
        "font-src": [SELF],
        "connect-src": [SELF, *_STORE],
        "worker-src": [SELF, "blob:"],
        "frame-src": [SELF, *_CONTENT],
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
