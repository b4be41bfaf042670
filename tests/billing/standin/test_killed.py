"""The stand-in as a process that is killed (kill -9): no half-written state, and nothing is done twice."""

import contextlib
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from threading import Thread

import stripe

from apps.billing.standin import Standin
from tests import servers

ROOT = Path(__file__).resolve().parents[3]


def start(port, folder):
    command = [sys.executable, "-m", "apps.billing.standin", "--port", str(port), "--folder", str(folder)]
    process = subprocess.Popen(command, cwd=ROOT)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/js/stripe.js"):
            return process
        time.sleep(0.02)
    raise AssertionError("it does not answer")


def buy(port, number, done):
    """Pay with one idempotency key until there is an answer, as a site does that lost the answer."""
    client = stripe.StripeClient(
        "sk_test_StudyPlatformStandIn0000000000",
        base_addresses={"api": f"http://127.0.0.1:{port}"},
        max_network_retries=0,
    )
    values = {"amount": 1000 + number, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    while number not in done:
        with contextlib.suppress(stripe.APIConnectionError):
            done[number] = client.v1.payment_intents.create(values, {"idempotency_key": f"order {number}"}).id
        time.sleep(0.002)


def test_killed_between_any_two_steps(tmp_path):
    port, done = servers.free_port(), {}
    process = start(port, tmp_path)

    def buy_all(first):
        for number in range(first, 60, 2):
            buy(port, number, done)

    threads = [Thread(target=buy_all, args=[first]) for first in range(2)]
    for thread in threads:
        thread.start()
    for wanted in (15, 40):
        while len(done) < wanted:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process = start(port, tmp_path)
    for thread in threads:
        thread.join()
    process.kill()
    process.wait()

    standin = Standin(tmp_path)
    with standin.working() as work:
        intents, charges = list(work.rows("payment_intent")), list(work.rows("charge"))
        events = [one for one in work.rows("event") if one["type"] == "payment_intent.succeeded"]
        moved = sum(one["net"] for one in work.rows("balance_transaction"))
        kept = work.find("balance")["_amounts"]["usd"]
    standin.close()
    assert {one["id"] for one in intents} == set(done.values())
    assert len(intents) == len(charges) == len(events) == 60
    assert {one["status"] for one in intents} == {"succeeded"}
    assert kept == moved
