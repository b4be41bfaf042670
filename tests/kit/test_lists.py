"""Names in sentences follow the language of the site."""

from django.utils.translation import override

from studyplatform.kit.text.lists import list_names, quote


def test_names_are_listed_as_the_language_does_it() -> None:
    names = ["Rivers", "Ice", "Lakes"]
    assert [list_names(names[:count]) for count in range(4)] == [
        "",
        "Rivers",
        "Rivers and Ice",
        "Rivers, Ice, and Lakes",
    ]
    assert list_names(names[:1], more=2) == "Rivers and 2 more"
    with override("de"):
        assert list_names(names) == "Rivers, Ice und Lakes"
    with override("ja"):
        assert list_names(names) == "Rivers、Ice、Lakes"
    with override("x-unknown"):
        assert list_names(names[:2]) == "Rivers and Ice"
    assert quote("100 %s") == "“100 %s”"
