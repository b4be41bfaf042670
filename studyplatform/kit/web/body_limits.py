"""Limits on the size of a request body, checked before any of it is read.

The default limit is ``settings.BODY_LIMIT`` bytes for pages and ``settings.API_BODY_LIMIT`` for the API. A page that
accepts more declares how much, and from whom, with :func:`accepts_large_body`. A view class of the API has the
attribute ``body_limits`` instead: bytes by method, never less than the default.
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
from studyplatform.kit.web.failures import refusal_response
from studyplatform.kit.web.middleware import GetResponse, other_spelling
from studyplatform.kit.web.requests import safe_next

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Policy = Callable[[Any], AppError | None]  # of a user (kit/policies.py)
Room = Callable[[Any, int], AppError | None]  # of a user, and the bytes that they want to send
View = TypeVar("View", bound=Callable[..., Any])

KIB = 1024  # bytes
SLACK = 64 * KIB  # bytes on top of the limit, for a form's multipart encoding and its other fields
STALL_TIMEOUT = 60.0  # seconds without a byte after which the request is refused
REFUSAL = "studyplatform.refused"  # the scope's key for the refusal, if the body was not read
ADMISSION_CHECK = "studyplatform.asked"  # the scope's key for an `AdmissionCheck`


def accepts_large_body(limit: int, *, by: Policy, room: Room | None = None) -> Callable[[View], View]:
    """Let a page accept bodies of up to ``limit`` bytes from the users whom the policy allows.

    Others are refused before the body is read, because a form's files are written to disk before its page runs. With
    ``room``, so are bodies for which a user has no space: it gets the user and the length of the body. A body of
    unknown length counts as one of ``limit`` bytes.
    """

    def decorate(view: View) -> View:
        view.body_limits = {"POST": limit}  # type: ignore[attr-defined]
        view.body_policy = by  # type: ignore[attr-defined]
        view.body_room = room  # type: ignore[attr-defined]
        return view

    return decorate


@dataclass
class AdmissionCheck:
    """Whether the user of a request may send its body of ``length`` bytes. The middleware answers it."""

    length: int
    is_admitted: bool = False


class BodyLimit:
    """An ASGI application that reads at most as much of a body as its view accepts.

    A body whose ``Content-Length`` is too large is refused without reading it; a chunked body that becomes too large,
    or one that stalls, is refused while it is read. The inner application then gets a :class:`RequestTooLarge` or
    :class:`RequestStalled` from its ``receive`` and lets it pass. It is called once more with an empty body to render
    the refusal (:class:`BodyMiddleware`).

    If a page has a policy for large bodies, the application is first called with an empty body to authenticate the
    user. If that is refused, its response is sent.
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
        limit = settings.BODY_LIMIT
        match = None
        if is_chunked or length > settings.API_BODY_LIMIT:
            match = resolve_either_spelling(scope["path"])
            limit = max_body_size(scope["method"], match)
        if length > limit + _slack(match):
            await self._refuse(scope, receive, send, RequestTooLarge(limit=as_size(limit)))
            return
        has_policy = limit > settings.BODY_LIMIT and policy_of(match)
        if has_policy and not await self._is_admitted(scope, send, limit if is_chunked else length):
            return
        has_responded = False

        async def send_and_note(message: Message) -> None:
            nonlocal has_responded
            has_responded = True
            await send(message)

        try:
            await self.app(scope, _limited(receive, limit, slack=_slack(match)), send_and_note)
        except (RequestTooLarge, RequestStalled) as refusal:
            if has_responded:
                raise
            await self._refuse(scope, receive, send, refusal)

    async def _is_admitted(self, scope: Scope, send: Send, length: int) -> bool:
        check = AdmissionCheck(length)
        is_received = False

        async def receive_nothing() -> Message:
            nonlocal is_received
            if is_received:  # the body stays unread, for the application to read it afterwards
                await asyncio.Event().wait()
            is_received = True
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send_refusal(message: Message) -> None:
            if not check.is_admitted:
                await send(message)

        await self.app({**_without_body(scope), ADMISSION_CHECK: check}, receive_nothing, send_refusal)
        return check.is_admitted

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, refusal: AppError) -> None:
        is_received = False

        async def receive_nothing() -> Message:
            nonlocal is_received
            if not is_received:
                is_received = True
                return {"type": "http.request", "body": b"", "more_body": False}
            while (message := await receive())["type"] != "http.disconnect":
                pass  # discard the rest: a browser shows no response before it has sent its whole body
            return message

        await self.app({**_without_body(scope), REFUSAL: refusal}, receive_nothing, send)


