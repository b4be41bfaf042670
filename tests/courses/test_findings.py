"""What the studio tells authors about their courses, and the checks of links to other sites."""

import contextlib
import socket
import threading
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.courses import link_checker, services
from apps.courses.findings.rules import RULES, Finding, Rule
from apps.courses.findings.texts import read_text
from apps.courses.link_checker import (
    Answer,
    ForbiddenTarget,
    Outcome,
    Unreachable,
    WebClient,
    check_address,
    public_address,
)
from apps.courses.models import Course, IgnoredFinding, Lesson, LinkCheck, QuizDraw
from apps.courses.queries import readiness
from apps.courses.queries.authored_outline import outline_of
from apps.courses.queries.findings import find_all
from apps.courses.services.bank import open_bank
from tests.factories.courses import (
    THEN,
    CourseFactory,
    LessonFactory,
    QuestionFactory,
    QuizFactory,
    SectionFactory,
)
from tests.factories.files import VideoFactory

pytestmark = pytest.mark.database

FILE = "/course-files/0d9a4a8c-55f7-4c0e-9d8e-6f3f2b1f0c11"


# --- Texts ----------------------------------------------------------------------------------------------


def test_pictures_are_described_or_decorative() -> None:
    def lines(text: str) -> list[int]:
        return [spot.line for spot in read_text(text).pictures]

    assert lines(f"One\n\n![]({FILE})") == [3]
    assert lines(f"![ ]({FILE})") == [1]
    assert lines(f"![A map]({FILE})") == []
    assert lines(f"![]({FILE}){{decorative}}") == []
    assert lines(f"![]({FILE}){{width=50% decorative}}") == []
    assert lines(f"![]({FILE}){{width=50%}}") == [1]
    assert lines(f"![$x^2$]({FILE})") == []
    assert lines(f"> quoted\n> words ![]({FILE})") == [2]
    assert lines(f'- one\n- two\n- ![]({FILE} "A caption")') == [3]
    assert lines(f"```\n![]({FILE})\n```\n\n`![]({FILE})`") == []
    assert lines(f"![][map]\n\n[map]: {FILE}") == [1]


def test_headings_skip_no_level() -> None:
    def skipped(text: str) -> list[str]:
        return [spot.quote for spot in read_text(text).headings]

    assert skipped("# A\n## B\n### C\n## D\n# E") == []
    assert skipped("## A\n### B") == []  # the highest are those of the page, whatever their level
    assert skipped("# A\n### B\n### C") == ["B"]
    assert skipped("### A\n# B\n## C") == ["A"]
    assert skipped("A\n===\n\nB\n---\n\n#### C") == ["C"]
    assert skipped("    # code\n\n```\n# A\n### B\n```") == []
    assert skipped("no heading at all") == []


def test_links_are_found_with_their_lines() -> None:
    text = "See [one](https://example.org/a).\n\n<https://example.org/b> and [two][x]\n\n[x]: /courses/c"

    assert [(spot.line, spot.quote) for spot in read_text(text).links] == [
        (1, "https://example.org/a"),
        (3, "https://example.org/b"),
        (3, "/courses/c"),
    ]


@pytest.mark.long
def test_reading_takes_linear_time() -> None:
    text = "![](" * 20_000 + "\n" + "[" * 20_000 + "# " * 20_000
    assert read_text(text).pictures == ()


# --- Courses --------------------------------------------------------------------------------------------


@pytest.fixture
def course(db: None) -> Course:
    return CourseFactory()


def _found(course: Course) -> dict[Rule, list[Finding]]:
    found: dict[Rule, list[Finding]] = {}
    for one in find_all(course):
        found.setdefault(one.rule, []).append(one)
    return found


def _key(course: Course, rule: Rule) -> str:
    return _found(course)[rule][0].key


