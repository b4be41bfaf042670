"""Addresses of the sample pages. Those of their API have no version: the specification fixes them."""

from django.urls import path

from studyplatform.samples.api import SampleNames, SampleTodo, SampleTodos, SharedTodo, SharedTodos
from studyplatform.samples.mcp import todos_mcp
from studyplatform.samples.pages.address_form import address_form
from studyplatform.samples.pages.api_request import api_request
from studyplatform.samples.pages.guest_list import server_functions
from studyplatform.samples.pages.query_and_mutation import query_and_mutation
from studyplatform.samples.pages.shared_todos import shared_todos
from studyplatform.samples.pages.simple_form import check_simple_form, simple_form

app_name = "samples"
urlpatterns = [
    path("demo/tanstack-query", query_and_mutation, name="query-and-mutation"),
    path("demo/start/api-request", api_request, name="api-request"),
    path("api/demo-tq-todos", SampleTodos.as_view(), name="todos"),
    path("api/demo-tq-todos/<uuid:uid>", SampleTodo.as_view(), name="todo"),
    path("demo/mcp-todos", shared_todos, name="mcp-todos"),
    path("api/mcp-todos", SharedTodos.as_view(), name="shared-todos"),
    path("api/mcp-todos/mcp", todos_mcp, name="todos-mcp"),
    path("api/mcp-todos/<uuid:uid>", SharedTodo.as_view(), name="shared-todo"),
    path("api/demo-names", SampleNames.as_view(), name="names"),
    path("demo/start/server-funcs", server_functions, name="server-functions"),
    path("demo/form/simple", simple_form, name="form-simple"),
    path("demo/form/simple-check", check_simple_form, name="check-form-simple"),
    path("demo/form/address", address_form, name="form-address"),
]
