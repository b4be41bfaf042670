"""The to-do list as the server writes it, until the island sample-todos replaces it. Its forms reload the page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts.guards import open_to_everyone
from studyplatform.kit.errors import NotFound
from studyplatform.kit.web import rate_limits
from studyplatform.samples import services
from studyplatform.samples.api import SampleTodoOut
from studyplatform.samples.catalog import sample_page
from studyplatform.samples.forms.todo import Step, Todo
from studyplatform.samples.models import SampleEntry
from studyplatform.samples.queries import entries_of
from studyplatform.samples.visitors import Visitor, remember, visitor_of

TODO = SampleEntry.Kind.TODO


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def query_and_mutation(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    visitor = visitor_of(request, now=now)
    form = Todo(request.POST if request.method == "POST" and "entry" not in request.POST else None)
    if "entry" in request.POST or form.is_valid():
        rate_limits.consume_for_address(request, "sample", now=now)
        if form.is_bound:
            services.add_entry(visitor=visitor, kind=TODO, text=form.cleaned_data["title"], now=now)
        else:
            _change(request, visitor)
        response = redirect("samples:query-and-mutation")
        remember(response, visitor, now=now)
        return response
    todos = entries_of(visitor.known_browser, TODO)
    # With the list, the island need not fetch it again: it is as fresh as this page.
    props = {"todos": SampleTodoOut(todos, many=True).data, "at": now.timestamp() * 1000}
    context = {"form": form, "todos": todos, "props": props}
    return sample_page(request, "query-and-mutation", context, status=422 if form.errors else 200)


def _change(request: HttpRequest, visitor: Visitor) -> None:
    form, now = Step(request.POST), timezone.now()
    if not form.is_valid():
        raise NotFound
    uid, step = form.cleaned_data["entry"], form.cleaned_data["step"]
    if step == "delete":
        services.delete_entry(visitor=visitor, kind=TODO, uid=uid, now=now)
    else:
        services.change_entry(visitor=visitor, kind=TODO, uid=uid, is_done=step == "done", now=now)
