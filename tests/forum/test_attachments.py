"""The images and files of posts: who sees them, and that they stay as long as a post shows them."""

import pytest
from django.utils import timezone

from apps.files.errors import FileUnsuitable, UploadUnfinished
from apps.files.models import Upload
from apps.files.services import delete_entries, move_to_bin, uses_of
from apps.files.services.folders import Selection
from apps.forum import services
from apps.forum.errors import TooManyFiles
from apps.forum.models import PostFile, PostState
from tests.factories.courses import THEN
from tests.factories.files import FileFactory, UploadFactory
from tests.factories.topics import make_post
from tests.kit.test_picture_metadata import SECRET, picture

pytestmark = pytest.mark.django_db

PNG = b"\x89PNG\r\n\x1a\n" + bytes(36)  # three empty chunks


@pytest.fixture(autouse=True)
def _folders(own_folders):
    pass


def image_of(user, content=PNG, name="graph.png", **fields):
    return FileFactory(owner=user, name=name, content=content, size=len(content), **fields).current


def shown(upload):
    return f"![graph](/forum/images/{upload.uid})"


def reply(topic, author, source):
    return services.reply(topic=topic, author=author, source=source, now=timezone.now())


def edit(post, editor, source):
    return services.edit(post=post, editor=editor, source=source, now=timezone.now())


def test_an_image_of_a_post_is_shown_to_its_readers_only(topic, leo, mia, client, browser_of):
    upload = image_of(leo)
    address = f"/forum/images/{upload.uid}"
    assert browser_of(leo).get(address).status_code == 200  # in the preview
    assert browser_of(mia).get(address).status_code == 404
    assert client.get(address).status_code == 404

    post = reply(topic, leo, f"Look: {shown(upload)}")

    answer = client.get(address)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "image/png"
    assert answer["Content-Disposition"].startswith("inline")
    assert answer["Content-Security-Policy"].startswith("sandbox")
    assert answer["Cache-Control"] == "private, no-cache"
    assert answer.content == PNG
    again = client.get(address, headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content, again["Cache-Control"]) == (304, b"", "private, no-cache")
    services.delete(post=post, by=leo, now=timezone.now())
    assert client.get(address).status_code == 404
    assert browser_of(leo).get(address).status_code == 200


def test_a_photo_does_not_tell_readers_where_it_was_taken(topic, leo, client, browser_of):
    photo = picture("JPEG")
    upload = image_of(leo, photo, "photo.jpg")
    reply(topic, leo, shown(upload))

    answer = client.get(f"/forum/images/{upload.uid}")
    assert answer["Content-Type"] == "image/jpeg"
    assert SECRET not in answer.content
    assert b"".join(browser_of(leo).get(f"/forum/images/{upload.uid}").streaming_content) == photo


def test_the_image_of_a_held_post_is_shown_to_nobody_else(topic, leo, mia, sam, client, browser_of):
    upload = image_of(leo)
    post = make_post(topic, author=leo, state=PostState.HELD, source=shown(upload))
    services.attach_files(post, by=leo)
    address = f"/forum/images/{upload.uid}"

    assert [browser_of(one).get(address).status_code for one in (leo, mia, sam)] == [200, 404, 200]
    assert client.get(address).status_code == 404


def test_the_image_of_a_closed_board_is_shown_to_its_members(course, board, leo, mia, ada, browser_of):
    from apps.courses.models import Course
    from tests.factories.learning import EnrollmentFactory
    from tests.factories.topics import make_topic

    Course.objects.filter(pk=course.pk).update(status=Course.Status.DRAFT)
    EnrollmentFactory(user=leo, course=course)
    upload = image_of(leo)
    services.attach_files(make_post(make_topic(board=board), author=leo, source=shown(upload)), by=leo)

    answers = [browser_of(one).get(f"/forum/images/{upload.uid}").status_code for one in (leo, ada, mia)]
    assert answers == [200, 200, 404]


def test_other_files_are_sent_as_attachments(topic, leo, client):
    upload = image_of(leo, b"%PDF-1.4 x", "notes.pdf")
    reply(topic, leo, f"[notes](/forum/files/{upload.uid})")

    for place in ("files", "images"):
        answer = client.get(f"/forum/{place}/{upload.uid}")
        assert answer["Content-Disposition"] == 'attachment; filename="notes.pdf"'


@pytest.mark.parametrize("name", ["page.html", "graph.svg", "run.exe"])
def test_a_file_that_could_run_is_refused_with_the_post(topic, leo, name):
    upload = image_of(leo, b"<html><script>alert(1)</script>", name)

    with pytest.raises(FileUnsuitable):
        reply(topic, leo, f"[x](/forum/files/{upload.uid})")
    assert topic.posts.count() == 1
    assert not PostFile.objects.exists()


def test_an_unfinished_upload_is_refused(topic, leo):
    upload = UploadFactory(owner=leo, purpose=Upload.Purpose.FILE)

    with pytest.raises(UploadUnfinished):
        reply(topic, leo, shown(upload))


def test_the_file_of_someone_else_is_not_attached(topic, leo, mia, browser_of):
    upload = image_of(leo)
    reply(topic, mia, shown(upload))

    assert not PostFile.objects.exists()
    assert browser_of(mia).get(f"/forum/images/{upload.uid}").status_code == 404


def test_the_content_stays_while_a_post_shows_it(topic, leo, client):
    upload = image_of(leo)
    file = upload.file_versions.get().file
    post = reply(topic, leo, shown(upload))
    assert uses_of([upload.pk], leo)[upload.pk][0].url == f"/forum/posts/{post.pk}"

    move_to_bin(by=leo, selection=Selection(files=[file]), now=THEN)
    file.refresh_from_db()
    delete_entries(by=leo, selection=Selection(files=[file]))

    assert client.get(f"/forum/images/{upload.uid}").status_code == 200
    edit(post, leo, "Nothing to see")
    assert not Upload.objects.filter(pk=upload.pk).exists()


def test_the_page_of_a_file_names_only_topics_that_the_viewer_may_see(topic, leo, mia):
    upload = image_of(leo)
    post = make_post(topic, author=leo, state=PostState.HELD, source=shown(upload))
    services.attach_files(post, by=leo)

    assert topic.title in uses_of([upload.pk], leo)[upload.pk][0].label
    assert uses_of([upload.pk], mia)[upload.pk][0].url == ""
    assert topic.title not in uses_of([upload.pk], mia)[upload.pk][0].label


def test_an_edit_by_a_moderator_keeps_the_files(topic, leo, sam):
    upload = image_of(leo)
    post = reply(topic, leo, shown(upload))

    edit(post, sam, f"Moderated: {shown(upload)}")

    assert post.files.get().upload == upload


def test_a_post_shows_at_most_twenty_files(topic, leo):
    from uuid import uuid4

    with pytest.raises(TooManyFiles):
        reply(topic, leo, " ".join(f"![](/forum/images/{uuid4()})" for _ in range(21)))
