"""The picture of a course: uploaded, cropped, described, shown in place of the artwork, and removed without a trace."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image

from apps.accounts.models import User
from apps.courses import services
from apps.courses.models import Course, CoursePicture
from apps.courses.picture_files import Crop, draw_files
from apps.files import queries
from apps.files.models import Upload
from studyplatform.kit import jobs
from tests.buckets import Bucket
from tests.courses.test_lesson_files import upload
from tests.factories.courses import CourseFactory
from tests.factories.files import FileFactory

pytestmark = [pytest.mark.edits_in_place, pytest.mark.django_db, pytest.mark.usefixtures("own_folders")]
PAGE = "/dashboard/instructor/courses/rivers/picture"
API = "/api/v1/courses/rivers/picture/"


def picture_bytes(size: tuple[int, int] = (960, 540), kind: str = "JPEG") -> bytes:
    """A picture with a red left half and a blue right half, and a place where it was taken."""
    image = Image.new("RGB", size, "red")
    image.paste("blue", (size[0] // 2, 0, *size))
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    out = BytesIO()
    image.save(out, kind, exif=exif)
    return out.getvalue()


@pytest.fixture
def course(ada: User) -> Course:
    return CourseFactory(instructor=ada, slug="rivers", status="published", plate="<svg></svg>")


@pytest.fixture
def site(browser_of: Any, ada: User, course: Course) -> Client:
    return browser_of(ada)


def post(site: Client, raw: bytes | None = None, **fields: object) -> Any:
    sent = {"picture": SimpleUploadedFile("photo.jpg", raw)} if raw is not None else {}
    return site.post(PAGE, {**sent, **fields})


def stored() -> set[str]:
    """The pictures and uploads in storage, after all jobs."""
    jobs.run_pending("default")
    root = Path(default_storage.path(""))
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def load(site: Client, address: str) -> Image.Image:
    answer = site.get(address)
    assert answer.status_code == 200, address
    assert "immutable" in answer["Cache-Control"]
    return Image.open(BytesIO(b"".join(answer.streaming_content)))


def test_a_picture_is_shown_in_place_of_the_artwork_until_it_is_removed(
    site: Client, course: Course, ada: User, client: Client
) -> None:
    raw = picture_bytes()
    answer = post(site, raw, alt="Red and <blue>", zoom=200, x=100, y=50)
    assert answer.status_code == 302, answer.content

    picture = CoursePicture.objects.get(course=course)
    assert (picture.alt, picture.x, picture.zoom, picture.widths) == ("Red and <blue>", 1.0, 2.0, [320, 480])
    assert queries.storage_of(ada).loose == len(raw)
    for address in (picture.address_of(480), picture.share_address):
        image = load(client, address)
        red, _, blue = image.convert("RGB").getpixel((5, 5))
        assert blue > 200 > 60 > red, address  # the right half
        assert not image.getexif()
    assert load(client, picture.whole_address).size == (960, 540)
    course.refresh_from_db()
    assert f'srcset="{picture.address_of(320)} 320w, {picture.address_of(480)} 480w"' in course.plate
    assert 'alt="Red and &lt;blue&gt;"' in course.plate
    html = client.get("/courses/rivers").content.decode()
    assert course.plate in html
    assert f'<meta property="og:image" content="{settings.SITE_URL}{picture.share_address}">' in html
    assert course.plate in client.get("/courses/").content.decode()

    # Saving the course's texts keeps the picture, and only its text and crop change without a new file.
    fields = {"title": "Rivers", "subject": course.subject_id, "difficulty": "beginner", "language": "en"}
    site.post("/dashboard/instructor/courses/rivers/edit", {**fields, "pricing": "free"})
    course.refresh_from_db()
    assert picture.key in course.plate
    assert post(site, alt="Two colors", zoom=200, x=100, y=50).status_code == 302
    picture.refresh_from_db()
    assert picture.alt == "Two colors"
    assert 'name="x" id="id_x"' in site.get(PAGE).content.decode()
    before = stored()
    assert post(site, alt="Two colors", zoom=100, x=50, y=50).status_code == 302
    cropped = CoursePicture.objects.get(course=course)
    assert (cropped.upload_id, cropped.widths) == (picture.upload_id, [320, 640, 960])
    assert not stored() & before - {f"files/{cropped.upload.uid.hex}"}

    assert post(site, picture_bytes((700, 500))).status_code == 302
    assert not Upload.objects.filter(pk=picture.upload_id).exists()
    assert site.post(f"{PAGE}/remove").status_code == 302
    course.refresh_from_db()
    assert course.plate.startswith("<svg")
    assert stored() == set()
    assert queries.storage_of(ada).used == 0
    assert client.get(cropped.address_of(320)).status_code == 404


def test_what_cannot_be_a_picture_is_refused_and_leaves_nothing(site: Client, course: Course, ada: User) -> None:
    for raw in (b"<svg xmlns='http://www.w3.org/2000/svg'/>", picture_bytes((639, 400)), picture_bytes()[:3000], b""):
        answer = post(site, raw, alt="A text to keep")
        assert answer.status_code == 422
        html = answer.content.decode()
        assert "A text to keep" in html
        assert not raw or "at least 640 × 360 pixels. Photos" in html
    assert post(site, None, alt="no file").status_code == 422
    assert post(site, picture_bytes(), x="nan").status_code == 422
    assert (Upload.objects.count(), stored(), queries.storage_of(ada).used) == (0, set(), 0)

    course.status = Course.Status.REVIEW
    course.save()
    assert post(site, picture_bytes()).status_code == 302  # with the reason
    assert (Upload.objects.count(), CoursePicture.objects.count(), stored()) == (0, 0, set())


def test_a_picture_is_set_by_the_api_from_an_upload_or_the_library(
    site: Client, course: Course, ada: User, eve: User, browser_of: Any
) -> None:
    def put(**body: object) -> Any:
        return site.put(API, body, content_type="application/json")

    # A WebP picture that is called .jpg is a picture all the same: nobody downloads the file.
    uid = upload(site, data=picture_bytes(kind="WEBP"), name="photo.jpg")
    answer = put(upload=uid, alt="Halves", zoom=3, x=0)
    assert answer.status_code == 200, answer.content
    assert [one["width"] for one in answer.json()["picture"]["renditions"]] == [320]
    assert site.get(API).json() == answer.json()
    assert site.delete(f"/api/v1/uploads/{uid}/", HTTP_TUS_RESUMABLE="1.0.0").status_code == 409  # it is in use

    own = FileFactory(owner=ada, name="pixel.png", content=picture_bytes())
    for body, status in (
        ({"zoom": "nan"}, 400),
        ({"x": 2}, 400),
        ({"upload": str(FileFactory(owner=eve).current.uid)}, 404),
        ({"file": str(own.uid), "alt": "x" * 201}, 400),
        ({"file": str(own.uid)}, 200),
    ):
        assert put(**body).status_code == status, body
    assert not Upload.objects.filter(uid=uid).exists()
    assert site.delete(API).json() == {"picture": None}
    assert Upload.objects.filter(pk=own.current_id).exists()  # the library's own file stays
    assert put(alt="no source").status_code == 400
    assert browser_of(eve).put(API, {"alt": ""}, content_type="application/json").status_code in {403, 404}
    assert browser_of(eve).get(PAGE).status_code == 302


def test_a_failure_on_the_way_leaves_nothing(
    site: Client, course: Course, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database fails after the files were stored; then the course is deleted with its picture."""
    uid = upload(site, data=picture_bytes())
    source = Upload.objects.get(uid=uid)
    facts: dict[str, Any] = {"course": course, "by": ada, "alt": "", "crop": Crop(), "now": source.created_at}

    def fail(*_: object) -> None:
        raise RuntimeError("the database is gone")

    with monkeypatch.context() as broken:
        broken.setattr("apps.courses.services.pictures._show", fail)
        with pytest.raises(RuntimeError):
            services.set_picture(source=source, **facts)
    assert not CoursePicture.objects.exists()
    assert stored() == {f"files/{source.uid.hex}"}

    services.set_picture(source=source, **facts)
    course.status, course.published_at = Course.Status.DRAFT, None
    course.save()
    services.delete_course(course=course, by=ada)
    assert (stored(), Upload.objects.count()) == (set(), 0)


