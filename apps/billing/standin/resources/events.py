"""Events: https://docs.stripe.com/api/events."""

from apps.billing.standin.errors import Json
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import listing
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work


@route("GET", "/v1/events/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """An event, with the object as it was then."""
    return work.get(id, "event")


@route("GET", "/v1/events")
def index(work: Work, params: Params) -> Json:
    """Events, newest first; ``types`` selects several types."""
    params.accept("delivery_success")
    if types := params.words("types"):
        return listing(work, params, "event", "/v1/events", type=types)
    return listing(work, params, "event", "/v1/events", ["type"])
