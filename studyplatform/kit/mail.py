"""Mails: one template per mail in templates/emails, in words and as a page, in the look of the site.

``emails/<name>.txt`` begins with the subject in its first line; ``emails/<name>.html`` extends ``emails/layout.html``.
Always sent from a job, never while somebody waits.
"""

from html import unescape
from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string


def send(name: str, *, to: str, **context: Any) -> None:
    """Send one mail to one person. ``link`` in the context is an address of this site, without its host."""
    if "link" in context:
        context["link"] = settings.SITE_URL.rstrip("/") + context["link"]
    # Templates escape for HTML; the mail's words are not HTML.
    subject, _, words = unescape(render_to_string(f"emails/{name}.txt", context)).strip().partition("\n")
    message = EmailMultiAlternatives(" ".join(subject.split()), words.strip() + "\n", to=[to])
    message.attach_alternative(render_to_string(f"emails/{name}.html", context), "text/html")
    message.send()
