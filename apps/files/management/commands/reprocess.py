"""manage.py reprocess --missing: create what complete videos are missing."""

import time
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.files import services
from apps.files.models import VideoAsset
from studyplatform.kit.models import Job

PAUSE_SECONDS = 2.0


class Command(BaseCommand):
    help = (
        "Create what complete videos are missing: waveform peaks, loudness, poster, storyboard, renditions. Videos"
        " remain playable. Peaks are read from the encoded sound; everything else requires the original file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--missing",
            nargs="*",
            choices=services.LACKS,
            required=True,
            metavar="KIND",
            help=f"what to create: {', '.join(services.LACKS)}; all of them by default",
        )
        parser.add_argument("--limit", type=int, default=0, help="the maximum number of videos; 0 for no limit")
        parser.add_argument("--dry-run", action="store_true", help="list the videos without processing them")
        parser.add_argument("--wait", action="store_true", help="show the progress until every video is complete")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["limit"] < 0:
            raise CommandError("--limit must not be negative.")
        started: list[int] = []
        counts: Counter[str] = Counter()
        for lacking in services.find_lacking(options["missing"] or services.LACKS):
            if options["limit"] and counts["found"] >= options["limit"]:
                break
            counts["found"] += 1
            counts.update(lacking.lacks)
            video = lacking.video
            fate = "" if lacking.can_be_made else " (its original isn't stored)"
            self.stdout.write(f"{video.uid} {video.filename}: {', '.join(lacking.lacks)}{fate}")
            if not options["dry_run"] and services.start_reprocessing(lacking):
                started.append(video.pk)
        parts = ", ".join(f"{kind} {counts[kind]}" for kind in services.LACKS if counts[kind])
        self.stdout.write(f"Videos with missing parts: {counts['found']}{f' ({parts})' if parts else ''}.")
        if options["dry_run"]:
            self.stdout.write("Dry run: no video was started.")
            return
        self.stdout.write(f"Queued videos: {len(started)}. The worker processes new uploads first.")
        if options["wait"]:
            self._wait(started)

    def _wait(self, videos: list[int]) -> None:
        shown = -1
        while True:
            left = set(VideoAsset.objects.filter(pk__in=videos).unfinished().values_list("pk", flat=True))
            open_ = Job.objects.filter(
                kind="files.measure_sound", state__in=[Job.State.QUEUED, Job.State.RUNNING]
            ).values_list("payload", flat=True)
            left |= {payload["video"] for payload in open_} & set(videos)
            done = len(videos) - len(left)
            if done != shown:
                shown = done
                self.stdout.write(f"{done} of {len(videos)}")
            if not left:
                return
            time.sleep(PAUSE_SECONDS)
