"""Every API call by every role with unexpected input: no crash, and only responses that the schema defines.

schemathesis generates valid and invalid calls from the schema of the API. This test puts the ids of real rows
into them, and very long, very deep and shapeless bodies. Each call ends in a rollback, so that the next
one finds the rows.
"""

import json
import re
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from apps.courses import services
from apps.courses.models import Course, Lesson, QuestionImport
from apps.files.models import AutomaticCaptions
from apps.forum.queries.lists import TABS
from apps.learning import services as services_of_learning
from apps.learning.models import LearnerException
from studyplatform.kit.management.commands import export_contract
from studyplatform.samples.queries import STARTERS
from tests.factories.courses import LessonFactory
from tests.factories.files import (
    CaptionFactory,
    FileFactory,
    FolderFactory,
    StoredFileFactory,
    UploadFactory,
    VideoFactory,
)
from tests.factories.learning import AttemptFactory, CertificateFactory, FlashCardFactory
from tests.factories.paths import LearningPathFactory, put_in
from tests.factories.selling import CardFactory, OrderFactory, PromoCodeFactory
from tests.factories.topics import BoardFactory, make_post, make_topic
from tests.factories.tutor import AnswerFactory
from tests.learning.offline import make_device
from tests.learning.quiz import make_quiz

pytestmark = [pytest.mark.edits_in_place, pytest.mark.long, pytest.mark.django_db]

EXAMPLES = 4  # calls of each kind, of each operation, by each role
ROLES = ["visitor", "student", "instructor", "admin"]
SHAPELESS: list[Any] = [
    None, True, 0, -(10**400), "", "\x00", "\ud800", [], {}, [[]], {"": None}, "x" * 300_000, ["x"] * 100_000,
    {str(number): number for number in range(20_000)},
]  # fmt: skip
DEEP = "[" * 50_000, '{"title":' * 20_000, '{"answers":' + "[" * 30 + "]" * 30 + "}"
Rows = dict[str, list[str]]


@pytest.fixture
def rows(course: Course, enrollment: Any, leo: Any, ada: Any, own_folders: Any) -> Rows:
    """Return ids of real rows, by the preceding part of an address or by the name of a field."""
    video = VideoFactory(owner=ada)
    caption = CaptionFactory(video=video)
    quiz = make_quiz(course)
    film = LessonFactory(section=course.sections.first(), course=course, kind=Lesson.Kind.VIDEO, video=video)
    file = LessonFactory(section=course.sections.first(), course=course, kind=Lesson.Kind.FILE)
    attempt = AttemptFactory(enrollment=enrollment, quiz=quiz)
    text = course.lessons.filter(kind=Lesson.Kind.TEXT).first()
    assert text is not None
    draft = Course.objects.create(
        instructor=ada, slug="a-draft", title="A Draft", subject=course.subject, created_at=course.created_at,
        updated_at=course.updated_at,
    )  # fmt: skip
    uploads = [
        UploadFactory(owner=ada, video=VideoFactory(owner=ada, stage="uploading")).uid,
        StoredFileFactory(owner=ada).uid,
    ]
    lessons = [film.uid, file.uid, quiz.lesson.uid, text.uid]
    topic = make_topic(board=BoardFactory(course=course), author=leo)
    leos, adas = (AnswerFactory(exchange__chat__user=owner, exchange__mode="cards") for owner in (leo, ada))
    found = {
        "attempts": [attempt.uid],
        "cards": [
            *[CardFactory(user=owner).uid for owner in (ada, leo)],
            *[FlashCardFactory(user=owner).uid for owner in (ada, leo)],
        ],
        "captions": [caption.uid],
        "automatic-captions": [
            AutomaticCaptions.objects.create(
                video=video, kind="speech", language="en", directory="a", created_at=timezone.now()
            ).uid
        ],
        "certificates": [CertificateFactory(enrollment=enrollment).code],
        "courses": [course.slug, draft.slug],
        "demo-tq-todos": [uid for uid, kind, *_ in STARTERS if kind == "todo"],
        "mcp-todos": [uid for uid, kind, *_ in STARTERS if kind == "mcp"],
        "boards": [topic.board.slug, make_topic().board.slug],
        "devices": [make_device(owner).uid for owner in (ada, leo)],
        "drafts": ["new"],
        "lists": list(TABS),
        "paths": [put_in(LearningPathFactory(), course, draft).slug, LearningPathFactory(is_published=False).slug],
        "posts": [topic.posts.get().pk, make_post(topic, author=leo).pk, make_post(topic, state="held").pk],
        "chats": [chat.uid for chat in (leos.exchange.chat, adas.exchange.chat)],
        "exceptions": [grant_attempt(enrollment, quiz, ada).uid],
        "exchanges": [leos.exchange.uid, adas.exchange.uid],
        "answers": [leos.uid, adas.uid],
        "topics": [topic.pk, make_topic(board=topic.board, author=ada).pk],
        "files": [FileFactory(owner=owner).uid for owner in (ada, leo)],
        "folders": [FolderFactory(owner=owner).uid for owner in (ada, leo)],
        "lessons": lessons,
        "orders": [OrderFactory(user=owner).uid for owner in (ada, leo)],
        "promo-codes": [PromoCodeFactory(scope="course", course=course, created_by=ada).uid],
        "question-imports": [make_import(quiz, ada).uid],
        "sections": [section.uid for section in course.sections.all()],
        "studio courses": [course.uid],
        "uploads": uploads,
        "videos": [video.uid],
    }
    by_field = {
        "folder": "folders",
        "parent": "folders",
        "to": "folders",
        "section": "sections",
        "video": "videos",
        "upload": "uploads",
        "course": "courses",
        "lesson": "lessons",
        "board": "boards",
        "into": "topics",
        "reply_to": "posts",
    }
    known = {name: [str(one) for one in ids] for name, ids in found.items()}
    return known | {field: known[name] for field, name in by_field.items()}


