"""What people ask about the site, and the help articles (kit/extensions.py)."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.template import engines
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from studyplatform.kit.extensions import HelpArticle, HelpTopic, help_articles, help_topics
from studyplatform.kit.text.sizes import as_size
from studyplatform.kit.web.jinja import Templates
from studyplatform.site.public.help import ARTICLES, TEXTS, article_figures


def _formats(user: Any) -> str:
    return _("Videos can be %(formats)s, up to %(limit)s. [Supported formats](/help/supported-formats)") % {
        "formats": ", ".join(settings.VIDEO_FORMATS),
        "limit": as_size(settings.UPLOAD_LIMITS["video"]),
    }


def _offline(user: Any) -> str:
    if not settings.SERVICE_WORKER:
        return _("Lessons need a connection on this site.")
    how = ngettext(
        "Press Download under a lesson, or download a section or the whole course from its list of lessons. It plays "
        "without a connection for %(count)d day after your last visit.",
        "Press Download under a lesson, or download a section or the whole course from its list of lessons. It plays "
        "without a connection for %(count)d days after your last visit.",
        settings.OFFLINE_DAYS,
    )
    return "\n\n".join(
        [
            how % {"count": settings.OFFLINE_DAYS},
            _("You need no app: your browser can install this site, and opens it offline too."),
            _("[Lessons on this device](/offline) · [More about learning offline](/help/learning)"),
        ]
    )


def _shortcuts(user: Any) -> str:
    return _("Press ? on any page to see all keyboard shortcuts. [Shortcuts in the player](/help/learning)")


def _privacy(user: Any) -> str:
    return _("The [privacy notice](/privacy) says what we keep and who sees it.")


for name, questions, answer in (
    (
        "formats",
        (gettext_lazy("Which video formats can I upload?"), gettext_lazy("How large can a video or file be?")),
        _formats,
    ),
    (
        "offline",
        (
            gettext_lazy("Can I watch lessons offline?"),
            gettext_lazy("Can I download the videos?"),
            gettext_lazy("How do I remove downloaded lessons from my device?"),
            gettext_lazy("Is there a mobile app?"),
        ),
        _offline,
    ),
    ("shortcuts", (gettext_lazy("What are the keyboard shortcuts?"),), _shortcuts),
    (
        "privacy",
        (gettext_lazy("Who can see my data?"), gettext_lazy("What do you do with my personal data?")),
        _privacy,
    ),
):
    help_topics.register(f"site.{name}", HelpTopic(questions=questions, answer=answer))


@help_articles.registers("site")
def articles() -> Iterator[HelpArticle]:
    """The help articles and the privacy notice."""
    for name, (title, _summary) in ARTICLES.items():
        yield HelpArticle(str(title), f"/help/{name}", _body(name))
    yield HelpArticle(str(TEXTS["privacy"]), "/privacy", _body("privacy"))


def _body(name: str) -> str:
    """The HTML of an article, without the page around it."""
    engine = engines["jinja"]
    assert isinstance(engine, Templates)  # noqa: S101 (for the type checker)
    template = engine.env.get_template(f"site/help/{name}.html")
    return "".join(template.blocks["article"](template.new_context(article_figures())))
