"""The form of a badge by the rules that Open Badges 3.0 publishes for a credential about an achievement.

https://www.imsglobal.org/spec/ob/v3p0/#data-models. The rules are closed here, unlike there: a badge may contain only
names that the data model has, so a misspelled one is an error and not an unknown extension. 1EdTech's own JSON Schema,
ob_v3p0_achievementcredential_schema.json, accepts these badges too; it is not a part of this repository.
"""

import re
from datetime import datetime
from typing import Any

import jwt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from apps.learning.certificates import badge
from apps.learning.models import Certificate
from tests.factories.learning import CertificateFactory

TEXT = {"type": "string", "minLength": 1}
ADDRESS = {"type": "string", "pattern": r"^(https?://|did:web:)[^\s]+$"}
TIME = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"}


def types(*names: str) -> dict[str, Any]:
    """A list of types that has all of these and no others."""
    return {"type": "array", "items": {"enum": list(names)}, "minItems": len(names), "uniqueItems": True}


def object_of(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """An object with these members and no others."""
    return {
        "type": "object",
        "properties": required | optional,
        "required": list(required),
        "additionalProperties": False,
    }


CREDENTIAL = {
    "@context": {
        "type": "array",
        "prefixItems": [
            {"const": "https://www.w3.org/ns/credentials/v2"},
            {"type": "string", "pattern": r"^https://purl\.imsglobal\.org/spec/ob/v3p0/context-3\.\d\.\d\.json$"},
        ],
        "minItems": 2,
        "items": False,
    },
    "id": ADDRESS,
    "type": types("VerifiableCredential", "OpenBadgeCredential"),
    "name": TEXT,
    "issuer": object_of(
        {"id": ADDRESS, "type": types("Profile")}, name=TEXT, url=ADDRESS, description=TEXT, email=TEXT
    ),
    "validFrom": TIME,
    "credentialSubject": object_of(
        {
            "type": types("AchievementSubject"),
            "identifier": {
                "type": "array",
                "minItems": 1,
                "items": object_of(
                    {
                        "type": {"const": "IdentityObject"},
                        "hashed": {"const": True},
                        "identityHash": {"type": "string", "pattern": r"^sha256\$[0-9a-f]{64}$"},
                        "identityType": {"const": "emailAddress"},
                        "salt": TEXT,
                    }
                ),
            },
            "achievement": object_of(
                {
                    "id": ADDRESS,
                    "type": types("Achievement"),
                    "name": TEXT,
                    "description": TEXT,
                    "criteria": object_of({"narrative": TEXT}),
                },
                achievementType={"const": "Certificate"},
            ),
        }
    ),
    "credentialSchema": {
        "type": "array",
        "minItems": 1,
        "items": object_of({"id": ADDRESS, "type": {"const": "1EdTechJsonSchemaValidator2019"}}),
    },
    "credentialStatus": object_of(
        {
            "id": ADDRESS,
            "type": {"const": "BitstringStatusListEntry"},
            "statusPurpose": {"const": "revocation"},
            "statusListIndex": {"type": "string", "pattern": r"^\d+$"},
            "statusListCredential": ADDRESS,
        }
    ),
}
FORM = Draft202012Validator(object_of(CREDENTIAL))
SIGNED = Draft202012Validator(object_of(CREDENTIAL | {"iss": ADDRESS, "jti": ADDRESS, "nbf": {"type": "integer"}}))


@pytest.fixture
def certificate(enrollment) -> Certificate:
    return CertificateFactory(enrollment=enrollment)


def wrong(form: Draft202012Validator, document: dict[str, Any]) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in form.iter_errors(document)]


def test_the_credential_and_its_signed_copy_have_the_published_form(certificate):
    plain = badge.credential(certificate)
    claims = jwt.decode(badge.signed(certificate), options={"verify_signature": False})

    assert wrong(FORM, plain) == []
    assert wrong(SIGNED, claims) == []
    assert (claims["iss"], claims["jti"]) == (plain["issuer"]["id"], plain["id"])
    assert datetime.fromisoformat(plain["validFrom"]).timestamp() == claims["nbf"]


def test_the_header_names_the_type_and_the_key_and_nothing_secret(certificate):
    header = jwt.get_unverified_header(badge.signed(certificate))

    assert (header["alg"], header["typ"], set(header)) == ("ES256", "JWT", {"alg", "typ", "jwk"})
    assert set(header["jwk"]) == {"kty", "crv", "x", "y"}
    assert re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+", badge.signed(certificate))


@pytest.mark.parametrize(
    "change",
    [
        {"validFrom": "yesterday"},
        {"issuer": {"name": "Study Platform"}},
        {"type": ["VerifiableCredential"]},
        {"@context": badge.CONTEXTS[::-1]},
        {"expires": "2030-01-01T00:00:00Z"},
    ],
)
def test_the_form_is_strict(certificate, change):
    assert wrong(FORM, badge.credential(certificate) | change)


@settings(deadline=None)
@given(
    title=st.text(min_size=1, max_size=120),
    summary=st.text(max_size=300),
    quizzes=st.lists(
        st.fixed_dictionaries({"title": st.text(max_size=60), "percent": st.integers(0, 100)}), max_size=3
    ),
    seconds=st.integers(0, 10_000),
)
def test_no_title_summary_or_result_breaks_the_form(title, summary, quizzes, seconds):
    certificate = CertificateFactory.build(
        pk=seconds * 31, course_title=title, quizzes=quizzes, video_seconds=seconds, watched_seconds=seconds // 2
    )
    certificate.enrollment.course.summary = summary

    assert wrong(FORM, badge.credential(certificate)) == []
