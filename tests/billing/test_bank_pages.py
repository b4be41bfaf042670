"""What admins post by hand, and how the ledger and the provider are compared on the page."""

import re
from datetime import UTC, datetime, timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.billing.models import BalanceTransaction, BooksDifference, EntryKind, LedgerEntry, ManualEntry
from apps.billing.queries.ledger import balances
from apps.billing.queries.ledger_accounts import NAMES
from apps.billing.queries.ledger_check import problems
from apps.billing.services.ledger import post_difference
from apps.billing.services.ledger.posting import ACCOUNTS
from tests.factories.billing import BalanceTransactionFactory, sale

pytestmark = pytest.mark.django_db
BANK, PAGE = "/dashboard/admin/bank", "/dashboard/admin/reconciliation"


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def posted(**changed):
    day = timezone.localdate().isoformat()
    return {
        "uid": str(uuid4()), "kind": "tax_paid", "amount": "120.50", "currency": "usd", "day": day, "period": "2026-Q3",
        "reference": "Return 7", **changed,
    }  # fmt: skip


def test_tax_that_was_paid_is_posted_once_and_undone_by_a_counter_entry(browser_of, sam):
    sale(1, 11_900, tax=1900)
    browser = browser_of(sam)
    assert "$19.00" in text_of(browser.get(BANK))
    values = posted(amount="19.00")
    for _ in range(2):
        browser.post(BANK, values)

    assert balances(["tax", "bank"]) == {"tax": {"usd": 0}, "bank": {"usd": -1900}}
    page = text_of(browser.get(BANK))
    assert "2026-Q3, Return 7" in page
    changed = browser.post(BANK, {**values, "amount": "20"})  # the browser went back to the form
    assert "posted before with other values" in text_of(changed)
    assert balances(["bank"]) == {"bank": {"usd": -1900}}
    row = ManualEntry.objects.get()
    for _ in range(2):
        browser.post(f"{BANK}/{row.uid}/undo")

    assert balances(["tax", "bank"]) == {"tax": {"usd": -1900}, "bank": {"usd": 0}}
    assert "Undone" in text_of(browser.get(BANK))
    assert list(problems()) == []
    assert browser.post(f"{BANK}/{uuid4()}/undo")["Location"] == "/"


def test_the_page_says_which_tax_consumers_pay_and_what_is_missing(browser_of, sam, settings):
    settings.SELLER_COUNTRY, settings.TAX_RATES = "FI", {"RO": 1900, "NO": 2500}
    page = text_of(browser_of(sam).get(BANK))
    assert "28 countries" in page
    assert "Finland The European Union, since 1 September 2024 25.5%" in page
    assert "Norway Your settings 25%" in page
    assert "Your rate for Romania is not its standard rate" in page
    assert "21% since 1 August 2025" in page
    assert "no tax rate" not in page

    settings.EU_TAX_RATES = False
    page = text_of(browser_of(sam).get(BANK))
    assert "26 countries have no tax rate" in page
    assert "Austria, Belgium" in page
    settings.TAX_EXEMPTION = "No VAT, section 19 UStG"
    page = text_of(browser_of(sam).get(BANK))
    assert "No VAT, section 19 UStG" in page
    assert "no tax rate" not in page


def test_each_kind_moves_the_bank_the_right_way(browser_of, sam):
    browser = browser_of(sam)
    for kind, bank in (
        ("tax_paid", -10), ("tax_returned", 10), ("owner_in", 10), ("owner_out", -10), ("bank_fee", -10),
    ):  # fmt: skip
        before = balances(["bank"]).get("bank", {}).get("usd", 0)
        browser.post(BANK, posted(kind=kind, amount="0.10"))
        assert balances(["bank"])["bank"]["usd"] - before == bank
    assert balances(["owner"]) == {"owner": {"usd": 0}}


WRONG: list[tuple[dict[str, str], str]] = [
    ({"amount": "0"}, "above zero"),
    ({"amount": "-5"}, "above zero"),
    ({"amount": "1.005"}, "fewer decimals"),
    ({"amount": "x"}, "Enter a number"),
    ({"currency": "xyz"}, "xyz"),
    ({"kind": "gift"}, "gift"),
    ({"day": "2999-01-01"}, "in the future"),
    ({"day": "soon"}, "such as 2026-11-30"),
    ({"reference": "x" * 141}, "140"),
    ({"uid": "x"}, "UUID"),
    ({"day": "0001-01-01"}, "too long ago"),
]


def test_what_is_wrong_is_said_and_nothing_is_posted(browser_of, sam):
    browser = browser_of(sam)
    for changed, said in WRONG:
        answer = browser.post(BANK, posted(**changed))
        assert answer.status_code == 422
        assert said in text_of(answer), changed
    assert not ManualEntry.objects.exists()
    assert not LedgerEntry.objects.exists()


