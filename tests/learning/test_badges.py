"""Sharing certificates: the picture, the badge and what verifies it, revocation."""

import hashlib
import io
import json
from datetime import timedelta

import jwt
import pytest
import time_machine
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from django.conf import settings
from django.contrib.admin.models import LogEntry
from joserfc import jwt as verifier
from joserfc.jwk import ECKey
from joserfc.jws import extract_compact
from openbadgeslib.ob3 import OB3VerificationError, OB3Verifier
from PIL import Image

from apps.accounts.models import Notification
from apps.learning import services
from apps.learning.certificates.picture import picture
from apps.learning.models import Enrollment
from tests.factories.learning import CertificateFactory, EnrollmentFactory


@pytest.fixture
def certificate(enrollment):
    return CertificateFactory(enrollment=enrollment)


def badge_of(browser, certificate) -> str:
    return browser.get(f"/certificates/{certificate.code}/badge").content.decode()


@pytest.fixture
def fetch(client):
    """What a verifier gets from an address of this site, which is at https in production."""

    def get(address: str) -> bytes:
        scheme, _, rest = address.partition("://")
        host, _, path = rest.partition("/")
        assert (scheme in {"http", "https"}, host) == (True, settings.SITE_URL.partition("://")[2])
        return client.get(f"/{path}").content

    return get


def verified(badge: str, fetch, **rules):
    """The credential as a public library reads it: its issuer's key by the DID, its signature, form and status."""
    issuer = jwt.decode(badge, options={"verify_signature": False})["iss"]
    return OB3Verifier.for_issuer_did(issuer, download=fetch).verify(badge, check_status=True, download=fetch, **rules)


def signed_by(key, badge: str, **changes) -> str:
    claims = jwt.decode(badge, options={"verify_signature": False}) | changes
    return jwt.encode(claims, key, "ES256", headers={"typ": "JWT"})


def test_a_public_verifier_accepts_the_badge(browser_of, leo, certificate, fetch):
    badge = badge_of(browser_of(leo), certificate)
    found = verified(badge, fetch)
    assert (found.issuer.id, found.name) == ("did:web:127.0.0.1%3A8000", certificate.course_title)

    claims = jwt.decode(badge, options={"verify_signature": False})
    [who] = claims["credentialSubject"]["identifier"]
    assert who["identityHash"] == "sha256$" + hashlib.sha256(f"{leo.email}{who['salt']}".encode()).hexdigest()
    assert leo.email not in json.dumps(claims)
    assert leo.display_name not in json.dumps(claims)


def test_the_key_in_the_badge_is_the_published_one(client, browser_of, leo, certificate):
    badge = badge_of(browser_of(leo), certificate)
    [method] = client.get("/.well-known/did.json").json()["verificationMethod"]
    named = ECKey.import_key(extract_compact(badge.encode()).headers()["jwk"])

    assert named.thumbprint() == ECKey.import_key(method["publicKeyJwk"]).thumbprint()
    assert method["id"].endswith(f"#{named.thumbprint()}")
    assert "d" not in method["publicKeyJwk"]
    assert verifier.decode(badge, named, algorithms=["ES256"]).claims["jti"].endswith(f"/{certificate.code}")


def test_a_public_verifier_refuses_changed_and_foreign_badges(browser_of, leo, mia, course, certificate, fetch):
    badge = badge_of(browser_of(leo), certificate)
    other = badge_of(browser_of(mia), CertificateFactory(enrollment=EnrollmentFactory(user=mia, course=course)))
    (head, body, signature), (_, other_body, _) = badge.split("."), other.split(".")
    for forged in (
        f"{head}.{other_body}.{signature}",
        f"{head}.{body}.{signature[:-8]}AAAAAAAA",
        signed_by(generate_private_key(SECP256R1()), badge),
        signed_by(generate_private_key(SECP256R1()), badge, credentialStatus=[]),
    ):
        with pytest.raises(OB3VerificationError):
            verified(forged, fetch)


def test_a_public_verifier_refuses_a_revoked_badge_and_only_that(browser_of, leo, mia, course, certificate, fetch, now):
    other = CertificateFactory(enrollment=EnrollmentFactory(user=mia, course=course))
    badges = badge_of(browser_of(leo), certificate), badge_of(browser_of(mia), other)
    services.set_revocation(certificate=certificate, reason="Issued by mistake.", now=now)

    with pytest.raises(OB3VerificationError, match="revocation"):
        verified(badges[0], fetch)
    assert verified(badges[1], fetch)
    services.set_revocation(certificate=certificate, reason="", now=now)
    assert verified(badges[0], fetch)


def test_the_list_of_revoked_badges_is_signed_and_grows_old(browser_of, leo, certificate, fetch, client):
    badge = badge_of(browser_of(leo), certificate)
    with time_machine.travel("2020-01-01", tick=False):
        old = client.get("/badges/status/0").content
    unsigned = json.dumps(jwt.decode(client.get("/badges/status/0").content, options={"verify_signature": False}))
    for answer in (old, unsigned.encode()):
        with pytest.raises(OB3VerificationError):
            verified(badge, lambda address, answer=answer: answer if "status" in address else fetch(address))
    assert client.get("/badges/status/10001").status_code == 404
    assert client.get("/badges/status/7").status_code == 200


