"""The cost of processing a video, relative to one plain transcode of the same clip by the same ffmpeg."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from apps.files.video import pipeline
from apps.files.video.binaries import find_ffmpeg
from apps.files.video.steps import STEPS
from apps.files.video.work import Work

# 15 s and 60 s gave the same ratios.
SECONDS = int(os.environ.get("BENCH_VIDEO_SECONDS", "15"))
ROUNDS = int(os.environ.get("BENCH_VIDEO_ROUNDS", "3"))


@dataclass
class Cost:
    """CPU seconds (user and system) of child processes, and wall-clock seconds."""

    cpu: float
    wall: float


def _measure(action: Callable[[], None]) -> Cost:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    action()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu, time.monotonic() - began)


def _ffmpeg(*arguments: str) -> None:
    subprocess.run([find_ffmpeg(), "-v", "error", "-nostdin", "-y", *arguments], check=True)


def record(folder: Path, *, keyframe_every: int) -> Path:
    """A 1080p30 clip of a moving pattern with noise, 6 Mbit/s H.264 and AAC."""
    path = folder / f"keyframes-{keyframe_every}.mp4"
    pattern = f"testsrc2=s=1920x1080:r=30:d={SECONDS},noise=alls=12:allf=t"
    _ffmpeg(
        *("-f", "lavfi", "-i", pattern, "-f", "lavfi", "-i", f"sine=f=440:d={SECONDS}"),
        *("-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-g", str(keyframe_every)),
        *("-sc_threshold", "0", "-b:v", "6M", "-maxrate", "6M", "-bufsize", "6M", "-c:a", "aac", "-b:a", "128k"),
        str(path),
    )
    return path


def plain_transcode(clip: Path, folder: Path) -> Cost:
    """The reference: 1080p to 1080p, x264 veryfast, all threads."""
    return _measure(
        lambda: _ffmpeg("-i", str(clip), "-c:v", "libx264", "-preset", "veryfast", "-c:a", "aac", str(folder / "x.mp4"))
    )


def whole_pipeline(clip: Path, folder: Path) -> tuple[Cost, Cost, str]:
    """Run the whole pipeline; returns its cost, the cost until the video was playable, and the result."""
    shutil.rmtree(folder / "work", ignore_errors=True)
    work = Work(source=clip, folder=folder / "work", ffmpeg=find_ffmpeg())
    costs = {step.name: _measure(lambda step=step: pipeline.run_step(step, work, lambda _: None)) for step in STEPS}  # type: ignore[misc]
    total = Cost(sum(each.cpu for each in costs.values()), sum(each.wall for each in costs.values()))
    until = [step.name for step in STEPS]
    until = until[: until.index("first") + 1] if work.plan.copied else until
    first = Cost(sum(costs[name].cpu for name in until), sum(costs[name].wall for name in until))
    return total, first, " ".join(each.name for each in pipeline.measure_published(work).renditions)


def bench_video() -> None:
    """Print the table: CPU and wall-clock time of the pipeline and of the first playable rendition."""
    print(f"\n{f'1080p30, {SECONDS} s, against one veryfast transcode':44}{'CPU':>7}{'wall':>7}{'first playable':>16}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, keyframe_every in (
            ("source that fits: top rendition copied", 60),
            ("source that must be encoded", 900),
        ):
            clip = record(folder, keyframe_every=keyframe_every)
            ratios: list[tuple[float, float, float]] = []
            made = ""
            for _ in range(ROUNDS):
                before = plain_transcode(clip, folder)
                total, first, made = whole_pipeline(clip, folder)
                after = plain_transcode(clip, folder)
                unit = Cost((before.cpu + after.cpu) / 2, (before.wall + after.wall) / 2)
                ratios.append((total.cpu / unit.cpu, total.wall / unit.wall, first.wall / unit.wall))
            cpu, wall, first_ratio = (statistics.median(each) for each in zip(*ratios, strict=True))
            print(f"{name:44}{cpu:7.2f}{wall:7.2f}{first_ratio:16.3f}   {made}", flush=True)


if __name__ == "__main__":
    bench_video()
