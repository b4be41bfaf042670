"""The nightly reset of the sample pages."""

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from studyplatform.kit.jobs import Running, job
from studyplatform.samples import services


@job("samples.reset", label=_("Empty the sample pages"))
def reset(running: Running) -> None:
    services.delete_all_entries(now=timezone.now())
