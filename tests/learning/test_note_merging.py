"""Copies of a note merge in any order and repetition to the same result, and no text is lost."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.learning.notes.merging import Content, Edit

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # machines that do other things too
KEYS = st.sampled_from(["laptop01", "phone001", "tablet01", "laptop02"])
EDITS = st.builds(
    lambda revision, at, text, gone: Edit(revision, at, "" if gone else text, gone),
    *(st.integers(1, 4), st.integers(0, 3), st.sampled_from(["", "a", "b", "c"]), st.booleans()),
)
COPIES = st.builds(Content.of, st.dictionaries(KEYS, EDITS), st.dictionaries(KEYS, st.integers(1, 4)))


@patient
@given(COPIES, COPIES, COPIES)
def test_merging_is_commutative_associative_and_idempotent(a: Content, b: Content, c: Content) -> None:
    assert a.merge(b) == b.merge(a)
    assert a.merge(b).merge(c) == a.merge(b.merge(c))
    assert a.merge(a) == a
    assert a.merge(b).merge(b) == a.merge(b)


@patient
@given(COPIES)
def test_a_copy_survives_being_stored(content: Content) -> None:
    assert Content.from_json(content.as_json()) == content


@patient
@given(st.lists(COPIES, min_size=1, max_size=5), st.data())
def test_any_order_and_repetition_of_saves_gives_the_same_note(saves: list[Content], data: st.DataObject) -> None:
    def result(order: list[Content]) -> Content:
        stored = Content()
        for save in order:
            stored = stored.merge(save)
        return stored

    shuffled = data.draw(st.permutations(saves + data.draw(st.lists(st.sampled_from(saves), max_size=4))))
    assert result(shuffled) == result(saves)


ACTIONS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["open", "type", "delete", "sync"]), st.integers(0, 9)), max_size=25
)


@patient
@given(ACTIONS)
def test_what_nobody_saw_and_replaced_is_kept(actions: list[tuple[int, str, int]]) -> None:
    """Three devices open, type, delete and sync as they like. A text that is gone was seen by who replaced it."""
    server = Content()
    devices = [Content(), Content(), Content()]
    bases = [Content(), Content(), Content()]
    keys, revisions = ["", "", ""], [0, 0, 0]
    replaced_texts: set[tuple[str, int]] = set()
    written: set[tuple[str, int]] = set()
    for number, (device, action, letter) in enumerate(actions):
        match action:
            case "open":
                keys[device], revisions[device], bases[device] = f"key-{number:05}", 0, devices[device]
            case "type" | "delete" if keys[device]:
                revisions[device] += 1
                own, base = keys[device], bases[device]
                gone = {key: one.revision for key, one in base.edits.items()}
                is_deleted = action == "delete"
                text = "" if is_deleted else str(letter)
                mine = Content({own: Edit(revisions[device], number, text, is_deleted)}, {**base.replaced, **gone})
                devices[device] = devices[device].merge(mine)
                written.add((own, revisions[device]))
                replaced_texts |= set(gone.items()) | {(own, revision) for revision in range(1, revisions[device])}
            case "sync":
                server = server.merge(devices[device])
                devices[device] = devices[device].merge(server)
    for copy in devices:
        server = server.merge(copy)
    standing = {(key, one.revision) for key, one in server.edits.items()}
    assert standing == written - replaced_texts
