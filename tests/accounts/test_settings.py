"""The settings page, section by section, as a browser without scripts uses it."""

import re
import struct
import threading
import zlib
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from io import BytesIO
from typing import Any
from unittest import mock

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.core import mail
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from PIL import Image, ImageFile

from apps.accounts import forms, services
from apps.accounts.models import PROFILE_FIELDS, BrowserSession, EmailVerification, User
from apps.accounts.services import pictures
from apps.accounts.services import settings as settings_services
from studyplatform.kit import jobs
from studyplatform.kit import pictures as kit_pictures
from studyplatform.kit.concurrency import ConcurrencyLimit
from studyplatform.kit.errors import NotAuthenticated
from studyplatform.kit.extensions import settings_sections
from tests.factories.accounts import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db
NEW = "BrightLake27"


@pytest.fixture
def browser(browser_of: Callable[[User], Client], leo: User) -> Client:
    return browser_of(leo)


def test_a_visitor_must_sign_in(client: Client) -> None:
    assert client.get("/settings/")["Location"] == "/auth/login?next=/settings/"
    for section in ("profile", "picture", "picture/remove", "email", "email/drop", "goals", "password", "appearance"):
        assert client.post(f"/settings/{section}")["Location"].startswith("/auth/login")
    for slug in settings_sections:
        assert client.get(f"/settings/{slug}")["Location"] == f"/auth/login?next=/settings/{slug}"


def test_each_section_has_its_page_within_a_query_budget(
    browser: Client, ada: User, browser_of: Callable[[User], Client], django_assert_max_num_queries: Callable
) -> None:
    first = browser.get("/settings/").content.decode()
    slugs = re.findall(r'<a href="/settings/([a-z]+)"', first.split('class="sideindex"')[1].split("</nav>")[0])
    assert slugs[:2] == ["profile", "password"]
    assert set(slugs) == {*settings_sections, "storage"} - {"connections"}  # no provider, and none linked
    for slug in slugs[:-1]:
        with django_assert_max_num_queries(4):
            page = browser.get(f"/settings/{slug}").content.decode()
        assert re.findall(r'<section class="pref" id="([a-z]+)"', page) == [slug]
        assert re.findall(r'href="/settings/([a-z]+)" aria-current="page"', page) == [slug]
        assert "Saved at" not in page
    for user in (browser, browser_of(ada)):  # Ada teaches already
        assert user.get("/settings/connections")["Location"] == "/settings/"
    assert browser_of(ada).get("/settings/teaching")["Location"] == "/settings/"


def test_links_from_when_all_sections_were_one_page_lead_to_theirs(browser: Client) -> None:
    for query, where in (("saved=goals", "/settings/goals"), ("at=profile", "/settings/profile")):
        assert browser.get(f"/settings/?{query}")["Location"] == where
    for query in ("saved=<b>", "at=storage", "page=2"):
        assert browser.get(f"/settings/?{query}").status_code == 200


def test_the_address_of_a_form_with_errors_opens_its_section(browser: Client) -> None:
    for path, where in (("email", "profile"), ("picture", "profile"), ("security/passkeys/1/rename", "security")):
        assert browser.get(f"/settings/{path}")["Location"] == f"/settings/{where}"


@pytest.mark.parametrize(
    ("address", "sent", "section", "words"),
    [
        ("/settings/sessions/end-others", {}, "sessions", "All other browsers were signed out."),
        ("/settings/email", {"email": "leo@new.example", "password": PASSWORD}, "profile", "We sent a link to"),
    ],
)
def test_a_message_appears_once_in_the_section_that_opens(
    browser: Client, address: str, sent: dict[str, str], section: str, words: str
) -> None:
    answer = browser.post(address, sent, follow=True)

    page = answer.content.decode()
    assert answer.redirect_chain[-1][0].partition("?")[0] == f"/settings/{section}"
    assert page.count(words) == 1


