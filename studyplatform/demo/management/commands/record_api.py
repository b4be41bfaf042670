"""``manage.py record_api``: what the API answers about the demo's content, for islands that are developed without it.

With ``MOCK_API=1`` the browser answers the islands' calls from this file. Every call is made for real, in a transaction
that is taken back. What differs from one recording to the next (identifiers, moments, signed addresses) is replaced, so
that a new recording changes only what the API has changed.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.test import override_settings
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.billing.standin import Standin
from apps.courses.models import Course, Lesson
from apps.files.models import File, Upload, VideoAsset
from apps.learning.models import Enrollment, PracticeCard
from apps.tutor.models import Answer, Citation
from studyplatform.kit.text.money import scaled_price
from studyplatform.samples.queries import STARTERS

ANSWERS = Path(settings.BASE_DIR) / "assets" / "mock" / "answers.json"
COURSE = "linear-algebra-geometrically"
OWN_FOR_SALE = "probability-without-tricks"  # the teacher's
FOR_SALE, PRICE = "how-compilers-think", 6400
TEST_CARD = {"number": "4242424242424242", "exp_month": "12", "exp_year": "2034", "cvc": "123"}
LEARNER, TEACHER = "student@example.com", "instructor@example.com"
TUTOR_QUESTION = "Which arrows stay on their own line?"
TUTOR_ANSWER = "One family of arrows only stretches. Those are the ones worth a name."
NOTE = uuid5(NAMESPACE_URL, "a recorded note")

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_MOMENT = re.compile(r'"\d{4}-\d\d-\d\dT[^"]*"')
_NUMBER = re.compile(r'"number": "[0-9A-Z]{4}-[0-9A-Z]{4}"')
_SECRET = re.compile(r'"(?:pi|seti)_[^"]*_secret_[^"]*"')
_PROVIDERS_ID = re.compile(r'"(pm|seti)_[0-9a-f]{24}"')
_DRAFT = re.compile(r'"draft": "[^"]+"')
_BUILT = re.compile(r"-[0-9A-Z]{8}\.(js|css|svg|woff2)\b")
_BUILD = re.compile(r'"(build|stamp|state)": "[0-9a-f]{16}"')
_DEVICE_KEY = re.compile(r'"key": "[\w-]{43}"')
_SCRIPT_HASH = re.compile(r"sha256-[\w+/]{43}=")
_SIGNED = re.compile(r"/media/[^/\"]+/")


def record() -> list[dict[str, Any]]:
    """The answers to every call that an island makes: operation, status, body.

    :raises CommandError: the demo's content is not in the database.
    """
    lessons = {
        kind: Lesson.objects.filter(course__slug=COURSE, kind=kind).order_by("section__position", "position").first()
        for kind in (Lesson.Kind.VIDEO, Lesson.Kind.TEXT, Lesson.Kind.QUIZ)
    }
    learner, teacher = (User.objects.filter(email=email).first() for email in (LEARNER, TEACHER))
    handout = (
        Lesson.objects.filter(kind=Lesson.Kind.FILE, file__isnull=False)
        .select_related("file", "course__instructor")
        .first()
    )
    if None in lessons.values() or learner is None or teacher is None or handout is None or handout.file is None:
        raise CommandError("There is no demo content here: run manage.py seed_demo first.")
    video, text, quiz = (str(lesson.uid) for lesson in lessons.values() if lesson)
    section = str(lessons[Lesson.Kind.TEXT].section.uid)  # type: ignore[union-attr]  # checked above
    film = str(VideoAsset.objects.filter(owner=teacher).order_by("pk").values_list("uid", flat=True)[0])
    answers: list[dict[str, Any]] = []
    with transaction.atomic():
        Enrollment.objects.filter(user=learner, course__slug=COURSE).get()
        call = _caller(answers, learner)
        call("POST", "/auth/resend-verification/")
        call("GET", "/lessons/{uid}/player/", uid=video)
        call("POST", "/lessons/{uid}/progress/", uid=video, body={"position": 12.5, "watched": [[0, 12]]})
        call("GET", "/courses/{slug}/outline/", slug=COURSE)
        call("GET", "/lessons/{uid}/notes/", uid=video)
        written = {"key": "recorded", "revision": 1, "at": 0, "text": "Draw it first.", "is_deleted": False}
        note = {"kind": "note", "second": 12, "edits": [written], "replaced": []}
        call("PUT", "/lessons/{uid}/notes/{note}/", uid=video, note=str(NOTE), body=note)
        call("POST", "/lessons/{uid}/complete/", uid=text)
        call("GET", "/lessons/{uid}/quiz/", uid=quiz)
        attempt = call("POST", "/lessons/{uid}/attempts/", uid=quiz)
        call("POST", "/attempts/{uid}/submit/", uid=(attempt or {}).get("uid", quiz), body={"answers": {}})
        _store_lesson(call, text)
        due = PracticeCard.objects.filter(user=learner, question__isnull=False).order_by("pk").first()
        card = str(due and due.uid)
        call("GET", "/practice/")
        call("POST", "/practice/cards/{uid}/answer/", uid=card, body={"answer": None})
        review = {"key": "3e0cb9f4-7a0e-4c6e-9d0c-0a2b7a1d5a55", "turn": 0, "rating": 3}
        call("POST", "/practice/cards/{uid}/reviews/", uid=card, body=review)
        entry = (
            File.objects.of(learner.pk).present().filter(kind="text").order_by("pk").select_related("folder").first()
        )
        file, folder = str(entry and entry.uid), str(entry and entry.folder and entry.folder.uid)
        call("GET", "/files/")
        call("GET", "/files/{uid}/", uid=file)
        call("PATCH", "/files/{uid}/", uid=file, body={"name": "A better name.md"})
        call("GET", "/files/folders/")
        call("POST", "/files/folders/", body={"name": "Sketches"})
        call("PATCH", "/files/folders/{uid}/", uid=folder, body={"name": "Coursework"})
        call("POST", "/files/actions/", body={"action": "bin", "files": [file]})
        call("POST", "/forum/preview/", body={"source": "The **slant** keeps $v$ on its line."})
        call("GET", "/forum/people/", query="?q=in")
        call("GET", "/forum/topics/", query="?q=slant")
        call("PUT", "/forum/drafts/{key}/", key="new", body={"source": "Half a", "written_at": "2026-01-15T12:00:00Z"})
        call("GET", "/forum/drafts/{key}/", key="new")
        call("DELETE", "/forum/drafts/{key}/", key="new")
        _ask_tutor(call, learner)
        with _provider() as provider:
            call("POST", "/billing/quote/", body={"course": FOR_SALE})
            wanted = {
                "course": FOR_SALE,
                "total": scaled_price(PRICE, settings.CURRENCY),
                "currency": settings.CURRENCY,
                "agrees": True,
            }
            order = call("POST", "/billing/orders/", body=wanted)
            call("POST", "/billing/orders/{uid}/sync/", uid=(order or {}).get("uid", video))
            call("POST", "/billing/orders/{uid}/pay/", uid=(order or {}).get("uid", video), body={})
            _subscribe(call, provider)
        call = _caller(answers, teacher)
        call("GET", "/videos/")
        call("GET", "/storage/")
        call("GET", "/teaching/lessons/")
        call("PUT", "/lessons/{uid}/video/", uid=video, body={"video": film})
        call("POST", "/videos/{uid}/retry/", uid=film)
        call("DELETE", "/videos/{uid}/", uid=film)
        call("GET", "/courses/{slug}/lessons/", slug=COURSE)
        call("POST", "/courses/{slug}/sections/", slug=COURSE, body={"title": "Shears"})
        call("POST", "/courses/{slug}/lessons/", slug=COURSE, body={"section": section, "kind": "text", "title": "A"})
        _write_course(call, teacher)
        _arrange_course(call, text=text, section=section)
        _edit_captions(call, video)
        todo = str(STARTERS[0][0])
        call("GET", "/demo-tq-todos", version="")
        call("POST", "/demo-tq-todos", version="", body={"title": "Draw another slant"})
        call("PATCH", "/demo-tq-todos/{uid}", version="", uid=todo, body={"is_done": False})
        call("DELETE", "/demo-tq-todos/{uid}", version="", uid=todo)
        shared = str(next(uid for uid, kind, *_ in STARTERS if kind == "mcp"))
        call("GET", "/mcp-todos", version="")
        call("POST", "/mcp-todos", version="", body={"title": "Ask the assistant"})
        call("PATCH", "/mcp-todos/{uid}", version="", uid=shared, body={"is_done": True})
        call("DELETE", "/mcp-todos/{uid}", version="", uid=shared)
        call("GET", "/demo-names", version="")
        call = _caller(answers, handout.course.instructor)
        call("PUT", "/lessons/{uid}/file/", uid=str(handout.uid), body={"upload": str(handout.file.uid)})
        transaction.set_rollback(True)
    steady: list[dict[str, Any]] = _steady(answers)
    return steady


def _store_lesson(call: Any, lesson: str) -> None:
    """Store a lesson without a connection in mind, and send what was done with it."""
    device = call("POST", "/offline/devices/", body={"name": "Firefox on Android"}) or {}
    uid = device.get("uid", lesson)
    call("GET", "/offline/devices/")
    call("GET", "/offline/devices/{uid}/", uid=uid)
    call("GET", "/offline/courses/{slug}/", slug=COURSE)
    call("GET", "/offline/shell/")
    call("GET", "/offline/practice/")
    call("POST", "/offline/devices/{uid}/lessons/{lesson}/", uid=uid, lesson=lesson, body={})
    call("POST", "/offline/devices/{uid}/check-in/", uid=uid, body={"lessons": [lesson]})
    call("POST", "/offline/devices/{uid}/changes/", uid=uid, body={"changes": []})
    call("DELETE", "/offline/devices/{uid}/", uid=uid)


def _write_course(call: Any, teacher: User) -> None:
    """Begin a course in the wizard, and write a text with the live editor."""
    course = call("POST", "/studio/courses/", body={"title": "Shears and slants"})
    uid, slug = (course or {}).get("uid", str(NOTE)), (course or {}).get("slug", COURSE)
    title = {"value": "Shears, slants and turns", "base": ""}
    call("GET", "/studio/courses/{uid}/", uid=uid)
    call("PATCH", "/studio/courses/{uid}/", uid=uid, body={"client": "recorded", "fields": {"title": title}})
    call("POST", "/studio/courses/{uid}/submit/", uid=uid, body={"note": ""})
    call("POST", "/studio/courses/{uid}/withdraw/", uid=uid)
    call("GET", "/studio/courses/{uid}/plates/", uid=uid)
    call("GET", "/courses/{slug}/picture/", slug=slug)
    call("PUT", "/courses/{slug}/picture/", slug=slug, body={"alt": "A shear"})
    call("DELETE", "/courses/{slug}/picture/", slug=slug)
    call("GET", "/billing/courses/{slug}/promo-codes/", slug=OWN_FOR_SALE)
    code = {"code": "SHEARS", "kind": "percent", "percent": 20}
    given = call("POST", "/billing/courses/{slug}/promo-codes/", slug=OWN_FOR_SALE, body=code)
    call("POST", "/billing/promo-codes/{uid}/end/", uid=(given or {}).get("uid", uid))
    call("POST", "/content/preview/", body={"place": "lesson", "text": "The **slant** keeps $v$.", "course": slug})
    call("POST", "/content/convert/", body={"html": "<p>The <b>slant</b>"})
    form = "kind=single&prompt=Which+slant%3F&line=A+shear&line=A+turn&right=0"
    preview = call("POST", "/studio/question-previews/", body={"course": slug, "form": form})
    answered = {"draft": (preview or {}).get("draft", ""), "answer": {"id": "a"}}
    call("POST", "/studio/question-previews/mark/", body=answered)
    kept = (
        Upload.objects.filter(owner=teacher, purpose=Upload.Purpose.FILE).exclude(stored_as="").order_by("pk").first()
    )
    call("POST", "/courses/{slug}/files/", slug=slug, body={"upload": str(kept and kept.uid)})


def _arrange_course(call: Any, *, text: str, section: str) -> None:
    """Edit a lesson beside the outline, and change the outline."""
    uid = str(Course.objects.get(slug=COURSE).uid)
    title = {"value": "What a determinant measures", "base": ""}
    call("GET", "/studio/lessons/{uid}/", uid=text)
    call("PATCH", "/studio/lessons/{uid}/", uid=text, body={"client": "recorded", "fields": {"title": title}})
    outline = "/studio/courses/{uid}/outline/"
    call("GET", outline, uid=uid)
    call("GET", f"{outline}insert/", uid=uid)
    call("GET", f"{outline}targets/", uid=uid)
    call("POST", f"{outline}sections/", uid=uid, body={"title": "Extra"})
    call("POST", f"{outline}insert/", uid=uid, body={"lessons": [text], "section": section, "position": 1})
    call("POST", f"{outline}lessons/", uid=uid, body={"section": section, "kind": "text", "title": "Hills"})
    call("POST", f"{outline}duplicate/", uid=uid, body={"lessons": [text]})
    call("POST", f"{outline}move/", uid=uid, body={"lessons": [text], "section": section, "position": 1})
    call("POST", f"{outline}settings/", uid=uid, body={"lessons": [text], "is_optional": True})
    call("PATCH", f"{outline}sections/{{section}}/", uid=uid, section=section, body={"title": "Slants"})
    removed = call("POST", f"{outline}remove/", uid=uid, body={"lessons": [text]})
    change = ((removed or {}).get("change") or {}).get("uid", text)
    call("POST", "/studio/courses/{uid}/changes/{change}/undo/", uid=uid, change=change)


def _edit_captions(call: Any, lesson: str) -> None:
    """Correct a caption beside the video, and publish it."""
    film = str(Lesson.objects.values_list("video__uid", flat=True).get(uid=lesson))
    call("GET", "/videos/{uid}/sound/", uid=film)
    captions = "/studio/lessons/{uid}/captions/{language}/"
    sheet = call("GET", captions, uid=lesson, language="en") or {}
    changed = [{**cue, "text": "A better word."} for cue in sheet.get("cues", [])[:1]]
    change = {"client": "recorded", "since": 0, "base": sheet.get("base", ""), "cues": changed}
    saved = call("PATCH", captions, uid=lesson, language="en", body=change) or {}
    call("POST", f"{captions}reading/", uid=lesson, language="en")
    revision = {"revision": saved.get("revision", 0)}
    call("POST", f"{captions}publish/", uid=lesson, language="en", body=revision)
    call("DELETE", captions, uid=lesson, language="en")
    call("PUT", "/studio/lessons/{uid}/chapters/", uid=lesson, body={"chapters": [], "before": []})
    # The film isn't processed and no model is set: these are refused.
    call("POST", "/videos/{uid}/cover/", uid=film, body={"at": 1})
    call("POST", "/videos/{uid}/transcription/", uid=film, body={"language": "en"})
    call("POST", "/videos/{uid}/translation/", uid=film, body={"language": "de", "texts": ["A better word."]})
    call("GET", "/videos/{uid}/automatic-captions/", uid=film)
    for verb in ("GET", "DELETE"):
        call(verb, "/automatic-captions/{uid}/", uid=film)


def _ask_tutor(call: Any, learner: User) -> None:
    """Begin a chat, and do with it all that an island does."""
    keys = [str(uuid5(NAMESPACE_URL, f"question {number}")) for number in range(3)]
    call("GET", "/tutor/status/")
    call("GET", "/tutor/suggestions/", query=f"?course={COURSE}")
    begun = call("POST", "/tutor/chats/", body={"question": TUTOR_QUESTION, "key": keys[0], "course": COURSE})
    chat, exchange = begun["chat"]["uid"], begun["exchange"]["uid"]
    written = Answer.objects.get(uid=begun["exchange"]["answers"][0]["uid"])
    lesson = Lesson.objects.filter(course__slug=COURSE, kind=Lesson.Kind.VIDEO).order_by("pk")[0]
    Citation.objects.create(
        answer=written, number=1, passage_uid=uuid5(NAMESPACE_URL, "a passage"), course_id=lesson.course_id,
        lesson=lesson, text=TUTOR_ANSWER, second=12,
    )  # fmt: skip
    Answer.objects.filter(pk=written.pk).update(state=Answer.State.FINISHED, text=f"{TUTOR_ANSWER} [1]")
    answer = str(written.uid)
    call("GET", "/tutor/answers/{uid}/", uid=answer)
    call("PUT", "/tutor/answers/{uid}/rating/", uid=answer, body={"rating": 1})
    call("POST", "/tutor/answers/{uid}/cards/", uid=answer, body={"cards": [0]})
    call("GET", "/tutor/chats/", query="?search=")
    call("GET", "/tutor/chats/{uid}/", uid=chat)
    call("PATCH", "/tutor/chats/{uid}/", uid=chat, body={"title": "Arrows that stay"})
    call("POST", "/tutor/chats/{uid}/exchanges/", uid=chat, body={"question": "Which ones?", "key": keys[1]})
    call("PUT", "/tutor/exchanges/{uid}/", uid=exchange, body={"question": TUTOR_QUESTION, "key": keys[2]})
    again = call("POST", "/tutor/exchanges/{uid}/answers/", uid=exchange)["uid"]
    call("POST", "/tutor/answers/{uid}/stop/", uid=again)
    call("POST", "/tutor/answers/{uid}/continue/", uid=again)
    call("DELETE", "/tutor/chats/{uid}/", uid=chat)
    call("POST", "/tutor/chats/{uid}/restore/", uid=chat)


def _subscribe(call: Any, provider: Standin) -> None:
    """Save a card and subscribe to Premium with it. Without a trial, so that a payment is confirmed."""
    begun = call("POST", "/billing/cards/", body={"key": str(uuid5(NAMESPACE_URL, "a card"))}) or {}
    _confirm(provider, begun, {"payment_method_data": {"type": "card", "card": TEST_CARD}})
    card = call("POST", "/billing/cards/done/", body={"intent": begun.get("intent", "")}) or {}
    call("PUT", "/billing/cards/{uid}/", uid=card.get("uid", ""))
    terms = call("POST", "/billing/premium/terms/", body={"plan": "yearly"}) or {}
    wanted = {
        "plan": "yearly",
        "total": terms.get("total"),
        "currency": settings.CURRENCY,
        "trial_days": 0,
        "agrees": True,
    }
    call("POST", "/billing/premium/", body={**wanted, "card": card.get("uid")})
    begun = call("POST", "/billing/premium/pay/", body={"card": card.get("uid")}) or {}
    _confirm(provider, begun, {"payment_method": begun.get("payment_method")})
    call("POST", "/billing/premium/sync/")


def _confirm(provider: Standin, begun: dict[str, str], method: dict[str, Any]) -> None:
    """Confirm an intent with its client secret, as the provider's script does in a browser."""
    secret = begun.get("client_secret", "")
    intent = secret.partition("_secret_")[0]
    kind = "setup_intents" if intent.startswith("seti_") else "payment_intents"
    key = {"Authorization": f"Bearer {provider.publishable_key}"}
    provider.call("POST", f"/v1/{kind}/{intent}/confirm", {"client_secret": secret, **method}, key)


