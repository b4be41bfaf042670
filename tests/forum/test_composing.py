"""What the composer asks for: previews, drafts, people and topics to complete."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.events import AccountDeleted
from apps.forum import services
from apps.forum.models import Draft, PostState
from apps.forum.receivers import delete_drafts_of_deleted_user
from apps.forum.services import drafts
from studyplatform.kit.errors import RateLimitExceeded
from studyplatform.kit.web import rate_limits
from tests.factories.accounts import UserFactory
from tests.factories.topics import make_post, make_topic

pytestmark = pytest.mark.django_db

PREVIEW, PEOPLE, TOPICS = "/api/v1/forum/preview/", "/api/v1/forum/people/", "/api/v1/forum/topics/"
DRAFT = "/api/v1/forum/drafts/topic-1/"


@pytest.fixture
def site(leo, browser_of):
    return browser_of(leo)


def send(site, address, method="post", **data):
    return getattr(site, method)(address, data, content_type="application/json")


def keep(site, source="Half a", at=None, **values):
    written_at = (at or timezone.now()).isoformat()
    return send(site, DRAFT, "put", source=source, values=values, written_at=written_at)


@pytest.mark.parametrize(
    "source",
    ["**Ebb** $x^2$ @ada @nobody [a](http://a.example)\r\n> q", "```py\nx = 1\n```", "<script>alert(1)</script>"],
)
def test_the_preview_equals_the_post(site, topic, leo, ada, source):
    html = send(site, PREVIEW, source=source).json()["html"]

    assert html == services.reply(topic=topic, author=leo, source=source, now=timezone.now()).html
    assert "<script" not in html


def test_the_preview_of_a_long_text_says_what_is_wrong(site):
    answer = send(site, PREVIEW, source="a" * 5001)

    assert (answer.status_code, answer.json()["code"]) == (400, "FORUM_POST_TOO_LONG")
    assert send(site, PREVIEW, source=" \n").json() == {"html": ""}


@pytest.mark.parametrize("address", [PREVIEW, PEOPLE, TOPICS, DRAFT])
def test_visitors_compose_nothing(client, address):
    method = client.post if address == PREVIEW else client.get
    assert method(address).status_code == 401


@pytest.mark.parametrize(("what", "address"), [("forum_completion", PEOPLE), ("forum_completion", TOPICS)])
def test_completion_is_limited(site, leo, settings, what, address):
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, what: (1, 600)}
    rate_limits.consume(what, str(leo.pk), now=timezone.now())

    assert site.get(address, {"q": "ab"}).status_code == 429


def test_previews_and_drafts_are_limited(site, leo, settings):
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "forum_preview": (1, 600), "forum_draft": (1, 600)}
    assert send(site, PREVIEW, source="a").status_code == keep(site).status_code == 200

    assert send(site, PREVIEW, source="a").status_code == keep(site).status_code == 429
    with pytest.raises(RateLimitExceeded):
        rate_limits.consume("forum_draft", str(leo.pk), now=timezone.now())


def usernames(site, **query):
    return [one["username"] for one in site.get(PEOPLE, query).json()]


def test_people_of_the_topic_come_first(site, course, board, ada, topic):
    there = make_topic(board=board, author=UserFactory(username="amara", first_name="Zoe"))
    make_post(topic, author=UserFactory(username="amir"))
    make_post(there, author=UserFactory(username="amos"), state=PostState.HELD)
    UserFactory(username="amy")  # has written nothing

    assert usernames(site, topic=there.pk) == ["ada", "amara"]
    assert usernames(site, q="am", topic=there.pk) == ["amara", "amir"]
    assert usernames(site, q="zo") == ["amara"]
    assert usernames(site, q="a") == []
    assert usernames(site, q="a%") == usernames(site, q="_m") == []
    assert site.get(PEOPLE, {"q": "ad", "topic": there.pk}).json() == [
        {"username": "ada", "name": "Ada Byron", "is_staff": True}
    ]


def test_people_of_a_topic_that_one_may_not_see_are_not_told(site):
    held = make_topic(state=PostState.HELD)

    assert site.get(PEOPLE, {"topic": held.pk}).status_code == 404


def test_topics_are_completed_if_the_reader_may_see_them(site, general):
    seen = make_topic(board=general, title="Why does a slant keep one line?")
    make_topic(board=general, title="Why is a slant held?", state=PostState.HELD)

    assert site.get(TOPICS, {"q": "slant why"}).json() == [{"id": seen.pk, "title": seen.title, "board": general.title}]
    assert site.get(TOPICS, {"q": "w"}).json() == []


def test_a_draft_is_kept_for_its_writer(site, mia, browser_of):
    assert site.get(DRAFT).json() == {"key": "topic-1", "source": "", "values": {}, "saved_at": None}
    keep(site, "Half a\r\ntext", title="Title")

    assert site.get(DRAFT).json()["source"] == "Half a\ntext"
    assert site.get(DRAFT).json()["values"] == {"title": "Title"}
    assert browser_of(mia).get(DRAFT).json()["saved_at"] is None
    assert site.delete(DRAFT).status_code == 204
    assert site.get(DRAFT).json()["saved_at"] is None


def test_the_newest_draft_wins(site):
    now = timezone.now()
    keep(site, "Newer", at=now - timedelta(minutes=1))

    assert keep(site, "Older", at=now - timedelta(minutes=2)).json()["source"] == "Newer"
    assert keep(site, "Newest", at=now + timedelta(days=1)).json()["source"] == "Newest"
    assert Draft.objects.get().saved_at <= timezone.now()  # a clock that is wrong does not win forever
    assert keep(site, "Later").json()["source"] == "Later"


def test_drafts_have_a_size_and_a_number(site, leo, monkeypatch):
    assert keep(site, "😀" * 20_000).status_code == 200
    assert keep(site, "a" * 20_001).json()["code"] == "FORUM_DRAFT_TOO_LARGE"
    assert keep(site, title="a" * 501).status_code == 400
    assert keep(site, **{f"field-{n}": "a" * 400 for n in range(5)}).json()["code"] == "FORUM_DRAFT_TOO_LARGE"

    monkeypatch.setattr(drafts, "MOST", 3)
    now = timezone.now()
    for n in range(5):
        at = now + timedelta(seconds=n)
        services.save_draft(user=leo, key=f"new-{n}", source="a", fields={}, written_at=at, now=at)
    assert sorted(Draft.objects.values_list("key", flat=True)) == ["new-2", "new-3", "new-4"]


@pytest.mark.parametrize("key", ["topic 1", "../x", "a" * 61])
def test_a_draft_has_a_plain_key(site, key):
    assert site.get(f"/api/v1/forum/drafts/{key}/").status_code == 404


def test_posting_forgets_the_draft(site, topic, leo):
    services.save_draft(
        user=leo, key=f"topic-{topic.pk}", source="a", fields={}, written_at=timezone.now(), now=timezone.now()
    )

    site.post(f"/forum/topics/{topic.pk}/reply", {"source": "Done"})

    assert not Draft.objects.exists()


def test_drafts_of_a_deleted_account_are_deleted(leo):
    now = timezone.now()
    services.save_draft(user=leo, key="new", source="a", fields={}, written_at=now, now=now)
    delete_drafts_of_deleted_user(AccountDeleted(user_id=leo.pk))

    assert not Draft.objects.exists()
