"""The outline of a course as calls of the studio's island. Each asks, calls one service, and answers the outline."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.courses import services
from apps.courses.api import outline_serializers as shapes
from apps.courses.api.lookups import course_with
from apps.courses.errors import OutlineMoved
from apps.courses.models import Course, OutlineChange, Section
from apps.courses.queries.outline_changes import change_made, change_out
from apps.courses.queries.studio_outline import studio_outline
from studyplatform.kit.errors import NotFound
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB


class OutlineCall(APIView):
    """What the calls below share. ``course`` is found for its staff only."""

    permission_classes = [permissions.IsAuthenticated]

    def answer(
        self,
        request: Request,
        course: Course,
        change: OutlineChange | None = None,
        *,
        added: Collection[UUID] = (),
        removals: Collection[OutlineChange] = (),
        code: int = status.HTTP_200_OK,
    ) -> Response:
        """The present outline, with what was done."""
        outline = studio_outline(course, signed_in_user(request), now=timezone.now())
        done = {
            "outline": outline,
            "change": change_out(change) if change else None,
            "added": list(added),
            "removals": [{"course": one.course.uid, "change": one.uid} for one in removals],
        }
        return Response(done, code)

    @contextmanager
    def showing_conflicts(self, request: Request, course: Course) -> Iterator[None]:
        """A conflict's answer has the present outline."""
        try:
            yield
        except OutlineMoved:
            outline = studio_outline(course, signed_in_user(request), now=timezone.now())
            raise OutlineMoved(outline=_plain(outline)) from None


class StudioOutlineOfCourse(OutlineCall):
    @extend_schema(operation_id="studio_outline", responses={200: shapes.StudioOutline})
    def get(self, request: Request, uid: UUID) -> Response:
        """The sections and lessons with their states, and the changes that can be undone."""
        course = course_with(request, uid)
        return Response(studio_outline(course, signed_in_user(request), now=timezone.now()))

    @extend_schema(
        operation_id="studio_outline_rule",
        request=shapes.OutlineOrderRuleIn,
        responses={200: shapes.StudioOutlineChanged},
    )
    def patch(self, request: Request, uid: UUID) -> Response:
        """Sets whether lessons open one after the other."""
        course, form = course_with(request, uid), validated(shapes.OutlineOrderRuleIn, request)
        services.require_order(
            course=course, by=signed_in_user(request), required=form["requires_order"], now=timezone.now()
        )
        return self.answer(request, course)