def test_the_crop_lies_where_the_sliders_say() -> None:
    """The arithmetic of the style sheet: 0 is the left or top edge, 1 the other one."""
    tall = BytesIO()
    image = Image.new("RGB", (640, 1280), "red")
    image.paste("blue", (0, 640, 640, 1280))
    image.save(tall, "PNG")
    for crop, color in ((Crop(y=0), "red"), (Crop(y=1), "blue"), (Crop(y=1, zoom=3), "blue")):
        drawn = draw_files(tall.getvalue(), crop)
        shown = Image.open(BytesIO(drawn.files[f"{drawn.width}.webp"])).convert("RGB")
        assert shown.size == (drawn.width, drawn.width * 9 // 16)
        assert drawn.width == (640 if crop.zoom == 1 else 320)
        red, _, blue = shown.getpixel((drawn.width // 2, 9))
        assert (red > blue) == (color == "red"), crop
    with pytest.raises(ValueError, match="Crop"):
        Crop(zoom=0.5)


@pytest.mark.long
def test_pictures_are_kept_in_a_bucket(s3: Bucket, site: Client, course: Course) -> None:
    assert post(site, picture_bytes()).status_code == 302
    jobs.run_pending("default")
    first = CoursePicture.objects.get(course=course)
    assert load(site, first.address_of(640)).size == (640, 360)
    assert post(site, x=0, y=0, zoom=200).status_code == 302  # drawn from the file in the bucket
    jobs.run_pending("default")
    assert site.get(first.address_of(640)).status_code == 404
    assert site.post(f"{PAGE}/remove").status_code == 302
    jobs.run_pending("default")
    assert s3.names() == []
