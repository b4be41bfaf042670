"""Webhook endpoints: https://docs.stripe.com/api/webhook_endpoints."""

import secrets

from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.keys import API_VERSION
from apps.billing.standin.presenting import listing
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work


@route("POST", "/v1/webhook_endpoints")
def create(work: Work, params: Params) -> Json:
    """Register an address; only this answer holds the secret that signs what is sent there."""
    events = params.words("enabled_events")
    if not events:
        raise invalid("Missing required param: enabled_events.", param="enabled_events", code="parameter_missing")
    endpoint = work.new(
        "webhook_endpoint",
        {
            "api_version": params.text("api_version", API_VERSION), "application": None,
            "description": params.text("description"), "enabled_events": events, "metadata": params.merge_metadata({}),
            "status": "enabled", "url": _url(params), "_connect": params.flag("connect"),
            "_secret": f"whsec_{secrets.token_urlsafe(24)}",
        },
    )  # fmt: skip
    return {**endpoint, "secret": endpoint["_secret"]}


def _url(params: Params) -> str:
    url = params.required("url")
    if not url.startswith(("http://", "https://")):
        raise invalid(
            "Invalid URL: An explicit scheme (such as https) must be provided.", param="url", code="url_invalid"
        )
    return url


@route("POST", "/v1/webhook_endpoints/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change the address, the events, or disable it."""
    endpoint = work.get(id, "webhook_endpoint")
    if params.has("url"):
        endpoint["url"] = _url(params)
    if params.has("enabled_events"):
        endpoint["enabled_events"] = params.words("enabled_events")
    if params.has("description"):
        endpoint["description"] = params.text("description")
    if params.has("disabled"):
        endpoint["status"] = "disabled" if params.flag("disabled") else "enabled"
    endpoint["metadata"] = params.merge_metadata(endpoint["metadata"])
    return work.save(endpoint)


@route("GET", "/v1/webhook_endpoints/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """An endpoint, without its secret."""
    return work.get(id, "webhook_endpoint")


@route("GET", "/v1/webhook_endpoints")
def index(work: Work, params: Params) -> Json:
    """Endpoints, newest first."""
    return listing(work, params, "webhook_endpoint", "/v1/webhook_endpoints")


@route("DELETE", "/v1/webhook_endpoints/{id}")
def delete(work: Work, params: Params, id: str) -> Json:
    """Forget an endpoint, and what was still to be delivered to it."""
    endpoint = work.get(id, "webhook_endpoint")
    work.remove(endpoint)
    work.db.execute("DELETE FROM deliveries WHERE endpoint=?", [id])
    return {"id": id, "object": "webhook_endpoint", "deleted": True}
