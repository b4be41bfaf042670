"""A small stand-in for Stripe: the part of its API that the product uses, with test cards, a clock and webhooks.

It is a program of its own (``python -m apps.billing.standin``) and knows nothing of Django or of the product's
database. Tests run it in their own process: ``Standin()`` and ``with standin.serving() as address``. What it cannot do:
docs/adr (Why the project brings its own Stripe stand-in).
"""

from apps.billing.standin.standin import Standin

__all__ = ["Standin"]
