"""Notifications of messages, announcements and posts."""

from django.utils.translation import gettext_lazy as _

from apps.accounts import services

MESSAGE = services.register_kind(
    services.Kind(
        name="forum.message",
        group="learning",
        title=_("Messages"),
        headline=_("%(author)s wrote to you about “%(course)s”"),
        quote="words",
        action=_("Read the message"),
        icon="mail",
        hint=_("Messages from your instructors and, if you teach, your learners."),
    )
)
ANNOUNCEMENT = services.register_kind(
    services.Kind(
        name="forum.announcement",
        group="learning",
        title=_("Announcements in your courses"),
        headline=_("“%(course)s”: %(subject)s"),
        quote="words",
        action=_("Read the announcement"),
        icon="megaphone",
    )
)
MENTION = services.register_kind(
    services.Kind(
        name="forum.mention",
        group="discussions",
        title=_("Mentions"),
        headline=_("%(author)s mentioned you in “%(topic)s”"),
        quote="words",
        action=_("Read the post"),
        icon="megaphone",
        hint=_("Someone wrote @ and your username."),
    )
)
REPLY = services.register_kind(
    services.Kind(
        name="forum.reply",
        group="discussions",
        title=_("Replies"),
        headline=_("%(author)s replied in “%(topic)s”"),
        quote="words",
        action=_("Read the reply"),
        icon="message-square",
        hint=_("Replies to your posts and in topics you watch."),
    )
)
ACCEPTED = services.register_kind(
    services.Kind(
        name="forum.accepted",
        group="discussions",
        title=_("Your accepted answers"),
        headline=_("Your answer to “%(topic)s” was accepted"),
        quote="words",
        action=_("See your answer"),
        icon="circle-check",
    )
)
SOLVED = services.register_kind(
    services.Kind(
        name="forum.solved",
        group="discussions",
        title=_("Accepted answers in topics you follow"),
        headline=_("“%(topic)s” has an accepted answer by %(author)s"),
        quote="words",
        action=_("Read the answer"),
        icon="circle-check",
    )
)
NEW_TOPIC = services.register_kind(
    services.Kind(
        name="forum.followed",
        group="discussions",
        title=_("New topics"),
        headline=_("New in %(board)s: “%(topic)s”"),
        quote="words",
        action=_("Read the topic"),
        icon="message-square",
        hint=_("On boards and tags you follow."),
    )
)
