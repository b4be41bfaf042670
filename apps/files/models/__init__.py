"""The tables of files: uploads, videos, and the library of each user."""

from apps.files.models.counts import StorageAccount, StorageCount
from apps.files.models.library import File, FileKind, FileVersion, Folder
from apps.files.models.uploads import Upload
from apps.files.models.videos import BinnedOriginal, CaptionTrack, Rendition, VideoAsset

__all__ = [
    "BinnedOriginal",
    "CaptionTrack",
    "File",
    "FileKind",
    "FileVersion",
    "Folder",
    "Rendition",
    "StorageAccount",
    "StorageCount",
    "Upload",
    "VideoAsset",
]
