"""The video pipeline: from an uploaded file to renditions that every browser plays.

This package depends neither on the database nor on HTTP. Paths and a `Recipe` go in; files and frozen dataclasses come
out; a `VideoFailure` says what went wrong. Read in this order: `container` (which format), `probe` (which tracks),
`ladder` (which renditions), `encode` (run ffmpeg), `renditions` and `filter_graph` (its arguments), `storyboard`,
`subtitles` and `webvtt`, `playlist`, and `work`, `steps` and `pipeline`, which combine them into resumable steps.
"""