def grant_attempt(enrollment: Any, quiz: Any, by: Any) -> LearnerException:
    act = services_of_learning.Act(by=by, learners=[enrollment.uid], key=uuid4())
    services_of_learning.grant_extra_time(act, quiz=quiz, minutes=5, now=timezone.now())
    return LearnerException.objects.get()


def make_import(quiz: Any, by: Any) -> QuestionImport:
    file = services.QuestionFile(raw=b"Is it so? {T}", name="questions.gift")
    return services.check_questions(quiz=quiz, by=by, file=file, now=timezone.now())


@pytest.fixture(params=ROLES)
def client_of_role(request: pytest.FixtureRequest, browser_of: Any) -> Client:
    people = {"student": "leo", "instructor": "ada", "admin": "sam"}
    if request.param == "visitor":
        return Client(raise_request_exception=False)
    signed_in: Client = browser_of(request.getfixturevalue(people[request.param]))
    signed_in.raise_request_exception = False
    return signed_in


def use_real_ids(draw: Any, rows: Rows, path: str, case: Any) -> None:
    """Replace invented ids of the case by ids of real rows, in five of six cases."""
    kind = re.sub(
        r"^/api/(v1/)?",
        "",
        re.sub(
            "/files/(?=folders/)|/billing/|/forum/|/offline/(?=courses/|devices/)|/practice/|/studio/|/teaching/|/tutor/",
            "/",
            path,
        ),
    ).split("/")[0]
    if path.startswith("/api/v1/studio/courses/"):
        kind = "studio courses"  # by uid
    for name in case.path_parameters or {}:
        if name == "language":
            continue
        if draw(st.integers(0, 5)):
            case.path_parameters[name] = draw(st.sampled_from(rows.get(name) or rows[kind]))
        elif name == "uid":
            case.path_parameters[name] = str(uuid4())
    if isinstance(case.body, dict):
        for name in set(case.body) & set(rows):
            if draw(st.integers(0, 2)):
                real = draw(st.sampled_from(rows[name]))
                case.body[name] = [real] if isinstance(case.body[name], list) else real


def distort_body(draw: Any, case: Any) -> str:
    """Return JSON that no form sends: one field of the body, or all of it, is replaced."""
    if not draw(st.integers(0, 3)):
        return str(draw(st.sampled_from(DEEP)))
    odd = draw(st.sampled_from(SHAPELESS))
    if not isinstance(case.body, dict) or not case.body or not draw(st.integers(0, 3)):
        return json.dumps(odd)
    return json.dumps({**case.body, draw(st.sampled_from(sorted(case.body))): odd})


def send(client_of_role: Client, case: Any, raw: str | None = None) -> Any:
    """Send the case in this process and return a response that schemathesis can check."""
    import requests
    from schemathesis import Response

    wanted = requests.Request(**case.as_transport_kwargs(base_url="http://testserver")).prepare()
    if raw is not None:
        wanted.prepare_body(raw.encode("utf-8", "surrogatepass"), None)
        wanted.headers["Content-Type"] = "application/json"
    headers = {
        name: value if isinstance(value, str) else value.decode("latin-1") for name, value in wanted.headers.items()
    }
    kind = headers.pop("Content-Type", "")
    for name in (
        "Content-Length",
        "Accept-Encoding",
        "Authorization",
        "Cookie",
    ):  # the client sends the cookie of its role
        headers.pop(name, None)
    body = wanted.body or b""
    fresh = Client(raise_request_exception=False)
    fresh.cookies.load(client_of_role.cookies.output(header=""))
    with transaction.atomic():
        answer = fresh.generic(
            wanted.method or "GET",
            wanted.path_url,
            body.encode() if isinstance(body, str) else body,
            kind or "application/octet-stream",
            headers=headers,
        )
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
        transaction.set_rollback(True)
    return Response(
        answer.status_code,
        {name: [value] for name, value in answer.headers.items()},
        content,
        wanted,
        0.0,
        verify=False,
    )


@pytest.mark.usefixtures("standin")
def test_every_response_matches_the_schema_and_no_call_crashes(client_of_role: Client, rows: Rows) -> None:
    import schemathesis
    from schemathesis import GenerationMode
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    judges = [
        not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_headers_conformance,
        checks.response_schema_conformance,
    ]
    schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
    asked, faults = 0, []

    def fuzz(operation: Any, way: str) -> None:
        mode = GenerationMode.NEGATIVE if way == "wrong" else GenerationMode.POSITIVE

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(operation.as_strategy(generation_mode=mode), st.data())
        def check_once(case: Any, data: Any) -> None:
            nonlocal asked
            use_real_ids(data.draw, rows, operation.path, case)
            asked += 1
            raw = distort_body(data.draw, case) if way == "long" else None
            case.validate_response(send(client_of_role, case, raw), checks=judges)

        check_once()

    schema = schemathesis.openapi.from_dict(json.loads(json.dumps(export_contract.schema(), default=str)))
    for found in schema.get_all_operations():
        for way in ("right", "wrong", "long"):
            try:
                fuzz(found.ok(), way)
            except Unsatisfiable:  # a call without input has no invalid input
                continue
            except (Exception, BaseExceptionGroup) as fault:  # all failures are reported together
                inner = getattr(fault, "exceptions", [fault])
                faults.append(f"{found.ok().label}, {way}: {fault} {inner}")

    assert not faults, "\n\n".join(faults)
    assert asked > 300
