"""The card fields that the stand-in for Stripe puts into a page: mistakes, declines, the bank, saved cards."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
import stripe
from playwright.sync_api import Browser, Page, expect

from apps.billing.standin import Standin

pytestmark = pytest.mark.e2e

# A page of another origin, with the policy that the product's pages have.
SHOP = """<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1><div id="here"></div>
<button id="pay">Pay</button><p id="told" role="status"></p>
<script src="{standin}/js/stripe.js"></script><script src="/shop.js"></script>"""
SCRIPT = """
const stripe = window.Stripe("{key}");
const elements = stripe.elements({{
  clientSecret: "{secret}",
  appearance: {{ variables: {{ borderRadius: "7px" }}, rules: {{ ".Input": {{ fontSize: "18px" }} }} }},
}});
const card = elements.create("payment");
const events = (window.seen = []);
for (const name of ["ready", "change", "loaderror"]) card.on(name, (event) => events.push([name, event.complete]));
card.mount("#here");
const tell = (result) => {{
  const intent = result.paymentIntent ?? result.setupIntent;
  document.getElementById("told").textContent = result.error ? result.error.code : intent.status;
}};
document.getElementById("pay").onclick = async () => {{
  const checked = await elements.submit();
  if (checked.error) return tell(checked);
  tell(await stripe.confirm{what}({{ elements, redirect: "if_required" }}));
}};
window.paySaved = async (method) => tell(await stripe.confirmCardPayment("{secret}", {{ payment_method: method }}));
"""


@pytest.fixture
def shop(browser: Browser):
    """Opens the shop's page for an intent of the stand-in."""
    standin = Standin()
    pages: dict[str, tuple[str, str]] = {}
    policy = "default-src 'self'; script-src 'self' {0}; frame-src {0}; connect-src 'self' {0}; style-src 'self'"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            kind, content = pages.get(self.path, ("text/plain", ""))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Security-Policy", policy.format(standin.address))
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
    context = browser.new_context(viewport={"width": 390, "height": 800})
    problems: list[str] = []

    def note(said) -> None:
        if said.type == "error" and "402" not in said.text:  # a declined card
            problems.append(said.text)

    def open_for(intent, what) -> Page:
        key = standin.publishable_key
        pages["/"] = ("text/html", SHOP.format(standin=standin.address))
        pages["/shop.js"] = ("text/javascript", SCRIPT.format(key=key, secret=intent.client_secret, what=what))
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.wait_for_function("window.seen.some(([name]) => name === 'ready')")
        return page

    with standin.serving() as address:
        client = stripe.StripeClient(standin.secret_key, base_addresses={"api": address})
        yield open_for, client
        context.close()
        server.shutdown()
        server.server_close()
    assert problems == []


def enter(page: Page, number: str, expires: str = "12 / 40", code: str = "123") -> None:
    fields = page.frame_locator("iframe[title='Card details']")
    fields.get_by_label("Card number").fill(number)
    fields.get_by_label("Expires").fill(expires)
    fields.get_by_label("Security code").fill(code)


@pytest.mark.long
def test_card_is_entered_in_a_frame_of_the_provider(shop):
    open_for, client = shop
    customer = client.v1.customers.create({}).id
    intent = client.v1.payment_intents.create({"amount": 6400, "currency": "usd", "customer": customer})
    page = open_for(intent, "Payment")
    told, fields = page.locator("#told"), page.frame_locator("iframe[title='Card details']")

    page.get_by_role("button", name="Pay").click()
    expect(told).to_have_text("incomplete_number")
    number = fields.get_by_label("Card number")
    expect(number).to_be_focused()
    expect(number).to_have_attribute("aria-invalid", "true")
    expect(number).to_have_accessible_description("Your card number is incomplete.")
    expect(number).to_have_css("border-radius", "7px")
    expect(number).to_have_css("font-size", "18px")
    enter(page, "4242424242424241", "02 / 20")
    expect(fields.get_by_text("Your card number is invalid.")).to_be_visible()
    expect(fields.get_by_text("This card has expired.")).to_be_visible()

    enter(page, "4000000000000002")
    expect(number).to_have_value("4000 0000 0000 0002")
    assert ["change", True] in page.evaluate("window.seen")
    page.get_by_role("button", name="Pay").click()
    expect(told).to_have_text("card_declined")
    expect(fields.get_by_label("Security code")).to_have_value("")

    enter(page, "4000002500003155")
    page.get_by_role("button", name="Pay").click()
    bank = page.frame_locator("iframe[title='Your bank']")
    expect(bank.get_by_text("Do you want to pay 64.00 USD?")).to_be_visible()
    page.keyboard.press("Escape")
    expect(told).to_have_text("payment_intent_authentication_failure")
    enter(page, "4000002500003155")
    page.get_by_role("button", name="Pay").click()
    bank.get_by_role("button", name="Complete").click()
    expect(told).to_have_text("succeeded")
    assert client.v1.payment_intents.retrieve(intent.id).amount_received == 6400


@pytest.mark.long
def test_card_is_saved_and_used_again(shop):
    open_for, client = shop
    customer = client.v1.customers.create({}).id
    page = open_for(client.v1.setup_intents.create({"customer": customer}), "Setup")
    enter(page, "4000000000003220")
    page.get_by_role("button", name="Pay").click()
    page.frame_locator("iframe[title='Your bank']").get_by_role("button", name="Complete").click()
    expect(page.locator("#told")).to_have_text("succeeded")

    [card] = client.v1.payment_methods.list({"customer": customer}).data
    intent = client.v1.payment_intents.create({"amount": 900, "currency": "usd", "customer": customer})
    page = open_for(intent, "Payment")
    page.evaluate(f"void paySaved('{card.id}')")
    page.frame_locator("iframe[title='Your bank']").get_by_role("button", name="Fail").click()
    expect(page.locator("#told")).to_have_text("payment_intent_authentication_failure")
