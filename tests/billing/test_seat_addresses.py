"""Addresses as people paste them, and domains at which anybody can get one."""

import pytest

from apps.billing.mail_domains import domain_of, is_public_domain, readable_domain
from apps.billing.seat_addresses import read_addresses


def test_addresses_are_read_as_people_paste_them():
    text = (
        "ravi@halden.example, Ife@HALDEN.example;greta@bücher.example\r\n"
        "Jonas Weiss <jonas@halden.example>\n\n\ufeff ravi@halden.example\u200b\t"
        "mailto:kofi@halden.example 'mei@halden.example'\nGRETA@xn--bcher-kva.example"
    )
    found = read_addresses(text)
    assert found.addresses == [
        "ravi@halden.example", "ife@halden.example", "greta@xn--bcher-kva.example", "jonas@halden.example",
        "kofi@halden.example", "mei@halden.example",
    ]  # fmt: skip
    assert found.repeated == ["ravi@halden.example", "greta@xn--bcher-kva.example"]
    assert found.invalid == []


def test_each_line_that_is_no_address_is_named():
    wrong = [
        "ravi",
        "@halden.example",
        "ravi@",
        "a@b@c.example",
        "ravi@halden",
        "ravi@halden..example",
        "x" * 300 + "@y.example",
        "<>",
    ]
    found = read_addresses("\n".join([*wrong, "ok@halden.example"]))
    assert found.invalid == wrong
    assert found.addresses == ["ok@halden.example"]
    assert read_addresses("") == read_addresses(" \n,;\t ")


@pytest.mark.parametrize(
    ("address", "domain"),
    [
        ("Maeve@Halden.EXAMPLE", "halden.example"),
        ("maeve@halden.example.", "halden.example"),
        ("maeve@bücher.example", "xn--bcher-kva.example"),
        ("maeve@BÜCHER.example", "xn--bcher-kva.example"),
        ("maeve@sub.halden.example", "sub.halden.example"),
        ("halden.example", ""),
        ("maeve@localhost", ""),
        ("", ""),
    ],
)
def test_a_domain_has_one_spelling(address, domain):
    assert domain_of(address) == domain
    assert readable_domain(domain) == ("bücher.example" if domain.startswith("xn--") else domain)


def test_domains_where_anybody_gets_an_address_are_known():
    public = (
        "gmail.com googlemail.com outlook.com hotmail.co.uk yahoo.co.jp yahoo.fr icloud.com proton.me gmx.de web.de"
    )
    public += (
        " mail.ru yandex.ru qq.com 163.com naver.com daum.net seznam.cz wp.pl orange.fr tuta.com hey.com mailbox.org"
    )
    public += (
        " mailinator.com guerrillamail.com privaterelay.appleid.com mozmail.com x.mailinator.com GMAIL.com gmail.com."
    )
    assert [domain for domain in public.split() if not is_public_domain(domain)] == []
    private = "halden.example school.edu gmail.halden.example outlook.halden.example notgmail.com xn--bcher-kva.example"
    assert [domain for domain in private.split() if is_public_domain(domain)] == []
