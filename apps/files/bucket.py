"""A bucket of an S3 store, in what Django's storage API does not know or does badly: parts of objects,
addresses for browsers, many objects at once. Only storage.py and streaming.py ask here.
"""

import contextlib
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:  # boto3 takes long to load: only who has a bucket pays, when Django makes its storage
    from storages.backends.s3 import S3Storage


@dataclass(frozen=True)
class Facts:
    """Size and time of a kept file."""

    size: int
    changed: datetime


class Bucket:
    """The bucket behind django-storages' storage: its settings, its connection.

    The storage has a connection for each thread, and making one takes long. A client may serve many threads: what
    was opened in one goes on with it in another.
    """

    def __init__(self, storage: "S3Storage") -> None:
        self._storage = storage
        self._client: Any = storage.connection.meta.client

    def facts(self, name: str) -> Facts:
        """Size and time of an object.

        :raises FileNotFoundError: there is none.
        """
        with self._missing_is_no_file(name):
            head = self._client.head_object(Bucket=self._name, Key=name)
        return Facts(head["ContentLength"], head["LastModified"])

    def facts_under(self, directory: str) -> dict[str, Facts]:
        """The same of all objects under a name, a thousand at a question."""
        objects = self._storage.bucket.objects.filter(Prefix=f"{directory}/")
        return {each.key: Facts(each.size, each.last_modified) for each in objects}

    def open(self, name: str) -> "Reader":
        """Read an object as it arrives, from where one seeks to; nothing of it is kept on the way."""
        return Reader(lambda begin: self._get(name, begin)["Body"])

    def opened(self, name: str) -> tuple[Facts, "Reader"]:
        """An object's facts and the object itself, in one question. To be closed even if nothing is read.

        :raises FileNotFoundError: there is none.
        """
        found = self._get(name)
        facts = Facts(found["ContentLength"], found["LastModified"])
        return facts, Reader(lambda begin: self._get(name, begin)["Body"], found["Body"])

    def put(self, path: Path, name: str, *, kind: str, keep: Callable[[], None]) -> None:
        """Keep a local file as an object, in place of an older one. Half of it is never to be seen.

        ``keep`` is called while the bytes travel. Whether it is still wanted the caller asks afterwards: an
        exception in the middle would be taken for the network's.
        """

        def still_here(_: int) -> None:
            with contextlib.suppress(Exception):
                keep()

        self._client.upload_file(
            str(path),
            self._name,
            name,
            ExtraArgs={"ContentType": kind},
            Callback=still_here,
            Config=self._storage.transfer_config,
        )

    def remove(self, name: str, keep: Callable[[], None] = lambda: None) -> None:
        """Remove an object, and all that lie under its name; ``keep`` is called now and then."""
        self._client.delete_object(Bucket=self._name, Key=name)
        for page in self._storage.bucket.objects.filter(Prefix=f"{name}/").pages():
            self._remove_all([each.key for each in page])
            keep()

    def _remove_all(self, names: list[str]) -> None:
        """At once. What a store leaves over, or all if it does not know how, one by one: then it says what is wrong."""
        wanted = {"Objects": [{"Key": name} for name in names], "Quiet": True}
        try:
            answer = self._client.delete_objects(Bucket=self._name, Delete=wanted)
            left = [each["Key"] for each in answer.get("Errors", ())]
        except self._client.exceptions.ClientError:
            left = names
        for name in left:
            self._client.delete_object(Bucket=self._name, Key=name)

    def link(self, name: str, *, seconds: int, kind: str, disposition: str, cache: str) -> str:
        """An address under which anybody may fetch the object for so long; the store sends it with these headers."""
        address: str = self._storage.url(
            name,
            parameters={
                "ResponseContentType": kind,
                "ResponseContentDisposition": disposition,
                "ResponseCacheControl": cache,
            },
            expire=seconds,
        )
        return address

    def _get(self, name: str, begin: int = 0) -> dict[str, Any]:
        wanted = {"Range": f"bytes={begin}-"} if begin else {}
        with self._missing_is_no_file(name):
            found: dict[str, Any] = self._client.get_object(Bucket=self._name, Key=name, **wanted)
        return found

    @contextlib.contextmanager
    def _missing_is_no_file(self, name: str) -> Iterator[None]:
        try:
            yield
        except self._client.exceptions.ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
                raise FileNotFoundError(name) from None
            raise

    @property
    def _name(self) -> str:
        return str(self._storage.bucket_name)


class Reader(io.RawIOBase):
    """An object as a file to read onwards. It is asked for when the first byte is, if it is not here already."""

    def __init__(self, get: Callable[[int], IO[bytes]], body: IO[bytes] | None = None) -> None:
        self._get = get
        self._at = 0
        self._body = body

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a byte, counted from the start."""
        if offset != self._at:
            self._leave()
            self._at = offset
        return offset

    def read(self, size: int = -1) -> bytes:
        """Up to so many bytes; none at the end.

        :raises FileNotFoundError: there is no such object.
        """
        if self._body is None:
            self._body = self._get(self._at)
        piece = self._body.read(None if size < 0 else size)  # type: ignore[arg-type]
        self._at += len(piece)
        return piece

    def close(self) -> None:
        self._leave()
        super().close()

    def _leave(self) -> None:
        if self._body is not None:
            self._body.close()
            self._body = None
