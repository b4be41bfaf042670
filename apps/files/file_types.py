"""Detect the media type of a file that users share, from its bytes; its name must match.

Such files are only sent as attachments. Still, web pages and programs are refused, whatever their name: inside an
archive, they cannot be opened by accident.
"""

import re
import unicodedata
from pathlib import PurePosixPath

from apps.files.errors import FileEmpty, FileMisnamed, FileUnsuitable
from studyplatform.kit.text.blank import BLANKS, stripped

HEAD_BYTES = 4096  # how many bytes `detect_media_type` needs
MAX_NAME_LENGTH = 120
MAX_NAME_BYTES = 240  # file systems allow 255
JOINERS = "\u200c\u200d"  # Persian and emoji need them within words
EDGES = f" .{JOINERS}"  # removed from both ends; Windows drops trailing dots and spaces
WINDOWS_DEVICES = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"]
    + [f"{port}{number}" for port in ("COM", "LPT") for number in "0123456789¹²³"]
)

PDF, ZIP, OFFICE, TEXT, OCTET_STREAM = (
    "application/pdf",
    "application/zip",
    "application/x-ole-storage",
    "text/plain",
    "application/octet-stream",
)
SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"%PDF-", PDF),
    (0, b"PK\x03\x04", ZIP),
    (0, b"PK\x05\x06", ZIP),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OFFICE),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\0", "application/x-xz"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (257, b"ustar", "application/x-tar"),
)
EXECUTABLE_SIGNATURES = (
    b"MZ", b"\x7fELF", b"\xca\xfe\xba\xbe", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe", b"dex\n", b"L\0\0\0\x01\x14\x02\0",
)  # fmt: skip
MARKUP = re.compile(rb"<[a-z!?/]", re.IGNORECASE)
# Types that browsers show without running anything of the file. All others are only downloaded.
SHOWN_INLINE = frozenset((
    "image/png", "image/jpeg", "image/gif", "image/webp", PDF, "audio/mpeg", "audio/wav", "audio/ogg", "audio/flac",
    "video/mp4", "video/webm",
))  # fmt: skip

# Files that a browser shows as a page, or that an operating system runs on a double click.
EXECUTABLE_SUFFIXES = frozenset((
    ".html", ".htm", ".xhtml", ".xht", ".shtml", ".mht", ".mhtml", ".svg", ".svgz", ".xml", ".xsl", ".hta",
    ".js", ".mjs", ".jse", ".vbs", ".vbe", ".wsf", ".wsh", ".ps1", ".bat", ".cmd", ".com", ".exe", ".scr", ".pif",
    ".msi", ".dll", ".lnk", ".url", ".reg", ".jar", ".apk", ".app", ".dmg", ".desktop",
))  # fmt: skip
TYPES_BY_SUFFIX: dict[str, frozenset[str]] = {
    ending: frozenset(kinds)
    for endings, kinds in (
        (".pdf", (PDF,)),
        (".zip .odt .ods .odp .epub .ggb .sb3", (ZIP,)),
        (".docx .xlsx .pptx", (ZIP, OFFICE)),  # with a password they use the older container format
        (".doc .xls .ppt", (OFFICE, ZIP, "application/rtf")),
        (".rtf", ("application/rtf",)),
        (".png", ("image/png",)),
        (".jpg .jpeg", ("image/jpeg",)),
        (".gif", ("image/gif",)),
        (".webp", ("image/webp",)),
        (".wav", ("audio/wav",)),
        (".mp3", ("audio/mpeg",)),
        (".ogg .oga .ogv", ("audio/ogg",)),
        (".flac", ("audio/flac",)),
        (".mp4 .m4a .m4v", ("video/mp4",)),
        (".webm .mkv", ("video/webm",)),
        (".gz .tgz", ("application/gzip",)),
        (".bz2", ("application/x-bzip2",)),
        (".xz", ("application/x-xz",)),
        (".7z", ("application/x-7z-compressed",)),
        (".rar", ("application/vnd.rar",)),
        (".tar", ("application/x-tar",)),
        (".txt .md .csv .tsv .json .ipynb .tex .bib .py .c .h .cpp .java .r .sql .srt .vtt .css", (TEXT,)),
    )
    for ending in endings.split()
}


def detect_media_type(head: bytes, filename: str) -> str:
    """The media type of a file that users share. ``head``: its first `HEAD_BYTES` bytes.

    :raises FileEmpty: the file is empty.
    :raises FileUnsuitable: it is a web page or a program, by its bytes or its name.
    :raises FileMisnamed: its name does not match its bytes.
    """
    ending = PurePosixPath(filename).suffix.lower()
    if not head:
        raise FileEmpty
    kind = _type_from_bytes(head)
    if kind is None or ending in EXECUTABLE_SUFFIXES:
        raise FileUnsuitable
    if kind not in TYPES_BY_SUFFIX.get(ending, {kind}):
        raise FileMisnamed(ending=ending)
    return kind


def library_media_type(head: bytes) -> str:
    """The media type of any file, from its bytes. Web pages count as plain text, programs as bytes."""
    return _type_from_bytes(head) or (TEXT if _as_text(head) is not None else OCTET_STREAM)


def _type_from_bytes(head: bytes) -> str | None:
    """The media type by the bytes alone; None for web pages and programs."""
    for at, mark, kind in SIGNATURES:
        if head[at : at + len(mark)] == mark:
            return kind
    text = _as_text(head)
    if text is None:
        return None if head.startswith(EXECUTABLE_SIGNATURES) else OCTET_STREAM
    return None if MARKUP.match(text.lstrip()) else TEXT


def _as_text(head: bytes) -> bytes | None:
    """The head as UTF-8 without byte order mark, or None if it is not text."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return head.decode("utf-16", errors="ignore").encode()
    plain = head.removeprefix(b"\xef\xbb\xbf")
    return None if any(byte < 32 and byte not in b"\t\n\f\r\x1b" for byte in plain) else plain


def clean_name(name: str) -> str:
    """The file's name as every system can store and show it: at most 120 characters in NFC and 240 bytes of UTF-8.

    Without folders, control characters and those that change the direction of text. Names that Windows reserves for
    devices get a "_" in front: ``NUL.txt`` would be written nowhere. Cleaning a clean name changes nothing.
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    visible = "".join(_visible(character) for character in last)
    plain = unicodedata.normalize("NFC", visible).strip(EDGES)
    if plain.partition(".")[0].strip().upper() in WINDOWS_DEVICES:
        plain = f"_{plain}"
    ending = PurePosixPath(plain).suffix[:10]
    if len(plain) > MAX_NAME_LENGTH or len(plain.encode()) > MAX_NAME_BYTES:
        stem = plain[: MAX_NAME_LENGTH - len(ending)]
        while len((stem + ending).encode()) > MAX_NAME_BYTES:
            stem = stem[:-1]
        plain = (stem + ending).strip(EDGES)
    return plain if stripped(PurePosixPath(plain).stem) else f"file{PurePosixPath(plain).suffix}"


def _visible(character: str) -> str:
    """The character; a space for another kind of space; nothing for one that cannot be seen."""
    if character in BLANKS or (character.isspace() and unicodedata.category(character) == "Zs"):
        return " "  # also the narrow one in the names of screenshots
    return character if character.isprintable() or character in JOINERS else ""