@pytest.mark.long
def test_each_rule_finds_its_place(course: Course) -> None:
    section, empty = SectionFactory(course=course), SectionFactory(course=course, title="Later")
    video = VideoFactory(owner=course.instructor, has_audio=True, stage="complete")
    text = LessonFactory(
        section=section,
        body=f"# A\n\n### B\n\n![]({FILE})\n\n[gone](/courses/no-such-course) [no page](/nowhere/at/all)",
    )
    LessonFactory(section=section, body="")
    LessonFactory(section=section, kind="video", video=video, duration=1000)
    LessonFactory(section=section, kind="video")
    quiz = QuizFactory(lesson=LessonFactory(section=section, kind="quiz"))
    question = QuestionFactory(quiz=quiz, explanation="", prompt=f"Which? ![]({FILE})")
    QuizDraw.objects.create(quiz=quiz, position=1, count=3)

    found = _found(course)

    assert {rule: len(ones) for rule, ones in found.items()} == {
        Rule.NO_VIDEO: 1,
        Rule.EMPTY_LESSON: 1,
        Rule.EMPTY_SECTION: 1,
        Rule.DRAW_TOO_LARGE: 1,
        Rule.DEAD_LINK: 4,  # and the picture, twice
        Rule.PICTURE_UNDESCRIBED: 2,
        Rule.HEADING_SKIPPED: 1,
        Rule.NO_CAPTIONS: 1,
        Rule.LONG_LESSON: 1,
        Rule.NO_EXPLANATION: 1,
    }
    assert [one.is_required for one in find_all(course)][:3] == [True, True, False]
    lectures = f"/dashboard/instructor/courses/{course.slug}/lectures"
    assert found[Rule.HEADING_SKIPPED][0].href == f"{lectures}/{text.slug}?line=3#id_body"
    assert found[Rule.NO_EXPLANATION][0].href.endswith(f"/questions/{question.uid}#id_explanation")
    assert found[Rule.EMPTY_SECTION][0].href == f"{lectures}?section={empty.uid}#s-{empty.uid}"
    assert "drawn" not in found[Rule.DRAW_TOO_LARGE][0].message
    assert "draws 3 questions, but the bank has 0" in found[Rule.DRAW_TOO_LARGE][0].message
    client = Client()
    client.force_login(course.instructor)
    for one in find_all(course):
        assert client.get(one.href.partition("#")[0]).status_code == 200, one


def test_every_text_of_a_quiz_is_read(course: Course) -> None:
    section = SectionFactory(course=course)
    quiz = QuizFactory(lesson=LessonFactory(section=section, kind="quiz"), intro="[a](/nowhere/intro)")
    places = ("option", "remark", "left", "right", "gap", "explanation")
    link = {place: f"[a](/nowhere/{place})" for place in places}
    QuestionFactory(
        quiz=quiz, options=[{"id": "a", "text": link["option"]}], remarks={"a": link["remark"]}, explanation="Yes"
    )
    sides = {"left": [{"id": "a", "text": link["left"]}], "right": [{"id": "1", "text": link["right"]}]}
    QuestionFactory(quiz=quiz, kind="matching", options=sides, answer={"pairs": {"a": "1"}}, explanation="Yes")
    gap = {"number": 1, "kind": "single", "points": 1, "options": [{"id": "a", "text": link["gap"]}]}
    QuestionFactory(
        quiz=quiz,
        kind="gaps",
        prompt="[[1]]",
        options={"gaps": [gap]},
        answer={"gaps": {"1": {"id": "a"}}},
        explanation=link["explanation"],
    )
    accepted = {"accepted": ["[a](/nowhere/answer)"]}  # compared with answers, never shown as a link
    QuestionFactory(quiz=quiz, kind="text", options=[], answer=accepted, explanation="Yes")

    dead = _found(course)[Rule.DEAD_LINK]

    assert {one.message.split("/nowhere/")[1].split()[0] for one in dead} == {"intro", *places}
    intro = next(one for one in dead if "/nowhere/intro" in one.message)
    assert intro.href.endswith("?line=1#id_intro")


def test_links_within_the_site_that_lead_somewhere_are_alive(course: Course, settings) -> None:
    other = LessonFactory(section=SectionFactory(course=CourseFactory(slug="there")))
    alive = [
        "/courses/there",
        "/courses/there/",
        f"/learn/there/{other.slug}",
        "/help/teaching",
        "/",
        "#below",
        "mailto:a@b.c",
    ]
    dead = ["/learn/there/no-such-lesson", "/courses/their", f"{settings.SITE_URL}/courses/their", FILE]
    lesson = LessonFactory(section=SectionFactory(course=course))
    lesson.body = "\n\n".join(f"[x]({one})" for one in [*alive, *dead])
    lesson.save()

    assert {one.about for one in _found(course).get(Rule.DEAD_LINK, [])} == set(dead)


