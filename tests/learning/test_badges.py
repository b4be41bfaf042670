"""Sharing certificates: the picture, the badge and what verifies it, revocation."""

import hashlib
import io
import json

import pytest
from joserfc import jwt as verifier
from joserfc.errors import BadSignatureError
from joserfc.jwk import ECKey, KeySet
from joserfc.jws import extract_compact
from PIL import Image

from apps.learning import services
from apps.learning.certificates.picture import picture
from tests.factories.learning import CertificateFactory


@pytest.fixture
def certificate(enrollment):
    return CertificateFactory(enrollment=enrollment)


def badge_of(browser, certificate) -> str:
    return browser.get(f"/certificates/{certificate.code}/badge").content.decode()


def test_an_independent_library_verifies_the_badge_with_the_published_keys(client, browser_of, leo, certificate):
    badge = badge_of(browser_of(leo), certificate)
    keys = KeySet.import_key_set(client.get("/badges/keys").json())
    header = extract_compact(badge.encode()).headers()
    kid = header["kid"].rsplit("/", 1)[-1]
    named = ECKey.import_key(client.get(f"/badges/keys/{kid}").json())
    assert (header["alg"], named.thumbprint()) == ("ES256", kid)
    assert keys.keys[0].thumbprint() == kid
    claims = verifier.decode(badge, named, algorithms=["ES256"]).claims

    assert claims["iss"] == claims["issuer"]["id"]
    assert claims["issuer"] == {
        name: value for name, value in client.get("/badges/issuer").json().items() if name != "@context"
    }
    assert claims["jti"] == claims["id"] == f"{claims['issuer']['url']}/certificates/{certificate.code}"
    assert claims["nbf"] == int(certificate.issued_at.timestamp())
    assert claims["type"] == ["VerifiableCredential", "OpenBadgeCredential"]
    [who] = claims["credentialSubject"]["identifier"]
    assert who["identityHash"] == "sha256$" + hashlib.sha256(f"{leo.email}{who['salt']}".encode()).hexdigest()
    assert leo.email not in json.dumps(claims)
    assert leo.display_name not in json.dumps(claims)

    head, body, signature = badge.split(".")
    for forged in [f"{head}.{body[:-4]}AAAA.{signature}", f"{head}.{body}.{signature[:-8]}AAAAAAAA"]:
        with pytest.raises((BadSignatureError, ValueError)):
            verifier.decode(forged, named, algorithms=["ES256"])


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


def test_a_revoked_certificate_is_shown_as_revoked_everywhere(client, browser_of, leo, certificate, now):
    services.set_revocation(certificate=certificate, reason="Issued by mistake.", now=now)
    mine, address = browser_of(leo), f"/certificates/{certificate.code}"

    page = mine.get(address).content.decode()
    assert "This certificate was revoked" in page
    assert "Issued by mistake." in page
    assert "This certificate is valid" not in page
    assert f"{certificate.code}.png" not in page
    answers = [mine.get(f"{address}{end}").status_code for end in (".pdf", ".png", "/badge")]
    assert answers == [404, 404, 404]
    assert client.get(f"/api/v1/certificates/{certificate.code}/").json()["revoked_at"]
    [row] = client.get("/badges/revoked").json()["revokedCredential"]
    assert (row["id"].endswith(certificate.code), row["revocationReason"]) == (True, "Issued by mistake.")

    services.set_revocation(certificate=certificate, reason="", now=now)
    assert client.get("/badges/revoked").json()["revokedCredential"] == []


def test_the_owner_can_share_it(client, browser_of, leo, certificate):
    page = browser_of(leo).get(f"/certificates/{certificate.code}").content.decode()
    assert "https://www.linkedin.com/profile/add?startTask=CERTIFICATION_NAME&amp;name=" in page
    assert "Share it" not in client.get(f"/certificates/{certificate.code}").content.decode()
