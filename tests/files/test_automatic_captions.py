"""Captions that a model writes and translates, with a stand-in for the model that can do every unkind thing."""

import logging
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.utils import timezone

from apps.files import errors, model_calls, services
from apps.files.model_calls import CallFailed, call_model
from apps.files.models import AutomaticCaptions
from apps.files.services import writing_captions
from apps.files.services.writing_captions import write_captions
from apps.files.storage import local_path
from apps.files.video.sound_levels import SoundLevels
from apps.files.video.spoken_cues import are_in_order
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound, RateLimitExceeded
from studyplatform.kit.jobs import Postpone
from studyplatform.kit.models import Job
from tests.cases import all_cases
from tests.factories.files import CaptionFactory, VideoFactory
from tests.files.speech_standin import SpeechStandin

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture(scope="module")
def running_speech() -> Iterator[SpeechStandin]:
    with SpeechStandin().serving() as standin:
        yield standin


@pytest.fixture
def speech(running_speech: SpeechStandin, settings: Any) -> SpeechStandin:
    running_speech.reset()
    settings.TRANSCRIPTION_URL = settings.TUTOR_URL = running_speech.address
    settings.TRANSCRIPTION_KEY = settings.TUTOR_KEY = "secret-key"
    settings.TUTOR_MODEL = "standin"
    return running_speech


@pytest.fixture
def lecture(ada, own_folders: Any) -> Any:
    """A video of three seconds whose sound stands in two segments of nonsense, which `cut` does not read."""
    video = VideoFactory(owner=ada, directory="videos/a/b", duration=3.0, sound_levels="sound.json")
    folder = local_path("videos/a/b/audio")
    assert folder is not None
    folder.mkdir(parents=True)
    (folder / "index.m3u8").write_text("#EXTM3U\n#EXTINF:2.0,\n00000.m4s\n#EXTINF:1.0,\n00001.m4s\n#EXT-X-ENDLIST\n")
    for name in ("init.mp4", "00000.m4s", "00001.m4s"):
        (folder / name).write_bytes(name.encode())
    levels(video, silences=())
    return video


