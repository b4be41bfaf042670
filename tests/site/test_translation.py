"""A second language from end to end: texts are extracted, translated, compiled and shown.

The language is a pseudo-language, generated here from the texts of the code: “Sign in” becomes “⟦Šîgñ îñ⟧”.
"""

import io
import json
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from html import unescape
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po
from django.core import mail
from django.core.management import CommandError, call_command
from django.utils import translation

from apps.accounts.services import notify
from studyplatform.kit import jobs
from studyplatform.kit.management.commands import messages
from studyplatform.kit.text.languages import ISLAND_MESSAGES
from tests.architecture.source import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("translation")]  # one process extracts the texts
LANGUAGE = "eo"  # has the plural forms of English and no translation
ACCENTS = str.maketrans("aeiouAEIOUcnsyCNSY", "àéîöûÀÉÎÖÛçñšýÇÑŠÝ")
FIXED = re.compile(r"(%\(\w+\)[sd]|%[sd%]|\{\w+\}|<[^>]*>|&\w+;)")  # the parts that a translator does not change


def ids(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def pseudo(text: str) -> str:
    return "⟦" + "".join(part if FIXED.fullmatch(part) else part.translate(ACCENTS) for part in FIXED.split(text)) + "⟧"


def translate(file: Path) -> None:
    """Translate every text of a .po file into the pseudo-language."""
    with file.open("rb") as source:
        catalog: Catalog = read_po(source, locale=LANGUAGE)
    for message in catalog:
        if message.id:
            plural = not isinstance(message.id, str)
            message.string = tuple(map(pseudo, message.id)) if plural else pseudo(message.id)
    with file.open("wb") as out:
        write_po(out, catalog)


@pytest.fixture(scope="module", autouse=True)
def extracted_once() -> Iterator[None]:
    """Read the texts of the code once: it takes seconds, and each language needs all of them."""
    with pytest.MonkeyPatch.context() as patched:
        remembered = cache(messages.extract)
        patched.setattr(messages, "extract", lambda domain: deepcopy(remembered(domain)))
        yield


@pytest.fixture(scope="module")
def translated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like studyplatform/locale with the pseudo-language."""
    folder = tmp_path_factory.mktemp("locale")
    messages.update(folder, LANGUAGE)
    for domain in (messages.PAGES, messages.ISLANDS):
        translate(folder / LANGUAGE / "LC_MESSAGES" / f"{domain}.po")
    messages.compile_language(folder, LANGUAGE)
    return folder


@pytest.fixture
def pseudo_site(translated: Path, settings) -> Iterator[None]:
    """The site as if LANGUAGE_CODE had been set to the pseudo-language when it started."""
    settings.LOCALE_PATHS = [translated]
    settings.LANGUAGES = [*settings.LANGUAGES, (LANGUAGE, "Pseudo")]
    settings.LANGUAGE_CODE = LANGUAGE
    with translation.override(LANGUAGE):
        yield


def test_a_page_is_in_the_language_of_the_site(pseudo_site, client):
    html = client.get("/auth/login").content.decode()

    assert f'<html lang="{LANGUAGE}"' in html
    assert f"{pseudo('Sign in')} |" in html
    assert pseudo("Skip to content") in html


def test_a_form_error_is_in_the_language_of_the_site(pseudo_site, client):
    html = client.post("/auth/login", {"email": "nobody@example.com", "password": "wrong"}).content.decode()

    assert pseudo("Incorrect email or password") in html


def test_a_refusal_of_the_api_is_in_the_language_of_the_site(pseudo_site, client):
    problem = client.get("/api/v1/nothing").json()

    assert (problem["code"], problem["title"]) == ("NOT_FOUND", pseudo("Not Found"))


def test_an_email_is_in_the_language_of_the_site(pseudo_site, client, leo):
    client.post("/auth/forgot-password", {"email": leo.email})
    jobs.run_pending("default")

    [sent] = mail.outbox
    assert sent.subject == pseudo("Choose a new password for %(site)s") % {"site": "Study Platform"}
    assert f'<html lang="{LANGUAGE}">' in sent.alternatives[0].content


def test_a_notification_is_in_the_language_of_the_site(pseudo_site, leo, browser_of):
    notify("account.password_changed", leo, "/settings/")

    assert pseudo("Your password was changed") in browser_of(leo).get("/notifications").content.decode()


def test_the_page_contains_the_texts_of_the_islands(pseudo_site, client):
    html = client.get("/help/").content.decode()
    script = re.search(r'<script type="application/json" id="study-messages">(.*?)</script>', html, re.DOTALL)
    texts = json.loads(script.group(1))

    assert texts["Try Again"] == pseudo("Try Again")
    assert texts["{count} hour"] == {"one": pseudo("{count} hour"), "other": pseudo("{count} hours")}
    assert texts["The server can't be reached"] == pseudo("The server can't be reached"), "the error catalog"


def shown(html: str) -> set[str]:
    """Return the visible and spoken texts of a page, without the contents of scripts and drawings."""
    html = re.sub(r"<(script|style|svg|select)\b.*?</\1>", "", html, flags=re.DOTALL)
    spoken = re.findall(r'\b(?:aria-label|placeholder|alt|data-confirm(?:-text|-label|-keep)?)="([^"]+)"', html)
    return {unescape(text).strip() for text in [*re.sub(r"<[^>]*>", "\n", html).split("\n"), *spoken]}


@pytest.mark.parametrize(
    ("person", "address"),
    [
        ("leo", "/settings/"),
        ("leo", "/me/enrollments"),
        ("leo", "/notifications"),
        ("ada", "/dashboard/instructor/"),
        ("sam", "/dashboard/admin/"),
        ("sam", "/dashboard/admin/jobs"),
        ("visitor", "/auth/register"),
        ("visitor", "/courses/"),
        ("visitor", "/status"),
    ],
)
def test_no_text_of_a_page_is_left_in_english(person, address, request, pseudo_site, enrollment, browser_of, client):
    browser = client if person == "visitor" else browser_of(request.getfixturevalue(person))
    response = browser.get(address, follow=True)
    texts = shown(response.content.decode())

    data = re.compile(
        r"Study Platform|Mathematics|Rivers and .*|(Ada|Leo|Sam)\b.*|(ada|leo|sam|support)\b.*|http://.*|.* UTC"
    )
    dated = re.compile(r"\d+\s\w+( \d+)?")  # Django's own translations: 14 marto 2026, 0 bitokoj
    assert response.status_code == 200
    assert any("⟦" in text for text in texts)
    english = {text for text in texts if re.search("[A-Za-z]{3}", text) and not re.search("[⟦⟧]", text)}
    assert [text for text in sorted(english) if not data.fullmatch(text) and not dated.fullmatch(text)] == []


def test_extraction_finds_every_text_of_the_islands():
    """Babel parses TypeScript as JavaScript, so it could skip a call without an error."""
    found = {one for message in messages.extract(messages.ISLANDS) for one in ids(message)}
    call = re.compile(r"(?<![\w.])tn?\(\s*(\"(?:[^\"\\]|\\.)*\")")
    written = {
        (path.name, json.loads(text))
        for path in (ROOT / "assets").rglob("*.ts*")
        if not {".test", ".gen"} & set(path.suffixes) and path.parent.name not in {"testing", "i18n"}
        for text in call.findall(path.read_text())
    }

    assert len(written) > 300
    assert [(file, text) for file, text in sorted(written) if text not in found] == []


def test_plural_forms_have_the_names_that_browsers_use(tmp_path):
    folder = tmp_path / "pl" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    rule = "n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2"
    head = f'"Content-Type: text/plain; charset=utf-8\\n"\n"Plural-Forms: nplurals=3; plural=({rule});\\n"'
    forms = 'msgstr[0] "{count} godzina"\nmsgstr[1] "{count} godziny"\nmsgstr[2] "{count} godzin"\n'
    plural = f'msgid "{{count}} hour"\nmsgid_plural "{{count}} hours"\n{forms}'
    fuzzy = '#, fuzzy\nmsgid "Try Again"\nmsgstr "Może"\n'
    (folder / "djangojs.po").write_text(f'msgid ""\nmsgstr ""\n{head}\n\n{plural}\n{fuzzy}')

    messages.compile_language(tmp_path, "pl")

    assert json.loads((folder / ISLAND_MESSAGES).read_text()) == {
        "{count} hour": {
            "one": "{count} godzina",
            "few": "{count} godziny",
            "many": "{count} godzin",
            "other": "{count} godziny",
        }
    }


def test_the_command_adds_a_language_and_refuses_an_unknown_one(tmp_path, settings):
    settings.LOCALE_PATHS = [tmp_path]

    call_command("messages", "pt-br", stdout=io.StringIO())
    with pytest.raises(CommandError, match="klingon is not a language"):
        call_command("messages", "klingon")

    assert {file.name for file in (tmp_path / "pt_BR" / "LC_MESSAGES").iterdir()} == {
        "django.po", "django.mo", "djangojs.po", "islands.json",
    }  # fmt: skip


def test_english_pages_contain_no_texts_for_islands(client):
    assert "study-messages" not in client.get("/help/").content.decode()
