"""The use cases of files: uploads, the library, sharing, stored files, videos, captions, signed links."""

from apps.files.offers import register_offer
from apps.files.services.allowances import check_allowance, delete_account_of, read_allowance, set_allowance
from apps.files.services.attachments import (
    Claimed,
    Use,
    claim_content,
    read_content,
    register_use,
    release_content,
    uses_of,
)
from apps.files.services.bin import (
    delete_entries,
    delete_library_of,
    empty_bin,
    move_to_bin,
    purge_bin,
    restore_entries,
)
from apps.files.services.caption_sheets import OpenSheet, open_captions
from apps.files.services.captions import (
    MAX_CAPTION_BYTES,
    CaptionReport,
    add_captions,
    caption_draft,
    caption_encodings,
    caption_languages,
    delete_expired_caption_drafts,
    discard_caption_draft,
    is_language,
    keep_caption_draft,
    language_name,
    read_captions,
    remove_captions,
    report_of_reading,
    report_of_track,
    save_captions,
)
from apps.files.services.concatenation import MAX_PARTS, begin_final_upload, concatenate_parts
from apps.files.services.copies import copy_entries
from apps.files.services.creation import begin_upload, check_quota, video_suffixes
from apps.files.services.documents import DocumentPart, read_document
from apps.files.services.folders import MAX_ENTRIES, Selection
from apps.files.services.library import create_folder, library_target, move_entries, rename_entry, restore_version
from apps.files.services.library_uploads import upload_to_library
from apps.files.services.media_links import EVERYONE, Audience, Sources, sign_file, sign_link
from apps.files.services.processing import give_up, process_video
from apps.files.services.receiving import CHECKSUM_ALGORITHMS, Checksum, receive_chunk
from apps.files.services.restored_originals import restore_original
from apps.files.services.scanning import delete_infected, give_up_scan, reopen_scan, scan_unscanned, scan_upload
from apps.files.services.share_links import (
    check_share_password,
    count_download,
    forget_openings_of,
    grant_download,
    link_token,
    read_grant,
    record_opening,
    share_of_token,
)
from apps.files.services.sharing import create_share_link, revoke_share, share_with_course
from apps.files.services.showing import send_attached, send_rendition
from apps.files.services.storage_check import MostlyOrphans, Problem, StorageCheck
from apps.files.services.storage_references import Reference, Row, Source, register_source
from apps.files.services.stored_files import import_file, store_file
from apps.files.services.thumbnails import make_thumbnail
from apps.files.services.uploads import (
    cancel_upload,
    complete_upload,
    delete_uploads_of,
    expire_upload,
)
from apps.files.services.video_sending import send_video_part
from apps.files.services.videos import (
    delete_video,
    discard_video,
    enqueue_removal,
    import_video,
    register_deletion_check,
    register_replacement_check,
    remove_files,
    reopen_video,
    retry_video,
    set_upload_target,
)
from apps.files.services.zips import stream_zip
from apps.files.servings import register_report, report_served
from apps.files.video.encodings import decode as decode_text

__all__ = [
    "CHECKSUM_ALGORITHMS",
    "EVERYONE",
    "MAX_CAPTION_BYTES",
    "MAX_ENTRIES",
    "MAX_PARTS",
    "Audience",
    "CaptionReport",
    "Checksum",
    "Claimed",
    "DocumentPart",
    "MostlyOrphans",
    "OpenSheet",
    "Problem",
    "Reference",
    "Row",
    "Selection",
    "Source",
    "Sources",
    "StorageCheck",
    "Use",
    "add_captions",
    "begin_final_upload",
    "begin_upload",
    "cancel_upload",
    "caption_draft",
    "caption_encodings",
    "caption_languages",
    "check_allowance",
    "check_quota",
    "check_share_password",
    "claim_content",
    "complete_upload",
    "concatenate_parts",
    "copy_entries",
    "count_download",
    "create_folder",
    "create_share_link",
    "decode_text",
    "delete_account_of",
    "delete_entries",
    "delete_expired_caption_drafts",
    "delete_infected",
    "delete_library_of",
    "delete_uploads_of",
    "delete_video",
    "discard_caption_draft",
    "discard_video",
    "empty_bin",
    "enqueue_removal",
    "expire_upload",
    "forget_openings_of",
    "give_up",
    "give_up_scan",
    "grant_download",
    "import_file",
    "import_video",
    "is_language",
    "keep_caption_draft",
    "language_name",
    "library_target",
    "link_token",
    "make_thumbnail",
    "move_entries",
    "move_to_bin",
    "open_captions",
    "process_video",
    "purge_bin",
    "read_allowance",
    "read_captions",
    "read_content",
    "read_document",
    "read_grant",
    "receive_chunk",
    "record_opening",
    "register_deletion_check",
    "register_offer",
    "register_replacement_check",
    "register_report",
    "register_source",
    "register_use",
    "release_content",
    "remove_captions",
    "remove_files",
    "rename_entry",
    "reopen_scan",
    "reopen_video",
    "report_of_reading",
    "report_of_track",
    "report_served",
    "restore_entries",
    "restore_original",
    "restore_version",
    "retry_video",
    "revoke_share",
    "save_captions",
    "scan_unscanned",
    "scan_upload",
    "send_attached",
    "send_rendition",
    "send_video_part",
    "set_allowance",
    "set_upload_target",
    "share_of_token",
    "share_with_course",
    "sign_file",
    "sign_link",
    "store_file",
    "stream_zip",
    "upload_to_library",
    "uses_of",
    "video_suffixes",
]