def _without_body(scope: Scope) -> Scope:
    headers = {b"content-length", b"content-type", b"transfer-encoding"}
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name not in headers]}


def _limited(receive: Receive, limit: int, *, slack: int) -> Receive:
    received, is_complete = 0, False

    async def limited() -> Message:
        nonlocal received, is_complete
        if is_complete:  # the application now waits for a disconnect
            return await receive()
        try:
            async with asyncio.timeout(STALL_TIMEOUT):
                message = await receive()
        except TimeoutError:
            raise RequestStalled from None
        if message["type"] == "http.request":
            received += len(message.get("body", b""))
            is_complete = not message.get("more_body", False)
            if received > limit + slack:
                raise RequestTooLarge(limit=as_size(limit))
        return message

    return limited


class BodyMiddleware:
    """Render the refusal of a body that is too large, stalled, or sent by a user who may not, before it is parsed.

    Comes before the CSRF middleware, which would parse the form. Under WSGI this middleware itself refuses.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: object) -> HttpResponse | None:
        scope = getattr(request, "scope", {})
        check: AdmissionCheck | None = scope.get(ADMISSION_CHECK)
        refusal: AppError | None = scope.get(REFUSAL)
        if refusal is None:
            declared = request.META.get("CONTENT_LENGTH") or ""
            length = check.length if check else int(declared) if declared.isdecimal() else 0
            if check or length > settings.API_BODY_LIMIT:
                refusal = _refusal_of(request, length)
        if isinstance(refusal, NotAuthenticated):
            # Back to the form: its page asks the user to sign in, and says so if they were signed out meanwhile.
            return redirect(safe_next(request, request.headers.get("Referer"), settings.LOGIN_URL))
        if refusal:
            return refusal_response(request, refusal)
        if check:
            check.is_admitted = True
            return HttpResponse(status=204)  # nobody reads this response
        return None


def _refusal_of(request: HttpRequest, length: int) -> AppError | None:
    """Why the user may not send a body of ``length`` bytes; None if they may."""
    match = request.resolver_match
    limit = max_body_size(request.method or "", match)
    if length > limit + _slack(match):
        return RequestTooLarge(limit=as_size(limit))
    if length <= settings.BODY_LIMIT + SLACK:
        return None
    policy = policy_of(match)
    refusal = policy(request.user) if policy else None
    room: Room | None = getattr(match.func, "body_room", None) if match else None
    if refusal is None and room is not None:
        return room(request.user, max(0, length - SLACK))
    return refusal


def resolve_either_spelling(path: str) -> ResolverMatch | None:
    """The view at a path, with or without a final slash; None if there is none."""
    for spelling in (path, other_spelling(path)):
        try:
            return resolve(spelling)
        except Resolver404:
            continue
    return None


def max_body_size(method: str, match: ResolverMatch | None) -> int:
    """How many bytes the view accepts in the body of a request with this method."""
    default: int = settings.API_BODY_LIMIT if _is_api(match) else settings.BODY_LIMIT
    if match is None:
        return default
    of_class = getattr(getattr(match.func, "cls", None), "body_limits", {})
    of_class = getattr(match.func, "initkwargs", {}).get("body_limits", of_class)  # of an action of a viewset
    limits: dict[str, int] = getattr(match.func, "body_limits", of_class)
    return limits.get(method, default)


def _is_api(match: ResolverMatch | None) -> bool:
    return match is not None and hasattr(match.func, "cls")  # DRF's views have it


def _slack(match: ResolverMatch | None) -> int:
    """JSON has no multipart encoding."""
    return 0 if _is_api(match) else SLACK


def policy_of(match: ResolverMatch | None) -> Policy | None:
    """The policy for sending the view a body above the default limit; None if the view itself decides."""
    return getattr(match.func, "body_policy", None) if match else None