def test_a_new_password_signs_out_every_other_browser(
    browser: Client, browser_of: Callable[[User], Client], leo: User
) -> None:
    other = browser_of(leo)

    answer = browser.post("/settings/password", {"current": PASSWORD, "password": NEW, "confirmation": NEW})

    assert answer["Location"] == "/settings/password?saved=1"
    assert "Saved at" in browser.get("/settings/password?saved=1").content.decode()
    assert other.get("/settings/").status_code == 302
    leo.refresh_from_db()
    assert leo.check_password(NEW)
    assert BrowserSession.objects.of(leo).count() == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"current": "WrongGuess1"}, "Current password is incorrect"),
        ({"current": ""}, "Enter your current password."),
        ({"confirmation": "BrightLake28"}, "Passwords do not match"),
        ({"password": "short1A", "confirmation": "short1A"}, "8"),
        ({"password": "password", "confirmation": "password"}, "uppercase"),
    ],
)
def test_an_invalid_password_change_keeps_the_old_password(browser: Client, leo: User, given: dict, words: str) -> None:
    answer = browser.post("/settings/password", {"current": PASSWORD, "password": NEW, "confirmation": NEW} | given)

    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert NEW not in answer.content.decode()
    leo.refresh_from_db()
    assert leo.check_password(PASSWORD)


def test_live_validation_reports_the_password_rules(browser: Client, leo: User) -> None:
    """The current password is not checked: right and wrong ones look the same, and no attempt is counted."""
    assert 'data-check="/settings/password/check"' in browser.get("/settings/password").content.decode()
    told = [
        browser.post("/settings/password/check", {"current": current, "password": "short", "confirmation": NEW}).json()
        for current in [PASSWORD, *["WrongGuess1"] * 6]
    ]

    assert told == [told[0]] * 7
    assert set(told[0]) == {"password", "confirmation"}
    assert browser.post("/settings/password/check", {"password": NEW, "confirmation": NEW}).json().keys() == {"current"}
    answer = browser.post("/settings/password", {"current": PASSWORD, "password": NEW, "confirmation": NEW})
    assert answer.status_code == 302


def test_guessing_the_current_password_locks_the_account(browser: Client, leo: User) -> None:
    for _ in range(5):
        browser.post("/settings/password", {"current": "WrongGuess1", "password": NEW, "confirmation": NEW})

    answer = browser.post("/settings/password", {"current": PASSWORD, "password": NEW, "confirmation": NEW})

    assert re.search(r'data-errors>\s*<div [^>]*data-error="AUTH_ACCOUNT_LOCKED"', answer.content.decode())
    leo.refresh_from_db()
    assert leo.check_password(PASSWORD)


def test_the_appearance_is_saved_with_the_account(browser: Client, leo: User) -> None:
    browser.post("/settings/appearance", {"theme": "dark", "style": "corporate"})

    leo.refresh_from_db()
    assert (leo.theme, leo.style) == ("dark", "corporate")


def test_the_theme_menu_saves_its_choice_with_the_account(browser: Client, client: Client, leo: User) -> None:
    look = {"theme": "dark", "style": "corporate"}
    answer = browser.put("/api/v1/me/look/", look, "application/json")

    assert answer.status_code == 204
    user = browser.get("/api/v1/auth/session/").json()["user"]
    assert {name: user[name] for name in look} == look
    assert client.put("/api/v1/me/look/", look, "application/json").status_code == 401
    assert browser.put("/api/v1/me/look/", {"theme": "sepia"}, "application/json").status_code == 400


def test_a_form_cannot_change_other_fields(browser: Client, leo: User) -> None:
    """Mass assignment: fields that the form does not define keep their values."""
    more = {"role": "admin", "is_staff": "1", "email_verified_at": "2026-01-01", "is_active": ""}
    browser.post("/settings/appearance", {"theme": "", "style": "academic", **more})

    leo.refresh_from_db()
    assert (leo.role, leo.is_active) == ("student", True)


def test_an_unknown_appearance_is_refused(browser: Client, leo: User) -> None:
    answer = browser.post("/settings/appearance", {"theme": "sepia", "style": "<b>"})

    assert answer.status_code == 422
    leo.refresh_from_db()
    assert leo.theme == ""


