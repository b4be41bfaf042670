"""Titles and tags of topics."""

import pytest
from django.utils import timezone

from apps.forum import services
from apps.forum.models import Topic
from apps.forum.services.naming import clean_tags, clean_title, tags_named
from studyplatform.kit.errors import ValidationFailed
from tests.factories.topics import make_post, make_topic

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("written", ["zebra 🖕!!!", "  #Zebra "])
def test_what_a_tag_is_called_does_not_depend_on_its_first_writer(written: str) -> None:
    assert clean_tags([written]) == ["zebra"]
    (tag,) = tags_named(clean_tags([written]))
    assert (tag.name, tag.slug) == ("zebra", "zebra")


def test_tags_of_programming_languages_differ() -> None:
    assert {tag.slug for tag in tags_named(clean_tags(["C", "C++", "C#"]))} == {"c", "c-plus-plus", "c-sharp"}


@pytest.mark.parametrize("title", ["\u200b" * 5, " ", "x" * 121])
def test_an_invisible_or_long_title_is_refused(title: str) -> None:
    with pytest.raises(ValidationFailed):
        clean_title(title)


def test_an_edit_cleans_the_title() -> None:
    topic = make_topic()
    opening = topic.posts.get()
    services.edit(
        post=opening, editor=topic.author, source=opening.source, title="One\nline\uffff ", now=timezone.now()
    )
    assert Topic.objects.get(pk=topic.pk).title == "One line"


def test_a_short_edit_of_a_reply_is_not_judged_by_the_title() -> None:
    topic = make_topic(title="PLEASE HELP ME WITH THIS VERY LONG AND VERY LOUD TITLE OF MINE")
    post = make_post(topic, source="ok, thanks")
    services.edit(post=post, editor=post.author, source="ok, thanks a lot", now=timezone.now())
    post.refresh_from_db()
    assert post.is_visible
