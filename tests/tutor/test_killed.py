"""A server that is killed while it writes an answer: what was shown is kept, and the answer continues."""

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import User
from apps.tutor import services
from apps.tutor.models import Answer
from apps.tutor.services import generating
from apps.tutor.streaming import alone

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.long]

_WRITES_FOREVER = """
import asyncio, sys, uuid
import django
from django.conf import settings
settings.DATABASES["default"]["NAME"] = sys.argv[2]
django.setup()
from apps.tutor import providers
from apps.tutor.streaming import alone

class Endless:
    name, is_search = "endless", False
    async def stream(self, prompt):
        number = 0
        while True:
            yield f"word{number} "
            number += 1
            await asyncio.sleep(0.02)

providers.current = lambda user, course: Endless()
alone.generate(uuid.UUID(sys.argv[1]))
"""


def test_an_answer_survives_the_kill_of_its_process(leo: User) -> None:
    asked = services.Asked(question="Why does a river bend?", key=uuid4())
    exchange = services.start_chat(user=leo, asked=asked, course=None, now=timezone.now())
    answer = exchange.answers.get()
    name = str(connection.settings_dict["NAME"])
    process = subprocess.Popen([sys.executable, "-c", _WRITES_FOREVER, str(answer.uid), name], env=os.environ.copy())
    try:
        deadline = time.monotonic() + 60
        while not Answer.objects.get().text.count("word") > 20:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()

    killed = Answer.objects.get()
    assert killed.state_at(timezone.now()) == "streaming"
    later = timezone.now() + generating.LEASE + timedelta(seconds=1)
    assert killed.state_at(later) == "interrupted"
    assert services.continue_answer(user=leo, uid=killed.uid, now=later).state == "waiting"
    assert alone.generate(killed.uid)
    ended = Answer.objects.get()
    assert (ended.state, ended.claims) == ("finished", 2)
    assert ended.text.startswith(killed.text.rstrip())
