"""Which hosts may show the videos of lessons, and whether links are checked (docs/operations.md)."""

import re

from django.core.exceptions import ImproperlyConfigured

from studyplatform.settings import env

EMBEDDING_HOSTS = ("youtube", "vimeo")
ANY_HTTPS_HOST = "https"

# YouTube and Vimeo play in a frame that can read nothing of the site; a file plays in the site's own player and runs no
# script. So the default allows them all: authors may link to any of them anyway, and nothing is loaded before a click.
EXTERNAL_VIDEO_HOSTS = env.words("EXTERNAL_VIDEO_HOSTS", [*EMBEDDING_HOSTS, ANY_HTTPS_HOST])
if EXTERNAL_VIDEO_HOSTS == ["none"]:
    EXTERNAL_VIDEO_HOSTS = []

_HOST = re.compile(r"(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}")

for _word in EXTERNAL_VIDEO_HOSTS:
    if _word not in (*EMBEDDING_HOSTS, ANY_HTTPS_HOST) and _HOST.fullmatch(_word) is None:
        raise ImproperlyConfigured(
            "EXTERNAL_VIDEO_HOSTS must be none, or a list of youtube, vimeo, https and names of hosts such as"
            f" media.example.org or *.example.org, not {_word!r}"
        )

# Whether a job asks other sites whether the addresses in courses still lead somewhere.
LINK_CHECKS = env.flag("LINK_CHECKS", default=True)
