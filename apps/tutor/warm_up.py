"""Load what the first question to the tutor needs: the weights of the encoder, the passages, the topics of help."""

import logging
import threading

from django.conf import settings
from django.db import connection
from django.utils import translation
from django.utils.module_loading import import_string

_log = logging.getLogger(__name__)


def start_warm_up() -> None:
    """Load it in a thread of its own, for a process that answers questions: it serves pages meanwhile."""
    threading.Thread(target=_warm_up, name="tutor-warm-up", daemon=True).start()


def _warm_up() -> None:
    try:
        with translation.override(settings.LANGUAGE_CODE):
            import_string("apps.tutor.retrieval.index.current")()  # not above: it loads NumPy and the weights
            import_string("apps.tutor.site_help.find_help")("How do I begin?")
            import_string("apps.tutor.conversation.language_of")("Bonjour")
    except Exception:  # the first question tries again, and says what is wrong
        _log.warning("The tutor could not be prepared at start.", exc_info=True)
    finally:
        connection.close()
