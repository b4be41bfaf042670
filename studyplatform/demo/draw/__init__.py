"""Draws and narrates the demo's videos: ``python -m studyplatform.demo.draw [course[/video]]``.

Needed only to change a video; the finished files are kept in ``studyplatform/demo/content``.
It wants ffmpeg, Debian's ``libttspico-utils`` for the voice, and the packages of
``studyplatform/demo/draw/requirements.txt``.
"""