def test_the_bank_is_checked_and_a_full_draw_is_fine(course: Course) -> None:
    lesson = LessonFactory(section=SectionFactory(course=course), kind="quiz")
    quiz = QuizFactory(lesson=lesson)
    bank = open_bank(course=course)
    for _ in range(2):
        QuestionFactory(quiz=bank, explanation="")
    QuizDraw.objects.create(quiz=quiz, position=1, count=2)

    found = _found(course)

    assert Rule.DRAW_TOO_LARGE not in found
    assert {one.lesson for one in found[Rule.NO_EXPLANATION]} == {"Question bank"}
    assert "/bank/" in found[Rule.NO_EXPLANATION][0].href


def test_readiness_is_the_same_list(course: Course) -> None:
    lesson = LessonFactory(section=SectionFactory(course=course), body=f"![]({FILE})")

    def unmet() -> dict[str, readiness.Check]:
        return {check.key: check for check in readiness.checks(course) if not check.is_met}

    assert "pictures" in unmet()
    assert unmet()["pictures"].is_required is False
    assert f"{lesson.slug}?line=1#id_body" in unmet()["pictures"].href
    key = _key(course, Rule.PICTURE_UNDESCRIBED)
    services.ignore_finding(course=course, by=course.instructor, key=key, reason="Shown aloud", now=THEN)
    assert "pictures" not in unmet()
    Lesson.objects.filter(pk=lesson.pk).update(body="")
    assert "content to lesson" in readiness.missing(course)


def test_rows_of_the_outline_say_the_same(course: Course) -> None:
    section = SectionFactory(course=course)
    lesson = LessonFactory(section=section, kind="video", video=VideoFactory(has_audio=True), duration=1000)
    other = LessonFactory(section=section, kind="video", video=VideoFactory(has_audio=False), duration=900)

    def said() -> dict[int, list[str]]:
        return {row.lesson.pk: list(row.findings) for row in outline_of(course)[0].rows}

    both = [str(RULES[rule].title) for rule in (Rule.NO_CAPTIONS, Rule.LONG_LESSON)]
    assert said() == {lesson.pk: both, other.pk: []}
    key = _key(course, Rule.LONG_LESSON)
    services.ignore_finding(course=course, by=course.instructor, key=key, reason="A talk", now=THEN)
    assert said()[lesson.pk] == both[:1]


def test_what_is_ignored_comes_back_when_its_text_changes(course: Course) -> None:
    lesson = LessonFactory(section=SectionFactory(course=course), body=f"![]({FILE})")
    client = Client()
    client.force_login(course.instructor)
    page = f"/dashboard/instructor/courses/{course.slug}/findings"
    key = _key(course, Rule.PICTURE_UNDESCRIBED)

    assert client.post(f"{page}/{key}", {"reason": "  "}).status_code == 302
    assert not IgnoredFinding.objects.exists()
    # The row of each answer has the button that takes it back.
    for form in ({"reason": "It is decorative here"}, {"restore": "1"}, {"reason": "It is decorative here"}):
        assert client.post(f"{page}/{key}", form)["Location"] == f"{page}#f-{key}"
    shown = client.get(page).content.decode()
    assert "Ignored: It is decorative here" in shown
    Lesson.objects.filter(pk=lesson.pk).update(body=f"A new first line\n\n![]({FILE})")
    assert _found(course)[Rule.PICTURE_UNDESCRIBED][0].is_ignored  # the picture is the same
    Lesson.objects.filter(pk=lesson.pk).update(body=f"![]({FILE.replace('c11', 'c12')})")
    assert not _found(course)[Rule.PICTURE_UNDESCRIBED][0].is_ignored


def test_what_is_required_can_not_be_ignored(course: Course) -> None:
    LessonFactory(section=SectionFactory(course=course), body="")
    client, stranger = Client(), Client()
    client.force_login(course.instructor)
    stranger.force_login(CourseFactory().instructor)
    calls = f"/api/v1/studio/courses/{course.uid}/findings"
    key = _key(course, Rule.EMPTY_LESSON)
    body = {"reason": "Later"}

    refused = client.put(f"{calls}/{key}/", body, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (409, "FINDING_REQUIRED")
    unknown = client.put(f"{calls}/{'0' * 20}/", body, content_type="application/json")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "FINDING_NOT_FOUND")
    assert stranger.get(f"{calls}/").status_code in {403, 404}
    assert Client().get(f"{calls}/").status_code in {401, 403}
    listed = client.get(f"{calls}/?page_size=1").json()
    assert (listed["count"], len(listed["results"]), listed["results"][0]["rule"]) == (1, 1, "empty_lesson")


