"""A bucket for tests: an S3 stand-in server, and the settings that use it.

``s3`` is asked for by a test that is to run with a bucket as its storage, configured by environment alone.
"""

import json
import re
import runpy
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages

from tests import servers

ROOT = Path(__file__).resolve().parents[1]
SITE = "https://learn.example.com"  # the site in the CORS rule of docs/operations.md


class Bucket:
    """Direct access to the bucket, without the product's code."""

    def __init__(self, name: str, env: dict[str, str]) -> None:
        import boto3  # slow to import, so only tests with a bucket import it

        self.name, self.env = name, {**env, "S3_BUCKET": name}
        self.client: Any = boto3.client(
            "s3",
            endpoint_url=env["S3_ENDPOINT_URL"],
            region_name=env["S3_REGION"],
            aws_access_key_id=env["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=env["AWS_SECRET_ACCESS_KEY"],
        )
        place: Any = {"LocationConstraint": env["S3_REGION"]}
        self.client.create_bucket(Bucket=name, CreateBucketConfiguration=place)

    @property
    def origin(self) -> str:
        return self.env["S3_ENDPOINT_URL"]

    def names(self) -> list[str]:
        """Every object."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name)
        return sorted(each["Key"] for page in pages for each in page.get("Contents", ()))

    def unfinished(self) -> list[str]:
        """Incomplete multipart uploads, which use storage, too."""
        return [each["Key"] for each in self.client.list_multipart_uploads(Bucket=self.name).get("Uploads", ())]

    def allow(self, site: str) -> None:
        """Set the CORS rule of docs/operations.md."""
        words = (ROOT / "docs/operations.md").read_text().replace(SITE, site)
        rule = re.search(r'```json\n(\{\s*"CORSRules".*?)```', words, re.DOTALL)
        assert rule is not None
        self.client.put_bucket_cors(Bucket=self.name, CORSConfiguration=json.loads(rule[1]))


def settings_by(env: dict[str, str], part: str) -> dict[str, Any]:
    """The values of a settings module in this environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "studyplatform.settings.parts.storage", raising=False)  # other modules import it
        for name in ("S3_BUCKET", "S3_ENDPOINT_URL", "S3_REGION", "AWS_REGION", "AWS_DEFAULT_REGION", "S3_ADDRESSING"):
            patch.delenv(name, raising=False)
        for name, value in env.items():
            patch.setenv(name, value)
        found = runpy.run_path(str(ROOT / f"studyplatform/settings/parts/{part}.py"))
    return {name: value for name, value in found.items() if name.isupper() and not name.startswith("_")}


@pytest.fixture(scope="session")
def s3_server() -> Iterator[dict[str, str]]:
    """Environment variables for an S3 server, started when a test first requests it."""
    with servers.s3() as env:
        yield env


@pytest.fixture
def s3(s3_server: dict[str, str], settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Bucket:
    """An empty bucket that the product stores its files in."""
    bucket = Bucket(f"study-{uuid.uuid4().hex[:12]}", s3_server)
    for name, value in bucket.env.items():
        monkeypatch.setenv(name, value)
    for name, value in settings_by(bucket.env, "storage").items():
        setattr(settings, name, value)
    settings.STORAGES = {**settings.STORAGES, "default": settings.S3_STORAGE}
    settings.UPLOAD_ROOT, settings.WORK_ROOT = tmp_path / "uploads", tmp_path / "work"
    assert storages["default"].bucket_name == bucket.name
    settings.CONTENT_SECURITY_POLICY = settings_by(bucket.env, "security")["CONTENT_SECURITY_POLICY"]
    return bucket