def levels(video: Any, silences: tuple[tuple[float, float], ...]) -> None:
    stored = local_path(f"{video.directory}/sound.json")
    assert stored is not None
    made = SoundLevels(rate=50, peaks=b"", silences=silences, duration=video.duration, loudness=-20.0, true_peak=-3.0)
    stored.write_text(made.to_json())


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut pieces without ffmpeg: 1 kB a second."""

    def run(arguments: list[str], *, seconds: float, folder: Any, **_: Any) -> int:
        (folder / "speech.m4a").write_bytes(b"x" * round(1000 * seconds))
        return 0

    monkeypatch.setattr(writing_captions.encode, "run", run)


def work_on(row: AutomaticCaptions, tries: int = 60) -> AutomaticCaptions:
    """Let the job run until it is not postponed any more."""
    for _ in range(tries):
        try:
            write_captions(uid=row.uid, extend_lease=lambda: None, now=NOW)
        except Postpone:
            continue
        break
    row.refresh_from_db()
    return row


def begin(video: Any, language: str = "en") -> AutomaticCaptions:
    return services.begin_transcription(video=video, by=video.owner, language=language, now=NOW)


def cues_of(row: AutomaticCaptions) -> list[Any]:
    return [cue for piece in row.results for cue in piece]


def test_a_video_is_heard_and_its_language_recognized(lecture, speech, cut) -> None:
    row = work_on(begin(lecture, language=""))

    assert (row.state, row.language, row.percent) == ("done", "en", 100)
    assert cues_of(row) == [
        {"begin": 0.0, "end": 1.2, "text": "Light bends."},
        {"begin": 1.4, "end": 2.6, "text": "Always and everywhere."},
    ]
    (request,) = speech.requests
    assert request["path"] == "/v1/audio/transcriptions"
    assert (request["model"], request["response_format"]) == ("whisper-1", "verbose_json")
    assert "language" not in request
    assert not list(lecture.captions.all())  # nothing is published
    sheet = services.open_captions(video=lecture, language="en")
    assert [(cue["text"], cue["is_checked"]) for cue in sheet.cues] == [
        ("Light bends.", False),
        ("Always and everywhere.", False),
    ]
    lecture.caption_sheets.all().delete()
    CaptionFactory(video=lecture)
    assert work_on(begin(lecture)).state == "done"
    assert not lecture.caption_sheets.exists()  # an author has captions in this language


def test_a_known_language_is_told_by_its_main_tag(lecture, speech, cut) -> None:
    row = work_on(begin(lecture, language="pt-BR"))

    assert speech.requests[0]["language"] == "pt"
    assert row.language == "pt-BR"


def test_a_long_video_is_heard_in_pieces_and_a_killed_worker_repeats_one(lecture, speech, cut) -> None:
    lecture.duration = 1000.0
    lecture.save()
    levels(lecture, silences=((290.0, 292.0), (560.0, 561.0), (840.0, 990.0)))
    row = begin(lecture)
    for expected in (1, 2):
        with pytest.raises(Postpone):
            write_captions(uid=row.uid, extend_lease=lambda: None, now=NOW)
        row.refresh_from_db()
        assert sum(result is not None for result in row.results) == expected

    def die() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_captions(uid=row.uid, extend_lease=die, now=NOW)
    before = len(speech.files)
    row = work_on(row)

    assert row.state == "done"
    assert len(speech.files) - before <= 2
    assert are_in_order(cues_of(row))
    assert [cue["begin"] for cue in cues_of(row)][:3] == [0.0, 1.4, 292.4]  # nobody speaks until 292


def test_what_is_silent_is_not_sent(lecture, speech, cut) -> None:
    levels(lecture, silences=((0.0, 3.0),))

    row = work_on(begin(lecture))

    assert (row.state, cues_of(row), speech.requests) == ("done", [], [])


def test_a_piece_that_is_too_large_is_sent_in_halves(lecture, speech, cut) -> None:
    lecture.duration = 300.0
    lecture.save()
    speech.most_bytes = 100_000

    row = work_on(begin(lecture))

    assert row.state == "done"
    assert 3 < len(row.pieces) < 7
    assert max(map(len, speech.files[-1:])) <= 100_000
    speech.most_bytes = 10
    refused = work_on(begin(lecture))
    assert (refused.state, refused.failure) == ("failed", "too_large")


@all_cases(
    "behavior reason tries",
    [
        ("401", "refused", 1),
        ("404", "refused", 1),
        ("400", "refused", 1),
        ("redirect", "refused", 1),
        ("429", "busy", 2),
        ("500", "unreachable", 2),
        ("html", "unreadable", 2),
        ("list", "unreadable", 2),
        ("null", "unreadable", 2),
        ("deep", "unreadable", 2),
        ("empty", "unreadable", 2),
        ("other object", "unreadable", 2),
        ("segments of texts", "unreadable", 2),
        ("drop", "unreachable", 2),
    ],
)
def test_a_service_that_fails_is_tried_again_where_that_may_help(
    lecture, speech, cut, caplog, monkeypatch, behavior: str, reason: str, tries: int
) -> None:
    monkeypatch.setattr(writing_captions, "MAX_TRIES", 2)
    speech.reset()
    speech.behavior = behavior
    caplog.set_level(logging.DEBUG)

    row = work_on(begin(lecture))

    assert (row.state, row.failure, len(speech.requests)) == ("failed", reason, tries)
    assert services.failure_sentence(row.failure)
    assert speech.requests[0]["key"] == "Bearer secret-key"
    assert "secret-key" not in caplog.text


def test_a_service_that_recovers_is_heard(lecture, speech, cut) -> None:
    speech.behaviors = ["429", "500", "html", "drop"]
    row = begin(lecture)

    with pytest.raises(Postpone) as waiting:
        write_captions(uid=row.uid, extend_lease=lambda: None, now=NOW)

    assert waiting.value.delay == timedelta(seconds=40)  # as the service asked
    row = work_on(row)
    assert (row.state, row.failed_tries) == ("done", 0)


@all_cases("behavior", ["silent", "endless"])
def test_an_answer_that_never_ends_is_given_up(speech, monkeypatch, behavior: str) -> None:
    monkeypatch.setattr(model_calls, "WATCH_SECONDS", 0.05)
    monkeypatch.setattr(model_calls, "MAX_ANSWER_BYTES", 2**20)
    speech.behavior = behavior

    with pytest.raises(CallFailed) as failed:
        call_model(f"{speech.address}/audio/transcriptions", key="secret-key", seconds=0.4, json={})

    assert failed.value.reason in {"unreachable", "unreadable"}
    assert "secret-key" not in repr(failed.value)


def test_an_address_that_is_none_is_unreachable() -> None:
    for url in ("http://127.0.0.1:1/v1", "http://[", "gopher://host/"):
        with pytest.raises(CallFailed) as failed:
            call_model(url, key="", seconds=2, json={})
        assert failed.value.reason == "unreachable"


def test_a_canceled_request_stops_at_once(lecture, speech, cut, monkeypatch) -> None:
    monkeypatch.setattr(model_calls, "WATCH_SECONDS", 0.02)
    row = begin(lecture)
    speech.behavior = "silent"

    def cancel_meanwhile() -> None:
        services.cancel_automatic_captions(captions=row, by=lecture.owner, now=NOW)

    write_captions(uid=row.uid, extend_lease=cancel_meanwhile, now=NOW)

    row.refresh_from_db()
    assert (row.state, row.failure) == ("canceled", "")
    services.fail_automatic_captions(uid=row.uid, reason="crashed", now=NOW)
    row.refresh_from_db()
    assert row.state == "canceled"


def test_a_video_replaced_meanwhile_is_not_given_the_words_of_another(lecture, speech, cut) -> None:
    row = begin(lecture)
    lecture.directory = "videos/a/c"
    lecture.save()

    assert (work_on(row).state, row.failure) == ("failed", "replaced")


def test_a_request_is_refused_with_its_reason(lecture, speech, settings, leo) -> None:
    with pytest.raises(errors.CaptionLanguageUnknown):
        begin(lecture, language="../en")
    with pytest.raises(NotFound):
        services.begin_transcription(video=lecture, by=leo, language="en", now=NOW)
    with pytest.raises(errors.NothingToHear):
        begin(VideoFactory(owner=lecture.owner, has_audio=False, directory="videos/x"))
    settings.TRANSCRIPTION_MINUTES_PER_DAY = 1
    assert begin(lecture).pk == begin(lecture).pk  # the same request is no second one
    with pytest.raises(RateLimitExceeded):
        begin(lecture, language="de")
    settings.TRANSCRIPTION_URL = settings.TUTOR_URL = ""
    with pytest.raises(errors.AutomaticCaptionsOff):
        begin(lecture)
    with pytest.raises(errors.TranslationOff):
        translate(lecture, ["a"])


def translate(video: Any, texts: list[str], language: str = "de") -> AutomaticCaptions:
    return services.begin_translation(
        video=video, by=video.owner, language=language, source_language="en", texts=texts, now=NOW
    )


def test_captions_are_translated_in_batches(lecture, speech) -> None:
    texts = [f"Line {number}" for number in range(45)]

    row = work_on(translate(lecture, texts))

    assert row.state == "done"
    assert [text for piece in row.results for text in piece] == [f"«{text}»" for text in texts]
    assert len(speech.requests) == 3
    assert "never instructions" in speech.requests[0]["messages"][0]["content"]


@all_cases(
    "translation expected",
    [
        (lambda texts: ["x"] * (len(texts) - 1), [None] * 4),
        (lambda texts: "I can't do that.", [None] * 4),
        (lambda texts: [1] * len(texts), [None] * 4),
        (lambda texts: ["ok"] * len(texts) if len(texts) < 3 else ["one"], ["ok"] * 4),
        (lambda texts: '<think>hm {"captions": []}</think>```json\n{"captions": ["a","b","c","d"]}\n```', list("abcd")),
        (lambda texts: ["", "b", "c" * 5000, "d"], [None, "b", "c" * 2000, "d"]),
        (lambda texts: ["a\x00\x07", "\ud800b", "\x00", "d\r\ne\u2028f\x1cg"], ["a", "b", None, "d\ne\u2028f g"]),
    ],
)
def test_a_model_that_confuses_captions_gets_fewer_at_once(
    lecture, speech, translation: Callable[[list[str]], Any], expected: list[str | None]
) -> None:
    speech.translate = translation

    row = work_on(translate(lecture, ["1", "2", "3", "4"]))

    assert (row.state, row.results) == ("done", [expected])


def test_other_texts_replace_the_request(lecture, speech) -> None:
    first = translate(lecture, ["one"])
    assert translate(lecture, ["one"]).pk == first.pk

    second = translate(lecture, ["two"])

    first.refresh_from_db()
    assert (first.state, second.state) == ("canceled", "waiting")
    with pytest.raises(errors.NothingToTranslate):
        translate(lecture, ["", " "])


def test_the_calls_show_what_has_come_back(lecture, speech, cut, browser_of) -> None:
    browser = browser_of(lecture.owner)
    address = f"/api/v1/videos/{lecture.uid}"
    begun = browser.post(f"{address}/transcription/", {"language": "en"}, content_type="application/json")
    assert (begun.status_code, begun.json()["state"]) == (202, "waiting")
    row = AutomaticCaptions.objects.get(uid=begun.json()["uid"])
    assert Job.objects.filter(kind="files.write_captions", key=row.uid.hex).exists()

    jobs.run_pending("default")

    seen = browser.get(f"/api/v1/automatic-captions/{row.uid}/").json()
    assert (seen["state"], seen["percent"], seen["cues"][0]["text"]) == ("done", 100, "Light bends.")
    assert browser.get(f"{address}/automatic-captions/").json()["results"][0]["uid"] == str(row.uid)
    asked = {"language": "de", "texts": ["a", "b"]}
    translation = browser.post(f"{address}/translation/", asked, content_type="application/json").json()
    seen = browser.get(f"/api/v1/automatic-captions/{translation['uid']}/").json()
    assert (seen["texts"], seen["originals"], seen["cues"]) == ([None, None], ["a", "b"], [])
    assert browser.delete(f"/api/v1/automatic-captions/{translation['uid']}/").status_code == 204
    assert browser.get(f"/api/v1/automatic-captions/{translation['uid']}/").json()["state"] == "canceled"
    assert browser.get(f"/api/v1/automatic-captions/{uuid.uuid4()}/").status_code == 404


def test_the_key_is_not_in_the_text_of_a_transport_error() -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.LocalProtocolError(f"Illegal header value {request.headers['Authorization']!r}")

    with pytest.raises(CallFailed) as failed:
        call_model("http://host/", key="secret-key", seconds=2, transport=httpx.MockTransport(fail), json={})
    assert "secret" not in str(failed.value)
    assert failed.value.__cause__ is None


@pytest.mark.media
@pytest.mark.long
def test_real_sound_is_cut_and_sent(ada, speech, processed, own_folders) -> None:
    work, published = processed("lecture.mp4")
    video = VideoFactory(owner=ada, directory="videos/r/s", duration=published.duration, sound_levels="sound.json")
    target = local_path("videos/r/s")
    assert target is not None
    target.parent.mkdir(parents=True)
    target.symlink_to(work.public)

    row = work_on(begin(video))

    assert row.state == "done"
    assert len(speech.files[0]) > 5000
    assert speech.files[0][4:8] == b"ftyp"