def test_a_course_of_any_size_costs_the_same_queries(course: Course) -> None:
    def fill(count: int) -> int:
        for _ in range(count):
            section = SectionFactory(course=course)
            LessonFactory(section=section, body=f"![]({FILE}) [a](/courses/x) [b](https://example.org/{section.pk})")
            quiz = QuizFactory(lesson=LessonFactory(section=section, kind="quiz"))
            QuestionFactory(quiz=quiz, explanation="")
            QuizDraw.objects.create(quiz=quiz, position=1, count=9)
        with CaptureQueriesContext(connection) as queries:
            find_all(course)
        return len(queries)

    assert fill(1) == fill(2) <= 14


def test_the_command_says_what_is_required(course: Course) -> None:
    LessonFactory(section=SectionFactory(course=course), body="")
    out = StringIO()

    with pytest.raises(SystemExit):
        call_command("check_courses", course.slug, stdout=out)

    assert f"required  {course.slug}: 1.1" in out.getvalue() or f"required  {course.slug}: " in out.getvalue()
    assert "1 required, 0 recommended" in out.getvalue()


def test_every_rule_says_why() -> None:
    assert set(RULES) == set(Rule)
    assert all(str(facts.title) and str(facts.why).endswith(".") for facts in RULES.values())


# --- Links to other sites -------------------------------------------------------------------------------


def _web(answers: dict[str, Answer | type[Exception]], asked: list[str] | None = None) -> Callable[[str], Answer]:
    def ask(address: str) -> Answer:
        if asked is not None:
            asked.append(address)
        answer = answers.get(address, (200, {}))
        if isinstance(answer, type):
            raise answer
        return answer

    return ask


def test_what_answers_mean() -> None:
    def outcome(answer: Answer | type[Exception], address: str = "https://example.org/a") -> Outcome:
        return check_address(address, _web({address: answer}))

    assert [outcome((status, {})).state for status in (200, 206, 404, 410, 401, 403, 429, 500, 503)] == [
        *["alive", "alive", "dead", "dead"],
        *["unsure"] * 5,
    ]
    assert not outcome((404, {})).is_final  # asked again first
    assert outcome(Unreachable).is_answered is False
    private = outcome(ForbiddenTarget)
    assert (private.state, private.detail) == ("dead", "Learners can't reach this host.")
    assert (private.is_answered, private.is_final) == (False, False)  # as from a network that asks to sign in first
    assert outcome((429, {"retry-after": "7200"})).wait_seconds == 7200
    assert outcome((302, {"location": "https://example.org/a"})).state == "dead"  # round and round
    assert outcome((200, {"content-type": "text/html; charset=utf-8"}), "https://example.org/a.mp4").state == "dead"
    assert outcome((206, {"content-type": "video/mp4"}), "https://example.org/a.mp4").state == "alive"


def test_hosts_of_videos_are_asked_whether_they_play_elsewhere() -> None:
    watch = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"
    asked: list[str] = []
    question = "https://www.youtube.com/oembed?format=json&url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3DdQw4w9WgXcQ"

    assert check_address(watch, _web({}, asked)).state == "alive"
    assert asked == [question]
    assert check_address(watch, _web({question: (401, {})})).is_final
    assert "removed" in check_address(watch, _web({question: (404, {})})).detail


