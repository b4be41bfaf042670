"""Factories of uploads and videos, with the rows that processing would write."""

from datetime import timedelta

from factory.declarations import LazyAttribute, Sequence, SubFactory
from factory.django import DjangoModelFactory

from apps.accounts.models import Role
from apps.files.models import CaptionTrack, Rendition, Upload, VideoAsset
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
