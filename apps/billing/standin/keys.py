"""The fixed keys of the stand-in. They are no secrets: it listens on the loopback address and moves no money."""

# dj-stripe demands the prefix and at least 24 letters or digits after it.
SECRET_KEY = "sk_test_StudyPlatformStandIn0000000000"  # noqa: S105
PUBLISHABLE_KEY = "pk_test_StudyPlatformStandIn0000000000"

API_VERSION = "2026-05-27.dahlia"
ACCOUNT = "acct_1StudyStandIn0000"
