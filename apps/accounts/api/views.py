"""Sign in, renew, sign out, as calls."""

from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_protect, ensure_csrf_cookie
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts import services, sessions
from apps.accounts.api.serializers import LogInIn, SessionOut
from studyplatform.kit.api import signed_in
from studyplatform.kit.errors import NotAuthenticated


@method_decorator(csrf_protect, name="dispatch")
class LogIn(APIView):
    """Signing in needs the CSRF token too: otherwise another site could sign a visitor in as somebody else."""

    permission_classes = [permissions.AllowAny]
    authentication_classes = []

    @extend_schema(operation_id="auth_login", request=LogInIn, responses={200: SessionOut})
    def post(self, request: Request) -> Response:
        form = LogInIn(data=request.data)
        form.is_valid(raise_exception=True)
        user = services.prove_password(**form.validated_data, now=timezone.now())
        session = sessions.sign_in(request._request, user, now=timezone.now())  # noqa: SLF001
        return Response(sessions.answer(session))


class LogOut(APIView):
    permission_classes = [permissions.AllowAny]

    @extend_schema(operation_id="auth_logout", request=None, responses={204: None})
    def post(self, request: Request) -> Response:
        if request.auth:  # by token alone: end the session it hangs on
            services.end_session_of_token(str(request.auth))
        sessions.sign_out(request._request)  # noqa: SLF001
        return Response(status=status.HTTP_204_NO_CONTENT)


@method_decorator(ensure_csrf_cookie, name="dispatch")
class Session(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="auth_session", responses={200: SessionOut})
    def get(self, request: Request) -> Response:
        user = signed_in(request)
        if request.auth:
            session = services.session_of_token(str(request.auth))
            if session is None:
                raise NotAuthenticated
        else:
            session = sessions.current(request._request, user, now=timezone.now())  # noqa: SLF001
        return Response(sessions.answer(session))
