"""``manage.py check_storage``: compare the database with the stored files (docs/operations.md)."""

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from apps.files.services import MostlyOrphans, Problem, StorageCheck

FORMAT = 1  # of the JSON; a change that breaks readers counts it up
WORDS = {
    "orphan": "has no row",
    "missing": "is missing",
    "size": "has the wrong size",
    "checksum": "has other contents than were uploaded",
    "count": "differ from the tables",
    "scan": "were uploaded before virus scans were turned on",
}
EVERY = 10_000  # steps between two lines of progress


class Command(BaseCommand):
    help = (
        "Compare the database with the stored files: orphans, missing files, wrong sizes and checksums. "
        "Exits with 0 if nothing is wrong, 1 if something is, 2 if it could not compare."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="delete the orphans, correct the counts, start scans")
        parser.add_argument("--force", action="store_true", help="with --repair: even if most files are orphans")
        parser.add_argument("--checksums", action="store_true", help="read all files and compare their checksums")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")

    def handle(self, *, repair: bool, force: bool, checksums: bool, as_json: bool, **options: Any) -> None:
        counts: Counter[str] = Counter()
        with StorageCheck(now=timezone.now(), report=self._progress) as check:
            if repair and not force:
                try:
                    check.check_repair()
                except MostlyOrphans:
                    raise CommandError(
                        "More than half of what is stored has no row. Is this the right database? "
                        "Nothing was deleted; --force deletes it all the same.",
                        returncode=2,
                    ) from None
            problems = self._handled(check, counts, repair=repair, checksums=checksums)
            if as_json:
                self._print_json(check, problems, counts)
            else:
                self._print_lines(check, problems, counts)
        if counts["left"]:
            sys.exit(1)

    def _handled(
        self, check: StorageCheck, counts: Counter[str], *, repair: bool, checksums: bool
    ) -> Iterator[Problem]:
        for problem in check.problems(checksums=checksums):
            if repair and not check.repair(problem):
                continue
            counts[problem.kind] += 1
            counts["repaired" if problem.is_repaired else "left"] += 1
            yield problem

    def _print_lines(self, check: StorageCheck, problems: Iterator[Problem], counts: Counter[str]) -> None:
        for problem in problems:
            facts = [f"{problem.place} {problem.name} {WORDS[problem.kind]}"]
            if problem.size is not None:
                facts.append(
                    f"{problem.size} bytes in {problem.files} files" if problem.files > 1 else f"{problem.size} bytes"
                )
            if problem.expected_size is not None:
                facts.append(f"expected {problem.expected_size} bytes")
            facts += [problem.row] if problem.row else []
            facts += ["repaired"] if problem.is_repaired else []
            self.stdout.write(", ".join(facts))
        totals = check.totals
        found = ", ".join(f"{kind} {counts[kind]}" for kind in WORDS)
        self.stdout.write(f"{totals.files} files, {filesizeformat(totals.bytes)}. Problems: {found}.")
        if totals.without_checksum:
            self.stdout.write(f"{totals.without_checksum} files have no recorded checksum.")

    def _print_json(self, check: StorageCheck, problems: Iterator[Problem], counts: Counter[str]) -> None:
        """Print while comparing: the list of problems may be long."""
        self.stdout.write(f'{{"format": {FORMAT},\n"problems": [', ending="")
        for number, problem in enumerate(problems):
            facts = {
                "kind": problem.kind,
                "place": problem.place,
                "name": problem.name,
                "row": problem.row,
                "files": problem.files,
                "size": problem.size,
                "expected_size": problem.expected_size,
                "repaired": problem.is_repaired,
            }
            self.stdout.write((",\n" if number else "\n") + json.dumps(facts), ending="")
        summary = {
            "files": check.totals.files,
            "bytes": check.totals.bytes,
            "without_checksum": check.totals.without_checksum,
            **{kind: counts[kind] for kind in WORDS},
            "repaired": counts["repaired"],
            "left": counts["left"],
        }
        self.stdout.write(f'],\n"summary": {json.dumps(summary)}}}')

    def _progress(self, step: str, count: int) -> None:
        if count % EVERY == 0:
            self.stderr.write(f"{count} {step}")
