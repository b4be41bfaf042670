"""What the user wants on their invoices: /billing/details."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts.guards import signed_in, signed_in_user
from apps.billing.buyer_form import BuyerForm
from apps.billing.documents.snapshots import buyer_lines
from apps.billing.models import BuyerDetails
from apps.billing.services import buyers


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def details(request: HttpRequest) -> HttpResponse:
    """Name or company, address and VAT number. Later invoices use them; those that were issued stay as they are."""
    user = signed_in_user(request)
    saved = BuyerDetails.objects.filter(user=user).first()
    form = BuyerForm(request.POST if request.method == "POST" else None, instance=saved)
    if form.is_valid():
        row = buyers.save_buyer_details(user=user, details=form.cleaned_data, now=timezone.now())
        buyers.use_for_subscription(row)
        messages.success(request, _("Saved. Your next invoice uses these details."))
        return redirect("billing:details")
    printed = buyer_lines(saved.as_snapshot(), user.display_name) if saved else []
    context = {"form": form, "saved": saved, "printed": printed}
    return render(request, "billing/details.html", context, status=422 if form.errors else 200)
