"""The card of a gift as a PDF to print: A5, landscape. Drawn by ``gift_card.typ``."""

from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.billing.models import Gift
from studyplatform.kit.typesetting import compile_pdf, make_phrase

_TEMPLATE = Path(__file__).with_name("gift_card.typ")


def print_gift_card(gift: Gift, *, code: str, dated: datetime) -> bytes:
    """Return the card of a gift: what it is, for whom and from whom, the message, the code and where to enter it."""
    address = f"{settings.SITE_URL}/gift"
    language = get_language() or "en"
    to = _("For %(name)s") % {"name": gift.recipient_name} if gift.recipient_name else ""
    return compile_pdf(
        _TEMPLATE,
        {
            "title": gift.order.title,
            "author": settings.SITE_NAME,
            "lang": language.partition("-")[0],
            "site": make_phrase(settings.SITE_NAME),
            "kicker": make_phrase(_("A gift for you")),
            "name": make_phrase(gift.order.title),
            "to": make_phrase(to),
            "from": make_phrase(_("From %(name)s") % {"name": gift.sender_name}),
            "message": [make_phrase(line) for line in gift.message.splitlines() if line.strip()],
            "code": make_phrase(code),
            "how": make_phrase(_("Enter this code at %(address)s") % {"address": address.partition("://")[2]}),
            "address": address,
        },
        dated=dated,
    )
