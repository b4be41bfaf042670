"""Tax details: an instructor gives them, admins read them with the year that they are reported for."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import policies
from apps.accounts.guards import administers, recently_authenticated, signed_in_user
from apps.accounts.models import User
from apps.billing import services
from apps.billing.countries import country_name
from apps.billing.models import PayoutAccount, TaxDetails
from apps.billing.pages.report_choices import selection_of, selection_query, shared_context, year_of
from apps.billing.queries import yearly_earnings
from apps.billing.queries.payouts import account_number
from apps.billing.queries.report_selection import Selection
from apps.billing.queries.tax_details import identity_of, reminded_at
from apps.billing.services.tax_details import YEARS_KEPT
from apps.billing.tax_details_form import TaxDetailsForm
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce


@recently_authenticated
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_post_parameters()
def details(request: HttpRequest) -> HttpResponse:
    """What the tax office must be told of the user. Their tax number is never shown again."""
    user = signed_in_user(request)
    enforce(policies.teach(user))
    saved = TaxDetails.objects.filter(user=user).first()
    identity = identity_of(saved) if saved else None
    sent = request.POST if request.method == "POST" else None
    known = {} if saved else {"name": user.get_full_name()}
    form = TaxDetailsForm(sent, instance=saved or TaxDetails(), initial=known, identity=identity)
    if form.is_valid():
        services.save_tax_details(user=user, details=form.cleaned_data, now=timezone.now())
        messages.success(request, _("Your tax details are saved."))
        return redirect("billing:payout-details")
    number_end = saved.number_end if saved and identity else ""
    context = {"form": form, "saved": saved, "number_end": number_end, "years_kept": YEARS_KEPT}
    return render(request, "billing/earnings/tax_details.html", context, status=422 if form.errors else 200)


@recently_authenticated
@require_safe
@never_cache
def instructor_details(request: HttpRequest, uid: UUID) -> HttpResponse:
    """A year of an instructor by quarter, their tax details and the account of their payouts, for an admin."""
    enforce(policies.administer(signed_in_user(request)))
    person = User.objects.filter(uid=uid).first()
    if person is None:
        raise NotFound
    selection, year = selection_of(request), year_of(request)
    found = yearly_earnings.of_year(year, selection.currency, instructor_id=person.pk)
    saved = TaxDetails.objects.filter(user=person).first()
    account = PayoutAccount.objects.filter(user=person).first()
    context = {
        **shared_context(selection, "instructors"),
        "year": year,
        "person": person,
        "earnings": found[0] if found else yearly_earnings.YearlyEarnings(person.pk),
        "year_address": selection_query(
            Selection(selection.currency, since=date(year, 1, 1), until=date(year, 12, 31), instructor=person.pk)
        ),
        "quarters": [
            (number, selection_query(yearly_earnings.quarter_selection(year, number, selection.currency, person.pk)))
            for number in (1, 2, 3, 4)
        ],
        "saved": saved,
        "identity": identity_of(saved) if saved else None,
        "country": country_name(saved.country) if saved else "",
        "residence": country_name(saved.residence) if saved else "",
        "account": account,
        "account_number": account_number(account) if account else "",
        "reminded_at": reminded_at([person.pk]).get(person.pk),
    }
    return render(request, "billing/admin/reports/instructor.html", context)


@administers
@require_POST
def remind(request: HttpRequest) -> HttpResponse:
    """Ask instructors of a year who gave no tax details for them: one, or all. Each once a week at most."""
    currency, year = selection_of(request).currency, year_of(request)
    everyone = User.objects.filter(pk__in=[each.instructor_id for each in yearly_earnings.of_year(year, currency)])
    uid = request.POST.get("instructor", "")
    wanted = [user for user in everyone if uid in {"", str(user.uid)}]
    asked = services.remind_of_tax_details(wanted, year=year, now=timezone.now())
    if asked:
        text = ngettext("%(count)d instructor was reminded.", "%(count)d instructors were reminded.", asked)
        messages.success(request, text % {"count": asked})
    else:
        messages.info(request, _("No one was reminded: each instructor gets one reminder a week at most."))
    query = urlencode({"currency": currency, "year": str(year)})
    return HttpResponseRedirect(f"{reverse('billing:admin-instructor-years')}?{query}")
