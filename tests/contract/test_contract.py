"""What TypeScript and other clients are promised is what Python says now (otherwise: `make contract`)."""

import json

from django.utils import translation

from studyplatform.kit.errors import REGISTRY
from studyplatform.kit.management.commands import export_contract


def test_committed_schema_is_what_the_api_says():
    with translation.override("en"):
        now = json.loads(json.dumps(export_contract.schema(), default=str))

    assert now == json.loads(export_contract.SCHEMA.read_text())


def test_committed_catalogue_is_what_the_errors_say():
    with translation.override("en"):
        assert export_contract.catalogue_module() == export_contract.CATALOGUE.read_text()


def test_every_code_and_operation_is_in_the_schema():
    document = export_contract.schema()
    operations = [op for path in document["paths"].values() for op in path.values() if isinstance(op, dict)]

    assert set(document["components"]["schemas"]["ErrorCode"]["enum"]) == set(REGISTRY)
    assert len(operations) >= 3
    assert all("default" in operation["responses"] for operation in operations)
    assert all(operation["operationId"] for operation in operations)


def test_what_lists_pages_says_so_and_what_must_be_sent_is_required():
    document = export_contract.schema()
    paths, shapes = document["paths"], document["components"]["schemas"]

    for path in ("/api/v1/certificates/", "/api/v1/enrollments/", "/api/v1/teaching/lessons/"):
        said = paths[path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
        page = shapes[said.rpartition("/")[2]]["properties"]
        assert page["results"]["type"] == "array"
        assert page["next"]["type"] == ["string", "null"]
    sent = paths["/api/v1/sections/{uid}/"]["patch"]["requestBody"]
    shape = sent["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    assert sent["required"] is True
    assert shapes[shape]["required"] == ["title"]
