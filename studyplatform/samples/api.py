"""The API of the sample pages. Its addresses have no version: the specification fixes them."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studyplatform.kit.web import rate_limits
from studyplatform.kit.web.api import Pages, validated
from studyplatform.kit.web.drf_defaults import CookieAuthentication
from studyplatform.kit.web.requests import search_query
from studyplatform.samples import services
from studyplatform.samples.errors import SampleRejected
from studyplatform.samples.models import MOST_CHARACTERS, SampleEntry
from studyplatform.samples.names import find_names
from studyplatform.samples.queries import entries_of
from studyplatform.samples.visitors import Visitor, remember, visitor_of

TODO = SampleEntry.Kind.TODO
REJECT = OpenApiParameter("reject", bool, description="Ask the server to reject the change: 409, nothing is changed.")


class SampleTodoOut(serializers.Serializer[Any]):
    uid = serializers.UUIDField()
    title = serializers.CharField(source="text")
    is_done = serializers.BooleanField()


class SampleTodoIn(serializers.Serializer[Any]):
    title = serializers.CharField(max_length=MOST_CHARACTERS)


class SampleTodoChange(serializers.Serializer[Any]):
    title = serializers.CharField(max_length=MOST_CHARACTERS, required=False)
    is_done = serializers.BooleanField(required=False)


class SampleNameOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    field = serializers.CharField()


@method_decorator(never_cache, name="dispatch")
class SampleView(APIView):
    """Visitors have no session, so a change asks for the CSRF token itself: no other site can make it for them."""

    permission_classes = [AllowAny]
    authentication_classes = []

    def admit_change(self, request: Request) -> Visitor:
        """The visitor who may change something.

        :raises PermissionDenied: the CSRF token is missing: the request may come from another site.
        :raises RateLimitExceeded: too many changes from this address.
        :raises SampleRejected: the visitor asked for a rejection.
        """
        CookieAuthentication().enforce_csrf(request)
        now = timezone.now()
        rate_limits.consume_for_address(request._request, "sample", now=now)  # noqa: SLF001 (DRF has no public name)
        if request.query_params.get("reject") == "true":
            raise SampleRejected
        return visitor_of(request._request, now=now)  # noqa: SLF001


class SampleTodos(SampleView):
    """The to-dos of this browser."""

    permission_classes = [AllowAny]
    kind = TODO

    @extend_schema(operation_id="samples_todos", responses={200: SampleTodoOut(many=True)})
    def get(self, request: Request) -> Response:
        visitor = visitor_of(request._request, now=timezone.now())  # noqa: SLF001
        return Response(SampleTodoOut(entries_of(visitor.known_browser, self.kind), many=True).data)

    @extend_schema(
        operation_id="samples_todo_add", parameters=[REJECT], request=SampleTodoIn, responses={201: SampleTodoOut}
    )
    def post(self, request: Request) -> Response:
        visitor, sent, now = self.admit_change(request), validated(SampleTodoIn, request), timezone.now()
        todo = services.add_entry(visitor=visitor, kind=self.kind, text=sent["title"], now=now)
        response = Response(SampleTodoOut(todo).data, status=201)
        remember(response, visitor, now=now)
        return response


class SampleTodo(SampleView):
    """One to-do of this browser."""

    permission_classes = [AllowAny]
    kind = TODO

    @extend_schema(
        operation_id="samples_todo_change", parameters=[REJECT], request=SampleTodoChange, responses=SampleTodoOut
    )
    def patch(self, request: Request, uid: UUID) -> Response:
        visitor, sent, now = self.admit_change(request), validated(SampleTodoChange, request), timezone.now()
        todo = services.change_entry(
            visitor=visitor, kind=self.kind, uid=uid, text=sent.get("title"), is_done=sent.get("is_done"), now=now
        )
        response = Response(SampleTodoOut(todo).data)
        remember(response, visitor, now=now)
        return response

    @extend_schema(operation_id="samples_todo_delete", parameters=[REJECT], responses={204: None})
    def delete(self, request: Request, uid: UUID) -> Response:
        visitor, now = self.admit_change(request), timezone.now()
        services.delete_entry(visitor=visitor, kind=self.kind, uid=uid, now=now)
        response = Response(status=204)
        remember(response, visitor, now=now)
        return response


@extend_schema_view(
    get=extend_schema(operation_id="samples_shared_todos"),
    post=extend_schema(operation_id="samples_shared_todo_add"),
)
class SharedTodos(SampleTodos):
    """The to-dos that this browser shares with an MCP client."""

    permission_classes = [AllowAny]
    kind = SampleEntry.Kind.MCP


@extend_schema_view(
    patch=extend_schema(operation_id="samples_shared_todo_change"),
    delete=extend_schema(operation_id="samples_shared_todo_delete"),
)
class SharedTodo(SampleTodo):
    """One to-do that this browser shares with an MCP client."""

    permission_classes = [AllowAny]
    kind = SampleEntry.Kind.MCP


class NamePages(Pages):
    page_size = 8


class SampleNames(GenericAPIView[Any]):
    """Names of people who found something out, by name."""

    permission_classes = [AllowAny]
    authentication_classes = []
    pagination_class = NamePages
    serializer_class = SampleNameOut

    @extend_schema(
        operation_id="samples_names",
        parameters=[OpenApiParameter("q", str, description="Part of a name; case and accents don't matter.")],
        responses={200: SampleNameOut(many=True)},
    )
    def get(self, request: Request) -> Response:
        names = self.paginate_queryset(find_names(search_query(request._request)))  # noqa: SLF001
        return self.get_paginated_response(SampleNameOut(names, many=True).data)
