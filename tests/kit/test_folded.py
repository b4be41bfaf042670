"""The lookups ``folded_contains`` and ``folded_startswith``: the same on both databases as `fold`."""

import pytest

from apps.accounts.models import User
from apps.accounts.queries.users import people
from studyplatform.kit.text.folding import fold
from tests.factories.accounts import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.database]
NAMES = {
    "IRIS O'Neil": ["iris", "o'NEIL"],
    "Zoë Ångström": ["zoe", "ANGSTROM", "ångst"],
    "Łukasz Żółć": ["lukasz", "ZOLC"],
    "Søren Kierkegård": ["soren", "kierkegard"],
    "Großmann": ["grossmann", "GROSS"],
    "Æthelred Þór": ["aethelred", "thor"],
    "İsmail Işık": ["ismail", "isik"],
    "Ελένη Σοφός": ["ελενη", "ΣΟΦΟΣ"],
    "Фёдор Щербаков": ["федор", "ЩЕРБАКОВ"],
    "أحمد الفارسي": ["احمد", "الفارسى"],
    "علي کاظمی": ["كاظمي"],
    "דָּוִד": ["דוד"],
    "हिन्दी ज़मीन": ["हिंदी", "जमीन"],
    "ﾔﾏﾀﾞ タロウ": ["やまだ", "たろう"],
    "김철수": ["철수"],
    "Nguyễn Ánh": ["nguyen anh"],
    "100%_\\": ["%_\\"],
}


def test_names_are_found_in_any_form() -> None:
    for name in NAMES:
        UserFactory(first_name=name, last_name="")
    wrong = {
        text: found
        for name, texts in NAMES.items()
        for text in texts
        if (found := list(User.objects.filter(first_name__folded_contains=text).values_list("first_name", flat=True)))
        != [name]
    }
    assert wrong == {}
    assert all(fold(text) in fold(name) for name, texts in NAMES.items() for text in texts)
    begun = User.objects.filter(first_name__folded_startswith="zoe").values_list("first_name", flat=True)
    assert list(begun) == ["Zoë Ångström"]
    assert not User.objects.filter(first_name__folded_startswith="ngstrom").exists()
    assert [user.first_name for user in people(text="soren KIERKEGÅRD")] == ["Søren Kierkegård"]
