"""What many readers share is remembered, and forgotten together."""

from django.core.cache import cache

from studyplatform.kit.memo import Memo


def test_makes_a_value_once_per_key():
    memo: Memo[int] = Memo("test.once")
    made = []

    def make(value: int):
        made.append(value)
        return value

    assert [memo.get("a", lambda: make(1)), memo.get("a", lambda: make(2)), memo.get("b", lambda: make(3))] == [1, 1, 3]
    assert made == [1, 3]


def test_forgets_for_every_process_that_shares_the_cache():
    here: Memo[str] = Memo("test.shared")
    elsewhere: Memo[str] = Memo("test.shared")
    here.get("k", lambda: "old")
    elsewhere.get("k", lambda: "old")

    elsewhere.forget()

    assert here.get("k", lambda: "new") == "new"
    assert elsewhere.get("k", lambda: "new") == "new"


def test_a_value_grows_old():
    memo: Memo[str] = Memo("test.old", seconds=0)
    memo.get("k", lambda: "old")

    assert memo.get("k", lambda: "new") == "new"


def test_keeps_no_more_than_its_size():
    memo: Memo[int] = Memo("test.size", size=2)
    for n in range(5):
        memo.get(n, lambda n=n: n)

    assert memo.get(4, lambda: -1) == 4
    assert memo.get(0, lambda: -1) == -1


def test_an_emptied_cache_is_a_forgetting():
    memo: Memo[str] = Memo("test.cleared")
    memo.get("k", lambda: "old")
    cache.clear()

    assert memo.get("k", lambda: "new") == "new"


def test_a_failure_is_not_remembered():
    memo: Memo[str] = Memo("test.failure")

    def fail() -> str:
        raise ValueError

    for _ in range(2):
        try:
            memo.get("k", fail)
        except ValueError:
            continue
        raise AssertionError("the failure was swallowed")
    assert memo.get("k", lambda: "fine") == "fine"
