"""What changes files and videos. One module for each part of a file's life."""

from apps.files.services.captions import (
    MOST_CAPTION_BYTES,
    add_captions,
    keep_captions,
    read_captions,
    remove_captions,
)
from apps.files.services.kept import discard_file, import_file, store_file, take_file
from apps.files.services.media import EVERYONE, Audience, Sources, sign_file, sign_link
from apps.files.services.processing import give_up, process_video
from apps.files.services.uploads import (
    begin_upload,
    cancel_upload,
    complete_upload,
    drop_uploads,
    expire_upload,
    receive,
)
from apps.files.services.videos import (
    delete_video,
    discard_video,
    import_video,
    keep_while,
    remove_files,
    reopen_video,
    retry_video,
)

__all__ = [
    "EVERYONE",
    "MOST_CAPTION_BYTES",
    "Audience",
    "Sources",
    "add_captions",
    "begin_upload",
    "cancel_upload",
    "complete_upload",
    "delete_video",
    "discard_file",
    "discard_video",
    "drop_uploads",
    "expire_upload",
    "give_up",
    "import_file",
    "import_video",
    "keep_captions",
    "keep_while",
    "process_video",
    "read_captions",
    "receive",
    "remove_captions",
    "remove_files",
    "reopen_video",
    "retry_video",
    "sign_file",
    "sign_link",
    "store_file",
    "take_file",
]
