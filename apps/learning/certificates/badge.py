"""A certificate as an Open Badges 3.0 credential: a VC-JWT that the site signs with ES256.

https://www.imsglobal.org/spec/ob/v3p0/#json-web-token-proof-format. The recipient is named by a salted hash of the
email, so that only who knows the address can tell whose badge it is.
"""

import hashlib
import hmac
import json
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from jwt.algorithms import ECAlgorithm
from jwt.utils import base64url_encode

from apps.learning.models import Certificate
from apps.learning.queries.addresses import certificate_url, course_url
from apps.learning.queries.certificates import completion_line, quizzes_line

CONTEXTS = ["https://www.w3.org/ns/credentials/v2", "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json"]
SCHEMA = "https://purl.imsglobal.org/spec/ob/v3p0/schema/json/ob_v3p0_achievementcredential_schema.json"


@cache
def _key_of(pem: str) -> EllipticCurvePrivateKey:
    key = load_pem_private_key(pem.encode(), password=None)
    if not isinstance(key, EllipticCurvePrivateKey) or key.curve.name != "secp256r1":
        raise ImproperlyConfigured("BADGE_KEY must be a private key on the curve P-256 in PEM.")
    return key


def public_key() -> dict[str, Any]:
    """The public key as a JWK; its ``kid`` is the RFC 7638 thumbprint."""
    found: dict[str, Any] = ECAlgorithm.to_jwk(_key_of(settings.BADGE_KEY).public_key(), as_dict=True)
    jwk = {name: found[name] for name in ("crv", "kty", "x", "y")}
    plain = json.dumps(jwk, separators=(",", ":"), sort_keys=True).encode()
    thumbprint = base64url_encode(hashlib.sha256(plain).digest()).decode()
    return jwk | {"kid": thumbprint, "use": "sig", "alg": "ES256"}


def issuer() -> dict[str, Any]:
    """The profile of the site as the issuer of badges."""
    return {
        "id": f"{settings.SITE_URL}/badges/issuer",
        "type": ["Profile"],
        "name": settings.SITE_NAME,
        "url": settings.SITE_URL,
        "description": settings.SITE_DESCRIPTION,
        "email": settings.SUPPORT_EMAIL,
    }


def credential(certificate: Certificate) -> dict[str, Any]:
    """The unsigned credential, without anything that the page of the certificate doesn't show but a hashed email."""
    course, address = certificate.enrollment.course, settings.SITE_URL + certificate_url(certificate.code)
    salt = hmac.digest(settings.SECRET_KEY.encode(), f"badge {certificate.code}".encode(), "sha256").hex()[:32]
    email = certificate.enrollment.user.email.lower()
    earned = " ".join(f"{line}." for line in (completion_line(certificate), quizzes_line(certificate)) if line)
    return {
        "@context": CONTEXTS,
        "id": address,
        "type": ["VerifiableCredential", "OpenBadgeCredential"],
        "name": certificate.course_title,
        "issuer": issuer(),
        "validFrom": certificate.issued_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "credentialSubject": {
            "type": ["AchievementSubject"],
            "identifier": [
                {
                    "type": "IdentityObject",
                    "hashed": True,
                    "identityHash": f"sha256${hashlib.sha256(f'{email}{salt}'.encode()).hexdigest()}",
                    "identityType": "emailAddress",
                    "salt": salt,
                }
            ],
            "achievement": {
                "id": settings.SITE_URL + course_url(course.slug),
                "type": ["Achievement"],
                "achievementType": "Certificate",
                "name": certificate.course_title,
                "description": course.summary or certificate.course_title,
                "criteria": {"narrative": earned},
            },
        },
        "credentialSchema": [{"id": SCHEMA, "type": "1EdTechJsonSchemaValidator2019"}],
        "credentialStatus": {"id": f"{settings.SITE_URL}/badges/revoked", "type": "1EdTechRevocationList"},
    }


def signed(certificate: Certificate) -> str:
    """Return the credential as a compact JWS."""
    content = credential(certificate)
    claims = {"iss": content["issuer"]["id"], "jti": content["id"], "nbf": int(certificate.issued_at.timestamp())}
    key_id = f"{settings.SITE_URL}/badges/keys/{public_key()['kid']}"
    key = _key_of(settings.BADGE_KEY)
    return jwt.encode({**content, **claims}, key, "ES256", headers={"kid": key_id, "typ": "JWT"})


def revocation_list() -> dict[str, Any]:
    """Which badges were revoked. One query."""
    revoked = Certificate.objects.exclude(revoked_at=None).order_by("revoked_at", "pk")
    rows = revoked.values_list("code", "revocation_reason")
    return {
        "id": f"{settings.SITE_URL}/badges/revoked",
        "issuer": f"{settings.SITE_URL}/badges/issuer",
        "revokedCredential": [
            {"id": settings.SITE_URL + certificate_url(code), "revoked": True, "revocationReason": reason}
            for code, reason in rows
        ],
    }
