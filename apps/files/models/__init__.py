"""The tables of files: uploads, videos, the library of each user, and what of it is shared."""

from apps.files.models.automatic_captions import AutomaticCaptions
from apps.files.models.caption_sheets import CaptionSheet
from apps.files.models.counts import StorageAccount, StorageCount
from apps.files.models.library import File, FileKind, FileVersion, Folder
from apps.files.models.sharing import Share, ShareOpening
from apps.files.models.uploads import Upload
from apps.files.models.videos import BinnedOriginal, CaptionDraft, CaptionTrack, Rendition, VideoAsset

__all__ = [
    "AutomaticCaptions",
    "BinnedOriginal",
    "CaptionDraft",
    "CaptionSheet",
    "CaptionTrack",
    "File",
    "FileKind",
    "FileVersion",
    "Folder",
    "Rendition",
    "Share",
    "ShareOpening",
    "StorageAccount",
    "StorageCount",
    "Upload",
    "VideoAsset",
]
