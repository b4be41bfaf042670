"""Why a post is held: each reason holds what it names, and nothing close to it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.forum.models import Board
from apps.forum.services.screening import REASONS, screen
from tests.factories.accounts import UserFactory
from tests.factories.topics import make_post, make_topic

pytestmark = pytest.mark.django_db
NOW = timezone.now()
TEXT = "All answers of the second quiz, checked by a friend of mine, in one file for you."


def why(board: Board, author: User, source: str) -> list[str]:
    reasons = screen(author=author, board=board, source=source, now=NOW)
    assert set(reasons) <= set(REASONS)
    return reasons


@pytest.mark.parametrize(
    ("source", "reasons"),
    [
        ("See https://a.example/one for a proof of this lemma, and nothing else.", []),
        ("One of them will help. " * 30 + "https://a.example/1 " * 5, []),
        ("One of them will help. " * 30 + "https://a.example/1 " * 6, ["links"]),
        ("Look: https://a.example/one https://b.example/two", ["links"]),
        ("Look: HTTPS://a.example/one [two](//b.example/two)", ["links"]),
        ("THIS IS THE BEST SUMMARY OF ALL LESSONS, IT IS FOR FREE, WRITE TO ME", ["shouting"]),
        ("NASA, ESA and CERN have published the data of this lesson as CSV.", []),
        ("https://[broken", []),
    ],
)
def test_links_and_capitals(general: Board, leo: User, source: str, reasons: list[str]) -> None:
    assert why(general, leo, source) == reasons


def test_links_of_new_accounts_to_other_sites_are_named(general: Board) -> None:
    fresh = UserFactory(date_joined=NOW - timedelta(days=1))
    assert why(general, fresh, "Is it as on https://a.example/one or not?") == ["new_account", "foreign_links"]
    assert why(general, fresh, "Hello") == ["new_account"]


def test_repetition_by_the_same_account_and_by_others(general: Board, leo: User, mia: User, sam: User) -> None:
    post = make_post(make_topic(board=general), author=leo, source=TEXT, now=NOW - timedelta(hours=3))
    assert why(general, leo, TEXT.replace("checked", "proofread")) == ["repetition"]
    assert why(general, mia, f"  {TEXT.upper().lower()}\n") == ["repetition"]
    assert why(general, mia, "I have the answers of quiz two, but I will not give them to anyone.") == []
    assert why(general, sam, TEXT) == []  # moderators never wait
    assert screen(author=leo, board=general, source=TEXT, post=post, now=NOW) == []
    assert screen(author=leo, board=general, source=TEXT, now=NOW + timedelta(days=1)) == []


def test_many_posts_within_minutes(general: Board, leo: User) -> None:
    topic = make_topic(board=general)
    for n in range(8):
        assert why(general, leo, "Thanks") == [], n
        make_post(topic, author=leo, now=NOW - timedelta(minutes=1))
    assert why(general, leo, "Thanks") == ["rate"]
