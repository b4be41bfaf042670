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
