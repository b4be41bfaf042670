"""The notification kinds of teams and their seats."""

from django.utils.translation import gettext_lazy as _

from apps.accounts import services

SEAT_GIVEN = services.register_kind(
    services.Kind(
        name="billing.seat_given",
        group="billing",
        title=_("Seats you get"),
        headline=_("You have a seat of %(team)s"),
        text=_(
            "It opens %(opens)s. %(team)s sees your name, since when you have the seat, the courses you open with it,"
            " your hours in them over the last 30 days and when you were last there. They never see answers, scores,"
            " notes, chats or posts. You can leave under Billing, Teams."
        ),
        action=_("Start learning"),
        icon="user-round-plus",
    )
)
SEAT_TAKEN = services.register_kind(
    services.Kind(
        name="billing.seat_taken",
        group="billing",
        title=_("Seats that are taken back"),
        headline=_("%(team)s took your seat back"),
        text=_("It opened %(opens)s. Your notes, progress and certificates are kept."),
        action=_("See what you can do now"),
        icon="lock",
    )
)
SEATS_PAUSED = services.register_kind(
    services.Kind(
        name="billing.seats_paused",
        group="billing",
        title=_("Seats that pause"),
        headline=_("Your seat of %(team)s is paused"),
        text=_("It opens %(opens)s again as soon as the team's invoice is paid. Your progress is kept."),
        action=_("See your seats"),
        icon="clock",
    )
)
SEATS_REOPENED = services.register_kind(
    services.Kind(
        name="billing.seats_reopened",
        group="billing",
        title=_("Seats that open again"),
        headline=_("Your seat of %(team)s is open again"),
        text=_("Continue where you left off: it opens %(opens)s."),
        action=_("Continue learning"),
        icon="user-round-plus",
    )
)
SEATS_ENDED = services.register_kind(
    services.Kind(
        name="billing.seats_ended",
        group="billing",
        title=_("Seats that end"),
        headline=_("Your seat of %(team)s has ended"),
        text=_("It opened %(opens)s. Your notes, progress and certificates are kept."),
        action=_("See what you can do now"),
        icon="clock",
    )
)
SEAT_LEFT = services.register_kind(
    services.Kind(
        name="billing.seat_left",
        group="billing",
        title=_("People who leave your team"),
        headline=_("%(name)s left %(team)s"),
        text=_("Their seat is free. You can give it to someone else."),
        action=_("See your team"),
        icon="user-round",
    )
)
TEAM_RECEIVED = services.register_kind(
    services.Kind(
        name="billing.team_received",
        group="billing",
        title=_("Teams handed over to you"),
        headline=_("You manage %(team)s now"),
        text=_(
            "You assign its seats, see how they are used, and can add more. Invoices before today stay where they are."
        ),
        action=_("See your team"),
        icon="user-round-plus",
    )
)
TEAM_GIVEN = services.register_kind(
    services.Kind(
        name="billing.team_given",
        group="billing",
        title=_("Teams you handed over"),
        headline=_("%(name)s manages %(team)s now"),
        text=_("You no longer see its people. Your invoices stay under Transactions."),
        action=_("See your teams"),
        icon="user-round",
    )
)
