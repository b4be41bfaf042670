"""Names of folders and files in the library, and the kind of a file. No database."""

import unicodedata
from pathlib import PurePosixPath

from apps.files.file_types import OFFICE, PDF, TEXT, TYPES_BY_SUFFIX, clean_name
from apps.files.models.library import MAX_NAME, FileKind

SUFFIXES = {
    FileKind.SHEET: {".xlsx", ".xls", ".ods", ".csv", ".tsv"},
    FileKind.SLIDES: {".pptx", ".ppt", ".odp", ".key"},
    FileKind.DOCUMENT: {".docx", ".doc", ".odt", ".rtf", ".epub", ".pages"},
}
ARCHIVES = {
    "application/zip", "application/gzip", "application/x-bzip2", "application/x-xz", "application/x-7z-compressed",
    "application/vnd.rar", "application/x-tar",
}  # fmt: skip
MAX_DEPTH = 20  # folders within folders


def sort_name(name: str) -> str:
    """The name without case and in one Unicode form: names that look alike to a user sort and collide alike.

    Without null bytes, which a text to search for may contain and PostgreSQL refuses.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name.replace("\0", "")).casefold())[
        : 2 * MAX_NAME
    ]


def numbered(name: str, number: int) -> str:
    """ "notes.pdf" with number 2 is "notes (2).pdf", at most `MAX_NAME` characters long."""
    # Not by pathlib, which costs ten times as much: many copies of one name are many numbers.
    before, dot, ending = name.rpartition(".")
    suffix = dot + ending if before and 0 < len(ending) < 10 else ""
    mark = f" ({number})"
    stem = name.removesuffix(suffix)[: MAX_NAME - len(suffix) - len(mark)]
    return f"{stem}{mark}{suffix}"


def free_name(name: str, taken: set[str]) -> str:
    """The name, or the first numbered one whose `sort_name` is not taken."""
    candidate, number = name, 1
    while sort_name(candidate) in taken:
        number += 1
        candidate = numbered(name, number)
    return candidate


def path_parts(path: str) -> tuple[list[str], str]:
    """The folders and the file of a relative path such as "Walks/2024/a.jpg", each as a clean name.

    Folders beyond `MAX_DEPTH` are left out, and so are "." and "..".
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part.strip(" .")]
    if not parts:
        return [], "file"
    return [clean_name(part) for part in parts[:-1][:MAX_DEPTH]], clean_name(parts[-1])


def kind_of(media_type: str, name: str) -> FileKind:
    """The kind of a file, from the type of its bytes; its name tells office formats apart."""
    suffix = PurePosixPath(name).suffix.lower()
    if media_type in TYPES_BY_SUFFIX.get(suffix, {media_type}):
        for kind, suffixes in SUFFIXES.items():
            if suffix in suffixes:
                return kind
    if media_type == PDF:
        return FileKind.PDF
    if media_type == OFFICE:
        return FileKind.DOCUMENT
    if media_type in ARCHIVES:
        return FileKind.ARCHIVE
    if media_type == "video/mp4" and suffix == ".m4a":
        return FileKind.AUDIO
    if media_type == TEXT:
        return FileKind.TEXT
    family = media_type.partition("/")[0]
    return FileKind(family) if family in {"image", "audio", "video"} else FileKind.OTHER
