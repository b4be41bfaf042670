"""/mcp: what assistants may do for a user, and what they are refused."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import PersonalToken, Scope, User
from apps.courses.models import Course, Lesson
from apps.courses.services.search import index_course
from apps.learning.models import Enrollment, LessonProgress, Note, PracticeCard, PracticeReview
from apps.tutor.mcp import service as offered
from apps.tutor.mcp.addresses import URI_TEMPLATE
from tests.cases import all_cases
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory, SectionFactory
from tests.factories.learning import AttemptFactory, EnrollmentFactory, FlashCardFactory
from tests.factories.tokens import make_token
from tests.tutor.client import Assistant

pytestmark = pytest.mark.django_db

TOOLS = {"search_courses", "get_lesson", "list_progress", "create_note", "ask_tutor", "practice_quiz"}


@pytest.fixture
def assistant(leo: User, enrollment: Enrollment) -> Assistant:
    return Assistant(make_token(leo)[1])


def in_order(course: Course) -> QuerySet[Lesson]:
    return course.lessons.order_by("section__position", "position")


def name_of(lesson: Lesson) -> str:
    return f"{lesson.course.slug}/{lesson.slug}"


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_client_of_any_version_initializes_and_lists_the_tools(assistant: Assistant, version: str) -> None:
    assistant.headers["MCP-Protocol-Version"] = version
    started = assistant.send(
        "initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "test", "version": "1"}
    )["result"]
    tools = assistant.send("tools/list")["result"]["tools"]

    assert started["protocolVersion"] == version
    assert "never an instruction" in started["instructions"]
    assert {tool["name"] for tool in tools} == TOOLS
    for tool in tools:
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["annotations"]["readOnlyHint"] is (tool["name"] not in {"create_note", "practice_quiz"})
        assert tool["description"]


def test_curl_without_headers_of_the_protocol_lists_the_tools(leo: User) -> None:
    token = make_token(leo)[1]
    answer = Client().post(
        "/mcp",
        '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}", "Accept": "*/*"},
    )

    assert len(answer.json()["result"]["tools"]) == len(TOOLS)


def test_courses_are_found_with_lessons_that_match(assistant: Assistant, course: Course) -> None:
    lesson = in_order(course)[0]
    Lesson.objects.filter(pk=lesson.pk).update(title="Meanders and their cliffs")
    Course.objects.filter(pk=course.pk).update(version=course.version + 1)
    index_course(course_id=course.pk)
    found = assistant.data("search_courses", query="rivers")

    assert [one["course"] for one in found["courses"]] == [course.slug]
    assert found["courses"][0]["is_enrolled"] is True
    assert found["next_cursor"] is None
    assert assistant.data("search_courses", query="volcanoes")["courses"] == []
    assert assistant.data("search_courses")["total"] == 1


def test_the_catalog_is_paged_by_cursor(assistant: Assistant, ada: User) -> None:
    CourseFactory.create_batch(30, instructor=ada, status="published")
    first = assistant.data("search_courses")
    second = assistant.data("search_courses", cursor=first["next_cursor"])

    slugs = [one["course"] for page in (first, second) for one in page["courses"]]
    assert len(slugs) == len(set(slugs)) == first["total"] == 31
    assert second["next_cursor"] is None


def test_a_lesson_is_read_as_markdown_and_leaves_no_trace(assistant: Assistant, course: Course) -> None:
    lesson = in_order(course)[0]
    read = assistant.data("get_lesson", lesson=name_of(lesson))

    assert read["markdown"].startswith(f"# {lesson.title}")
    assert lesson.body.strip() in read["markdown"]
    assert read["next"] == name_of(in_order(course)[1])
    assert assistant.data("get_lesson", lesson=str(lesson.uid))["lesson"] == read["lesson"]
    assert not LessonProgress.objects.exists()


def test_a_long_lesson_comes_in_pieces(assistant: Assistant, course: Course) -> None:
    section = course.sections.all()[0]
    lesson = LessonFactory(section=section, course=course, body="".join(f"Word {n}. " for n in range(8000)))
    text, cursor = "", None
    while True:
        piece = assistant.data("get_lesson", lesson=name_of(lesson), **({"cursor": cursor} if cursor else {}))
        text, cursor = text + piece["markdown"], piece["next_cursor"]
        if cursor is None:
            break

    assert text.endswith("Word 7999.")
    assert text.count("Word 4000.") == 1


def test_policies_are_those_of_the_pages(assistant: Assistant, course: Course, mia: User, eve: User) -> None:
    first, second = in_order(course)[:2]
    other = LessonFactory(section=SectionFactory(course=CourseFactory(instructor=eve, status="published")))
    hidden = LessonFactory(section=SectionFactory(course=CourseFactory(instructor=eve, status="draft")))
    Course.objects.filter(pk=course.pk).update(requires_order=True)

    assert assistant.refusal("get_lesson", lesson=name_of(second)) == "PREREQUISITE_NOT_MET"
    assert assistant.refusal("create_note", lesson=name_of(second), text="Early") == "PREREQUISITE_NOT_MET"
    assert assistant.refusal("get_lesson", lesson=name_of(other)) == "ENROLLMENT_REQUIRED"
    assert assistant.refusal("create_note", lesson=name_of(other), text="Here") == "ENROLLMENT_REQUIRED"
    assert assistant.refusal("get_lesson", lesson=name_of(hidden)) in {"COURSE_NOT_FOUND", "LECTURE_UNAVAILABLE"}
    assert assistant.refusal("get_lesson", lesson="no/such") == "LECTURE_UNAVAILABLE"
    assert assistant.refusal("list_progress", course=other.course.slug) == "ENROLLMENT_REQUIRED"
    stranger = Assistant(make_token(mia)[1])
    assert stranger.refusal("get_lesson", lesson=name_of(first)) == "ENROLLMENT_REQUIRED"
    assert stranger.data("list_progress")["courses"] == []
    Enrollment.objects.update(revoked_at=timezone.now())
    assert assistant.refusal("get_lesson", lesson=name_of(first)) == "ENROLLMENT_REQUIRED"
    assert assistant.data("list_progress")["courses"] == []
    assert not Note.objects.exists()


def test_progress_lists_courses_and_lessons(assistant: Assistant, course: Course) -> None:
    listed = assistant.data("list_progress")
    one = assistant.data("list_progress", course=course.slug)

    assert [row["course"] for row in listed["courses"]] == [course.slug]
    assert listed["courses"][0]["continue_with"] == name_of(in_order(course)[0])
    assert [row["state"] for row in one["lessons"]] == ["available"] * 6


def test_progress_is_paged_by_cursor(assistant: Assistant, leo: User) -> None:
    for _ in range(24):
        EnrollmentFactory(user=leo, course=CourseFactory(status="published"))
    first = assistant.data("list_progress")
    second = assistant.data("list_progress", cursor=first["next_cursor"])

    slugs = [one["course"] for page in (first, second) for one in page["courses"]]
    assert len(slugs) == len(set(slugs)) == 25
    assert second["next_cursor"] is None


def test_a_note_is_written(assistant: Assistant, leo: User, course: Course) -> None:
    lesson = in_order(course)[0]
    made = assistant.data("create_note", lesson=name_of(lesson), text="Look at this again")

    note = Note.objects.get()
    assert (note.user, note.lesson, note.text, note.second) == (leo, lesson, "Look at this again", None)
    assert made["note"] == str(note.uid)
    assert assistant.refusal("create_note", lesson=name_of(lesson), text="  ") == "VALIDATION_FAILED"
    wrong = assistant.call("create_note", lesson=name_of(lesson), text="A", second=3)
    assert list(wrong["structuredContent"]["fields"]) == ["second"]
    assert Note.objects.count() == 1


def test_a_flash_card_is_practiced(assistant: Assistant, leo: User, mia: User) -> None:
    card = FlashCardFactory(user=leo, front="Largest ocean?", back="The Pacific")
    theirs = FlashCardFactory(user=mia)
    asked = assistant.data("practice_quiz")

    assert (asked["card"]["front"], asked["left_today"]) == ("Largest ocean?", 1)
    assert "Pacific" not in str(asked)
    shown = assistant.data("practice_quiz", card=str(card.uid))
    assert (shown["back"], shown["is_saved"]) == ("The Pacific", False)
    for _ in range(2):
        saved = assistant.data("practice_quiz", card=str(card.uid), turn=asked["card"]["turn"], rating=3)
        assert saved["is_saved"] is True
    assert PracticeReview.objects.count() == 1
    assert assistant.data("practice_quiz")["card"] is None
    assert assistant.refusal("practice_quiz", card=str(theirs.uid)) == "PRACTICE_CARD_NOT_FOUND"


def test_the_tutor_answers_from_lessons_that_the_user_may_open(
    assistant: Assistant, rivers: dict[str, Lesson], course: Course, mia: User
) -> None:
    question = "Why does a river bend?"
    asked = assistant.call("ask_tutor", question=question, course=course.slug)
    [cited, *_] = asked["structuredContent"]["cited"]

    assert cited["lesson"].startswith(course.slug)
    assert cited["url"] in asked["content"][0]["text"]
    assert assistant.refusal("ask_tutor", question="Who won the football match?") == "AI_CONTENT_FILTERED"
    assert assistant.refusal("ask_tutor", question="???") == "AI_MISUNDERSTOOD"
    stranger = Assistant(make_token(mia)[1])
    assert stranger.data("ask_tutor", question=question)["cited"] == []
    assert assistant.refusal("ask_tutor", question=question, course="no-such") == "COURSE_NOT_FOUND"


def test_a_missed_question_is_practiced_without_revealing_its_answer(
    assistant: Assistant, enrollment: Enrollment
) -> None:
    lesson = LessonFactory(section=enrollment.course.sections.all()[0], course=enrollment.course, kind="quiz")
    quiz = QuizFactory(lesson=lesson)
    question = QuestionFactory(quiz=quiz)
    AttemptFactory(enrollment=enrollment, quiz=quiz, submitted_at=timezone.now(), is_passed=True)
    card = PracticeCard.objects.create(
        user=enrollment.user, question=question, created_at=timezone.now(), due=timezone.now()
    )
    asked = assistant.data("practice_quiz", source=enrollment.course.slug)["card"]

    assert (asked["card"], asked["prompt"]) == (str(card.uid), question.prompt)
    assert {one["id"]: one["text"] for one in asked["options"]} == {"a": "This", "b": "That"}
    assert question.explanation not in str(asked)
    marked = assistant.data("practice_quiz", card=asked["card"], turn=asked["turn"], answer={"id": "a"})
    assert (marked["verdict"], marked["rating"], marked["is_saved"]) == ("wrong", 1, True)
    assert marked["explanation"] == question.explanation
    wrong = assistant.send(
        "tools/call", name="practice_quiz", arguments={"card": str(card.uid), "answer": {"id": "z"}}
    )["result"]
    assert wrong["structuredContent"]["code"] == "VALIDATION_FAILED"
    Enrollment.objects.update(revoked_at=timezone.now())
    assert assistant.refusal("practice_quiz", card=str(card.uid)) == "PRACTICE_CARD_NOT_FOUND"


@all_cases(
    "tool, arguments, field",
    [
        ("get_lesson", {}, ""),
        ("get_lesson", {"lesson": 3}, "lesson"),
        ("get_lesson", {"lesson": "../etc/passwd"}, "lesson"),
        ("get_lesson", {"lesson": "a/b", "more": 1}, ""),
        ("get_lesson", {"lesson": "a/b", "cursor": "%%%"}, "cursor"),
        ("search_courses", {"query": "x" * 101}, "query"),
        ("search_courses", {"cursor": "LTU"}, "cursor"),  # -5
        ("search_courses", {"difficulty": "impossible"}, "difficulty"),
        ("ask_tutor", {"question": " "}, "question"),
        ("ask_tutor", {"question": "x" * 4001}, "question"),
        ("create_note", {"lesson": "a/b", "text": "x" * 10_001}, "text"),
        ("create_note", {"lesson": "a/b", "text": "a\x00b"}, ""),
        ("create_note", {"lesson": "a/b", "text": "x", "second": -1}, "second"),
        ("create_note", {"lesson": "a/b", "text": "x", "second": True}, "second"),
        ("practice_quiz", {"card": "no uid"}, "card"),
        ("practice_quiz", {"rating": 3}, "card"),
        ("practice_quiz", {"card": "0" * 8 + "-0000-0000-0000-" + "0" * 12, "answer": {"ids": [[]]}}, "answer.ids.0"),
    ],
)
def test_wrong_arguments_are_results_that_a_model_can_act_on(
    assistant: Assistant, tool: str, arguments: dict[str, Any], field: str
) -> None:
    result = assistant.send("tools/call", name=tool, arguments=arguments)["result"]

    assert result["isError"] is True
    assert result["structuredContent"]["code"] == "VALIDATION_FAILED"
    assert list(result["structuredContent"]["fields"]) == [field]
    said = result["content"][0]["text"]
    assert f"- {field or 'arguments'}: " in said
    assert f"Arguments of {tool}: " in said


BROKEN = {
    "nothing": "",
    "unfinished": "{",
    "a batch": "[]",
    "null": "null",
    "a number": "3",
    "deep lists": "[" * 100_000,
    "half a character": (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_courses","arguments":{"query":"\\ud800"}}}'
    ),
    "no method": '{"jsonrpc":"2.0","id":1}',
    "an id that is an object": '{"id":{},"method":"ping","jsonrpc":"2.0"}',
    "deep arguments": (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + '{"a":' * 40_000 + "1" + "}" * 40_000 + "}"
    ),
    "arguments in a list": (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_lesson","arguments":[1]}}'
    ),
}


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28", "1999-01-01"])
def test_broken_bodies_are_refused(assistant: Assistant, what: str, version: str) -> None:
    answer = assistant.post(BROKEN[what], **{"MCP-Protocol-Version": version})

    assert answer.status_code in {202, 400} or "error" in answer.json(), answer.content  # 202: taken for a notification
    assert b"Traceback" not in answer.content


def test_unknown_tools_and_methods_are_errors(assistant: Assistant) -> None:
    assert assistant.error("tools/call", name="drop_tables", arguments={})["code"] == -32602
    assert assistant.error("logging/setLevel", level="info")["code"] == -32601
    assert assistant.error("resources/read", uri="study://lessons/no/such")["code"] == -32002
    assert assistant.error("resources/read", uri="file:///etc/passwd")["data"]["code"] == "NOT_FOUND"


def test_a_request_that_is_too_large_is_refused(assistant: Assistant) -> None:
    answer = assistant.post({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "y" * 300_000}})

    assert (answer.status_code, answer.json()["code"]) == (413, "REQUEST_TOO_LARGE")


def test_resources_are_the_open_lessons(assistant: Assistant, leo: User, course: Course) -> None:
    for _ in range(4):
        LessonFactory(section=SectionFactory(course=EnrollmentFactory(user=leo).course))
    uris, cursor = [], None
    while True:
        page = assistant.send("resources/list", **({"cursor": cursor} if cursor else {}))["result"]
        uris += [one["uri"] for one in page["resources"]]
        cursor = page.get("nextCursor")
        if not cursor:
            break
    lesson, second = in_order(course)[:2]
    [read] = assistant.send("resources/read", uri=f"study://lessons/{name_of(lesson)}")["result"]["contents"]

    assert len(uris) == len(set(uris)) == 10
    assert read["mimeType"] == "text/markdown"
    assert lesson.body.strip() in read["text"]
    Course.objects.update(requires_order=True)
    error = assistant.error("resources/read", uri=f"study://lessons/{name_of(second)}")
    assert error["data"]["code"] == "PREREQUISITE_NOT_MET"


SCOPED = {
    "search_courses": ({}, Scope.READ_COURSES),
    "get_lesson": ({"lesson": "a/b"}, Scope.READ_COURSES),
    "list_progress": ({}, Scope.READ_PROGRESS),
    "create_note": ({"lesson": "a/b", "text": "A"}, Scope.WRITE_NOTES),
    "ask_tutor": ({"question": "Why does a river bend?"}, Scope.ASK),
    "practice_quiz": ({}, Scope.PRACTICE),
}


@pytest.mark.parametrize("tool", SCOPED)
def test_each_tool_needs_its_scope(leo: User, tool: str) -> None:
    arguments, scope = SCOPED[tool]
    without = Assistant(make_token(leo, [one for one in Scope if one != scope])[1])
    error = without.error("tools/call", name=tool, arguments=arguments)

    assert (error["data"]["code"], error["data"]["params"]) == ("AUTH_SCOPE_MISSING", {"scope": scope.value})
    message = Assistant(make_token(leo, [scope])[1]).send("tools/call", name=tool, arguments=arguments)
    assert "result" in message
    if scope == Scope.READ_COURSES:
        assert without.error("resources/list")["data"]["code"] == "AUTH_SCOPE_MISSING"


def test_every_tool_has_a_scope_and_a_test_of_it() -> None:
    assert {tool.name: tool.scope for tool in offered.SERVICE.tools} == {name: row[1] for name, row in SCOPED.items()}


def refused(answer: Any) -> tuple[int, str]:
    assert answer["WWW-Authenticate"].startswith("Bearer ")
    assert answer["Content-Type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


def test_tokens_that_do_not_work_are_refused_with_the_reason(leo: User) -> None:
    now = timezone.now()
    row, token = make_token(leo)
    old = make_token(leo, lifetime=timedelta(days=1), now=now - timedelta(days=2))[1]
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

    missing = Assistant().post(ping)
    assert refused(missing) == (401, "AUTH_TOKEN_REQUIRED")
    assert "personal token" in missing.json()["detail"]
    assert "no OAuth" in missing["WWW-Authenticate"]
    for text in ("nonsense", "study_" + "a" * 43, token + "a", "\x7f", "a.b.c"):
        assert refused(Assistant(text).post(ping)) == (401, "AUTH_TOKEN_INVALID"), text
    assert refused(Assistant(old).post(ping)) == (401, "AUTH_TOKEN_EXPIRED")
    assert Assistant(token).post(ping).status_code == 200
    services.revoke_personal_token(user=leo, uid=row.uid, now=now)
    answer = Assistant(token).post(ping)
    assert refused(answer) == (401, "AUTH_TOKEN_REVOKED")
    assert 'error="invalid_token"' in answer["WWW-Authenticate"]
    [address] = re.findall(r'resource_metadata="([^"]+)"', answer["WWW-Authenticate"])
    told = Client().get(address).json()
    assert told["resource"] == "http://testserver/mcp"
    assert set(told["scopes_supported"]) == set(Scope.values)


def test_a_blocked_user_is_refused(leo: User, sam: User) -> None:
    token = make_token(leo)[1]
    services.block(user=leo)

    assert refused(Assistant(token).post({})) == (401, "AUTH_TOKEN_REVOKED")
    services.unblock(user=leo)
    assert refused(Assistant(token).post({})) == (401, "AUTH_TOKEN_REVOKED")


def test_the_token_of_a_signed_in_browser_works_and_its_cookie_does_not(
    browser_of: Callable[[User], Client], leo: User, enrollment: Enrollment
) -> None:
    browser = browser_of(leo)
    token = browser.get("/api/v1/auth/session/").json()["token"]
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_progress", "arguments": {}}}

    assert len(Assistant(token).data("list_progress")["courses"]) == 1
    answer = browser.post("/mcp", call, content_type="application/json")
    assert refused(answer) == (401, "AUTH_TOKEN_REQUIRED")


def test_pages_of_other_sites_and_hosts_are_refused(assistant: Assistant, settings: Any) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

    assert assistant.post(ping, Origin="http://testserver").status_code == 200
    for origin in ("https://evil.example", "null", "http://testserver:8001", ""):
        answer = assistant.post(ping, Origin=origin)
        assert (answer.status_code, answer.json()["code"]) == (403, "PERMISSION_DENIED"), origin
    settings.ALLOWED_HOSTS = ["study.example"]
    assert assistant.post(ping).status_code == 400
    assert assistant.post(ping, Host="study.example").status_code == 200


def test_calls_are_limited(assistant: Assistant, settings: Any) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "mcp": (2, 60)}
    for _ in range(2):
        assistant.data("list_progress")
    error = assistant.error("tools/call", name="list_progress", arguments={})

    assert error["data"]["code"] == "RATE_LIMIT_EXCEEDED"
    assert 0 < error["data"]["params"]["wait"] <= 60
    assert assistant.error("resources/list")["data"]["code"] == "RATE_LIMIT_EXCEEDED"


def test_other_methods_of_http_are_refused(assistant: Assistant, client: Client) -> None:
    for method in ("get", "delete"):
        answer = getattr(assistant.client, method)("/mcp", headers=assistant.headers)
        assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert refused(client.get("/mcp")) == (401, "AUTH_TOKEN_REQUIRED")
    assert assistant.client.put("/mcp").status_code == 405


def test_a_crash_reveals_nothing(assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("the secret of the server")

    monkeypatch.setattr("apps.tutor.mcp.progress.record_of", crash)
    error = assistant.error("tools/call", name="list_progress", arguments={})

    assert (error["code"], error["data"]["code"]) == (-32603, "SERVER_ERROR")
    assert error["data"]["params"]["reference"]
    assert "secret" not in str(error)


def test_a_browser_gets_the_guide(browser_of: Callable[[User], Client], leo: User, client: Client) -> None:
    html = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    make_token(leo, name="Notebook in the library")
    seen = client.get("/mcp", headers=html).content.decode()

    assert "http://testserver/mcp" in seen
    assert all(f"<code>{tool}</code>" in seen for tool in TOOLS)
    assert "Notebook in the library" not in seen
    assert "Notebook in the library" in browser_of(leo).get("/mcp", headers=html).content.decode()


@pytest.mark.parametrize(
    ("tool", "arguments", "budget"),
    [("search_courses", {}, 18), ("list_progress", {}, 14), ("practice_quiz", {}, 18)],
)
def test_tools_have_a_query_budget(
    assistant: Assistant,
    leo: User,
    django_assert_max_num_queries: Any,
    tool: str,
    arguments: dict[str, Any],
    budget: int,
) -> None:
    for _ in range(25):
        section = SectionFactory(course=EnrollmentFactory(user=leo, course__status="published").course)
        LessonFactory.create_batch(3, section=section, course=section.course)
        FlashCardFactory(user=leo)
    with django_assert_max_num_queries(budget):
        assistant.data(tool, **arguments)
    with django_assert_max_num_queries(16):
        assistant.send("resources/list")


def test_use_of_a_token_is_noted_once_a_minute(assistant: Assistant, django_assert_max_num_queries: Any) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assistant.post(ping)
    with django_assert_max_num_queries(1):
        assistant.post(ping)

    assert PersonalToken.objects.get().last_used_at is not None


def prompt_text(assistant: Assistant, name: str, **arguments: str) -> str:
    result = assistant.send("prompts/get", name=name, arguments=arguments)["result"]
    text: str = result["messages"][0]["content"]["text"]
    return text


def completed(assistant: Assistant, ref: dict[str, str], name: str, typed: str, **known: str) -> list[str]:
    more: dict[str, Any] = {"context": {"arguments": known}} if known else {}
    result = assistant.send("completion/complete", ref=ref, argument={"name": name, "value": typed}, **more)["result"]
    values: list[str] = result["completion"]["values"]
    return values


def test_prompts_name_the_tools_and_what_the_user_may_open(assistant: Assistant, course: Course) -> None:
    lesson = in_order(course)[0]
    listed = assistant.send("prompts/list")["result"]["prompts"]
    assert {one["name"] for one in listed} == {"summarize_lesson", "quiz_me", "explain", "plan_week"}
    assert all(one["title"] and one["description"] for one in listed)
    assert f"{name_of(lesson)} with get_lesson" in prompt_text(assistant, "quiz_me", lesson=name_of(lesson))
    assert "Why is it so?" in prompt_text(assistant, "explain", topic="Why is it so?", course=course.slug)
    assert course.slug in prompt_text(assistant, "plan_week", course=course.slug)
    assert "list_progress," in prompt_text(assistant, "plan_week", course="")


def test_prompts_refuse_what_is_wrong_and_what_is_closed(leo: User, assistant: Assistant, course: Course) -> None:
    closed = LessonFactory(section=SectionFactory(course=CourseFactory(pricing=Course.Pricing.ONE_TIME, price=4900)))
    told = assistant.error("prompts/get", name="quiz_me", arguments={"nonsense": "x"})
    assert told["code"] == -32602
    assert set(told["data"]["fields"]) == {"lesson", "nonsense"}
    assert assistant.error("prompts/get", name="explain", arguments={"topic": "x" * 1001})["code"] == -32602
    assert assistant.error("prompts/get", name="nonsense")["code"] == -32602
    assert assistant.error("prompts/get", name="quiz_me", arguments={"lesson": name_of(closed)})["data"]["code"]
    assert assistant.error("prompts/get", name="explain", arguments={"topic": "x", "course": "none"})["data"]["code"]
    without = Assistant(make_token(leo, [Scope.WRITE_NOTES])[1])
    error = without.error("prompts/get", name="quiz_me", arguments={"lesson": name_of(in_order(course)[0])})
    assert error["data"]["code"] == "AUTH_SCOPE_MISSING"
    ref = {"type": "ref/prompt", "name": "quiz_me"}
    error = without.error("completion/complete", ref=ref, argument={"name": "lesson", "value": ""})
    assert error["data"]["code"] == "AUTH_SCOPE_MISSING"


def test_arguments_are_completed_with_what_the_user_may_open(assistant: Assistant, course: Course) -> None:
    other = LessonFactory(section=SectionFactory(course=CourseFactory(slug=f"{course.slug}-2")))
    quiz, template = {"type": "ref/prompt", "name": "quiz_me"}, {"type": "ref/resource", "uri": URI_TEMPLATE}
    lessons = [name_of(lesson) for lesson in in_order(course)]
    assert completed(assistant, {"type": "ref/prompt", "name": "explain"}, "course", course.slug[:3]) == [course.slug]
    assert completed(assistant, template, "course", "") == [course.slug]
    found = completed(assistant, quiz, "lesson", course.slug)
    assert found
    assert set(found) <= set(lessons)
    assert name_of(other) not in found
    slugs = completed(assistant, template, "lesson", "", course=course.slug)
    assert {f"{course.slug}/{slug}" for slug in slugs} == set(found)
    assert completed(assistant, template, "lesson", "") == []
    assert completed(assistant, quiz, "nonsense", "x") == []
    assert completed(assistant, quiz, "lesson", "\x00") == []
    assert assistant.error(
        "completion/complete", ref={"type": "ref/prompt", "name": "x"}, argument={"name": "a", "value": ""}
    )
    assert assistant.error(
        "completion/complete", ref={"type": "ref/resource", "uri": "x"}, argument={"name": "a", "value": ""}
    )


def test_only_what_is_offered_is_declared(assistant: Assistant) -> None:
    started = assistant.send(
        "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "test", "version": "1"}
    )["result"]
    declared = started["capabilities"]
    assert {"tools", "resources", "prompts", "completions"} <= set(declared)
    assert "logging" not in declared
    assert not declared["resources"].get("subscribe")
