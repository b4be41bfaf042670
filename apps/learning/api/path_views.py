"""Learning paths as calls, for reading: what everyone sees, and the caller's own progress."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import permissions
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses import path_policies
from apps.courses.queries.paths import listed_rows, path_cards, path_page
from apps.learning.api.path_serializers import PathCardOut, PathOut
from apps.learning.queries.addresses import course_url
from apps.learning.queries.course_marks import course_marks_of
from apps.learning.queries.path_progress import NOBODY, PathProgress, Step, path_for, progress_in
from studyplatform.kit.policies import enforce


class Paths(GenericAPIView[Any]):
    """All published learning paths."""

    permission_classes = [permissions.AllowAny]
    serializer_class = PathCardOut

    @extend_schema(operation_id="learning_paths", responses={200: PathCardOut(many=True)})
    def get(self, request: Request) -> Response:
        """The published learning paths, by title; for the signed-in with their progress."""
        page = self.paginate_queryset(listed_rows())
        marks = course_marks_of(request.user) if isinstance(request.user, User) else NOBODY
        found = [
            {
                "slug": one.slug,
                "title": one.title,
                "summary": one.summary,
                "url": path_url(one.slug),
                "course_count": len(one.courses),
                "duration": one.duration,
                "progress": progress_out(request.user, progress_in([each.pk for each in one.courses], marks)),
            }
            for one in path_cards(page or [])
        ]
        return self.get_paginated_response(PathCardOut(found, many=True).data)


class OnePath(APIView):
    """A learning path with its courses."""

    permission_classes = [permissions.AllowAny]

    @extend_schema(operation_id="learning_path", responses={200: PathOut})
    def get(self, request: Request, slug: str) -> Response:
        """The courses of a learning path in their order; for the signed-in with their progress."""
        page = path_page(slug)
        enforce(path_policies.see_path(request.user, page.path))
        shown = path_for(request.user, page)
        shape = {
            "slug": page.path.slug,
            "title": page.path.title,
            "summary": page.path.summary,
            "description": page.path.description,
            "url": path_url(page.path.slug),
            "duration": page.duration,
            "progress": progress_out(request.user, shown.progress),
            "next": shown.next.card.slug if shown.next else None,
            "courses": [step_out(one) for one in shown.steps],
        }
        return Response(PathOut(shape).data)


def path_url(slug: str) -> str:
    return f"/paths/{slug}"


def progress_out(user: AnyUser, progress: PathProgress) -> dict[str, int] | None:
    """Return the shape ``PathProgressOut``; None for visitors."""
    if not isinstance(user, User):
        return None
    return {"completed_courses": progress.done, "course_count": progress.total, "percent": progress.percent}


def step_out(step: Step) -> dict[str, Any]:
    """Return the shape ``PathStepOut``."""
    return {
        "course": {"slug": step.card.slug, "title": step.card.title, "url": course_url(step.card.slug)},
        "number": step.number or None,
        "state": step.state,
        "percent": step.percent,
        "difficulty": step.card.difficulty,
        "lesson_count": step.card.lesson_count,
        "duration": step.card.duration,
        "waits_for": [{"slug": one.slug, "title": one.title, "url": course_url(one.slug)} for one in step.waits_for],
    }
