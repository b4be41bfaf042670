"""Colors of the style sheets, as sRGB."""

import pytest

from apps.courses.artwork.colors import srgb_of


@pytest.mark.parametrize(
    ("color", "expected"),
    [
        ((0, 0, 0), (0, 0, 0)),
        ((1, 0, 0), (1, 1, 1)),
        ((0.5999, 0, 0), (0.5, 0.5, 0.5)),
        ((0.628, 0.2577, 29.23), (1, 0, 0)),
        ((0.628, 0.4, 29.23), (1, 0, 0)),  # outside of sRGB: cut off
    ],
)
def test_a_color_is_the_nearest_of_srgb(color: tuple[float, float, float], expected: tuple[float, ...]) -> None:
    assert srgb_of(*color) == pytest.approx(expected, abs=0.01)
