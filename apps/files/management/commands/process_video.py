"""manage.py process_video UID: process a video now, and show how far it is."""

import time
import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.files import services
from apps.files.models import VideoAsset
from studyplatform.kit import jobs

PAUSE_SECONDS = 1.0


class Command(BaseCommand):
    help = (
        "Process a video now and show its progress. A video that is waiting or has failed continues from its last"
        " completed stage. A complete video is processed again from its original and stays playable."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("video", type=uuid.UUID, help="the video's uid")
        parser.add_argument("--here", action="store_true", help="process it in this process instead of the worker")
        parser.add_argument("--no-wait", action="store_true", help="start processing and exit")

    def handle(self, *args: Any, **options: Any) -> None:
        video = VideoAsset.objects.filter(uid=options["video"]).first()
        if video is None:
            raise CommandError(f"There is no video {options['video']}.")
        if video.stage == VideoAsset.Stage.UPLOADING:
            raise CommandError("It is still being uploaded.")
        if video.is_complete and not services.process_again(video_id=video.pk, priority=1):
            raise CommandError("Its original isn't stored, so it can't be processed again.")
        if video.stage == VideoAsset.Stage.FAILED:
            if video.failure != VideoAsset.Failure.PROCESSING or video.version is None:
                raise CommandError(f"Its file can't be processed: {video.failure_detail}")
            services.reopen_video(video_id=video.pk, version=video.version)
            video.refresh_from_db()
        services.enqueue_processing(VideoAsset.objects.get(pk=video.pk), priority=1)
        if options["here"]:
            jobs.run_pending("media")
        if not options["no_wait"]:
            self._wait(video)

    def _wait(self, video: VideoAsset) -> None:
        shown = ""
        while True:
            row = VideoAsset.objects.filter(pk=video.pk).first()
            if row is None:
                raise CommandError("The video was deleted meanwhile.")
            line = f"{row.get_stage_display()} {row.step} {row.percent}%"
            if line != shown:
                shown = line
                self.stdout.write(line)
            if row.stage == VideoAsset.Stage.FAILED:
                raise CommandError(row.failure_detail)
            if row.is_complete:
                if row.replacement_failure:
                    raise CommandError(row.replacement_failure)
                return
            time.sleep(PAUSE_SECONDS)
