"""Ask a model to write the captions of a video, or to translate them."""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.models import AutomaticCaptions, VideoAsset
from apps.files.services.captions import LANGUAGE
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits

MAX_TEXTS = 2000
MAX_TEXT_CHARACTERS = 2000
TEXTS_AT_ONCE = 20
DAY_SECONDS = 86400
KEPT = timedelta(days=30)
"""How long what has come back can be read."""


def can_transcribe() -> bool:
    """Whether an address of a speech model is set."""
    return bool(settings.TRANSCRIPTION_URL)


def can_translate() -> bool:
    """Whether an address of a chat model is set."""
    return bool(settings.TUTOR_URL)


def begin_transcription(*, video: VideoAsset, by: User, language: str, now: datetime) -> AutomaticCaptions:
    """Let a model write the captions of a video. While it does, the same request is returned.

    :param language: what is spoken, as a BCP 47 tag; empty if the model shall recognize it
    :raises AutomaticCaptionsOff: no model is set.
    :raises NothingToHear: the video has no sound, or none yet.
    :raises CaptionLanguageUnknown: it is no language tag.
    :raises RateLimitExceeded: the user has let models listen to as many minutes as a day has.
    """
    enforce(policies.write_automatic_captions(by, video))
    if not can_transcribe():
        raise errors.AutomaticCaptionsOff
    if language and not LANGUAGE.match(language):
        raise errors.CaptionLanguageUnknown
    if not (video.is_playable and video.has_audio and video.directory):
        raise errors.NothingToHear
    with transaction.atomic():
        if (open_ := _open_request(video, AutomaticCaptions.Kind.SPEECH, language)) is not None:
            return open_
        minutes = max(1, -(-int(video.duration) // 60))
        limit = (settings.TRANSCRIPTION_MINUTES_PER_DAY, DAY_SECONDS)
        rate_limits.consume("transcription_minutes", str(by.pk), now=now, limit=limit, amount=minutes)
        return _begin(
            AutomaticCaptions(
                video=video,
                kind=AutomaticCaptions.Kind.SPEECH,
                language=language,
                directory=video.directory,
                created_at=now,
            )
        )


def begin_translation(
    *, video: VideoAsset, by: User, language: str, source_language: str, texts: Sequence[str], now: datetime
) -> AutomaticCaptions:
    """Let a model translate the texts of captions.

    :param language: of the translation; ``source_language``: of the texts, or empty; both BCP 47 tags
    :raises TranslationOff: no model is set.
    :raises CaptionLanguageUnknown: one is no language tag.
    :raises NothingToTranslate: no text has a word.
    """
    enforce(policies.write_automatic_captions(by, video))
    if not can_translate():
        raise errors.TranslationOff
    if not LANGUAGE.match(language) or (source_language and not LANGUAGE.match(source_language)):
        raise errors.CaptionLanguageUnknown
    if not any(text.strip() for text in texts):
        raise errors.NothingToTranslate
    with transaction.atomic():
        if (open_ := _open_request(video, AutomaticCaptions.Kind.TRANSLATION, language)) is not None:
            if open_.texts == list(texts):
                return open_
            cancel_automatic_captions(captions=open_, by=by, now=now)  # what is to be translated has changed
        limit = (settings.TRANSLATED_CAPTIONS_PER_DAY, DAY_SECONDS)
        rate_limits.consume("translated_captions", str(by.pk), now=now, limit=limit, amount=len(texts))
        pieces = [[at, min(at + TEXTS_AT_ONCE, len(texts))] for at in range(0, len(texts), TEXTS_AT_ONCE)]
        return _begin(
            AutomaticCaptions(
                video=video,
                kind=AutomaticCaptions.Kind.TRANSLATION,
                language=language,
                source_language=source_language,
                directory=video.directory,
                texts=list(texts),
                pieces=pieces,
                results=[None] * len(pieces),
                created_at=now,
            )
        )


def _open_request(video: VideoAsset, kind: str, language: str) -> AutomaticCaptions | None:
    waiting = AutomaticCaptions.objects.filter(video=video, kind=kind, language=language)
    return waiting.filter(state=AutomaticCaptions.State.WAITING).first()


def _begin(row: AutomaticCaptions) -> AutomaticCaptions:
    ended = AutomaticCaptions.objects.exclude(state=AutomaticCaptions.State.WAITING)
    ended.filter(video=row.video, created_at__lt=row.created_at - KEPT).delete()
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:  # another tab was faster
        open_ = _open_request(row.video, row.kind, row.language)
        if open_ is None:
            raise
        return open_
    jobs.enqueue("files.write_captions", key=row.uid.hex, captions=row.uid.hex)
    return row


def cancel_automatic_captions(*, captions: AutomaticCaptions, by: User, now: datetime) -> None:
    """End a request that is not complete; what has come back so far stays readable. Idempotent."""
    enforce(policies.write_automatic_captions(by, captions.video))
    AutomaticCaptions.objects.filter(pk=captions.pk, state=AutomaticCaptions.State.WAITING).update(
        state=AutomaticCaptions.State.CANCELED, finished_at=now
    )


def fail_automatic_captions(*, uid: uuid.UUID, reason: str, now: datetime) -> None:
    """Record that a request has failed for good."""
    AutomaticCaptions.objects.filter(uid=uid, state=AutomaticCaptions.State.WAITING).update(
        state=AutomaticCaptions.State.FAILED, failure=reason, finished_at=now
    )


def reopen_automatic_captions(*, uid: uuid.UUID) -> None:
    """Continue a request that has failed. The caller starts the job."""
    AutomaticCaptions.objects.filter(uid=uid, state=AutomaticCaptions.State.FAILED).update(
        state=AutomaticCaptions.State.WAITING, failure="", failed_tries=0, finished_at=None
    )


def failure_sentence(reason: str) -> str:
    """What an author reads about a failure."""
    sentences = {
        "refused": _("The service refused the request. An administrator has to check its address and key."),
        "busy": _("The service had too much to do. Try again later."),
        "unreachable": _("The service didn't answer. Try again later."),
        "unreadable": _("The service answered with something that can't be used."),
        "too_large": _("The service doesn't accept recordings of this size."),
        "replaced": _("The video was replaced meanwhile. Start again."),
        "crashed": _("Something went wrong on this site. Try again."),
    }
    return sentences.get(reason, sentences["crashed"]) if reason else ""