def test_the_command_posts_and_undoes(capsys):
    uid = str(uuid4())
    for _ in range(2):
        call_command("post_bank_movement", "tax_paid", "120.50", "--period", "2026-Q3", "--id", uid, stdout=StringIO())
    assert balances(["bank"]) == {"bank": {"usd": -12_050}}
    call_command("post_bank_movement", "--undo", uid, stdout=StringIO())
    assert balances(["bank"]) == {"bank": {"usd": 0}}
    with pytest.raises(CommandError, match="another entry"):
        call_command("post_bank_movement", "tax_paid", "7", "--id", uid, stdout=StringIO())
    for wrong in (["tax_paid", "-5"], ["--undo", "x"], ["--undo", str(uuid4())], ["tax_paid", "5", "--date", "x"], []):
        with pytest.raises(CommandError):
            call_command("post_bank_movement", *wrong, stdout=StringIO())


def test_only_admins_open_the_books(browser_of, ada, mia, client):
    row = ManualEntry.objects.create(
        kind="tax_paid", amount=5, currency="usd", day=timezone.localdate(), made_at=timezone.now()
    )
    for person in (ada, mia):
        browser = browser_of(person)
        assert browser.get(BANK)["Location"] == "/"
        browser.post(BANK, posted())
        browser.post(f"{BANK}/{row.uid}/undo")
        browser.post(f"{PAGE}/explain", {"fact": "ch_1", "account": "fees"})
    assert client.get(BANK)["Location"].startswith("/auth/login")
    assert not LedgerEntry.objects.exists()


def test_days_are_compared_with_what_happened(browser_of, sam, time_machine):
    time_machine.move_to(datetime(2026, 11, 20, 12, tzinfo=UTC), tick=False)
    now = timezone.now()
    BalanceTransactionFactory(booked=1000, created_at=now - timedelta(days=1))
    BalanceTransactionFactory(booked=0, net=5760, created_at=now - timedelta(days=2))
    BalanceTransactionFactory(booked=1000, created_at=now - timedelta(days=3), repaired_at=now, category="refund")
    BalanceTransactionFactory(booked=0, created_at=now)
    BalanceTransactionFactory(booked=1000, created_at=now - timedelta(days=30))
    browser = browser_of(sam)

    rows = re.findall(r"<tr>(.*?)</tr>", browser.get(PAGE).content.decode().split("By day")[1], re.DOTALL)
    shown = [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows[1:5]]
    assert shown[0] == "20 November 2026 $0.00 $10.00 $10.00 Not compared yet"
    assert shown[1] == "19 November 2026 $10.00 $10.00 $0.00 Matches"
    assert shown[2].startswith("18 November 2026 $0.00 $57.60 $57.60 Open Payments")
    assert "Repair" in shown[2]
    assert shown[3] == "17 November 2026 $10.00 $10.00 $0.00 Fixed Refunds"
    assert "21 October 2026" in text_of(browser.get(f"{PAGE}?until=2026-10-28"))
    assert "20 November 2026" in text_of(browser.get(f"{PAGE}?until=yesterday"))
    assert "No money moved" in text_of(browser.get(f"{PAGE}?until=0001-01-05"))


def test_an_admin_says_what_an_unexplained_amount_was(browser_of, sam):
    row = BalanceTransactionFactory(fact="ch_9", type="contribution", description="Climate", net=-500, booked=0)
    post_difference("ch_9", EntryKind.UNEXPLAINED, {"usd": -500}, number=0, occurred_at=row.created_at)
    BooksDifference.objects.create(
        scope="provider", kind="balance", subject="ch_9", text="is odd", found_at=timezone.now()
    )
    browser = browser_of(sam)
    page = text_of(browser.get(PAGE))
    assert "contribution: Climate" in page
    assert "-$5.00" in page or "−$5.00" in page
    assert "is odd" in page

    for fact, account in (("ch_9", "instructor:1"), ("ch_none", "fees")):
        assert browser.post(f"{PAGE}/explain", {"fact": fact, "account": account})["Location"] == "/"
    for _ in range(2):
        browser.post(f"{PAGE}/explain", {"fact": "ch_9", "account": "fees"})

    assert balances(["unexplained", "fees"]) == {"unexplained": {"usd": 0}, "fees": {"usd": 500}}
    assert "Climate" not in text_of(browser.get(PAGE))
    assert BalanceTransaction.objects.count() == 1


def test_each_account_of_the_ledger_has_a_name():
    assert set(ACCOUNTS) <= set(NAMES)
