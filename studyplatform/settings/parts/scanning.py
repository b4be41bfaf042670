"""The virus scan of uploads by clamd; off unless CLAMD_ADDRESS is set (docs/operations.md)."""

from studyplatform.settings import env

# A path ("/run/clamav/clamd.ctl") or a host with its port ("127.0.0.1:3310"). Empty: nothing is scanned.
CLAMD_ADDRESS = env.text("CLAMD_ADDRESS")
# Seconds that clamd may be silent: after the last byte it needs time for large archives.
CLAMD_TIMEOUT = env.number("CLAMD_TIMEOUT", 300)
# True: files larger than clamd's StreamMaxLength count as clean.
CLAMD_ALLOW_TOO_LARGE = env.flag("CLAMD_ALLOW_TOO_LARGE")
