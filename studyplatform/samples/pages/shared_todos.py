"""To-dos that this page and an MCP client share: the page shows a key that lets a client in."""

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
from studyplatform.samples.visitors import Visitor, key_of, remember, visitor_of

MCP = SampleEntry.Kind.MCP


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def shared_todos(request: HttpRequest) -> HttpResponse:
    """The list, and the address and key for a client. Without scripts, forms change the list."""
    now = timezone.now()
    visitor = visitor_of(request, now=now)
    posted = request.POST
    is_adding = request.method == "POST" and "entry" not in posted and "connect" not in posted
    form = Todo(posted if is_adding else None)
    if request.method == "POST" and (not is_adding or form.is_valid()):
        rate_limits.consume_for_address(request, "sample", now=now)
        if is_adding:
            services.add_entry(visitor=visitor, kind=MCP, text=form.cleaned_data["title"], now=now)
        elif "connect" in posted:
            services.save_starters(visitor=visitor, now=now)
        else:
            _change(request, visitor)
        response = redirect("samples:mcp-todos")
        remember(response, visitor, now=now)
        return response
    todos = entries_of(visitor.known_browser, MCP)
    context = {
        "form": form,
        "todos": todos,
        "props": {"todos": SampleTodoOut(todos, many=True).data, "at": now.timestamp() * 1000},
        "address": request.build_absolute_uri("/api/mcp-todos/mcp"),
        "key": "" if visitor.is_new else key_of(visitor),
    }
    return sample_page(request, "mcp-todos", context, status=422 if form.errors else 200)


def _change(request: HttpRequest, visitor: Visitor) -> None:
    form, now = Step(request.POST), timezone.now()
    if not form.is_valid():
        raise NotFound
    uid, step = form.cleaned_data["entry"], form.cleaned_data["step"]
    if step == "delete":
        services.delete_entry(visitor=visitor, kind=MCP, uid=uid, now=now)
    else:
        services.change_entry(visitor=visitor, kind=MCP, uid=uid, is_done=step == "done", now=now)
