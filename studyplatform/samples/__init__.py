"""Sample pages: small living examples of how this project does things, each with its own source beside it.

They are open to everyone. What visitors enter belongs to their browser alone (``visitors``), is limited (``models``,
``services``) and deleted every night (``jobs``). ``catalog`` lists the pages, ``source`` shows their code.
"""
