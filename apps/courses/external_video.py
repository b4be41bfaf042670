"""Videos of lessons that other hosts show: what an author's address means, and what a page may load of its host.

An address is stored in one spelling, so that a page needs nothing but it: ``https://www.youtube.com/watch?v=…``,
``https://vimeo.com/…`` (with the hash of a private video), or the https address of an MP4, WebM or HLS file. A second
to begin at is kept as ``t``; playlists and everything else that only says how the address was found is dropped.

The parameters of the players: https://developers.google.com/youtube/player_parameters and
https://developer.vimeo.com/player/sdk/embed.
"""

import html
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, urlencode, urlsplit

from django.conf import settings
from django.db import models
from django.utils.encoding import iri_to_uri
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

MAX_ADDRESS_LENGTH = 1000
MAX_LENGTH_SECONDS = 12 * 3600
"""Of a video whose length nobody has told: what is watched beyond it is not counted."""


class Host(models.TextChoices):
    """Who plays the video: a host's own player, or ours with a file of any host."""

    YOUTUBE = "youtube", gettext_lazy("YouTube")
    VIMEO = "vimeo", gettext_lazy("Vimeo")
    FILE = "file", gettext_lazy("Video file")
    HLS = "hls", gettext_lazy("HLS stream")


EMBEDDED = {Host.YOUTUBE, Host.VIMEO}
_ENDINGS = {".mp4": Host.FILE, ".m4v": Host.FILE, ".webm": Host.FILE, ".m3u8": Host.HLS}
_FRAMES = {Host.YOUTUBE: "www.youtube-nocookie.com", Host.VIMEO: "player.vimeo.com"}
_YOUTUBE = {"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com", "youtube-nocookie.com"}
_YOUTUBE |= {"www.youtube-nocookie.com", "youtu.be", "www.youtu.be"}
_VIMEO = {"vimeo.com", "www.vimeo.com", "player.vimeo.com"}

