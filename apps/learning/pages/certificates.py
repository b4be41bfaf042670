"""Certificates: anyone can verify them, their owner can download them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone, signed_in
from apps.learning import policies
from apps.learning.certificates.pdf import draw
from apps.learning.errors import CertificateUnknown
from apps.learning.forms import CodeForm
from apps.learning.queries.certificates import certificate_by_code, completion_line, linkedin_url, readable_code
from studyplatform.kit.policies import enforce


@open_to_everyone
@require_safe
def verify(request: HttpRequest) -> HttpResponse:
    """The form for a certificate's code: /certificates/?code=…"""
    if "code" not in request.GET:
        return render(request, "learning/verify.html", {"code": "", "error": None})
    form = CodeForm(request.GET)
    code = form.cleaned_data["code"] if form.is_valid() else ""
    try:
        found = certificate_by_code(code)
    except CertificateUnknown as error:
        return render(request, "learning/verify.html", {"code": code[:40], "error": error}, status=404)
    return redirect("learning:certificate", code=found.code)


@open_to_everyone
@require_safe
def certificate(request: HttpRequest, code: str) -> HttpResponse:
    """A certificate, for anyone with its code."""
    try:
        found = certificate_by_code(code)
    except CertificateUnknown as error:
        return render(request, "learning/verify.html", {"code": code[:40], "error": error}, status=404)
    context = {
        "certificate": found,
        "course": found.enrollment.course,
        "readable": readable_code(found.code),
        "completion_line": completion_line(found),
        "linkedin": linkedin_url(found),
        "is_owner": policies.download_certificate(request.user, found) is None,
    }
    return render(request, "learning/certificate.html", context)


@signed_in
@require_safe
def certificate_pdf(request: HttpRequest, code: str) -> HttpResponse:
    """The certificate as a PDF, for its owner."""
    found = certificate_by_code(code)
    enforce(policies.download_certificate(request.user, found))
    response = HttpResponse(draw(found), content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="certificate-{found.code}.pdf"'
    response["Cache-Control"] = "private, no-store"
    return response
