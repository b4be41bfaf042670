"""The subtitle tracks inside a video file, and their languages."""

from __future__ import annotations

import re
from pathlib import Path

import ffmpeg

from .filter_graph import compile_arguments, source_input
from .probe import Probe, Text
from .recipe import Recipe

# ISO 639-2 codes (bibliographic and terminological) to ISO 639-1 codes, which browsers expect.
LANGUAGES = {
    "ara": "ar", "bul": "bg", "ces": "cs", "chi": "zh", "cze": "cs", "dan": "da", "deu": "de",
    "dut": "nl", "ell": "el", "eng": "en", "est": "et", "fas": "fa", "fin": "fi", "fra": "fr",
    "fre": "fr", "ger": "de", "gre": "el", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu",
    "ind": "id", "ita": "it", "jpn": "ja", "kor": "ko", "lav": "lv", "lit": "lt", "msa": "ms",
    "nld": "nl", "nor": "no", "per": "fa", "pol": "pl", "por": "pt", "ron": "ro", "rum": "ro",
    "rus": "ru", "slk": "sk", "slo": "sk", "slv": "sl", "spa": "es", "srp": "sr", "swe": "sv",
    "tha": "th", "tur": "tr", "ukr": "uk", "vie": "vi", "zho": "zh",
}  # fmt: skip


#: ffmpeg's format and encoder for each codec of text.
_FORMATS = {
    "subrip": ("srt", "copy"),
    "srt": ("srt", "copy"),
    "text": ("srt", "copy"),
    "ass": ("ass", "copy"),
    "ssa": ("ass", "copy"),
    "webvtt": ("webvtt", "copy"),
}
_CONVERTED = ("srt", "srt")


def extract_arguments(path: Path, source: Probe, folder: Path, recipe: Recipe) -> tuple[list[str], dict[Text, Path]]:
    """ffmpeg's arguments that write every text track to a file of its own, and the file of each track.

    Tracks are copied where a format has their codec: ffmpeg's decoders drop what looks like a tag ("vector<int>").
    """
    file = source_input(path, source, recipe)
    targets = {text: folder / f"{text.index}.{_FORMATS.get(text.codec, _CONVERTED)[0]}" for text in source.texts}
    outputs = []
    for text, target in targets.items():
        form, codec = _FORMATS.get(text.codec, _CONVERTED)
        outputs.append(ffmpeg.output(file[str(text.index)], f"file:{target}", f=form, **{"c:s": codec}))
    return compile_arguments(ffmpeg.merge_outputs(*outputs)), targets


def language_of(written: str) -> str:
    """Convert a language code as found in files to a BCP 47 tag; empty if it is unknown."""
    plain = written.strip().lower()
    if plain in ("und", "zxx", "mis", ""):
        return ""
    return LANGUAGES.get(plain, plain if re.fullmatch(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", plain) else "")
