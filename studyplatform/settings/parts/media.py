"""How videos are processed."""

from django.core.exceptions import ImproperlyConfigured

from studyplatform.settings import env

FFMPEG = env.text("FFMPEG")  # empty: the system's, otherwise the one of imageio-ffmpeg
VIDEO_THREADS = env.number("VIDEO_THREADS", 2)
VIDEO_KEEP_ORIGINALS = env.flag("VIDEO_KEEP_ORIGINALS", default=True)

# LUFS (EBU R128) to which the sound of videos is brought; None leaves it as it is.
VIDEO_LOUDNESS = env.number("VIDEO_LOUDNESS", -16) or None
if VIDEO_LOUDNESS is not None and not -40 <= VIDEO_LOUDNESS <= -10:
    raise ImproperlyConfigured(f"VIDEO_LOUDNESS must be from -40 to -10, or 0 for no change, not {VIDEO_LOUDNESS}")

# The base of an OpenAI-compatible address with /audio/transcriptions, which writes captions; empty: nobody does.
TRANSCRIPTION_URL = env.text("TRANSCRIPTION_URL").rstrip("/").removesuffix("/audio/transcriptions")
TRANSCRIPTION_KEY = env.text("TRANSCRIPTION_KEY")
TRANSCRIPTION_MODEL = env.text("TRANSCRIPTION_MODEL", "whisper-1")
if TRANSCRIPTION_URL and not TRANSCRIPTION_URL.startswith(("https://", "http://")):
    raise ImproperlyConfigured("TRANSCRIPTION_URL must begin with https:// or http://.")
# Seconds for the answer to five minutes of speech.
TRANSCRIPTION_TIMEOUT = env.number("TRANSCRIPTION_TIMEOUT", 300)
# What one author may have written and translated a day: minutes of video, and captions.
TRANSCRIPTION_MINUTES_PER_DAY = env.number("TRANSCRIPTION_MINUTES_PER_DAY", 720)
TRANSLATED_CAPTIONS_PER_DAY = env.number("TRANSLATED_CAPTIONS_PER_DAY", 20_000)
for _name in ("TRANSCRIPTION_TIMEOUT", "TRANSCRIPTION_MINUTES_PER_DAY", "TRANSLATED_CAPTIONS_PER_DAY"):
    if globals()[_name] < 1:
        raise ImproperlyConfigured(f"{_name} must be at least 1.")
