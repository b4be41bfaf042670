"""Sign in, renew, sign out, as calls."""

from typing import NoReturn

from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts import guards, services, sessions
from apps.accounts.api.serializers import LogInIn, LookIn, PasskeyOptionsOut, ResendOut, SessionOut
from apps.accounts.authentication import BearerAuthentication
from apps.accounts.errors import PasskeyRefused
from apps.accounts.guards import signed_in_user
from apps.accounts.models import BrowserSession
from apps.accounts.passkeys import challenge, relying_party
from studyplatform.kit.web import rate_limits
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.drf_defaults import CookieAuthentication, JsonParser


@method_decorator(never_cache, name="dispatch")
class LogIn(APIView):
    """Signing in needs the CSRF token too: otherwise another site could sign a visitor in as somebody else.

    An account with two-factor on is refused (AUTH_SECOND_STEP_REQUIRED); the browser continues at /auth/second-step.
    """

    permission_classes = [permissions.AllowAny]
    authentication_classes = []

    @extend_schema(operation_id="auth_login", request=LogInIn, responses={200: SessionOut})
    def post(self, request: Request) -> Response:
        page = request._request  # noqa: SLF001 (DRF has no public name for it)
        CookieAuthentication().enforce_csrf(request)
        sent = validated(LogInIn, request)
        now = timezone.now()
        user = sessions.verify_password(page, **sent, now=now)
        sessions.sign_in(page, user, now=now)
        return Response(sessions.session_payload(user, sessions.session_uid(page)))


@method_decorator(never_cache, name="dispatch")
class PasskeyOptions(APIView):
    """What the browser is asked for a sign-in by passkey; its answer goes to /auth/passkey, within five minutes."""

    permission_classes = [permissions.AllowAny]
    authentication_classes = []
    parser_classes = [JsonParser, FormParser, MultiPartParser]  # nothing is read, whatever is sent

    @extend_schema(operation_id="auth_passkey_options", request=None, responses={200: PasskeyOptionsOut})
    def post(self, request: Request) -> Response:
        page = request._request  # noqa: SLF001
        CookieAuthentication().enforce_csrf(request)
        rate_limits.consume_for_address(page, "passkey", now=timezone.now())
        party = relying_party.relying_party_of(page)
        if party is None:
            raise PasskeyRefused
        options, state = services.begin_passkey_verification(party=party)
        challenge.store(page, "sign-in", state, now=timezone.now())
        return Response(options)


class LogOut(APIView):
    """Ends the browser's session. By cookie it needs the CSRF token; a bearer is proof enough."""

    permission_classes = [permissions.AllowAny]
    authentication_classes = [BearerAuthentication, CookieAuthentication]
    bearer_may_be_stale = True
    parser_classes = [JsonParser, FormParser, MultiPartParser]  # nothing is read, whatever is sent

    @extend_schema(operation_id="auth_logout", request=None, responses={204: None})
    def post(self, request: Request) -> Response:
        if isinstance(request.auth, BrowserSession):
            services.end_session(session=request.auth)
        sessions.sign_out(request._request)  # noqa: SLF001
        return Response(status=status.HTTP_204_NO_CONTENT)


@method_decorator([never_cache, ensure_csrf_cookie], name="dispatch")
class Session(APIView):
    """The signed-in user and a fresh token; the cookie is the authority, a token that still holds does as well."""

    permission_classes = [permissions.IsAuthenticated]
    authentication_classes = [CookieAuthentication, BearerAuthentication]
    bearer_may_be_stale = True

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> NoReturn:
        guards.announce_ended_session(request._request)  # noqa: SLF001 (an open page asks, and reloads then)
        super().permission_denied(request, message, code)

    @extend_schema(operation_id="auth_session", responses={200: SessionOut})
    def get(self, request: Request) -> Response:
        user = signed_in_user(request)
        if isinstance(request.auth, BrowserSession):
            return Response(sessions.session_payload(user, request.auth.uid))
        sessions.keep_alive(request._request, now=timezone.now())  # noqa: SLF001
        return Response(sessions.session_payload(user, sessions.session_uid(request._request)))  # noqa: SLF001


class Look(APIView):
    """Theme and style of the account, which its other devices take over."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="me_look", request=LookIn, responses={204: None})
    def put(self, request: Request) -> Response:
        services.save_appearance(user=signed_in_user(request), **validated(LookIn, request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class ResendVerification(APIView):
    """Send the user a new link and code, at most once a minute."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="auth_resend_verification", request=None, responses={202: ResendOut})
    def post(self, request: Request) -> Response:
        now = timezone.now()
        rate_limits.consume_for_address(request._request, "resend", now=now)  # noqa: SLF001
        wait = services.request_email_verification(user=signed_in_user(request), now=now)
        return Response({"wait": wait}, status=status.HTTP_202_ACCEPTED)
