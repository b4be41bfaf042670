"""How long a picture track is, told from the times and lengths of its packets as they are stored."""

import pytest

from apps.files.video.tracks import Track, end_of_track

USUAL = 0.5


@pytest.mark.parametrize(
    ("times", "lengths", "limit", "end"),
    [
        # In order: the last frame is as long as it says.
        ([0, 0.5, 1.0], [0.5, 0.5, 0.1], None, 1.1),
        # Reordered: the length stored with the frame shown last is another frame's.
        ([0, 1.0, 0.5], [0.5, 0.5, 0.1], None, 1.1),
        ([0, 1.0, 0.5], [0.5, 0.1, 4.0], None, 4.6),  # the last slide stays for long
        # A gap in the middle: all lengths together do not reach the last frame.
        ([0, 5.0, 5.5], [0.5, 0.5, 0.4], None, 5.9),
        # No lengths at all.
        ([0, 1.0, 0.5], [0, 0, 0], None, 1.5),
        # More than the container says of the whole file: the container is believed, but for a usual frame.
        ([0, 1.0, 0.5], [0.5, 0.5, 9.0], 1.4, 1.5),
        ([0, 1.0, 0.5], [0.5, 0.5, 9.0], 3.0, 3.0),
        # A container that is wrong about less than there is.
        ([0, 1.0, 0.5], [0.5, 0.5, 0.5], 0.7, 1.5),
    ],
)
def test_where_a_track_ends(times: list[float], lengths: list[float], limit: float | None, end: float) -> None:
    track = Track(times=times, lengths=lengths, is_in_order=times == sorted(times))

    assert end_of_track(track, USUAL, limit) == pytest.approx(end)
