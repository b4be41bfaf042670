"""How large the body of a request may be: decided before any of it is read.

An ordinary form or call takes ``settings.BODY_LIMIT`` bytes. A page that takes more says how much, and from whom, with
:func:`takes_body`; a view class of the API has the attribute ``body_limits`` instead, and reads the body itself.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import Resolver404, ResolverMatch, resolve

from studyplatform.kit.errors import AppError, NotAuthenticated, RequestStalled, RequestTooLarge
from studyplatform.kit.text.sizes import as_size
from studyplatform.kit.web.failures import refused
from studyplatform.kit.web.middleware import Answer, other_spelling
from studyplatform.kit.web.requests import safe_next

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Policy = Callable[[Any], AppError | None]  # takes a person (kit/policies.py)
View = TypeVar("View", bound=Callable[..., Any])

SLACK = 64 * 1024  # bytes that may be more: what a form wraps its file in, and its other fields
PATIENCE = 60.0  # seconds without a byte after which the rest of a body is not waited for
REFUSED = "studyplatform.refused"  # under this name a scope says why its body was not read
ASKED = "studyplatform.asked"  # and under this one it asks whether its body may be sent: a `Question`


def takes_body(most: int, *, by: Policy) -> Callable[[View], View]:
    """Let a page take files of this many bytes from the people whom the policy allows.

    All others are refused before more is read than an ordinary body: a form is kept on disk before its page runs.
    """

    def decorate(view: View) -> View:
        view.body_limits = {"POST": most}  # type: ignore[attr-defined]
        view.body_policy = by  # type: ignore[attr-defined]
        return view

    return decorate


@dataclass
class Question:
    """Whether the sender of a request may send its large body."""

    is_admitted: bool = False


class BodyLimit:
    """An ASGI application that reads no more of a body than its address takes.

    What declares itself larger (``Content-Length``) is refused without a byte of it being read, what turns out to be
    larger or stops coming while it is read. The application inside sees that as a :class:`RequestTooLarge` or
    :class:`RequestStalled` from its ``receive``, which it lets pass; it is then called once more with an empty body
    to word the refusal (:class:`BodyMiddleware`).

    Where a page names a policy for large bodies, the application is first called with an empty body, to find out who
    is asking: its answer is sent if it is a refusal.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        declared = headers.get(b"content-length", b"")
        is_chunked = b"transfer-encoding" in headers
        length = int(declared) if declared.isdigit() else 0
        if not is_chunked and not length:
            await self.app(scope, receive, send)
            return
        most = settings.BODY_LIMIT
        match = None
        if is_chunked or length > most + SLACK:
            match = match_of(scope["path"])
            most = most_of(scope["method"], match)
        if length > most + SLACK:
            await self._refuse(scope, receive, send, RequestTooLarge(limit=as_size(most)))
            return
        if most > settings.BODY_LIMIT and policy_of(match) and not await self._is_admitted(scope, send):
            return
        has_answered = False

        async def noticed(message: Message) -> None:
            nonlocal has_answered
            has_answered = True
            await send(message)

        try:
            await self.app(scope, _limited(receive, most), noticed)
        except (RequestTooLarge, RequestStalled) as refusal:
            if has_answered:
                raise
            await self._refuse(scope, receive, send, refusal)

    async def _is_admitted(self, scope: Scope, send: Send) -> bool:
        question = Question()
        is_asked = False

        async def nothing() -> Message:
            nonlocal is_asked
            if is_asked:  # the body stays where it is, for the application to read it afterwards
                await asyncio.Event().wait()
            is_asked = True
            return {"type": "http.request", "body": b"", "more_body": False}

        async def refused_only(message: Message) -> None:
            if not question.is_admitted:
                await send(message)

        await self.app({**_without_body(scope), ASKED: question}, nothing, refused_only)
        return question.is_admitted

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, refusal: AppError) -> None:
        is_asked = False

        async def nothing() -> Message:
            nonlocal is_asked
            if not is_asked:
                is_asked = True
                return {"type": "http.request", "body": b"", "more_body": False}
            while (message := await receive())["type"] != "http.disconnect":
                pass  # still on its way; a browser shows no answer before all was taken from it
            return message

        await self.app({**_without_body(scope), REFUSED: refusal}, nothing, send)


def _without_body(scope: Scope) -> Scope:
    said = {b"content-length", b"content-type", b"transfer-encoding"}
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name not in said]}


def _limited(receive: Receive, most: int) -> Receive:
    taken, is_whole = 0, False

    async def limited() -> Message:
        nonlocal taken, is_whole
        if is_whole:  # what is asked for now is whether the browser is still there
            return await receive()
        try:
            async with asyncio.timeout(PATIENCE):
                message = await receive()
        except TimeoutError:
            raise RequestStalled from None
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if taken > most + SLACK:
                raise RequestTooLarge(limit=as_size(most))
        return message

    return limited


class BodyMiddleware:
    """Word the refusal of a body that was too large, stopped coming or comes from somebody who may not send it, before
    anything parses what is there.

    Stands before the middleware that looks for a form's token. Behind WSGI it is the first to refuse.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: object) -> HttpResponse | None:
        scope = getattr(request, "scope", {})
        question: Question | None = scope.get(ASKED)
        refusal: AppError | None = scope.get(REFUSED)
        if refusal is None:
            declared = request.META.get("CONTENT_LENGTH") or ""
            length = int(declared) if declared.isdigit() else 0
            if question or length > settings.BODY_LIMIT + SLACK:
                refusal = _refusal_of(request, length)
        if isinstance(refusal, NotAuthenticated):
            # Back to the form: its page asks to sign in, and says so if they were signed out meanwhile.
            return redirect(safe_next(request, request.headers.get("Referer"), settings.LOGIN_URL))
        if refusal:
            return refused(request, refusal)
        if question:
            question.is_admitted = True
            return HttpResponse(status=204)  # read by nobody
        return None


def _refusal_of(request: HttpRequest, length: int) -> AppError | None:
    """Why so large a body is not taken from who is asking."""
    match = request.resolver_match
    most = most_of(request.method or "", match)
    if length > most + SLACK:
        return RequestTooLarge(limit=as_size(most))
    policy = policy_of(match)
    return policy(request.user) if policy else None


def match_of(path: str) -> ResolverMatch | None:
    """The view behind an address in either of its spellings; None if there is none."""
    for spelling in (path, other_spelling(path)):
        try:
            return resolve(spelling)
        except Resolver404:
            continue
    return None


def most_of(method: str, match: ResolverMatch | None) -> int:
    """How many bytes the view takes in the body of such a request."""
    ordinary: int = settings.BODY_LIMIT
    if match is None:
        return ordinary
    of_class = getattr(getattr(match.func, "cls", None), "body_limits", {})
    limits: dict[str, int] = getattr(match.func, "body_limits", of_class)
    return limits.get(method, ordinary)


def policy_of(match: ResolverMatch | None) -> Policy | None:
    """Who may send the view a body that is larger than an ordinary one; None: the view decides."""
    return getattr(match.func, "body_policy", None) if match else None