_YOUTUBE_ID = re.compile(r"[A-Za-z0-9_-]{11}")
_NO_YOUTUBE_IDS = {"videoseries", "live_stream"}  # eleven letters too, but a playlist and whatever a channel shows
_YOUTUBE_PATH = re.compile(r"/(?:embed|shorts|live|watch|v|e)/([^/]+)")
_VIMEO_PATH = re.compile(
    r"(?:/video|/channels/[^/]+|/groups/[^/]+/videos|/(?:album|showcase)/\d+/video|/manage/videos)?"
    r"/(\d{1,12})(?:/([0-9a-zA-Z]{6,32}))?"
)
_VIMEO_HASH = re.compile(r"[0-9a-zA-Z]{6,32}")
_HOST_NAME = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}")
_PRIVATE = (
    ".local",
    ".localhost",
    ".internal",
    ".intranet",
    ".lan",
    ".home",
    ".corp",
    ".home.arpa",
    ".test",
    ".invalid",
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_FRAME = re.compile(r"<iframe\b[^>]*?\bsrc\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s>]+)", re.IGNORECASE)
_UNITS = re.compile(r"(?:(\d{1,2})h)?(?:(\d{1,3})m)?(?:(\d{1,5})s?)?", re.ASCII)
_CLOCK = re.compile(r"(?:(\d{1,2}):)?(\d{1,3}):([0-5]?\d)", re.ASCII)


class AddressProblem(Exception):
    """The address can't be used. The argument says why, in a sentence for its author."""


@dataclass(frozen=True, kw_only=True)
class ExternalVideo:
    """A video of another host. ``address`` is its canonical address, ``start`` the second at which it begins."""

    host: Host
    address: str
    video_id: str = ""
    private_hash: str = ""
    start: int = 0

    @property
    def contacted_host(self) -> str:
        """The host that a browser contacts first to play it."""
        return _FRAMES.get(self.host) or urlsplit(self.address).hostname or ""

    @property
    def host_name(self) -> str:
        """The host as people call it: "YouTube", or the name in the address."""
        return str(self.host.label) if self.host in EMBEDDED else self.contacted_host

    @property
    def media_address(self) -> str:
        """The address without the second at which it begins: that of the file."""
        return self.address.partition("#")[0]

    @property
    def frame_address(self) -> str:
        """The address of the host's player; "" for a file. The script adds ``origin`` to YouTube's."""
        match self.host:
            case Host.YOUTUBE:
                wishes = {"enablejsapi": "1", "playsinline": "1", "rel": "0"}
                return f"https://{_FRAMES[self.host]}/embed/{self.video_id}?{urlencode(wishes)}"
            case Host.VIMEO:
                wishes = {"h": self.private_hash} if self.private_hash else {}
                wishes |= {"dnt": "1", "playsinline": "1"}
                return f"https://{_FRAMES[self.host]}/video/{self.video_id}?{urlencode(wishes)}"
        return ""


def read_address(text: str) -> ExternalVideo:
    """Return the video that an author means: by the address of its page, of its player or of its file.

    :raises AddressProblem: it names no video, or one that this site doesn't show.
    """
    found = _read(text)
    if not is_allowed(found):
        raise AddressProblem(_("This site doesn't show videos from %(host)s.") % {"host": found.host_name})
    return found


def stored_video(address: str) -> ExternalVideo | None:
    """Return the video of an address that a lesson holds; None for none, and while the site doesn't allow its host."""
    if not address:
        return None
    try:
        return read_address(address)
    except AddressProblem:
        return None


def _read(text: str) -> ExternalVideo:
    parts = _split(_unwrap(text.strip()))
    host = _checked_host(parts)
    if host in _YOUTUBE:
        return _read_youtube(host, parts)
    if host in _VIMEO:
        return _read_vimeo(parts)
    return _read_file(host, parts)


def _unwrap(text: str) -> str:
    """Return the address in an embed code, or the text itself."""
    frame = _FRAME.search(text) if text.lower().startswith("<iframe") else None
    address = html.unescape(frame[1].strip("\"'")) if frame else text
    if address.startswith("//"):
        return f"https:{address}"
    # "youtube.com/watch?v=…" without a scheme; a port isn't one.
    return address if _SCHEME.match(address) and not re.match(r"[^/]+\.[^/]+:\d", address) else f"https://{address}"


def _split(address: str) -> SplitResult:
    if not address.removeprefix("https://"):
        raise AddressProblem(_("Enter the address of a video."))
    if len(address) > MAX_ADDRESS_LENGTH:
        raise AddressProblem(_("An address can have up to %(most)s characters.") % {"most": MAX_ADDRESS_LENGTH})
    if re.search(r"[\s\\<>\"\x00-\x1f\x7f]", address):
        raise AddressProblem(_("This isn't one address. Copy it from the address bar of your browser."))
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise AddressProblem(_("This isn't an address of a video.")) from None
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise AddressProblem(_("Use an address that begins with https://."))
    if "@" in parts.netloc:
        raise AddressProblem(_("Remove the user name and password from the address: every learner would see them."))
    if port not in {None, 443 if parts.scheme == "https" else 80}:
        raise AddressProblem(_("Use an address without a port."))
    return parts


def _checked_host(parts: SplitResult) -> str:
    """Return the name of the host: of the public network, and in letters that nobody confuses with others."""
    host = (parts.hostname or "").removesuffix(".")
    if not host.isascii() or any(label.startswith("xn--") for label in host.split(".")):
        raise AddressProblem(_("The name of the host has letters of other scripts. Use its name in plain letters."))
    is_private = host.endswith(_PRIVATE) or host == "localhost"
    if is_private or _HOST_NAME.fullmatch(host) is None:
        raise AddressProblem(_("Learners can't reach this host. Use the public name of a host, such as example.org."))
    return host


def _read_youtube(host: str, parts: SplitResult) -> ExternalVideo:
    asked = parse_qs(parts.query)
    if host.endswith("youtu.be"):
        video_id = parts.path.strip("/").partition("/")[0]
    elif found := _YOUTUBE_PATH.match(parts.path):
        video_id = found[1]
    else:
        video_id = asked.get("v", [""])[0]
    if _YOUTUBE_ID.fullmatch(video_id) is None or video_id in _NO_YOUTUBE_IDS:
        raise AddressProblem(_("Use the address of one video on YouTube, not of a playlist, a channel or a search."))
    start = _start_of(parts)
    asked_for = {"v": video_id} | ({"t": f"{start}s"} if start else {})
    address = f"https://www.youtube.com/watch?{urlencode(asked_for)}"
    return ExternalVideo(host=Host.YOUTUBE, address=address, video_id=video_id, start=start)


def _read_vimeo(parts: SplitResult) -> ExternalVideo:
    found = _VIMEO_PATH.fullmatch(parts.path.rstrip("/"))
    if found is None:
        raise AddressProblem(
            _("Use the address of one video on Vimeo, not of a live event, a showcase, a profile or a review.")
        )
    private_hash = found[2] or parse_qs(parts.query).get("h", [""])[0]
    if private_hash and _VIMEO_HASH.fullmatch(private_hash) is None:
        raise AddressProblem(_("This isn't an address of a video."))
    start = _start_of(parts)
    address = (
        "https://vimeo.com/" + "/".join(filter(None, [found[1], private_hash])) + (f"#t={start}s" if start else "")
    )
    return ExternalVideo(host=Host.VIMEO, address=address, video_id=found[1], private_hash=private_hash, start=start)


def _read_file(host: str, parts: SplitResult) -> ExternalVideo:
    kind = next((kind for ending, kind in _ENDINGS.items() if parts.path.lower().endswith(ending)), None)
    if kind is None:
        raise AddressProblem(
            _(
                "Use the address of a video on YouTube or Vimeo, or of a file that ends with .mp4, .m4v, .webm or"
                " .m3u8, not of the page that shows it."
            )
        )
    if parts.scheme != "https":
        raise AddressProblem(_("Use the https address of the file: browsers don't play others on a secure page."))
    start = _start_of(SplitResult("https", host, parts.path, "", parts.fragment))
    address = (
        f"https://{host}{parts.path}" + (f"?{parts.query}" if parts.query else "") + (f"#t={start}" if start else "")
    )
    return ExternalVideo(host=kind, address=iri_to_uri(address), start=start)


def _start_of(parts: SplitResult) -> int:
    """Return the second at which the video begins: ``t`` or ``start``, such as 90, 90s, 1m30s or 1:30."""
    asked, fragment = parse_qs(parts.query), parse_qs(parts.fragment)
    written = [*asked.get("t", []), *asked.get("start", []), *fragment.get("t", [])]
    for text in written:
        matched = _CLOCK.fullmatch(text) or _UNITS.fullmatch(text)
        if matched is not None and any(matched.groups()):
            hours, minutes, seconds = (int(part or 0) for part in matched.groups())
            return min(hours * 3600 + minutes * 60 + seconds, MAX_LENGTH_SECONDS)
    return 0


def is_allowed(video: ExternalVideo) -> bool:
    """Return whether the site shows videos of this host (EXTERNAL_VIDEO_HOSTS)."""
    allowed = settings.EXTERNAL_VIDEO_HOSTS
    if video.host in EMBEDDED:
        return str(video.host) in allowed
    if "https" in allowed:
        return True
    name = video.contacted_host
    return any(name.endswith(word[1:]) if word.startswith("*.") else name == word for word in allowed if "." in word)


def policy_sources(video: ExternalVideo) -> dict[str, list[str]]:
    """Return what the content security policy of a page that shows the video allows in addition.

    A file may be redirected and a stream may take its parts from elsewhere, so what is allowed is what the site allows.
    """
    if video.host in EMBEDDED:
        return {"frame-src": [f"https://{video.contacted_host}"]}
    allowed = settings.EXTERNAL_VIDEO_HOSTS
    hosts = ["https:"] if "https" in allowed else [f"https://{word}" for word in allowed if "." in word]
    return {"media-src": hosts, "connect-src": hosts} if video.host == Host.HLS else {"media-src": hosts}


def read_length(text: str) -> int:
    """Return the seconds of a length such as 12:30, 1:02:30, 45s or 12m30s; 0 for an empty text.

    :raises AddressProblem: it is none, or longer than MAX_LENGTH_SECONDS.
    """
    written = "".join(text.split()).lower()
    if not written:
        return 0
    matched = _CLOCK.fullmatch(written) or (_UNITS.fullmatch(written) if re.search(r"[hms]", written) else None)
    if matched is None or not any(matched.groups()):
        raise AddressProblem(_("Enter minutes and seconds, such as 12:30."))
    hours, minutes, seconds = (int(part or 0) for part in matched.groups())
    total = hours * 3600 + minutes * 60 + seconds
    if not 0 < total <= MAX_LENGTH_SECONDS:
        raise AddressProblem(_("A video can be up to 12 hours long."))
    return total
