"""The notification kinds of files."""

from django.utils.translation import gettext_lazy as _

from apps.accounts import services

READY = services.register_kind(
    services.Kind(
        name="files.video_ready",
        group="teaching",
        title=_("Your video is ready"),
        headline=_("%(file)s is ready to watch"),
        text=_("The video has been processed in every quality."),
        action=_("See your uploads"),
        icon="video",
        mail=services.Mail.OFF,
        is_for=lambda user: user.can_teach,
    )
)
INFECTED = services.register_kind(
    services.Kind(
        name="files.infected",
        group="account",
        title=_("A virus was found in a file"),
        headline=_("%(file)s is infected"),
        text=_("The virus scan found %(threat)s in it. No one can download or share the file. You can delete it."),
        action=_("See the file"),
        icon="shield-alert",
    )
)
FAILED = services.register_kind(
    services.Kind(
        name="files.video_failed",
        group="teaching",
        title=_("A video couldn't be processed"),
        headline=_("%(file)s couldn't be processed"),
        text=_("Open your uploads to see what went wrong and what you can do."),
        action=_("See your uploads"),
        icon="video-off",
        is_for=lambda user: user.can_teach,
    )
)
REPLACEMENT_FAILED = services.register_kind(
    services.Kind(
        name="files.replacement_failed",
        group="teaching",
        title=_("A replacement video couldn't be used"),
        headline=_("%(file)s couldn't be used"),
        text=_("Your previous video is unchanged, and learners still see it. Your uploads page shows what went wrong."),
        action=_("See your uploads"),
        icon="video-off",
        is_for=lambda user: user.can_teach,
    )
)
STORAGE_WARNING = services.register_kind(
    services.Kind(
        name="files.storage_warning",
        group="account",
        title=_("Your storage is almost full"),
        headline=_("%(percent)s%% of your storage is used"),
        text=_("You've used %(used)s of %(allowance)s. Delete what you no longer need and empty the bin."),
        action=_("Manage storage"),
        icon="hard-drive",
        mail=services.Mail.OFF,
    )
)
