"""What many readers share is remembered under the version of what it tells."""

import pytest

from studyplatform.kit.caching import lru, table_versions, versioned
from studyplatform.kit.caching.lru import LruCache
from studyplatform.kit.caching.versioned import VersionedCache

pytestmark = pytest.mark.database


@pytest.fixture
def value(monkeypatch) -> dict[str, str | None]:
    """The present version, as a test likes it."""
    present: dict[str, str | None] = {"now": "one"}
    monkeypatch.setattr(table_versions, "current", lambda name: present["now"])
    return present


def test_a_value_is_computed_once_per_key(value):
    memo: VersionedCache[int] = VersionedCache("test")
    made = []

    def make(number: int):
        made.append(number)
        return number

    assert [memo.get("a", lambda: make(1)), memo.get("a", lambda: make(2)), memo.get("b", lambda: make(3))] == [1, 1, 3]
    assert made == [1, 3]


def test_a_new_version_has_new_values(value):
    memo: VersionedCache[str] = VersionedCache("test")
    memo.get("k", lambda: "old")

    value["now"] = "two"

    assert memo.get("k", lambda: "new") == "new"


def test_without_a_version_nothing_is_cached(value):
    value["now"] = None
    memo: VersionedCache[str] = VersionedCache("test")
    memo.get("k", lambda: "old")

    assert memo.get("k", lambda: "new") == "new"


def test_a_value_expires(value, monkeypatch):
    memo_: VersionedCache[str] = VersionedCache("test", seconds=60)
    memo_.get("k", lambda: "old")
    later = versioned.time.monotonic() + 61
    monkeypatch.setattr(versioned.time, "monotonic", lambda: later)

    assert memo_.get("k", lambda: "new") == "new"


def test_a_failure_is_not_cached(value):
    memo: VersionedCache[str] = VersionedCache("test")

    def fail() -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        memo.get("k", fail)
    assert memo.get("k", lambda: "fine") == "fine"


def test_the_cache_keeps_the_most_recently_used_values_within_its_size():
    kept: LruCache[str] = LruCache(10, weigh=len)
    kept.put("a", "12345")
    kept.put("b", "12345")
    kept.get("a")
    kept.put("c", "123")

    assert [kept.get("a"), kept.get("b"), kept.get("c")] == ["12345", None, "123"]
    assert kept.weight == 8
    kept.put("a", "1")
    assert kept.weight == 4
    kept.put("big", "x" * 11)
    assert len(kept) == kept.weight == 0


def test_the_cache_can_be_cleared():
    kept: LruCache[str] = LruCache(10)
    kept.put("a", "b")

    lru.clear_caches()

    assert kept.get("a") is None
