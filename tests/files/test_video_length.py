"""The end of a video track, calculated from the stored times and lengths of its packets."""

import pytest

from apps.files.video.tracks import Track, end_of_track

USUAL = 0.5


@pytest.mark.parametrize(
    ("times", "lengths", "limit", "end"),
    [
        # In order: the stored length of the last frame applies.
        ([0, 0.5, 1.0], [0.5, 0.5, 0.1], None, 1.1),
        # Reordered: the length stored with the last frame shown belongs to another frame.
        ([0, 1.0, 0.5], [0.5, 0.5, 0.1], None, 1.1),
        ([0, 1.0, 0.5], [0.5, 0.1, 4.0], None, 4.6),  # the last slide is shown for a long time
        # A gap in the middle: the sum of all lengths does not reach the last frame.
        ([0, 5.0, 5.5], [0.5, 0.5, 0.4], None, 5.9),
        # No lengths.
        ([0, 1.0, 0.5], [0, 0, 0], None, 1.5),
        # Longer than the container's duration: the container applies, but the last frame has at least the usual length.
        ([0, 1.0, 0.5], [0.5, 0.5, 9.0], 1.4, 1.5),
        ([0, 1.0, 0.5], [0.5, 0.5, 9.0], 3.0, 3.0),
        # The container's duration is too short.
        ([0, 1.0, 0.5], [0.5, 0.5, 0.5], 0.7, 1.5),
    ],
)
def test_the_end_of_a_track_is_calculated(
    times: list[float], lengths: list[float], limit: float | None, end: float
) -> None:
    track = Track(times=times, lengths=lengths, is_in_order=times == sorted(times))

    assert end_of_track(track, USUAL, limit) == pytest.approx(end)
