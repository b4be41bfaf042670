"""Plan the renditions of a source (its bitrate ladder), before anything is encoded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from .probe import Picture, Probe
from .recipe import Recipe, Rung

COPYABLE_PROFILES = {"baseline", "constrained baseline", "main", "high"}
AUDIO = "audio"
# Bits per second; even a still picture may use them.
MIN_RATE = 48_000


@dataclass(frozen=True, kw_only=True)
class Rendition:
    """One quality of the video. Sizes are in pixels, 0 for sound alone; `top_rate` in bits per second."""

    name: str
    width: int = 0
    height: int = 0
    top_rate: int = 0
    is_copy: bool = False


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The renditions of a source. Times in seconds."""

    duration: float
    frame_rate: Fraction
    pictures: tuple[Rendition, ...]  # largest first
    has_sound: bool
    keyframes: tuple[float, ...]  # of the source, if the first rendition copies its picture
    cuts: tuple[float, ...]  # the keyframes at which segments begin
    why_no_copy: str
    early: Rendition | None  # is encoded before the others, if there is no copy that is playable meanwhile

    @property
    def names(self) -> tuple[str, ...]:
        return (*(each.name for each in self.pictures), *((AUDIO,) if self.has_sound else ()))

    @property
    def copied(self) -> Rendition | None:
        return self.pictures[0] if self.pictures[0].is_copy else None

    @property
    def encoded(self) -> tuple[Rendition, ...]:
        return tuple(each for each in self.pictures if not each.is_copy)


def plan(source: Probe, recipe: Recipe, *, may_copy: bool = True) -> Plan:
    """Choose the renditions: none larger than the source, at least one, and sound if there is any."""
    picture = source.picture
    rungs = _rungs_for(picture, recipe)
    reason = why_no_copy(source, rungs[0], recipe) if may_copy else "tried without success"
    pictures = []
    for at, rung in enumerate(rungs):
        width, height = fit(picture.width, picture.height, rung.long_edge, rung.edge)
        is_copy = at == 0 and not reason
        pictures.append(
            Rendition(
                name=rung.name,
                width=picture.width if is_copy else width,
                height=picture.height if is_copy else height,
                # A smaller rendition must not have a higher rate than a copied one: players choose by rate.
                top_rate=rung.top_rate if reason else min(rung.top_rate, max(picture.bit_rate, MIN_RATE)),
                is_copy=is_copy,
            )
        )
    is_early = bool(reason) and len(pictures) > 1 and source.duration >= recipe.early_min_seconds
    return Plan(
        duration=source.duration,
        frame_rate=target_rate(picture, recipe),
        pictures=tuple(pictures),
        has_sound=source.sound is not None,
        keyframes=() if reason else picture.keyframes,
        cuts=() if reason else cuts_of(picture.keyframes, recipe.segment),
        why_no_copy=reason,
        early=pictures[-1] if is_early else None,
    )


def _rungs_for(picture: Picture, recipe: Recipe) -> list[Rung]:
    """The rungs whose box the source fills (at least 95%) in one direction; the smallest rung if there is none."""
    long, short = max(picture.width, picture.height), min(picture.width, picture.height)
    fitting = [rung for rung in recipe.rungs if short >= 0.95 * rung.edge or long >= 0.95 * rung.long_edge]
    return fitting or [recipe.rungs[-1]]


def fit(width: int, height: int, long_edge: int, short_edge: int) -> tuple[int, int]:
    """Scale a picture down to fit a box of its orientation. Returns even width and height in pixels."""
    long, short = max(width, height), min(width, height)
    factor = min(Fraction(1), Fraction(long_edge, long), Fraction(short_edge, short))
    return _even(width * factor), _even(height * factor)


def _even(size: Fraction) -> int:
    # An odd size that is not scaled is rounded down: the source must not grow.
    halves = size / 2
    return max(2, 2 * (round(halves) if halves.denominator != 2 else math.floor(halves)))


def target_rate(picture: Picture, recipe: Recipe) -> Fraction:
    """Frames per second of the renditions: the source's, halved until it is at most `recipe.top_frame_rate`."""
    rate = picture.rate
    while rate > recipe.top_frame_rate * Fraction(101, 100):
        rate /= 2
    return max(rate, Fraction(5))


def why_no_copy(source: Probe, rung: Rung, recipe: Recipe) -> str:
    """The reasons why the source's picture cannot be copied as the top rendition; empty if it can."""
    picture = source.picture
    long, short = max(picture.width, picture.height), min(picture.width, picture.height)
    reasons = {
        "container": source.container == "avi",
        "codec": picture.codec != "h264",
        "profile": picture.profile.lower() not in COPYABLE_PROFILES or picture.level > 42,
        "pixels": picture.pixel_format != "yuv420p" or picture.transfer != "sdr",
        "turned": bool(picture.turns),
        "aspect": not picture.square_pixels,
        "interlaced": picture.interlaced,
        "odd size": bool(picture.width % 2 or picture.height % 2),
        "too large": long > rung.long_edge or short > rung.edge,
        "bit rate": picture.bit_rate > rung.copy_rate,
        "frame rate": picture.is_variable or picture.rate != target_rate(picture, recipe),
        "keyframes": picture.keyframe_gap > recipe.copy_keyframe_gap
        # All renditions get the same keyframes; more than one per second would cost too many bits.
        or len(picture.keyframes) > 1.12 * source.duration + 1,
        "open groups": not picture.is_copyable_stream,
        "start": picture.starts_at > 0.02 or picture.keyframes[:1] != (picture.starts_at,),
        "end": abs(picture.ends_at - source.duration) > 0.05,
    }
    return ", ".join(name for name, holds in reasons.items() if holds)


def cuts_of(keyframes: tuple[float, ...], segment: float) -> tuple[float, ...]:
    """Predict where ffmpeg's HLS muxer splits a copied track: at the first keyframe at or after each multiple of the
    segment duration, counted by the segments written so far. Times in seconds."""
    cuts = [keyframes[0]]
    for at in keyframes[1:]:
        if at - keyframes[0] >= segment * len(cuts) - 1e-6:
            cuts.append(at)
    return tuple(cuts)