@contextmanager
def _provider() -> Iterator[Standin]:
    """An empty stand-in for the payment provider."""
    standin = Standin()
    with standin.serving() as address, override_settings(STRIPE_API_HOST=address, PREMIUM_TRIAL_DAYS=0):
        yield standin
    standin.close()


def _caller(answers: list[dict[str, Any]], user: User) -> Any:
    client = APIClient(HTTP_HOST=settings.ALLOWED_HOSTS[0].replace("*", "localhost"))
    client.force_login(user)
    client.force_authenticate(user)

    def call(method: str, template: str, body: Any = None, version: str = "/v1", query: str = "", **names: str) -> Any:
        address = f"/api{version}{template}"
        path = address.format(**names) + query
        answer = client.generic(method, path, json.dumps(body) if body else "", content_type="application/json")
        if answer.status_code >= 500:
            raise CommandError(f"{method} {path} failed: nothing was recorded.")
        said = json.loads(answer.content) if answer.content else None
        answers.append({"operation": f"{method} {address}", "status": answer.status_code, "body": said})
        return said

    return call


def _steady(answers: Any) -> Any:
    """The answers with what changes from one recording to the next replaced."""
    known: dict[str, str] = {}
    text = json.dumps(answers)
    text = _UUID.sub(
        lambda found: known.setdefault(found[0], str(uuid5(NAMESPACE_URL, f"recorded {len(known)}"))), text
    )
    text = _NUMBER.sub('"number": "7F4K-2QRD"', text)
    text = _SECRET.sub('"pi_recorded_secret_recorded"', text)
    text = _PROVIDERS_ID.sub(r'"\1_recorded"', text)
    text = _SIGNED.sub("/media/recorded/", text)
    text = _BUILT.sub(r"-RECORDED.\1", text)
    text = _BUILD.sub(r'"\1": "recorded"', text)
    text = _DEVICE_KEY.sub('"key": "recorded"', text)
    text = _SCRIPT_HASH.sub("sha256-recorded", text)
    text = _DRAFT.sub('"draft": "recorded"', text)
    text = re.sub(r'"request_id": "[^"]*"', '"request_id": "recorded"', text)
    return json.loads(_MOMENT.sub('"2026-01-15T12:00:00Z"', text))


class Command(BaseCommand):
    help = "Write assets/mock/answers.json from the demo's content: what the islands get with MOCK_API=1."

    def handle(self, **options: Any) -> None:
        answers = record()
        ANSWERS.write_text(json.dumps(answers, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
        self.stdout.write(f"Wrote {len(answers)} answers to {ANSWERS.name}.")
