"""At which second a video starts, before its player has loaded."""

import pytest

from apps.learning.models import LessonProgress
from tests.factories.files import VideoFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def video(course, video_lesson, now, enrollment):
    video_lesson.video = VideoFactory(owner=course.instructor, duration=754)
    video_lesson.save()
    LessonProgress.objects.create(
        enrollment=enrollment, lesson=video_lesson, position=40, started_at=now, updated_at=now
    )
    return f"/learn/{course.slug}/{video_lesson.slug}"


@pytest.mark.parametrize(
    ("address", "position", "label"),
    [
        ("", "40.0", "Resume at 0:40"),
        ("?t=75", "75.0", "Resume at 1:15"),
        ("?t=0", "0.0", "Play"),
        ("?t=7.5", "7.5", "Resume at 0:07"),
        ("?t=1e9", "754.0", "Resume at 12:34"),
        *[(f"?t={bad}", "40.0", "Resume at 0:40") for bad in ("-3", "nan", "inf", "soon", "", "9" * 400)],
    ],
)
def test_the_address_says_where_a_video_starts(browser_of, leo, video, address, position, label):
    page = browser_of(leo).get(f"{video}{address}").content.decode()

    assert f'data-position="{position}"' in page
    assert f"<span>{label}</span>" in page
    begin = int(float(position))
    assert ("#t=" in page) == (begin > 0)
    assert not begin or f"#t={begin}" in page
