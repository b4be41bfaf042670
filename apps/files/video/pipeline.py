"""Process a video, step by step. Each step can be repeated; one that is complete is skipped.

A process that is killed at any moment starts the current step again, and no other (see `work`).
"""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Callable

from studyplatform.kit.disk import NO_SPACE

from .encode import Report, kill_stray
from .failures import ProcessingFailed
from .steps import STEPS, measure_renditions
from .work import Caption, Published, Step, Work


def run_step(step: Step, work: Work, report: Report) -> None:
    """Run one step unless it is complete. `report` receives its progress, 0 to 1, and may raise to stop it.

    :raises VideoFailure: the step failed.
    """
    if work.is_done(step.name):
        return
    work.folder.mkdir(parents=True, exist_ok=True)
    kill_stray(work.folder)
    # A unique name: a worker that lost its lease but still runs must not remove the files of its successor.
    part = work.folder / f"part-{step.name}-{uuid.uuid4().hex[:8]}"
    for abandoned in work.folder.glob("part-*"):
        shutil.rmtree(abandoned, ignore_errors=True)
    for folder in (part, work.public, work.folder / "done"):
        folder.mkdir(exist_ok=True)
    try:
        report(0.0)
        step.run(work, part, report)
        (work.folder / "done" / step.name).touch()
    except OSError as problem:
        if problem.errno not in NO_SPACE:
            raise ProcessingFailed("crashed", str(problem), retry=True) from problem
        work.mark_disk_full()
        raise ProcessingFailed("no_space", str(problem), retry=True) from problem
    except ProcessingFailed as failure:
        if failure.reason == "no_space":
            work.mark_disk_full()
        raise
    finally:
        shutil.rmtree(part, ignore_errors=True)


def process(work: Work, report: Callable[[Step, float], None] = lambda *_: None) -> Published:
    """Run all steps that are not complete and return what is playable.

    :raises VideoFailure: a step failed.
    """
    for step in STEPS:
        run_step(step, work, lambda done, step=step: report(step, done))  # type: ignore[misc]
    return measure_published(work)


def measure_published(work: Work) -> Published:
    """Measure the files that are public so far.

    :raises VideoFailure: there is no rendition yet.
    """
    measured = tuple(measure_renditions(work))
    top = work.plan.pictures[0]
    saved = work.folder / "captions.json"
    captions = json.loads(saved.read_text()) if saved.exists() else []
    return Published(
        duration=work.plan.duration,
        width=top.width,
        height=top.height,
        renditions=measured,
        captions=tuple(Caption(**each) for each in captions),
        size=sum(file.stat().st_size for file in work.public.rglob("*") if file.is_file()),
        picture_lost=round(work.lost_share("picture") * work.plan.duration, 3),
        sound_lost=round(work.lost_share("sound") * work.plan.duration, 3),
        is_complete=len(measured) == len(work.plan.names),
    )


def disk_space_needed(work: Work) -> int:
    """Estimate the disk space in bytes that processing an analyzed video still needs; 0 after the ladder is encoded.

    Lectures need about half of what the renditions' maximum bit rates allow, and at most twice the size of the source;
    a copy of the source is added if there is one. If that proves too little, processing stops at the disk's reserve,
    and the next estimate is the maximum plus a tenth for the container format.
    """
    if work.is_done("ladder"):
        return 0
    rates = sum(each.top_rate for each in work.plan.encoded) + 2 * work.recipe.audio_rate
    copied = work.probe.size if work.plan.copied else 0
    maximum = int(rates * work.plan.duration / 8)
    encoded = maximum + maximum // 10 if work.disk_full_marker.exists() else min(maximum // 2, 2 * work.probe.size)
    return encoded + copied


def overall_progress(step: Step, done: float) -> float:
    """Convert the progress of one step, 0 to 1, to the progress of all steps, 0 to 1."""
    before = sum(each.weight for each in STEPS[: STEPS.index(step)])
    return (before + step.weight * done) / sum(each.weight for each in STEPS)
