"""The committed contract for TypeScript and other clients matches the Python code (to update: `make contract`)."""

import json

from django.utils import translation

from studyplatform.kit.errors import REGISTRY
from studyplatform.kit.extensions import contract_tables
from studyplatform.kit.management.commands import export_contract


def test_the_committed_schema_matches_the_api():
    with translation.override("en"):
        now = json.loads(json.dumps(export_contract.schema(), default=str))

    assert now == json.loads(export_contract.SCHEMA.read_text())


def test_the_committed_catalogue_matches_the_errors():
    with translation.override("en"):
        assert export_contract.catalogue_module() == export_contract.CATALOGUE.read_text()


def test_the_committed_tables_match_what_apps_share_with_scripts():
    with translation.override("en"):
        for name in contract_tables:
            path = export_contract.table_path(name)
            assert export_contract.table_module(name) == path.read_text(), (
                f"Run `make contract`: {path.name} is outdated"
            )


def test_texts_that_only_pages_show_are_not_downloaded_by_scripts():
    assert set(REGISTRY) - export_contract.catalogue().keys() >= {"SHARE_NOT_FOUND", "AUTH_PROVIDER_DECLINED"}


def test_scripts_download_the_texts_of_the_errors_that_they_make_and_of_no_others():
    entries = export_contract.catalogue()

    for code in ("NETWORK_OFFLINE", "NETWORK_TIMEOUT", "UNKNOWN_ERROR", "VIDEO_DRM_ERROR", "VIDEO_LOAD_FAILED"):
        assert entries[code]["title"], code
        assert entries[code]["message"], code
    for code in ("ENROLLMENT_REQUIRED", "PAYMENT_CARD_DECLINED", "QUIZ_TIME_OVER"):
        assert not {"title", "message"} & entries[code].keys(), code
    assert entries["ENROLLMENT_REQUIRED"]["action"]["label"], "the server does not send it"


def test_the_schema_contains_every_code_and_operation():
    document = export_contract.schema()
    operations = [op for path in document["paths"].values() for op in path.values() if isinstance(op, dict)]

    assert set(document["components"]["schemas"]["ErrorCode"]["enum"]) == set(REGISTRY)
    assert len(operations) >= 3
    assert all("default" in operation["responses"] for operation in operations)
    assert all(operation["operationId"] for operation in operations)


def test_lists_are_paged_and_mandatory_fields_are_required():
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
