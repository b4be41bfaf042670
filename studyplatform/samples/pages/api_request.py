"""The names as the server writes them. The island sample-names replaces the list; without scripts, links reload it."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from studyplatform.kit.web.requests import search_query
from studyplatform.samples.api import NamePages
from studyplatform.samples.catalog import sample_page
from studyplatform.samples.names import find_names


@open_to_everyone
@require_safe
def api_request(request: HttpRequest) -> HttpResponse:
    search = search_query(request)
    page = Paginator(find_names(search), NamePages.page_size).get_page(request.GET.get("page"))

    def address(number: int) -> str:
        return "?" + urlencode([("q", search), ("page", str(number))])

    return sample_page(request, "api-request", {"search": search, "page": page, "address": address})
