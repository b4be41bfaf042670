"""The tutor: which model answers, what it costs, and how often it may be asked. Without TUTOR_URL, it is a search."""

from decimal import Decimal, InvalidOperation

from django.core.exceptions import ImproperlyConfigured

from studyplatform.settings import env


def _price(name: str) -> Decimal:
    """A price per million tokens, in units of the currency."""
    value = env.text(name, "0")
    try:
        price = Decimal(value)
    except InvalidOperation:
        price = Decimal(-1)
    if not (price.is_finite() and 0 <= price <= 1_000_000):
        raise ImproperlyConfigured(f"{name} must be a price per million tokens, not {value!r}")
    return price


# The base of an OpenAI-compatible address, such as https://api.openai.com/v1 or http://127.0.0.1:11434/v1.
TUTOR_URL = env.text("TUTOR_URL").rstrip("/").removesuffix("/chat/completions")
TUTOR_KEY = env.text("TUTOR_KEY")
TUTOR_MODEL = env.text("TUTOR_MODEL")
if TUTOR_URL and not TUTOR_URL.startswith(("https://", "http://")):
    raise ImproperlyConfigured("TUTOR_URL must begin with https:// or http://.")
if TUTOR_URL and not TUTOR_MODEL:
    raise ImproperlyConfigured("TUTOR_URL needs TUTOR_MODEL.")
# Where passages and questions get further vectors of meaning: an OpenAI-compatible address with /embeddings.
TUTOR_EMBEDDINGS_URL = env.text("TUTOR_EMBEDDINGS_URL").rstrip("/").removesuffix("/embeddings")
TUTOR_EMBEDDINGS_KEY = env.text("TUTOR_EMBEDDINGS_KEY")
TUTOR_EMBEDDINGS_MODEL = env.text("TUTOR_EMBEDDINGS_MODEL")
if TUTOR_EMBEDDINGS_URL and not TUTOR_EMBEDDINGS_URL.startswith(("https://", "http://")):
    raise ImproperlyConfigured("TUTOR_EMBEDDINGS_URL must begin with https:// or http://.")
if TUTOR_EMBEDDINGS_URL and not 1 <= len(TUTOR_EMBEDDINGS_MODEL) <= 100:
    raise ImproperlyConfigured("TUTOR_EMBEDDINGS_URL needs TUTOR_EMBEDDINGS_MODEL, of at most 100 characters.")
# Seconds until the first piece of an answer, and between two pieces.
TUTOR_TIMEOUT = env.number("TUTOR_TIMEOUT", 30)
# Tokens: what a question with its passages and the chat before it may take, and the longest answer.
TUTOR_CONTEXT_TOKENS = env.number("TUTOR_CONTEXT_TOKENS", 6000)
TUTOR_ANSWER_TOKENS = env.number("TUTOR_ANSWER_TOKENS", 1200)
# What the provider charges for a million tokens, in units of CURRENCY.
TUTOR_PRICE_IN = _price("TUTOR_PRICE_IN")
TUTOR_PRICE_OUT = _price("TUTOR_PRICE_OUT")
# How often one user may ask: a model, and the search.
TUTOR_QUESTIONS_PER_HOUR = env.number("TUTOR_QUESTIONS_PER_HOUR", 30)
TUTOR_QUESTIONS_PER_DAY = env.number("TUTOR_QUESTIONS_PER_DAY", 200)
TUTOR_SEARCHES_PER_HOUR = env.number("TUTOR_SEARCHES_PER_HOUR", 120)
TUTOR_SEARCHES_PER_DAY = env.number("TUTOR_SEARCHES_PER_DAY", 2000)
_limits = ("QUESTIONS_PER_HOUR", "QUESTIONS_PER_DAY", "SEARCHES_PER_HOUR", "SEARCHES_PER_DAY")
for _name in ("TIMEOUT", "CONTEXT_TOKENS", "ANSWER_TOKENS", *_limits):
    if globals()[f"TUTOR_{_name}"] < 1:
        raise ImproperlyConfigured(f"TUTOR_{_name} must be at least 1.")

# Load weights and passages when the server starts, not with the first question.
TUTOR_WARM_UP = env.flag("TUTOR_WARM_UP", default=True)
