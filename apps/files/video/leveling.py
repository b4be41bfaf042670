"""How much louder sound becomes, so that all videos are about equally loud (EBU R128)."""

from __future__ import annotations

from dataclasses import dataclass

from .recipe import Recipe
from .sound_levels import SoundLevels


@dataclass(frozen=True, kw_only=True)
class Leveling:
    """``gain``: decibels, 0 leaves the sound as it is. ``is_limited``: whether its peaks would be too high then."""

    gain: float = 0.0
    is_limited: bool = False


def choose_leveling(levels: SoundLevels | None, recipe: Recipe) -> Leveling:
    """Bring sound to the loudness of the recipe by one gain for all of it: what is whispered stays a whisper."""
    if levels is None or levels.loudness is None or recipe.loudness is None:
        return Leveling()
    gain = min(recipe.loudness - levels.loudness, recipe.most_gain)
    if abs(gain) <= recipe.loudness_tolerance:
        return Leveling()
    top = levels.true_peak
    return Leveling(gain=round(gain, 2), is_limited=top is not None and top + gain > recipe.true_peak)
