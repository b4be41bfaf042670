"""Files that lessons offer: added by their authors, sent to those who may open the lesson."""

from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from apps.courses import services
from apps.courses.errors import OutlineFull
from apps.courses.models import CourseFile, LessonDownload
from apps.courses.services import downloads as downloads_service
from apps.files.models import Upload
from tests.factories.courses import CourseFileFactory

pytestmark = [pytest.mark.django_db, pytest.mark.edits_in_place]

PDF = b"%PDF-1.7\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n"


@pytest.mark.usefixtures("enrollment")
def test_a_download_reaches_those_who_may_open_the_lesson(
    course: Any, ada: Any, leo: Any, mia: Any, browser_of: Any
) -> None:
    lesson = course.lessons.get(number="1.2")
    own = f"/dashboard/instructor/courses/{course.slug}/lectures/{lesson.slug}"
    file = SimpleUploadedFile("tables.pdf", PDF, "application/pdf")
    page = browser_of(ada).post(f"{own}/downloads", {"file": file, "name": "All tables"}, follow=True)
    assert "The download was added." in page.content.decode()
    download = LessonDownload.objects.get(lesson=lesson)
    address = download.file.address

    shown = browser_of(leo).get(f"/learn/{course.slug}/{lesson.slug}").content.decode()
    assert "All tables" in shown
    assert address in shown
    sent = browser_of(leo).get(address)
    assert sent.status_code == 200
    assert sent["Content-Disposition"].startswith("attachment")
    assert browser_of(mia).get(address).status_code == 404

    assert "Choose a file." in browser_of(ada).post(f"{own}/downloads", {}, follow=True).content.decode()
    browser_of(ada).post(f"{own}/downloads/{download.uid}/remove")
    assert "All tables" not in browser_of(leo).get(f"/learn/{course.slug}/{lesson.slug}").content.decode()
    # It stays among the files of the course until the cleaning of the night finds it unused for long enough.
    assert CourseFile.objects.filter(course=course).count() == 1
    assert not download.file.uses.filter(ended_at=None).exists()


@pytest.mark.long
def test_the_studio_orders_downloads_and_limits_them(course: Any, ada: Any, browser_of: Any, monkeypatch: Any) -> None:
    lesson, browser = course.lessons.get(number="1.2"), browser_of(ada)
    address = f"/api/v1/studio/lessons/{lesson.uid}/downloads/"
    for name in ("a", "b", "c"):
        body = {"course_file": str(CourseFileFactory(course=course).uid), "name": name}
        added = browser.post(address, body, content_type="application/json")
        assert added.status_code == 201, added.content
    rows = added.json()
    moved = browser.patch(f"{address}{rows[2]['uid']}/", {"position": 1}, content_type="application/json").json()
    assert [one["name"] for one in moved] == ["c", "a", "b"]
    left = browser.delete(f"{address}{rows[0]['uid']}/").json()
    assert [one["name"] for one in left] == ["c", "b"]
    assert sorted(LessonDownload.objects.values_list("position", flat=True)) == [1, 2]

    foreign = str(CourseFileFactory().uid)
    assert browser.post(address, {"course_file": foreign}, content_type="application/json").status_code == 404
    monkeypatch.setattr(downloads_service, "MAX_DOWNLOADS", 2)
    with pytest.raises(OutlineFull):
        services.add_download(lesson=lesson, by=ada, file=CourseFileFactory(course=course), now=timezone.now())
    # A file too many leaves nothing behind, neither a row nor bytes.
    before = Upload.objects.count()
    with pytest.raises(OutlineFull):
        services.upload_download(lesson=lesson, by=ada, file=ContentFile(b"d", "d.txt"), now=timezone.now())
    assert Upload.objects.count() == before
