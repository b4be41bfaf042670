"""The call that takes what was done without a connection: its limits, and whatever a request can hold."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.learning.models import Attempt, LessonProgress, OfflineDevice, TakenChange
from tests.cases import all_cases
from tests.factories.courses import QuestionFactory
from tests.learning.offline import DAY, Phone
from tests.learning.quiz import make_quiz

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def device(leo, enrollment):
    return Phone(leo, at=timezone.now() - DAY).device


@pytest.fixture
def send(call_as, device):
    def run(*changes, user="leo", uid=None, **body):
        status, code, data = call_as(
            user, "POST", f"/offline/devices/{uid or device.uid}/changes/", {"changes": list(changes)} | body
        )
        return status, code, data.get("results", data)

    return run


def change(kind, lesson, /, **said):
    now = timezone.now() - HOUR
    return {"id": str(uuid4()), "kind": kind, "lesson": str(lesson.uid), "made_at": now.isoformat(), kind: said}


def watching(lesson, /, **other):
    began_at = (timezone.now() - 2 * HOUR).isoformat()
    return change("watched", lesson, **({"position": 60.5, "watched": [[0, 60]], "began_at": began_at} | other))


def test_changes_are_answered_in_their_order(send, video_lesson, lessons):
    first, second = watching(video_lesson), change("completed", lessons[0], opened_at="2026-01-01T00:00:00Z")

    status, _code, results = send(first, second, first)

    assert status == 200
    assert [one["id"] for one in results] == [first["id"], second["id"], first["id"]]
    assert results[0] == {
        "id": first["id"], "state": "taken", "refusal": None, "wait": 0, "percent": None, "is_passed": None,
    }  # fmt: skip
    assert LessonProgress.objects.exclude(completed_at=None).get().lesson == lessons[0]


def test_one_change_that_is_not_valid_does_not_hold_up_the_others(send, video_lesson):
    bad = [
        watching(video_lesson, position="NaN"),
        watching(video_lesson, position=1e308),
        watching(video_lesson, position=-1),
        watching(video_lesson, watched=[[0, 1e308]]),
        watching(video_lesson, watched=[["٣", -1]]),
        watching(video_lesson, watched=[[0, 1]] * 501),
        watching(video_lesson, began_at="0000-01-01T00:00:00Z"),
        watching(video_lesson) | {"made_at": "10000-01-01T00:00:00Z"},
        watching(video_lesson) | {"kind": "watching"},
        watching(video_lesson) | {"kind": "completed"},
        watching(video_lesson) | {"lesson": None},
        {"id": str(uuid4())},
        change("note", video_lesson, uid=str(uuid4()), kind="note", second=1, replaced=[], edits=[
            {"key": "k" * 8, "revision": 1, "at": 1, "text": "a\0b", "is_deleted": False},
        ]),
    ]  # fmt: skip

    status, _code, results = send(*bad, watching(video_lesson))

    assert status == 200
    assert [one["state"] for one in results] == ["refused"] * len(bad) + ["taken"]
    assert {one["refusal"]["code"] for one in results[:-1]} == {"VALIDATION_FAILED"}
    assert TakenChange.objects.count() == 1


@all_cases("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00Z", "9999-12-31"])
def test_moments_at_the_ends_of_time_are_answered(send, video_lesson, at):
    status, _code, [result] = send(watching(video_lesson, began_at=at) | {"made_at": at})

    assert status == 200
    assert result["state"] in {"taken", "refused"}


def test_an_answer_that_has_no_shape_costs_no_other(send, leo, device, course, enrollment):
    quiz = make_quiz(course)
    essay = QuestionFactory(quiz=quiz, kind="essay", options={"limit": 100}, answer={})
    paper = Phone(leo, at=timezone.now() - DAY).seal(quiz, at=timezone.now() - DAY)
    uids = [row["uid"] for row in paper.asked]
    opened_at = (timezone.now() - HOUR - timedelta(minutes=5)).isoformat()
    answers = {
        uids[0]: {"id": "x" * 41},
        uids[1]: "p",
        uids[2]: {"value": True},
        uids[3]: {"text": "NaN"},
        str(essay.uid): {"text": "Silt\0 𐍈 ‮"},
        "\0": {"id": "a"},
    }

    _status, _code, [result] = send(
        change("attempt", quiz.lesson, paper=str(paper.uid), opened_at=opened_at, seconds=300, answers=answers)
    )

    assert result["state"] == "taken"
    assert Attempt.objects.get().answers == {uids[2]: {"value": True}, str(essay.uid): {"text": "Silt 𐍈 ‮"}}


def test_a_request_without_changes_or_ids_is_refused(send, video_lesson):
    assert send(changes="all")[:2] == (400, "VALIDATION_FAILED")
    assert send({"id": "1"})[:2] == (400, "VALIDATION_FAILED")
    assert send(None)[:2] == (400, "VALIDATION_FAILED")
    assert send(*[watching(video_lesson)] * 51)[:2] == (400, "VALIDATION_FAILED")
    assert send()[2] == []


def test_nobody_else_sends_from_a_device(send, mia, device, video_lesson):
    assert send(watching(video_lesson), user="nobody")[0] == 401
    assert send(watching(video_lesson), user="mia")[0] == 404
    assert send(watching(video_lesson), uid=uuid4())[0] == 404
    OfflineDevice.objects.all().delete()
    assert send(watching(video_lesson))[0] == 404
    assert not TakenChange.objects.exists()


def test_a_request_has_at_most_a_thousand_answers(send, video_lesson):
    said = {"paper": str(uuid4()), "opened_at": "2026-01-01T00:00:00Z", "seconds": 1}

    def attempt(count):
        return change("attempt", video_lesson, answers={str(uuid4()): {"text": "1"} for _ in range(count)}, **said)

    longest = [attempt(100) for _ in range(10)]
    status, code, _results = send(*longest, attempt(1))
    assert (status, code) == (400, "VALIDATION_FAILED")

    status, _code, results = send(*longest)
    assert (status, {one["state"] for one in results}) == (200, {"refused"})