def test_only_the_owner_gets_the_badge(client, browser_of, leo, mia, sam, certificate):
    address = f"/certificates/{certificate.code}/badge"
    assert browser_of(leo).get(address).status_code == 200
    assert [browser_of(mia).get(address).status_code, browser_of(sam).get(address).status_code] == [404, 404]
    assert client.get(address).status_code == 302


def test_the_picture_has_the_size_that_sites_expect_and_is_drawn_once(client, certificate):
    answer = client.get(f"/certificates/{certificate.code}.png")
    with Image.open(io.BytesIO(answer.content)) as image:
        assert (image.format, image.size) == ("PNG", (1200, 630))
    assert len(answer.content) < 300_000
    assert "public" in answer["Cache-Control"]
    assert picture(certificate) is picture(certificate)
    page = client.get(f"/certificates/{certificate.code}").content.decode()
    assert f'<meta property="og:image" content="http://127.0.0.1:8000/certificates/{certificate.code}.png">' in page
    assert '<meta name="twitter:card" content="summary_large_image">' in page
    assert client.get("/certificates/NONE.png").status_code == 404


@pytest.mark.parametrize("name", ["Łukasz Żółć", "李小龍", "A" * 160, ""])
def test_every_name_and_title_can_be_drawn(certificate, name):
    certificate.learner_name, certificate.course_title, certificate.code = name, "Word " * 24, f"X{len(name)}"

    with Image.open(io.BytesIO(picture(certificate))) as image:
        assert image.size == (1200, 630)


def test_an_admin_revokes_a_certificate_with_a_reason(browser_of, sam, certificate):
    change = f"/admin/learning/certificate/{certificate.pk}/change/"
    browser_of(sam).post(change, {"revocation_reason": "Issued by mistake.", "code": "OTHER"})
    certificate.refresh_from_db()
    assert (certificate.revocation_reason, certificate.code == "OTHER") == ("Issued by mistake.", False)
    assert certificate.revoked_at

    browser_of(sam).post(change, {"revocation_reason": ""})
    certificate.refresh_from_db()
    assert certificate.revoked_at is None
    assert [entry.change_message for entry in LogEntry.objects.order_by("pk")] == [
        "Revoked: Issued by mistake.",
        "Made valid again",
    ]
    assert {entry.user for entry in LogEntry.objects.all()} == {sam}


def test_only_admins_revoke_certificates(client, browser_of, leo, ada, certificate):
    change = f"/admin/learning/certificate/{certificate.pk}/change/"
    for browser in (client, browser_of(leo), browser_of(ada)):
        assert browser.post(change, {"revocation_reason": "Mine to decide."}).status_code in {302, 403, 404}
    certificate.refresh_from_db()
    assert certificate.revoked_at is None


def test_the_owner_is_notified_of_each_revocation_once(leo, certificate, now, django_capture_on_commit_callbacks):
    for reason in ("Issued by mistake.", "Issued by mistake!", "", "Again."):
        with django_capture_on_commit_callbacks(execute=True):
            services.set_revocation(certificate=certificate, reason=reason, now=now)
        now += timedelta(hours=1)

    rows = Notification.objects.of(leo).filter(kind="learning.certificate_revoked").order_by("pk")
    assert [row.link for row in rows] == [f"/certificates/{certificate.code}"] * 2
    assert [row.params["reason"] for row in rows] == ["Issued by mistake.", "Again."]


def test_a_revoked_certificate_is_shown_as_revoked_everywhere(client, browser_of, leo, certificate, now):
    services.set_revocation(certificate=certificate, reason="Issued by mistake.", now=now)
    mine, address = browser_of(leo), f"/certificates/{certificate.code}"

    page = mine.get(address).content.decode()
    assert "This certificate was revoked" in page
    assert "Issued by mistake." in page
    assert "This certificate is valid" not in page
    assert "This certifies that" not in page
    assert "What this certificate confirms" not in page
    assert f"{certificate.code}.png" not in page
    answers = [mine.get(f"{address}{end}").status_code for end in (".pdf", ".png", "/badge")]
    assert answers == [404, 404, 404]
    assert client.get(f"/api/v1/certificates/{certificate.code}/").json()["revoked_at"]


def test_the_owner_can_share_it(client, browser_of, leo, certificate):
    page = browser_of(leo).get(f"/certificates/{certificate.code}").content.decode()
    assert "https://www.linkedin.com/profile/add?startTask=CERTIFICATION_NAME&amp;name=" in page
    assert "Share it" not in client.get(f"/certificates/{certificate.code}").content.decode()


def test_nothing_offers_a_revoked_certificate_as_valid(browser_of, leo, course, certificate, now):
    Enrollment.objects.filter(pk=certificate.enrollment_id).update(percent=100, completed_at=now)
    services.set_revocation(certificate=certificate, reason="Issued by mistake.", now=now)

    for address in ("/me/enrollments", "/me/courses?tab=completed", f"/me/course/{course.slug}/progress"):
        page = browser_of(leo).get(address).content.decode()
        assert f"/certificates/{certificate.code}.pdf" not in page
        assert "evoked" in page
        assert f"/certificates/{certificate.code}" in page
