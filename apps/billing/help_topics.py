"""What people ask about money, and the answers (kit/extensions.py)."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.billing.bank_account import offers_transfer
from apps.billing.seat_prices import GIVE_BACK_DAYS, INVOICE_DAYS
from studyplatform.kit.extensions import HelpTopic, help_topics


def _refund(user: Any) -> str:
    return _(
        "Open the payment under [Transactions](/billing/transactions) and choose “Refund”. Within %(days)d "
        "days of the payment and below %(percent)d%% of the course used, you get the money back immediately. Of a "
        "bundle, this goes for each of its courses. Otherwise an admin decides."
    ) % {"days": settings.REFUND_DAYS, "percent": settings.REFUND_PERCENT}


def _cancel(user: Any) -> str:
    return _(
        "Cancel Premium under [Subscription](/billing/subscriptions). You keep it until the end of the period"
        " you paid for."
    )


def _premium(user: Any) -> str:
    return _(
        "[Premium](/premium) includes every Premium course for one monthly or yearly price. Courses with a "
        "one-time price are yours to keep."
    )


def _receipts(user: Any) -> str:
    return _("Your receipts and invoices are under [Transactions](/billing/transactions).")


def _cards(user: Any) -> str:
    return _("Add, remove or change cards under [Payment methods](/billing/methods).")


def _promo(user: Any) -> str:
    return _("Enter a promo code at checkout, before you pay. The new total appears immediately.")


def _gift(user: Any) -> str:
    return _(
        "Choose “Give it as a gift” on the page of a course or bundle. We email a code on the day you choose, and"
        " your [gifts](/billing/gifts) show whether it was redeemed. To redeem one, enter its [code](/gift)."
    )


def _transfer(user: Any) -> str:
    if not offers_transfer():
        return _("You can pay by card. Bank transfers aren't possible here.")
    return _(
        "Choose “Bank transfer” at checkout. You get the invoice right away, and the page of your order says what to "
        "transfer, where and with which reference. The course opens once the money has arrived, usually in one to "
        "three working days. Orders that wait are under [Transactions](/billing/transactions), where you can also pay "
        "by card instead or cancel."
    )


def _bundle(user: Any) -> str:
    return _(
        "A [bundle](/bundles/) is several courses at one price. Courses you own are left out, and you pay for the"
        " others only."
    )


def _seat(user: Any) -> str:
    return _(
        "Follow the link in the invitation of your team, or take the seat that your dashboard or"
        " [Teams](/billing/teams) offers you. There you also read what the team sees, and can leave it."
    )


def _assign(user: Any) -> str:
    return _(
        "Open your team under [Teams](/billing/teams) and enter email addresses, one per line: people with an account"
        " get a seat right away, others an invitation. There you also take seats back and see how they are used."
    )


def _seats(user: Any) -> str:
    return _(
        "Order [seats for your team](/premium/teams), by card or with an invoice of %(days)d days: of Premium for a"
        " year, or of one course. Under [Teams](/billing/teams) you assign them, add more, renew them, and give back"
        " within %(back)d days what nobody used. The [terms for teams](/help/seats-for-teams) say the rest."
    ) % {"days": INVOICE_DAYS, "back": GIVE_BACK_DAYS}


for name, questions, answer in (
    (
        "refund",
        (
            gettext_lazy("How do I get my money back?"),
            gettext_lazy("Can I get a refund for a course?"),
            gettext_lazy("I want to return the course I bought"),
        ),
        _refund,
    ),
    (
        "cancel",
        (gettext_lazy("How do I cancel my subscription?"), gettext_lazy("How do I cancel Premium?")),
        _cancel,
    ),
    (
        "premium",
        (
            gettext_lazy("How much does Premium cost?"),
            gettext_lazy("What is included in Premium?"),
            gettext_lazy("How much do the courses cost?"),
        ),
        _premium,
    ),
    ("receipts", (gettext_lazy("Where is my invoice or receipt?"),), _receipts),
    (
        "cards",
        (gettext_lazy("How do I change my credit card?"), gettext_lazy("My payment was declined")),
        _cards,
    ),
    (
        "gift",
        (
            gettext_lazy("Can I give a course as a gift?"),
            gettext_lazy("How do I redeem a gift code?"),
            gettext_lazy("My gift was not delivered"),
        ),
        _gift,
    ),
    (
        "seats",
        (
            gettext_lazy("Can I buy courses for my company or team?"),
            gettext_lazy("How do I pay for seats by invoice?"),
            gettext_lazy("Are there discounts for many learners?"),
        ),
        _seats,
    ),
    (
        "transfer",
        (
            gettext_lazy("Can I pay by bank transfer?"),
            gettext_lazy("Can I pay by invoice?"),
            gettext_lazy("I have transferred the money, when does the course open?"),
        ),
        _transfer,
    ),
    ("bundle", (gettext_lazy("What is a bundle?"), gettext_lazy("Are there bundles of courses?")), _bundle),
    (
        "seat",
        (
            gettext_lazy("How do I use the seat my company gave me?"),
            gettext_lazy("What does my employer see of my learning?"),
            gettext_lazy("How do I leave a team?"),
        ),
        _seat,
    ),
    (
        "assign",
        (
            gettext_lazy("How do I assign seats to my team?"),
            gettext_lazy("How do I invite people to my team?"),
            gettext_lazy("How do I take back a seat from someone who left?"),
        ),
        _assign,
    ),
    ("promo", (gettext_lazy("How do I use a promo code or coupon?"),), _promo),
):
    offered = gettext_lazy("How much do the courses cost?") if name == "premium" else ""
    help_topics.register(f"billing.{name}", HelpTopic(questions=questions, answer=answer, offered=offered))