class StudioOutlineOrder(OutlineCall):
    @extend_schema(
        operation_id="studio_outline_order", request=shapes.OutlineOrderIn, responses={200: shapes.StudioOutlineChanged}
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Puts all sections and lessons in this order."""
        course, form = course_with(request, uid), validated(shapes.OutlineOrderIn, request)
        sections = pks_of(course.sections.values_list("uid", "pk"), [one["uid"] for one in form["sections"]])
        known = dict(course.lessons.values_list("uid", "pk"))
        order = [
            (section, [_pk(known, lesson) for lesson in one["lessons"]])
            for section, one in zip(sections, form["sections"], strict=True)
        ]
        with self.showing_conflicts(request, course):
            change = services.arrange_outline(
                course=course, by=signed_in_user(request), order=order, etag=form["etag"], now=timezone.now()
            )
        return self.answer(request, course, change)


class StudioOutlineMove(OutlineCall):
    @extend_schema(
        operation_id="studio_outline_move", request=shapes.OutlineMoveIn, responses={200: shapes.StudioOutlineChanged}
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Moves lessons to a place in a section, or sections to a place in the course."""
        course, form = course_with(request, uid), validated(shapes.OutlineMoveIn, request)
        wanted = [form["section"]] if "section" in form else []
        with self.showing_conflicts(request, course):
            change = services.move_items(
                course=course,
                by=signed_in_user(request),
                lessons=pks_of(course.lessons.values_list("uid", "pk"), form["lessons"]),
                section=next(iter(pks_of(course.sections.values_list("uid", "pk"), wanted)), None),
                sections=pks_of(course.sections.values_list("uid", "pk"), form["sections"]),
                position=form["position"],
                etag=form["etag"],
                now=timezone.now(),
            )
        return self.answer(request, course, change)


class StudioOutlineRemove(OutlineCall):
    @extend_schema(
        operation_id="studio_outline_remove",
        request=shapes.OutlineItemsIn,
        responses={200: shapes.StudioOutlineChanged},
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Deletes lessons, and sections with their lessons. It can be undone for 30 days."""
        course, form = course_with(request, uid), validated(shapes.OutlineItemsIn, request)
        change = services.remove_items(
            course=course,
            by=signed_in_user(request),
            sections=list(course.sections.filter(uid__in=form["sections"]).values_list("pk", flat=True)),
            lessons=list(course.lessons.filter(uid__in=form["lessons"]).values_list("pk", flat=True)),
            now=timezone.now(),
        )
        return self.answer(request, course, change)


class StudioOutlineSettings(OutlineCall):
    @extend_schema(
        operation_id="studio_outline_settings",
        request=shapes.LessonSettingsIn,
        responses={200: shapes.StudioOutlineChanged},
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Sets for lessons whether they are previews, optional, and when they open."""
        course, form = course_with(request, uid), validated(shapes.LessonSettingsIn, request)
        lessons = pks_of(course.lessons.values_list("uid", "pk"), form.pop("lessons"))
        # A way to open replaces the other one.
        if form.get("opens_at") is not None:
            form.setdefault("opens_after_days", None)
        if form.get("opens_after_days") is not None:
            form.setdefault("opens_at", None)
        change = services.change_settings(
            course=course, by=signed_in_user(request), values=dict.fromkeys(lessons, form), now=timezone.now()
        )
        return self.answer(request, course, change)


class StudioOutlineSections(OutlineCall):
    @extend_schema(
        operation_id="studio_outline_section_add",
        request=shapes.NewSectionIn,
        responses={201: shapes.StudioOutlineChanged},
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Adds a section, at the end unless a position is given."""
        course, form = course_with(request, uid), validated(shapes.NewSectionIn, request)
        by, now = signed_in_user(request), timezone.now()
        section = services.add_section(course=course, by=by, now=now, **form)
        change = change_made(course, by, now=now)
        return self.answer(request, course, change, added=[section.uid], code=status.HTTP_201_CREATED)


class StudioOutlineSectionTitle(OutlineCall):
    @extend_schema(
        operation_id="studio_outline_section_rename",
        request=shapes.SectionTitleIn,
        responses={200: shapes.StudioOutlineChanged},
    )
    def patch(self, request: Request, uid: UUID, section: UUID) -> Response:
        """Changes the title of a section. If it has another one than the author saw, it stays."""
        course, form = course_with(request, uid), validated(shapes.SectionTitleIn, request)
        with self.showing_conflicts(request, course):
            services.rename_section(
                section=_section(course, section),
                by=signed_in_user(request),
                title=form["title"],
                was=form.get("was"),
                now=timezone.now(),
            )
        return self.answer(request, course)


class StudioOutlineLessons(OutlineCall):
    body_limits = {"POST": 512 * KIB}  # a text of a lesson

    @extend_schema(
        operation_id="studio_outline_lesson_add",
        request=shapes.NewLessonIn,
        responses={201: shapes.StudioOutlineChanged},
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Adds a lesson, with a text or empty, at the end of a section unless a position is given."""
        course, form = course_with(request, uid), validated(shapes.NewLessonIn, request)
        by, now = signed_in_user(request), timezone.now()
        lesson = services.add_lesson(by=by, now=now, **{**form, "section": _section(course, form["section"])})
        change = change_made(course, by, now=now)
        return self.answer(request, course, change, added=[lesson.uid], code=status.HTTP_201_CREATED)


class StudioOutlineUndo(OutlineCall):
    @extend_schema(operation_id="studio_outline_undo", request=None, responses={200: shapes.StudioOutlineChanged})
    def post(self, request: Request, uid: UUID, change: UUID) -> Response:
        """Takes a change back. What others changed since stays; where that isn't possible, nothing is changed."""
        course = course_with(request, uid)
        made = OutlineChange.objects.filter(course=course, uid=change).first()
        if made is None:
            raise NotFound
        services.undo_change(change=made, by=signed_in_user(request), now=timezone.now())
        return self.answer(request, course)


class StudioOutlineDuplicate(OutlineCall):
    @extend_schema(
        operation_id="studio_outline_duplicate",
        request=shapes.OutlineItemsIn,
        responses={201: shapes.StudioOutlineChanged},
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Puts copies behind lessons, and behind sections with their lessons."""
        course, form = course_with(request, uid), validated(shapes.OutlineItemsIn, request)
        change, copies = services.duplicate_items(
            course=course,
            by=signed_in_user(request),
            sections=pks_of(course.sections.values_list("uid", "pk"), form["sections"]),
            lessons=pks_of(course.lessons.values_list("uid", "pk"), form["lessons"]),
            now=timezone.now(),
        )
        added = copies.uids
        return self.answer(request, course, change, added=added, code=status.HTTP_201_CREATED)


def _section(course: Course, uid: UUID) -> Section:
    found = course.sections.filter(uid=uid).first()
    if found is None:
        raise NotFound
    found.course = course
    return found


def pks_of(rows: Any, uids: list[UUID]) -> list[int]:
    """Return the primary keys of these uids, in their order. No query without uids.

    :raises NotFound: one is not among the rows.
    """
    known = dict(rows) if uids else {}
    return [_pk(known, uid) for uid in uids]


def _pk(known: dict[UUID, int], uid: UUID) -> int:
    if uid not in known:
        raise NotFound
    return known[uid]


def _plain(outline: dict[str, Any]) -> dict[str, Any]:
    """The outline as JSON: the params of an error are plain values."""
    return dict(shapes.StudioOutline(outline).data)
