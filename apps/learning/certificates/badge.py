"""A certificate as an Open Badges 3.0 credential: a VC-JWT that the site signs with ES256.

https://www.imsglobal.org/spec/ob/v3p0/#json-web-token-proof-format. The recipient is named by a salted hash of the
email, so that only who knows the address can tell whose badge it is.

The issuer is a ``did:web``: its public key is at an address of this site that follows from its name. Revoked badges are
bits of a list, https://www.w3.org/TR/vc-bitstring-status-list/, which is a signed credential as well.
"""

import base64
import gzip
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
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

CREDENTIALS = "https://www.w3.org/ns/credentials/v2"
CONTEXTS = [CREDENTIALS, "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json"]
VALID_FOR = timedelta(days=1)  # of a list: an older copy could hide a revocation
LIST_SIZE = 131_072  # badges of one list: the least that the standard allows, so that a request tells little
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


def issuer_id() -> str:
    """The site's DID, such as ``did:web:learn.example.com``."""
    return "did:web:" + settings.SITE_URL.partition("://")[2].replace(":", "%3A")


def did_document() -> dict[str, Any]:
    """The keys of the site, at the address where https://w3c-ccg.github.io/did-method-web/ looks for them."""
    jwk = public_key()
    method = f"{issuer_id()}#{jwk['kid']}"
    return {
        "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"],
        "id": issuer_id(),
        "alsoKnownAs": [settings.SITE_URL],
        "verificationMethod": [
            {"id": method, "type": "JsonWebKey2020", "controller": issuer_id(), "publicKeyJwk": jwk}
        ],
        "assertionMethod": [method],
    }


def issuer() -> dict[str, Any]:
    """The profile of the site as the issuer of badges."""
    return {
        "id": issuer_id(),
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
        "validFrom": _written(certificate.issued_at),
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
        "credentialStatus": _status_of(certificate),
    }


def _status_of(certificate: Certificate) -> dict[str, Any]:
    number, index = divmod(certificate.pk, LIST_SIZE)
    return {
        "id": f"{_list_url(number)}#{index}",
        "type": "BitstringStatusListEntry",
        "statusPurpose": "revocation",
        "statusListIndex": str(index),
        "statusListCredential": _list_url(number),
    }


def _list_url(number: int) -> str:
    return f"{settings.SITE_URL}/badges/status/{number}"


def signed(certificate: Certificate) -> str:
    """Return the credential as a compact JWS."""
    return _sign(credential(certificate), certificate.issued_at)


def _sign(content: dict[str, Any], at: datetime) -> str:
    """Return a credential as a compact JWS with the key in its header, as Open Badges asks for.

    A verifier has to compare that key with the one of the issuer's DID.
    """
    issued_by = content["issuer"]
    claims = {
        "iss": issued_by if isinstance(issued_by, str) else issued_by["id"],
        "jti": content["id"],
        "nbf": int(at.timestamp()),
    }
    jwk = {name: value for name, value in public_key().items() if name in {"crv", "kty", "x", "y"}}
    return jwt.encode({**content, **claims}, _key_of(settings.BADGE_KEY), "ES256", headers={"jwk": jwk, "typ": "JWT"})


def status_list(number: int, now: datetime) -> str:
    """Return the signed list of this number: a bit for each badge, set if it was revoked. One query."""
    first = number * LIST_SIZE
    bits = bytearray(LIST_SIZE // 8)
    revoked = Certificate.objects.filter(pk__gte=first, pk__lt=first + LIST_SIZE).exclude(revoked_at=None)
    for pk in revoked.values_list("pk", flat=True):
        bits[(pk - first) // 8] |= 0x80 >> ((pk - first) % 8)
    encoded = base64.urlsafe_b64encode(gzip.compress(bytes(bits), mtime=0)).decode().rstrip("=")
    content = {
        "@context": [CREDENTIALS],
        "id": _list_url(number),
        "type": ["VerifiableCredential", "BitstringStatusListCredential"],
        "issuer": issuer_id(),
        "validFrom": _written(now),
        "validUntil": _written(now + VALID_FOR),
        "credentialSubject": {
            "id": f"{_list_url(number)}#list",
            "type": "BitstringStatusList",
            "statusPurpose": "revocation",
            "encodedList": f"u{encoded}",
        },
    }
    return _sign(content, now)


def _written(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
