"""Factories of uploads and videos, with the rows that processing would write."""

import uuid
from datetime import timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from factory import lazy_attribute, post_generation
from factory.declarations import LazyAttribute, LazyFunction, Sequence, SubFactory
from factory.django import DjangoModelFactory

from apps.accounts.models import Role
from apps.files.library_names import sort_name
from apps.files.models import (
    BinnedOriginal,
    CaptionTrack,
    File,
    FileKind,
    FileVersion,
    Folder,
    Rendition,
    Share,
    Upload,
    VideoAsset,
)
from tests.factories.accounts import UserFactory
from tests.factories.courses import THEN


class UploadFactory(DjangoModelFactory[Upload]):
    """An upload that has received no bytes yet."""

    class Meta:
        model = Upload

    owner = SubFactory(UserFactory, role=Role.INSTRUCTOR)
    purpose = Upload.Purpose.VIDEO
    filename = Sequence(lambda n: f"lecture-{n}.mp4")
    length = 1_000_000
    created_at = THEN
    expires_at = THEN + timedelta(days=1)


class StoredFileFactory(UploadFactory):
    """A complete upload whose file is in storage."""

    purpose = Upload.Purpose.FILE
    filename = Sequence(lambda n: f"sheet-{n}.pdf")
    offset = LazyAttribute(lambda upload: upload.length)
    stored_as = LazyAttribute(lambda upload: f"files/{upload.filename}")
    media_type = "application/pdf"
    completed_at = THEN


class VideoFactory(DjangoModelFactory[VideoAsset]):
    """A complete video of 90 seconds."""

    class Meta:
        model = VideoAsset

    owner = SubFactory(UserFactory, role=Role.INSTRUCTOR)
    filename = Sequence(lambda n: f"lecture-{n}.mp4")
    stage = VideoAsset.Stage.COMPLETE
    is_playable = LazyAttribute(lambda video: video.stage == VideoAsset.Stage.COMPLETE)
    duration = 90.0
    width = 1280
    height = 720
    has_audio = True
    created_at = THEN


class BinnedOriginalFactory(DjangoModelFactory[BinnedOriginal]):
    """The original of a deleted video, in its owner's bin."""

    class Meta:
        model = BinnedOriginal

    owner = SubFactory(UserFactory, role=Role.INSTRUCTOR)
    why = BinnedOriginal.Why.DELETED
    filename = Sequence(lambda n: f"lecture-{n}.mp4")
    source = Sequence(lambda n: f"originals/lecture-{n}.mp4")
    size = 1_000_000
    deleted_at = THEN


class RenditionFactory(DjangoModelFactory[Rendition]):
    class Meta:
        model = Rendition

    video = SubFactory(VideoFactory)
    name = "720p"
    playlist = "720p/index.m3u8"
    width = 1280
    height = 720
    bandwidth = 2_800_000
    codecs = "avc1.64001f,mp4a.40.2"


class CaptionFactory(DjangoModelFactory[CaptionTrack]):
    class Meta:
        model = CaptionTrack

    video = SubFactory(VideoFactory)
    language = "en"
    label = "English"
    webvtt = "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nHello.\n"
    created_at = THEN


class FolderFactory(DjangoModelFactory[Folder]):
    class Meta:
        model = Folder

    owner = SubFactory(UserFactory)
    name = Sequence(lambda n: f"Folder {n}")
    sort_name = LazyAttribute(lambda folder: sort_name(folder.name))
    created_at = THEN


class FileFactory(DjangoModelFactory[File]):
    """A file of the library with one version; ``content`` is written to storage."""

    class Meta:
        model = File
        skip_postgeneration_save = True

    class Params:
        content = b"%PDF-1.7 a page"

    owner = SubFactory(UserFactory)
    name = Sequence(lambda n: f"notes-{n}.pdf")
    sort_name = LazyAttribute(lambda file: sort_name(file.name))
    kind = FileKind.PDF
    media_type = "application/pdf"
    size = LazyAttribute(lambda file: len(file.content))
    created_at = THEN
    modified_at = THEN

    @lazy_attribute
    def current(self) -> Upload:
        name = default_storage.save("files/content", ContentFile(self.content))
        return StoredFileFactory(owner=self.owner, length=len(self.content), stored_as=name, filename=self.name)

    @post_generation
    def version(self, create: bool, extracted: object, **_: object) -> None:
        FileVersion.objects.create(file=self, upload=self.current, number=1, created_at=THEN)


class ShareLinkFactory(DjangoModelFactory[Share]):
    """A link to a file of its owner, which works for another week."""

    class Meta:
        model = Share

    owner = SubFactory(UserFactory)
    file = LazyAttribute(lambda share: None if share.folder else FileFactory(owner=share.owner))
    folder = None
    kind = Share.Kind.LINK
    expires_at = LazyFunction(lambda: timezone.now() + timedelta(days=7))
    created_at = THEN


class CourseShareFactory(ShareLinkFactory):
    """A share with a course, whose uid is ``course``."""

    kind = Share.Kind.COURSE
    course = LazyFunction(uuid.uuid4)
    expires_at = None
