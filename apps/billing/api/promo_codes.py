"""Promo codes of a course as calls, for the step of the course wizard that sets the price."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, serializers, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.accounts.models import User
from apps.billing import policies, services
from apps.billing.models import PromoCode
from apps.billing.promo_form import PERCENT, USES, PromoCodeForm, period_of
from apps.billing.queries import promo_codes as found
from apps.courses.models import Course
from studyplatform.kit.errors import NotFound, ValidationFailed
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.money import money
from studyplatform.kit.web.api import validated


def _every_text(text: Any) -> dict[str, Any]:
    """The text for whatever is wrong with a number."""
    return {"invalid": text, "min_value": text, "max_value": text}


class PromoCodeIn(serializers.Serializer[object]):
    """A new code for one course. ``kind`` says which of ``percent`` and ``amount`` counts."""

    code = serializers.CharField(max_length=24)
    kind = serializers.ChoiceField(choices=["percent", "amount"])
    percent = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=100, error_messages=_every_text(PERCENT)
    )
    amount = serializers.CharField(max_length=12, allow_blank=True, default="", help_text="In units of the currency.")
    limit = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=1_000_000, error_messages=_every_text(USES)
    )
    last_day = serializers.DateField(required=False, allow_null=True, help_text="In the user's time zone.")


class PromoCodeOut(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    code = serializers.CharField()
    discount = serializers.CharField(help_text="In words.")
    covers = serializers.ChoiceField(choices=PromoCode.Scope.choices)
    state = serializers.ChoiceField(choices=list(found.STATES))
    state_label = serializers.CharField()
    used = serializers.IntegerField()
    limit = serializers.IntegerField(allow_null=True)
    last_day = serializers.DateField(allow_null=True)
    may_end = serializers.BooleanField()
    href = serializers.CharField(help_text="The page of the code.")


class CoursePromoCodes(GenericAPIView[Any]):
    """The codes that lower the price of a course."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = PromoCodeOut

    @extend_schema(operation_id="billing_promo_codes", responses={200: PromoCodeOut(many=True)})
    def get(self, request: Request, slug: str) -> Response:
        """The codes that learners can use for the course, last created first."""
        user, now = signed_in_user(request), timezone.now()
        course = _course(user, slug)
        codes = PromoCode.objects.all() if user.is_admin else found.codes_of(user)
        covering = found.covering(codes, course=course.pk, instructor=course.instructor_id)
        page = self.paginate_queryset(found.with_state(covering, now)) or []
        return self.get_paginated_response([_shown(code, user) for code in page])

    @extend_schema(operation_id="billing_promo_code_add", request=PromoCodeIn, responses={201: PromoCodeOut})
    def post(self, request: Request, slug: str) -> Response:
        """Give a code for the course. Each learner can use it once."""
        user, now, sent = signed_in_user(request), timezone.now(), validated(PromoCodeIn, request)
        typed = {
            "course": _course(user, slug).slug,
            **{name: "" if value is None else value for name, value in sent.items()},
            "scope": PromoCode.Scope.COURSE,
            "limit_per_user": 1,
        }
        form = PromoCodeForm(typed, user=user, now=now)
        if not form.is_valid():
            raise ValidationFailed(
                in_fields={
                    field: [{"code": one["code"] or "invalid", "message": one["message"]} for one in errors]
                    for field, errors in form.errors.get_json_data().items()
                }
            )
        code = services.create_promo_code(user=user, terms=form.terms(), limits=form.limits(), now=now)
        return Response(_shown(found.code_for(user, code.uid, now), user), status.HTTP_201_CREATED)


class PromoCodeEnd(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="billing_promo_code_end", request=None, responses={200: PromoCodeOut})
    def post(self, request: Request, uid: UUID) -> Response:
        """Switch the code off. Orders that hold it keep their price."""
        user, now = signed_in_user(request), timezone.now()
        services.switch_promo_code(user=user, code=found.code_for(user, uid, now), on=False)
        return Response(_shown(found.code_for(user, uid, now), user))


def _course(user: User, slug: str) -> Course:
    """The course, for those who may give a discount on it; a hidden one does not exist for others."""
    course = Course.objects.filter(slug=slug).first()
    if course is None:
        raise NotFound
    enforce(policies.give_discount(user, PromoCode.Scope.COURSE, course, None))
    return course


def _shown(code: Any, user: User) -> dict[str, Any]:
    """``code``: with its ``state`` (`queries.promo_codes.with_state`)."""
    return {
        "uid": code.uid,
        "code": code.code,
        "discount": f"{code.percent}%" if code.percent is not None else money(code.amount, code.currency),
        "covers": code.scope,
        "state": code.state,
        "state_label": str(found.STATES[code.state]),
        "used": code.used,
        "limit": code.limit,
        "last_day": period_of(code, user)[1],
        "may_end": code.is_active and policies.manage_promo_code(user, code) is None,
        "href": f"/dashboard/instructor/promo-codes/{code.uid}",
    }
