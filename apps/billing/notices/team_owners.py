"""The notification kinds for those who buy seats."""

from django.utils.translation import gettext_lazy as _

from apps.accounts import services

TEAM_ENDS = services.register_kind(
    services.Kind(
        name="billing.team_ends",
        group="billing",
        title=_("Seats that end soon"),
        headline=_("The %(seats)s seats of %(team)s end on %(date)s"),
        text=_(
            "They are not renewed by themselves. Renew them, and your people go on without a break;"
            " otherwise Premium closes to them, and their progress is kept."
        ),
        action=_("Renew the seats"),
        icon="calendar-days",
        is_transactional=True,
    )
)
TEAM_PAUSED = services.register_kind(
    services.Kind(
        name="billing.team_paused",
        group="billing",
        title=_("Seats that pause"),
        headline=_("The seats of %(team)s are paused"),
        text=_(
            "The invoice of %(amount)s is 14 days overdue. Progress is kept, and the seats open again as soon as it is"
            " paid. If you have transferred the amount in the meantime, there is nothing to do."
        ),
        action=_("Pay by card now"),
        icon="clock",
        is_transactional=True,
    )
)
TEAM_ENDED = services.register_kind(
    services.Kind(
        name="billing.team_ended",
        group="billing",
        title=_("Seats that have ended"),
        headline=_("The %(seats)s seats of %(team)s have ended"),
        text=_("Premium is closed to your people, and their progress is kept. Renew the seats to let them go on."),
        action=_("See your team"),
        icon="clock",
    )
)
