"""The web app manifest: browsers install the site by it."""

import json

from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from PIL import Image


def read(client: Client) -> dict:
    answer = client.get("/manifest.webmanifest")
    assert answer["Content-Type"].startswith("application/manifest+json")
    return json.loads(answer.content)


def test_the_manifest_names_the_site_and_begins_with_the_dashboard(client: Client, settings):
    settings.SITE_NAME = "The Open School"
    manifest = read(client)

    assert manifest["name"] == "The Open School"
    assert (manifest["id"], manifest["scope"], manifest["start_url"]) == ("/", "/", "/dashboard")
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
    assert [shortcut["url"] for shortcut in manifest["shortcuts"]] == ["/offline", "/me/enrollments", "/me/practice"]


def test_pictures_of_the_manifest_have_the_sizes_that_it_says(client: Client):
    manifest = read(client)
    pictures = manifest["icons"] + manifest["screenshots"]

    for picture in pictures:
        path = finders.find(picture["src"].removeprefix(settings.STATIC_URL))
        with Image.open(path) as image:
            assert "{}x{}".format(*image.size) == picture["sizes"], picture["src"]
            assert Image.MIME[image.format] == picture["type"]
    assert {shot["form_factor"] for shot in manifest["screenshots"]} == {"wide", "narrow"}


def test_every_page_links_the_manifest_and_visitors_may_read_it(client: Client, db):
    assert b'rel="manifest" href="/manifest.webmanifest"' in client.get("/offline").content