@pytest.mark.parametrize(
    "address",
    ["10.0.0.1", "127.0.0.1", "169.254.169.254", "192.168.1.1", "100.64.0.1", "0.0.0.1", "224.0.0.1", "::1", "fd00::1",
     "fe80::1%eth0", "::ffff:127.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1"],
)  # fmt: skip
def test_no_name_leads_into_a_private_network(address: str, monkeypatch) -> None:
    found = [(socket.AF_INET, None, None, "", ("93.184.215.14", 443)), (socket.AF_INET, None, None, "", (address, 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_kwargs: found)

    with pytest.raises(ForbiddenTarget) as by_name:
        public_address(urlsplit("https://example.org/a"))
    with pytest.raises(ForbiddenTarget) as by_number:
        public_address(urlsplit("https://[::1]/a"))
    assert (by_name.value.is_certain, by_number.value.is_certain) == (False, True)


def test_only_websites_are_asked(monkeypatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_kwargs: pytest.fail("asked"))

    for wrong in (
        "ftp://example.org/",
        "https://example.org:22/",
        "https://a:b@example.org/",
        "https:///a",
        "http://[::1",
    ):
        with pytest.raises(ForbiddenTarget) as found:
            WebClient().ask(wrong)
        assert found.value.is_certain


def test_a_link_is_dead_after_it_failed_several_times(course: Course) -> None:
    dead, refusing = "https://dead.example.org/a", "https://shy.example.org/"
    LessonFactory(
        section=SectionFactory(course=course), body=f"[a]({dead}) [b]({refusing}) [c](https://ok.example.org/)"
    )
    ask = _web({dead: (404, {}), refusing: (403, {})})

    def check(after: timedelta) -> set[Rule]:
        services.check_links(course=course, now=THEN + after, ask=ask)
        return set(_found(course))

    assert check(timedelta()) == {Rule.UNCHECKED_LINK}
    assert check(timedelta(minutes=5)) == {Rule.UNCHECKED_LINK}  # not due yet
    assert LinkCheck.objects.get(address=dead).failures == 1
    check(timedelta(minutes=11))
    assert check(timedelta(hours=7)) == {Rule.UNCHECKED_LINK, Rule.DEAD_LINK}
    assert "There is no such page." in _found(course)[Rule.DEAD_LINK][0].message
    ask = _web({})
    assert check(timedelta(days=9)) == set()


def test_a_network_that_is_down_says_nothing_about_links(course: Course) -> None:
    LessonFactory(section=SectionFactory(course=course), body="[a](https://a.example.org/) [b](https://b.example.org/)")
    for hours in range(5):
        # Nothing answers, or every name leads to a page to sign in.
        ask = _web({"https://a.example.org/": Unreachable, "https://b.example.org/": ForbiddenTarget})
        assert services.check_links(course=course, now=THEN + timedelta(hours=hours), ask=ask) == 2

    assert set(LinkCheck.objects.values_list("state", "failures")) == {("new", 0)}
    assert find_all(course) == []


def test_an_address_that_is_wrong_as_written_is_dead_without_a_network(course: Course) -> None:
    wrong = "https://example.org:22/"
    LessonFactory(section=SectionFactory(course=course), body=f"[a]({wrong}) [b](https://b.example.org/)")

    def ask(address: str) -> Answer:
        if address == wrong:
            raise ForbiddenTarget(is_certain=True)
        raise Unreachable

    services.check_links(course=course, now=THEN, ask=ask)

    assert [one.message for one in find_all(course)] == [f"Line 1: {wrong}. Learners can't reach this host."]
    assert LinkCheck.objects.get(address="https://b.example.org/").state == "new"


@pytest.mark.long
def test_a_site_that_answers_a_letter_at_a_time_holds_nothing_up(monkeypatch) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(10)
    is_over = threading.Event()
    met: list[object] = []

    def drip() -> None:
        connection_to_us, address = server.accept()
        met.append(address)
        with connection_to_us, contextlib.suppress(OSError):
            for letter in b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1000 + b"\r\n\r\n":
                connection_to_us.send(bytes([letter]))
                if is_over.wait(0.01):
                    return

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    monkeypatch.setattr(link_checker, "REQUEST_SECONDS", 0.3)
    monkeypatch.setattr(link_checker, "public_address", lambda _parts: "127.0.0.1")
    monkeypatch.setitem(link_checker._PORTS, "http", server.getsockname()[1])
    try:
        with pytest.raises(Unreachable):
            WebClient().ask("http://slow.example.org/")
    finally:
        is_over.set()
        thread.join()
        server.close()
    assert len(met) == 1


def test_a_video_that_its_host_refuses_is_found(course: Course) -> None:
    watch = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"
    LessonFactory(section=SectionFactory(course=course), kind="video", external_video=watch, external_host="youtube")
    services.check_links(course=course, now=THEN, ask=lambda _address: (401, {}))

    [one] = _found(course)[Rule.VIDEO_UNREACHABLE]
    assert "doesn't allow it on other sites" in one.message
    assert one.href.endswith("#external")
