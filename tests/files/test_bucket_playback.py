"""A video in a bucket plays in a real browser, under the content security policy and the bucket's CORS rules.

This test is not part of the end-to-end run: its browser runs in a separate process (tests/e2e/watch_once.py).
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.utils import timezone

from apps.files import services
from apps.forum.services.boards import create_course_board
from tests.buckets import Bucket
from tests.factories.courses import LessonFactory
from tests.factories.learning import EnrollmentFactory
from tests.files.test_processing import run_jobs

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.media, pytest.mark.django_db(transaction=True)]


@pytest.mark.long
def test_the_player_fetches_segments_from_the_bucket(live_server, s3: Bucket, course, ada, leo, clip, browser_of):
    video = services.import_video(owner=ada, path=clip("short.mp4"), now=timezone.now())
    run_jobs()
    video.refresh_from_db()
    section = course.sections.first()
    lesson = LessonFactory(section=section, slug="film", kind="video", video=video, duration=2, position=9)
    EnrollmentFactory(user=leo, course=course)
    create_course_board(course_id=course.pk)
    s3.allow(live_server.url)
    session = browser_of(leo).cookies["sessionid"].value

    seen = subprocess.run(
        [sys.executable, "-m", "tests.e2e.watch_once", live_server.url, f"/learn/{course.slug}/{lesson.slug}", session],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
    )

    assert seen.returncode == 0
    found = json.loads(seen.stdout)
    assert found["height"] > 0
    assert found["red"] == []
    segments = [each for each in found["came"] if each["file"].endswith(".m4s")]
    assert {(each["origin"], each["status"]) for each in segments} == {(live_server.url, 302), (s3.origin, 200)}
    others = {each["origin"] for each in found["came"] if not each["file"].endswith(".m4s")}
    assert others == {live_server.url}
    told = [each for each in segments if each["origin"] == s3.origin]
    assert all(not each["referer"] and session not in each["cookie"] for each in told)
