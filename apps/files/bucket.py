"""A bucket of an S3 store: what Django's storage API lacks, such as byte ranges, presigned URLs and bulk operations.

Only storage.py and streaming.py use it.
"""

import contextlib
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:  # boto3 loads slowly: it is imported only if a bucket is configured
    from storages.backends.s3 import S3Storage


@dataclass(frozen=True)
class FileInfo:
    """Size in bytes and modification time of a stored file."""

    size: int
    changed: datetime


class Bucket:
    """The bucket of a storage of django-storages, with its settings and its connection.

    The storage has one connection per thread, and creating one is slow. A client is thread-safe: an object that was
    opened in one thread may be read in another.
    """

    def __init__(self, storage: "S3Storage") -> None:
        self._storage = storage
        self._client: Any = storage.connection.meta.client

    def info(self, name: str) -> FileInfo:
        """Size and modification time of an object.

        :raises FileNotFoundError: there is no such object.
        """
        with self._not_found_as_os_error(name):
            head = self._client.head_object(Bucket=self._name, Key=name)
        return FileInfo(head["ContentLength"], head["LastModified"])

    def files_under(self, directory: str) -> dict[str, FileInfo]:
        """Size and modification time of all objects in a directory, by name; one request per thousand objects."""
        return dict(self.walk(directory))

    def walk(self, directory: str) -> Iterator[tuple[str, FileInfo]]:
        """The same one by one, so that memory does not grow with their number."""
        for each in self._storage.bucket.objects.filter(Prefix=f"{directory}/"):
            yield each.key, FileInfo(each.size, each.last_modified)

    def open(self, name: str) -> "ObjectReader":
        """Open an object for reading. It is streamed, not stored; seeking sends a new request."""
        return ObjectReader(lambda begin: self._get(name, begin)["Body"])

    def open_with_info(self, name: str) -> tuple[FileInfo, "ObjectReader"]:
        """Open an object and return its size and modification time, with one request. Close it even if nothing is read.

        :raises FileNotFoundError: there is no such object.
        """
        found = self._get(name)
        info = FileInfo(found["ContentLength"], found["LastModified"])
        return info, ObjectReader(lambda begin: self._get(name, begin)["Body"], found["Body"])

    def put(self, path: Path, name: str, *, kind: str, extend_lease: Callable[[], None]) -> None:
        """Upload a local file as an object, atomically replacing an older one. ``kind``: its media type.

        ``extend_lease`` is called during the upload. Its exceptions are ignored here, because boto would treat them as
        network errors; the caller calls it again afterwards.
        """

        def extend(_: int) -> None:
            with contextlib.suppress(Exception):
                extend_lease()

        self._client.upload_file(
            str(path),
            self._name,
            name,
            ExtraArgs={"ContentType": kind},
            Callback=extend,
            Config=self._storage.transfer_config,
        )

    def remove(self, name: str, extend_lease: Callable[[], None] = lambda: None) -> None:
        """Remove an object, and all objects in the directory of that name."""
        self._client.delete_object(Bucket=self._name, Key=name)
        for page in self._storage.bucket.objects.filter(Prefix=f"{name}/").pages():
            self._remove_all([each.key for each in page])
            extend_lease()

    def _remove_all(self, names: list[str]) -> None:
        """Remove objects with one request; then one by one those that failed, which raises the store's error.

        Removes all of them one by one if the store does not support bulk deletion.
        """
        wanted = {"Objects": [{"Key": name} for name in names], "Quiet": True}
        try:
            response = self._client.delete_objects(Bucket=self._name, Delete=wanted)
            failed = [each["Key"] for each in response.get("Errors", ())]
        except self._client.exceptions.ClientError:
            failed = names
        for name in failed:
            self._client.delete_object(Bucket=self._name, Key=name)

    def presigned_url(self, name: str, *, seconds: int, kind: str, disposition: str, cache: str) -> str:
        """A URL from which anyone can download the object for ``seconds``; the store sends it with these headers."""
        url: str = self._storage.url(
            name,
            parameters={
                "ResponseContentType": kind,
                "ResponseContentDisposition": disposition,
                "ResponseCacheControl": cache,
            },
            expire=seconds,
        )
        return url

    def _get(self, name: str, begin: int = 0) -> dict[str, Any]:
        wanted = {"Range": f"bytes={begin}-"} if begin else {}
        with self._not_found_as_os_error(name):
            found: dict[str, Any] = self._client.get_object(Bucket=self._name, Key=name, **wanted)
        return found

    @contextlib.contextmanager
    def _not_found_as_os_error(self, name: str) -> Iterator[None]:
        try:
            yield
        except self._client.exceptions.ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
                raise FileNotFoundError(name) from None
            raise

    @property
    def _name(self) -> str:
        return str(self._storage.bucket_name)


class ObjectReader(io.RawIOBase):
    """An object as a readable file. Unless ``body`` is given, the request is sent by the first `read`."""

    def __init__(self, get: Callable[[int], IO[bytes]], body: IO[bytes] | None = None) -> None:
        self._get = get
        self._offset = 0
        self._body = body

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Seek to an offset, counted from the start."""
        if offset != self._offset:
            self._close_body()
            self._offset = offset
        return offset

    def read(self, size: int = -1) -> bytes:
        """Read up to ``size`` bytes; b"" at the end.

        :raises FileNotFoundError: there is no such object.
        """
        if self._body is None:
            self._body = self._get(self._offset)
        data = self._body.read(None if size < 0 else size)  # type: ignore[arg-type]
        self._offset += len(data)
        return data

    def close(self) -> None:
        self._close_body()
        super().close()

    def _close_body(self) -> None:
        if self._body is not None:
            self._body.close()
            self._body = None
