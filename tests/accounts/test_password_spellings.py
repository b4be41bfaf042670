"""A password in composed and decomposed letters, as Windows and macOS type it, is one password."""

import unicodedata

import pytest
from django.contrib.auth.hashers import make_password
from django.utils import timezone

from apps.accounts.errors import InvalidCredentials
from apps.accounts.forms import passwords as forms
from apps.accounts.models import User
from apps.accounts.services.password_check import verify_password
from studyplatform.kit.passwords import hash_password, is_password, spellings_of

COMPOSED = unicodedata.normalize("NFC", "Überfluß7é")
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)


@pytest.mark.parametrize(("chosen", "typed"), [(COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED), ("ﬁsh", "fish")])
def test_a_password_is_the_same_in_every_normalization(chosen, typed):
    user = User()
    user.set_password(chosen)

    assert user.check_password(typed)
    assert is_password(typed, hash_password(chosen))
    assert not user.check_password(typed + "x")
    assert spellings_of("Ascii-123") == ["Ascii-123"]


def test_an_old_hash_of_any_spelling_still_works_and_is_renewed_by_signing_in(leo):
    User.objects.filter(pk=leo.pk).update(password=make_password(DECOMPOSED))
    now = timezone.now()

    assert verify_password(email=leo.email, password=COMPOSED, now=now) == leo
    leo.refresh_from_db()
    assert leo.has_old_spelling(COMPOSED)  # a page of an open session asked: the session continues

    verify_password(email=leo.email, password=COMPOSED, is_signing_in=True, now=now)
    leo.refresh_from_db()
    assert not leo.has_old_spelling(COMPOSED)
    with pytest.raises(InvalidCredentials):
        verify_password(email=leo.email, password=f"{COMPOSED}x", now=now)


def test_lengths_and_the_confirmation_are_of_the_normalized_password():
    long = "Aé1" * 42  # 126 characters, 168 decomposed
    form = forms.NewPassword({"password": unicodedata.normalize("NFD", long), "confirmation": long})
    short = forms.NewPassword({"password": unicodedata.normalize("NFD", "Éa1ééé"), "confirmation": "Éa1ééé"})

    assert form.is_valid(), form.errors
    assert form.cleaned_data["password"] == long
    assert "at least 8 characters" in str(short.errors["password"])
