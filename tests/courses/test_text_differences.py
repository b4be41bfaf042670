"""What two texts share: all of both is shown, and a comparison takes a bounded time however much differs."""

from random import Random

from apps.courses.content_tree import Paragraph, Run, compare_texts, count_changed_words


def test_runs_make_both_texts() -> None:
    random = Random(7)
    for _ in range(200):
        before, after = ("".join(random.choices(["a", "b", " ", ".", "\n", "\n\n"], k=20)) for _ in range(2))
        found = compare_texts(before, after)
        for text, other in ((before, "added"), (after, "removed")):
            paragraphs = [one for one in found if one.kind != other]
            joined = "\n\n".join("".join(run.text for run in one.runs if run.kind != other) for one in paragraphs)
            assert joined == text.strip()


def test_texts_that_differ_much_are_compared_within_a_bound() -> None:
    """A search of everything in them takes minutes: 25,000 paragraphs, and 20,000 words of one."""
    equal = "ab\n\n" * 25_000
    assert [one.kind for one in compare_texts(equal + "end", "start\n\n" + equal)].count("same") >= 24_999
    words = [" ".join(f"{letter}{at % 700}" for at in range(20_000)) for letter in "xy"]
    assert compare_texts(*words) == [Paragraph("changed", (Run("removed", words[0]), Run("added", words[1])))]
    lists = [one.replace(" ", "\n\n") for one in words]
    assert {one.kind for one in compare_texts(*lists)} == {"changed"}
    assert count_changed_words(*words) == count_changed_words(*lists) == 20_000
    mixed = ["x " + "a b c " * 6_000 + "y", "z " + "c b a " * 6_000 + "w"]
    assert count_changed_words(*mixed) == 18_002
