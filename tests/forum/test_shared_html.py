"""The HTML of a post is shared by readers with the same rights, and by nobody else."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from apps.accounts.models import Role
from apps.forum import services
from apps.forum.queries import finding
from apps.learning.models import Enrollment
from tests.factories.accounts import UserFactory
from tests.factories.topics import make_post, make_topic

pytestmark = pytest.mark.django_db


def test_a_post_offers_each_reader_what_they_may_do(browser_of, client):
    author, reader, admin = UserFactory(), UserFactory(), UserFactory(role=Role.ADMIN)
    topic = make_topic(author=author)
    post = make_post(topic, author=author)

    def offered(browser):
        html = browser.get(topic.path).content.decode()
        return {act for act in ("vote", "edit", "delete", "report", "accept") if f"{post.path}/{act}" in html}

    everyone = (browser_of(author), browser_of(reader), browser_of(admin), client)
    once = [offered(browser) for browser in everyone]
    assert once == [
        {"edit", "delete", "accept"},
        {"vote", "report"},
        {"vote", "edit", "delete", "report", "accept"},
        set(),
    ]
    assert [offered(browser) for browser in everyone] == once
    topic.locked_at = timezone.now()
    topic.save()
    assert offered(everyone[0]) == {"delete", "accept"}


def test_a_post_follows_its_author_and_its_votes(browser_of):
    author, reader, voter = UserFactory(first_name="Mia", last_name="Stone"), UserFactory(), UserFactory()
    topic = make_topic()
    post = make_post(topic, author=author, source="It means that.")
    browser, other = browser_of(reader), browser_of(voter)
    assert "Mia Stone" in browser.get(topic.path).content.decode()
    other.get(topic.path)

    author.last_name = "Rivers"
    author.save()
    services.vote(post=post, user=voter, on=True, now=timezone.now())
    services.edit(post=post, editor=author, source="It means this.", now=timezone.now())
    html, own = (one.get(topic.path).content.decode() for one in (browser, other))

    assert "Mia Stone" not in html
    assert "Mia Rivers" in html
    assert "It means this." in html
    assert "It means that." not in html
    button = f'data-vote="{post.pk}"'
    pressed = {page.split(button)[0].rsplit("aria-pressed", 1)[1][:6] for page in (html, own)}
    assert pressed == {'="fals', '="true'}


@pytest.mark.parametrize("role", [None, Role.STUDENT, Role.INSTRUCTOR, Role.ADMIN])
def test_the_prepared_query_finds_what_the_orm_finds(role, enrollment):
    user = UserFactory(role=role) if role else AnonymousUser()
    topics = [make_topic(), make_topic(author=user if role else None, state="held"), make_topic(state="hidden")]
    if role == Role.INSTRUCTOR:
        Enrollment.objects.update(user=user)
    seen = set(type(topics[0]).objects.seen_by(user).values_list("pk", flat=True))

    found = set()
    for topic in topics:
        try:
            found.add(finding.find_topic(topic.pk, user).pk)
        except finding.NotFound:
            continue

    assert found == seen