# --- Profile ------------------------------------------------------------------------------------

PROFILE = {"username": "leo.m", "first_name": "Leo", "last_name": "Marsh", "time_zone": "Europe/Helsinki", "bio": "Hi."}


def test_a_user_can_save_their_profile(browser: Client, leo: User) -> None:
    answer = browser.post("/settings/profile", PROFILE)

    assert answer["Location"] == "/settings/profile?saved=1"
    leo.refresh_from_db()
    assert {name: getattr(leo, name) for name in PROFILE} == PROFILE


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"username": "MIA"}, "This username is taken."),
        ({"username": "admin"}, "This username is taken."),
        ({"username": "leo@example.com"}, "Use letters, numbers, dots, dashes and underscores."),
        ({"username": "ab"}, "at least 3"),
        ({"username": "x" * 31}, "at most 30"),
        ({"first_name": "Leo\r\nBcc: all@example.com"}, "Use letters, spaces and punctuation only."),
        ({"time_zone": "../../etc/passwd"}, "valid choice"),
        ({"bio": "x" * 301}, "at most 300"),
    ],
)
def test_an_invalid_profile_form_keeps_the_input(
    browser: Client, leo: User, mia: User, given: dict, words: str
) -> None:
    answer = browser.post("/settings/profile", PROFILE | given)

    page = answer.content.decode()
    assert answer.status_code == 422
    assert words in page
    assert "Marsh" in page
    leo.refresh_from_db()
    assert leo.username == "leo"


def test_two_users_cannot_take_the_same_username_at_once(leo: User, mia: User) -> None:
    with (
        mock.patch("django.db.models.query.QuerySet.exists", return_value=False),
        pytest.raises(services.UsernameTaken),
    ):
        services.save_profile(user=leo, changes=PROFILE | {"username": "MIA"}, now=timezone.now())


def test_a_field_missing_from_the_form_keeps_its_value(browser: Client, leo: User) -> None:
    """A former instructor sees no headline field and so cannot clear the headline."""
    User.objects.filter(pk=leo.pk).update(headline="Hydrologist")

    assert 'name="headline"' not in browser.get("/settings/").content.decode()
    browser.post("/settings/profile", PROFILE | {"headline": "not offered"})

    leo.refresh_from_db()
    assert (leo.first_name, leo.headline) == ("Leo", "Hydrologist")


def test_a_new_profile_field_is_shown_validated_and_saved(browser: Client, leo: User, monkeypatch) -> None:
    """An existing text field of User represents the new field."""
    for module in (forms.profile, settings_services):
        monkeypatch.setattr(module, "PROFILE_FIELDS", (*PROFILE_FIELDS, "block_reason"))

    browser.post("/settings/profile", PROFILE | {"block_reason": "they/them"})
    assert 'name="block_reason" id="id_block_reason" value="they/them"' in browser.get("/settings/").content.decode()
    refused = browser.post("/settings/profile", PROFILE | {"block_reason": "x" * 301})

    assert 'id="id_block_reason-e"' in refused.content.decode()
    leo.refresh_from_db()
    assert leo.block_reason == "they/them"


def test_save_profile_accepts_only_profile_fields(leo: User) -> None:
    with pytest.raises(ValueError, match="role"):
        services.save_profile(user=leo, changes={"role": "admin"}, now=timezone.now())


# --- Picture ------------------------------------------------------------------------------------


