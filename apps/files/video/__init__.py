"""The video pipeline: from the bytes somebody uploaded to a ladder that every browser plays.

Nothing in this package knows the database or the web. Paths and a `Recipe` go in, files and
frozen dataclasses come out, a `VideoFailure` says what went wrong. Read in this order: `sniff`
(what is it), `probe` (what is in it), `ladder` (what do we make of it), `encode` (run ffmpeg on a
leash), `stills`, `subtitles` and `cues`, `playlist`, and `pipeline`, which puts them into resumable steps.
"""
