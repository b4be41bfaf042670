"""The Model Context Protocol: tools and resources that a program calls over HTTP with a token.

An app describes what it offers as a :class:`~studyplatform.kit.mcp.service.Service` of plain functions; a page hands
requests to :func:`~studyplatform.kit.mcp.http.respond`. The official SDK speaks the protocol (``protocol.py``); it is
imported with the first request, because that takes about a second and 50 MB.
"""
