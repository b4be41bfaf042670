"""Chats with the tutor as calls. Those of others answer 404."""

from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.tutor import services
from apps.tutor.api import serializers as shapes
from apps.tutor.models import Chat, Exchange
from apps.tutor.pages.export import markdown_file
from apps.tutor.queries.chats import chat_of, exchanges_of, list_chats
from apps.tutor.queries.shapes import chat_out, exchanges_out
from apps.tutor.queries.status import status_of
from apps.tutor.queries.suggestions import suggestions_for
from apps.tutor.services.questions import Asked
from apps.tutor.services.scope import find_scope
from studyplatform.kit.web.api import validated


class TutorCall(APIView):
    permission_classes = [permissions.IsAuthenticated]


def query(serializer: Any, request: Request) -> dict[str, Any]:
    """The validated query of the address."""
    asked = serializer(data=request.query_params)
    asked.is_valid(raise_exception=True)
    sent: dict[str, Any] = asked.validated_data
    return sent


def exchange_out(request: Request, exchange: Exchange) -> dict[str, Any]:
    """Return the shape ``ExchangeOut``."""
    return exchanges_out(signed_in_user(request), [exchange], timezone.now())[0]


class TutorStatus(TutorCall):
    @extend_schema(operation_id="tutor_status", responses={200: shapes.StatusOut})
    def get(self, request: Request) -> Response:
        """Whether the tutor answers, and how often the caller may still ask."""
        return Response(status_of(signed_in_user(request), timezone.now()))


class Suggestions(TutorCall):
    @extend_schema(
        operation_id="tutor_suggestions", parameters=[shapes.ScopeIn], responses={200: shapes.SuggestionsOut}
    )
    def get(self, request: Request) -> Response:
        """Questions to begin with, about a lesson, a course or all courses."""
        asked, user = query(shapes.ScopeIn, request), signed_in_user(request)
        about = find_scope(user, asked["course"] or None, asked["lesson"] or None)
        return Response({"questions": suggestions_for(user, *about)})


class Chats(TutorCall):
    @extend_schema(operation_id="tutor_chats", parameters=[shapes.ChatsIn], responses={200: shapes.ChatListOut})
    def get(self, request: Request) -> Response:
        """The caller's chats, the last changed first."""
        asked = query(shapes.ChatsIn, request)
        rows, following = list_chats(signed_in_user(request), search=asked["search"], cursor=asked["cursor"])
        return Response({"results": [chat_out(row) for row in rows], "next": following})

    @extend_schema(operation_id="tutor_chat_start", request=shapes.StartIn, responses={201: shapes.BegunOut})
    def post(self, request: Request) -> Response:
        """Begin a chat with a question. Follow its answer over /ws/tutor/, or ask for it every two seconds."""
        sent = validated(shapes.StartIn, request)
        course = sent.pop("course", None)
        exchange = services.start_chat(
            user=signed_in_user(request), asked=Asked(**sent), course=course, now=timezone.now()
        )
        begun = {"chat": chat_out(exchange.chat), "exchange": exchange_out(request, exchange)}
        return Response(begun, status=status.HTTP_201_CREATED)


def chat_page(request: Request, chat: Chat, before: int | None = None) -> Response:
    """A chat with its last exchanges before a position."""
    rows, has_earlier = exchanges_of(chat, before=before)
    exchanges = exchanges_out(signed_in_user(request), rows, timezone.now())
    return Response({**chat_out(chat), "exchanges": exchanges, "has_earlier": has_earlier})


class OneChat(TutorCall):
    @extend_schema(operation_id="tutor_chat", parameters=[shapes.BeforeIn], responses={200: shapes.ChatPageOut})
    def get(self, request: Request, uid: UUID) -> Response:
        """A chat with its last 20 exchanges, or the 20 before a position, in their order."""
        before = query(shapes.BeforeIn, request)["before"]
        return chat_page(request, chat_of(signed_in_user(request), uid), before)

    @extend_schema(operation_id="tutor_chat_change", request=shapes.ChangeChatIn, responses={200: shapes.ChatOut})
    def patch(self, request: Request, uid: UUID) -> Response:
        """Give the chat another title, or the questions that follow another scope."""
        sent, user = validated(shapes.ChangeChatIn, request), signed_in_user(request)
        chat = chat_of(user, uid)
        if "course" in sent or "lesson" in sent:
            chat = services.change_scope(user=user, uid=uid, course=sent.get("course"), lesson=sent.get("lesson"))
        if "title" in sent:
            chat = services.rename_chat(user=user, uid=uid, title=sent["title"])
        return Response(chat_out(chat))

    @extend_schema(operation_id="tutor_chat_delete", responses={204: None})
    def delete(self, request: Request, uid: UUID) -> Response:
        """Delete the chat. It can be restored for 30 days."""
        services.delete_chat(user=signed_in_user(request), uid=uid, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class ChatRestoring(TutorCall):
    @extend_schema(operation_id="tutor_chat_restore", request=None, responses={200: shapes.ChatOut})
    def post(self, request: Request, uid: UUID) -> Response:
        """Bring a deleted chat back."""
        return Response(chat_out(services.restore_chat(user=signed_in_user(request), uid=uid)))


class ChatExport(TutorCall):
    @extend_schema(operation_id="tutor_chat_export", responses={(200, "text/markdown"): OpenApiTypes.BINARY})
    def get(self, request: Request, uid: UUID) -> HttpResponseBase:
        """The chat as a Markdown file: its questions, their newest answers, and what they cite."""
        return markdown_file(chat_of(signed_in_user(request), uid))


class Exchanges(TutorCall):
    @extend_schema(operation_id="tutor_ask", request=shapes.AskIn, responses={201: shapes.ExchangeOut})
    def post(self, request: Request, uid: UUID) -> Response:
        """Ask the next question. An answer that is still being written is stopped."""
        sent = validated(shapes.AskIn, request)
        exchange = services.ask_in_chat(user=signed_in_user(request), uid=uid, asked=Asked(**sent), now=timezone.now())
        return Response(exchange_out(request, exchange), status=status.HTTP_201_CREATED)


class OneExchange(TutorCall):
    @extend_schema(operation_id="tutor_exchange_edit", request=shapes.EditIn, responses={200: shapes.ExchangeOut})
    def put(self, request: Request, uid: UUID) -> Response:
        """Ask differently: the answers to the question, and the exchanges after it, are removed."""
        sent = validated(shapes.EditIn, request)
        exchange = services.edit_question(
            user=signed_in_user(request), uid=uid, question=sent["question"], key=sent["key"], now=timezone.now()
        )
        return Response(exchange_out(request, exchange))