def make_picture(size: tuple[int, int] = (400, 300), kind: str = "PNG", **options: object) -> SimpleUploadedFile:
    """Return a picture with a red left half and a blue right half."""
    image = Image.new("RGB", size, "red")
    image.paste("blue", (size[0] // 2, 0, *size))
    out = BytesIO()
    image.save(out, kind, **options)
    return SimpleUploadedFile("me.png", out.getvalue())


def load_avatar(browser: Client, leo: User) -> Image.Image:
    leo.refresh_from_db()
    answer = browser.get(leo.avatar_url)
    assert answer["Content-Type"] == "image/webp"
    assert "immutable" in answer["Cache-Control"]
    return Image.open(BytesIO(b"".join(answer.streaming_content)))  # type: ignore[attr-defined]


def test_two_parallel_uploads_leave_one_picture(leo: User) -> None:
    """Both uploads start while the user has no picture."""
    at_once = [User.objects.get(pk=leo.pk) for _ in range(3)]
    with mock.patch("django.db.transaction.on_commit", lambda then: then()):
        for one in at_once[:2]:
            services.set_picture(user=one, file=make_picture().file)
        first, second = (one.avatar.name for one in at_once[:2])
        assert [default_storage.exists(name) for name in (first, second)] == [False, True]

        services.remove_picture(user=at_once[2])
    assert not default_storage.exists(second)


def test_changes_during_a_deletion_restore_no_personal_data(leo: User) -> None:
    before = User.objects.get(pk=leo.pk)
    services.delete_account(user=leo, password=PASSWORD, browser="", now=timezone.now())

    with pytest.raises(NotAuthenticated):
        services.save_profile(user=before, changes=PROFILE, now=timezone.now())
    with pytest.raises(NotAuthenticated):
        services.set_picture(user=before, file=make_picture().file)

    leo.refresh_from_db()
    assert (leo.first_name, leo.avatar.name) == ("", "")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_becomes_a_small_square(browser: Client, leo: User, kind: str) -> None:
    assert browser.post("/settings/picture", {"picture": make_picture(kind=kind)}).status_code == 302

    image = load_avatar(browser, leo)
    assert (image.format, image.size) == ("WEBP", (384, 384))
    assert leo.avatar_url in browser.get("/settings/").content.decode()


def test_the_picture_is_cropped_to_the_chosen_part(browser: Client, leo: User) -> None:
    browser.post("/settings/picture", {"picture": make_picture(), "x": "0.6", "y": "0", "size": "0.5"})

    red, _, blue = load_avatar(browser, leo).convert("RGB").getpixel((20, 200))
    assert blue > 200 > 60 > red


def test_a_picture_loses_its_location(browser: Client, leo: User) -> None:
    exif = Image.Exif()
    exif[0x010F] = "Secret camera"
    exif[0x0112] = 6  # rotated: the top is the left edge
    browser.post("/settings/picture", {"picture": make_picture((300, 400), "JPEG", exif=exif)})

    image = load_avatar(browser, leo)
    assert not image.getexif()
    red, _, blue = image.convert("RGB").getpixel((200, 20))
    assert red > 200 > 60 > blue  # red was on the left


def test_a_large_photo_is_decoded_at_reduced_size(browser: Client, leo: User) -> None:
    sizes, load = [], ImageFile.ImageFile.load

    def record_call(image: ImageFile.ImageFile) -> object:
        sizes.append(image.size)
        return load(image)

    with mock.patch.object(ImageFile.ImageFile, "load", record_call):
        assert browser.post("/settings/picture", {"picture": make_picture((5000, 4000), "JPEG")}).status_code == 302

    assert set(sizes) == {(2500, 2000)}


def test_a_phone_photo_can_contain_a_second_picture(browser: Client, leo: User) -> None:
    inside = Image.new("RGB", (400, 300))
    photo = make_picture((4080, 3072), "MPO", save_all=True, append_images=[inside])

    assert browser.post("/settings/picture", {"picture": photo}).status_code == 302


def test_a_large_picture_is_reduced_before_copying(browser: Client, leo: User) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    large = make_picture((3200, 3100), exif=exif)
    sizes = []
    convert = Image.Image.convert

    def record_call(image: Image.Image, *args: object, **kwargs: object) -> Image.Image:
        sizes.append(image.width * image.height)
        return convert(image, *args, **kwargs)

    with mock.patch.object(Image.Image, "convert", record_call):
        browser.post("/settings/picture", {"picture": large})

    assert max(sizes) <= 1600 * 1550
    red, _, blue = load_avatar(browser, leo).convert("RGB").getpixel((200, 20))
    assert red > 200 > 60 > blue  # still turned upright


def test_one_thread_decodes_all_pictures(leo: User, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn_by, draw = set(), pictures._drawn

    def record_call(raw: bytes, crop: services.Crop | None) -> bytes:
        drawn_by.add(threading.get_ident())
        return draw(raw, crop)

    monkeypatch.setattr(pictures, "_drawn", record_call)
    for _ in range(2):
        services.set_picture(user=leo, file=make_picture().file)

    assert len(drawn_by) == 1
    assert threading.get_ident() not in drawn_by


def test_one_picture_is_decoded_at_a_time(browser: Client, leo: User, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = ConcurrencyLimit(1, max_wait=0.01)
    monkeypatch.setattr(kit_pictures, "_slots", turns)

    with turns.slot():
        browser.post("/settings/picture", {"picture": make_picture()})

    leo.refresh_from_db()
    assert not leo.avatar
    assert "Wait 1 second, then" in browser.get("/settings/").content.decode()


def test_the_previous_picture_is_deleted_from_the_disk(
    browser: Client, leo: User, django_capture_on_commit_callbacks: Callable
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        browser.post("/settings/picture", {"picture": make_picture()})
    leo.refresh_from_db()
    first = leo.avatar.name
    with django_capture_on_commit_callbacks(execute=True):
        browser.post("/settings/picture", {"picture": make_picture()})
        leo.refresh_from_db()
        second = leo.avatar.name
        browser.post("/settings/picture/remove")

    assert first != second
    assert not default_storage.exists(first)
    assert not default_storage.exists(second)
    leo.refresh_from_db()
    assert leo.avatar_url == ""


def decompression_bomb(height: int = 20_000) -> bytes:
    """A PNG 20,000 pixels wide in a few kB."""
    row = b"\x00" + bytes(20_000 // 8)
    packer = zlib.compressobj(9)
    body = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 20_000, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(decompression_bomb(), id="decompression-bomb"),
        pytest.param(decompression_bomb(630), id="more pixels than the limit, fewer than Pillow refuses"),
        pytest.param(
            make_picture((4000, 3200), "JPEG", progressive=True).read(), id="progressive, so decoded at full size"
        ),
        pytest.param(b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', id="svg"),
        pytest.param(b"<html><script>alert(1)</script>", id="html"),
        pytest.param(make_picture().read()[:300], id="cut-off"),
        pytest.param(make_picture(kind="GIF").read(), id="gif"),
        pytest.param(make_picture(kind="TIFF").read(), id="tiff"),
        pytest.param(b"%!PS-Adobe-3.0 EPSF-3.0\n", id="eps"),
        pytest.param(make_picture().read() + bytes(5 * 2**20), id="too-many-bytes"),
        pytest.param(make_picture((8, 8)).read(), id="too-small"),
    ],
)
def test_an_invalid_picture_is_refused_and_leaves_no_file(browser: Client, leo: User, content: bytes) -> None:
    answer = browser.post("/settings/picture", {"picture": SimpleUploadedFile("me.png", content)})

    assert answer.status_code == 422
    assert "PNG, JPEG or WebP" in answer.content.decode()
    leo.refresh_from_db()
    assert not leo.avatar


@pytest.mark.parametrize("name", ["../../secret_key", "x.webp", "..%2f..%2fsecret_key", "0" * 24 + ".webp"])
def test_only_pictures_are_served(client: Client, name: str) -> None:
    assert client.get(f"/avatars/{name}").status_code == 404


@pytest.mark.parametrize("name", ["ＭＩＡ", "ｍia", "mi\u1d43", "ＡＤＭＩＮ"])
def test_another_spelling_of_a_taken_username_is_refused(browser: Client, leo: User, mia: User, name: str) -> None:
    User.objects.filter(pk=mia.pk).update(username="mia")

    answer = browser.post("/settings/profile", PROFILE | {"username": name})

    assert "This username is taken." in answer.content.decode()


def test_a_username_with_confusable_letters_is_refused(browser: Client, leo: User) -> None:
    refused = browser.post("/settings/profile", PROFILE | {"username": "\u0430dmin"})  # a Cyrillic a
    assert "Use letters from one alphabet only." in refused.content.decode()

    for name in ("E\u0301mile", "Мария_2", "山田hanako"):
        assert browser.post("/settings/profile", PROFILE | {"username": name}).status_code == 302
    leo.refresh_from_db()
    assert leo.username == "山田hanako"


@pytest.mark.parametrize("name", ["\u202egnp.exe", "Leo\u2066", "\u200b\u200d", "Leo\x85Bcc", "\u0301", "\x9b"])
def test_an_invisible_name_or_a_direction_mark_is_refused(browser: Client, leo: User, name: str) -> None:
    answer = browser.post("/settings/profile", PROFILE | {"first_name": name})

    assert "Use letters, spaces and punctuation only." in answer.content.decode()


@pytest.mark.parametrize("name", ["👩\u200d👧", "Ng", "O\u2019Brien", "محمد", "Jose\u0301"])
def test_names_from_around_the_world_are_accepted(browser: Client, leo: User, name: str) -> None:
    assert browser.post("/settings/profile", PROFILE | {"first_name": name}).status_code == 302


# --- Email --------------------------------------------------------------------------------------


def request_email_change(browser: Client, email: str = "leo@new.example", password: str = PASSWORD) -> Any:
    answer = browser.post("/settings/email", {"email": email, "password": password})
    jobs.run_pending("default")
    return answer


def confirmation_link() -> str:
    """Return the address in the message to the new email."""
    found = re.search(r"/settings/email/confirm\?key=\S+", next(m for m in mail.outbox if "Confirm" in m.subject).body)
    assert found
    return found[0]


def test_a_new_email_takes_effect_after_its_owner_confirms(browser: Client, leo: User) -> None:
    request_email_change(browser)

    assert {message.to[0] for message in mail.outbox} == {"leo@new.example", "leo@example.com"}
    assert "leo@new.example" in browser.get("/settings/").content.decode()
    address = confirmation_link()
    assert "Use this email" in browser.get(address).content.decode()
    leo.refresh_from_db()
    assert leo.email == "leo@example.com"

    answer = browser.post("/settings/email/confirm", {"key": address.split("key=")[1]})

    assert "Your email has been changed" in answer.content.decode()
    leo.refresh_from_db()
    assert leo.email == "leo@new.example"
    assert leo.email_verified_at
    assert browser.post("/settings/email/confirm", {"key": address.split("key=")[1]}).status_code == 410


def test_a_visitor_must_sign_in_before_confirming_a_new_email(browser: Client, leo: User, client: Client) -> None:
    """Otherwise, a person who opens an unrequested link would give their email to another account."""
    request_email_change(browser)
    address = confirmation_link()

    page = client.get(address).content.decode()
    refused = client.post("/settings/email/confirm", {"key": address.split("key=")[1]})

    assert refused.status_code == 403
    leo.refresh_from_db()
    assert leo.email == "leo@example.com"
    assert "leo@example.com" not in page + refused.content.decode()
    [onward] = re.findall(r'href="(/auth/login\?next=[^"]*confirm[^"]*)"', page)
    answer = client.post(unescape(onward), {"email": leo.email, "password": PASSWORD}, follow=True)
    assert "Use this email" in answer.content.decode()


def test_another_account_cannot_confirm_the_email(browser: Client, leo: User, mia: User, browser_of: Any) -> None:
    request_email_change(browser)
    address = confirmation_link()
    other = browser_of(mia)

    page = other.get(address).content.decode()
    refused = other.post("/settings/email/confirm", {"key": address.split("key=")[1]})

    assert "signed in to a different account" in page
    assert refused.status_code == 403
    assert services.change_email(by=mia, key=address.split("key=")[1], now=timezone.now()) is None
    assert "leo@example.com" not in page + refused.content.decode()
    assert not User.objects.filter(email="leo@new.example").exists()


def test_the_old_email_is_notified_of_the_change(browser: Client, leo: User) -> None:
    request_email_change(browser)
    key = confirmation_link().split("key=")[1]
    mail.outbox.clear()

    # Nothing is deferred to the commit, so a process that dies then loses nothing.
    browser.post("/settings/email/confirm", {"key": key})
    jobs.run_pending("default")

    assert [message.to for message in mail.outbox] == [["leo@example.com"]]
    assert "leo@new.example" in mail.outbox[0].subject


def test_confirming_an_email_during_a_deletion_restores_nothing(leo: User, browser: Client) -> None:
    request_email_change(browser)
    key = confirmation_link().split("key=")[1]
    found = services.email_change_of_key(key)
    services.delete_account(user=leo, password=PASSWORD, browser="", now=timezone.now())

    with mock.patch("apps.accounts.services.email_change.email_change_of_key", return_value=found):
        assert services.change_email(by=leo, key=key, now=timezone.now()) is None

    assert not User.objects.filter(email="leo@new.example").exists()


def test_a_wrong_password_changes_nothing_and_counts_as_a_failure(browser: Client, leo: User) -> None:
    assert "Current password is incorrect" in request_email_change(browser, password="WrongGuess1").content.decode()
    for _ in range(4):
        request_email_change(browser, password="WrongGuess1")

    page = request_email_change(browser).content.decode()
    # The page starts far above this section: the focused field scrolls the error into view.
    assert re.search(r'data-errors>\s*<div [^>]*data-error="AUTH_ACCOUNT_LOCKED"', page)
    assert not mail.outbox


def test_only_its_owner_learns_that_an_email_is_taken(browser: Client, leo: User, mia: User) -> None:
    free, taken = request_email_change(browser), None
    EmailVerification.objects.update(sent_at=timezone.now() - timedelta(minutes=2))
    mail.outbox.clear()
    taken = request_email_change(browser, email=mia.email)

    assert (free.status_code, free["Location"]) == (taken.status_code, taken["Location"])
    assert [(m.to, m.subject) for m in mail.outbox] == [([mia.email], "This email already has an account")]


def test_an_email_taken_in_the_meantime_cannot_be_confirmed(browser: Client, leo: User) -> None:
    request_email_change(browser)
    UserFactory(email="leo@new.example")

    answer = browser.post("/settings/email/confirm", {"key": confirmation_link().split("key=")[1]})

    assert answer.status_code == 410
    leo.refresh_from_db()
    assert leo.email == "leo@example.com"


def test_the_current_email_is_refused_as_the_new_one(browser: Client, leo: User) -> None:
    """No email would be sent, so the page must not promise one."""
    answer = request_email_change(browser, email=f" {leo.email.upper()}")

    assert "This is already your email." in answer.content.decode()
    assert not EmailVerification.objects.exists()


def test_an_email_longer_than_its_column_is_refused(browser: Client) -> None:
    answer = request_email_change(browser, email=f"leo@{'a.' * 130}example")

    assert answer.status_code == 422
    assert "at most 254 characters" in answer.content.decode()


def test_a_known_browser_is_not_a_new_device_after_an_email_change(client: Client, leo: User) -> None:
    client.post("/auth/login", {"email": leo.email, "password": PASSWORD})
    request_email_change(client)
    client.post("/settings/email/confirm", {"key": confirmation_link().split("key=")[1]})
    stranger = Client()
    mail.outbox.clear()

    client.post("/auth/login", {"email": "leo@new.example", "password": PASSWORD})
    jobs.run_pending("default")
    assert not [message for message in mail.outbox if "New sign-in" in message.subject]

    stranger.post("/auth/login", {"email": "leo@new.example", "password": PASSWORD})
    jobs.run_pending("default")
    assert [message for message in mail.outbox if "New sign-in" in message.subject]


def test_canceling_an_email_change_ends_its_link(browser: Client, leo: User, client: Client) -> None:
    request_email_change(browser)
    browser.post("/settings/email/drop")

    assert client.post("/settings/email/confirm", {"key": confirmation_link().split("key=")[1]}).status_code == 410


def set_new_password(leo: User) -> None:
    services.change_password(user=leo, current=PASSWORD, password=NEW, browser="", now=timezone.now())


def reset_forgotten_password(leo: User) -> None:
    token = default_token_generator.make_token(leo)
    assert services.reset_password(uid=leo.uid, token=token, password=NEW, now=timezone.now())


def block_and_unblock(leo: User) -> None:
    services.block(user=leo)
    services.unblock(user=leo)


@pytest.mark.parametrize("defense", [set_new_password, reset_forgotten_password, block_and_unblock])
def test_a_signed_out_intruder_cannot_return_through_a_new_email(
    browser: Client, leo: User, client: Client, defense: Callable[[User], None]
) -> None:
    request_email_change(browser, email="thief@example.org")
    key = confirmation_link().split("key=")[1]
    found = services.email_change_of_key(key)

    defense(leo)

    assert client.post("/settings/email/confirm", {"key": key}).status_code == 410
    # confirmed in the meantime
    with mock.patch("apps.accounts.services.email_change.email_change_of_key", return_value=found):
        assert services.change_email(by=leo, key=key, now=timezone.now()) is None
    assert not User.objects.filter(email="thief@example.org").exists()


def test_another_email_can_be_requested_after_a_minute(browser: Client, leo: User) -> None:
    request_email_change(browser)
    mail.outbox.clear()

    assert (
        'data-error="RATE_LIMIT_EXCEEDED"' in request_email_change(browser, email="other@new.example").content.decode()
    )
    assert not mail.outbox


@pytest.mark.parametrize("key", ["", "x", "WyJhIl0:1:abc", "'; DROP TABLE"])
def test_a_forged_key_is_treated_as_an_expired_link(client: Client, key: str) -> None:
    assert client.get("/settings/email/confirm", {"key": key}).status_code == 410


# --- Goals --------------------------------------------------------------------------------------


def test_goals_must_stay_within_their_limits(browser: Client, leo: User) -> None:
    assert browser.post("/settings/goals", {"daily_minutes": "45", "weekly_lessons": "7"}).status_code == 302
    for given in ({"daily_minutes": "4"}, {"daily_minutes": "9999"}, {"weekly_lessons": "0"}, {"weekly_lessons": "x"}):
        answer = browser.post("/settings/goals", {"daily_minutes": "45", "weekly_lessons": "7"} | given)
        assert answer.status_code == 422

    leo.refresh_from_db()
    assert (leo.daily_minutes, leo.weekly_lessons) == (45, 7)


def test_what_is_not_saved_has_a_code_of_its_own(browser: Client) -> None:
    wrong = {"current": "nonsense", "password": "New-Pass-123", "confirmation": "New-Pass-123"}
    for address, sent, code in (
        ("/settings/profile", {"username": ""}, "SETTINGS_UPDATE_FAILED"),
        ("/settings/goals", {"daily_minutes": "-1"}, "SETTINGS_UPDATE_FAILED"),
        ("/settings/password", wrong, "PASSWORD_CHANGE_FAILED"),
    ):
        answer = browser.post(address, sent)
        assert (answer.status_code, f'data-error="{code}"' in answer.content.decode()) == (422, True), address


def test_scripts_get_the_zone_in_which_pages_write_times(browser: Client, client: Client, leo: User) -> None:
    User.objects.filter(pk=leo.pk).update(time_zone="Asia/Kathmandu")
    assert 'data-zone="Asia/Kathmandu"' in browser.get("/settings/").content.decode()
    assert "data-zone" not in client.get("/auth/login").content.decode()


def test_a_name_that_cannot_be_printed_is_saved_with_a_warning(browser_of, leo):
    browser = browser_of(leo)

    answer = browser.post("/settings/profile", PROFILE | {"first_name": "Leo \U000f0000"}, follow=True)

    assert "print \U000f0000 (U+F0000)" in unescape(answer.content.decode())
    leo.refresh_from_db()
    assert leo.first_name == "Leo \U000f0000"
    answer = browser.post("/settings/profile", PROFILE | {"first_name": "Łukasz 李"}, follow=True)
    assert "print" not in unescape(answer.content.decode()).split("<main")[1]
