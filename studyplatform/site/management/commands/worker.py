"""``manage.py worker``: the background worker; with --reload it starts again when code changes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils.autoreload import run_with_reloader

from studyplatform.celery import app
from studyplatform.supervisor import WORKER


class Command(BaseCommand):
    help = "Run the background worker in this process."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--reload", action="store_true")

    def handle(self, *, reload: bool, **options: Any) -> None:
        if reload:
            run_with_reloader(self.work)
        else:
            self.work()

    def work(self) -> None:
        app.worker_main(["worker", *WORKER])
