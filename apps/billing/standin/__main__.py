"""``python -m apps.billing.standin --port 8421 --folder var/standin``: the stand-in as a process of its own."""

import argparse
import logging
import signal
import sys
import threading
from pathlib import Path

from apps.billing.standin.standin import Standin


def main() -> None:
    """Serve until a signal."""
    parser = argparse.ArgumentParser(description="A small stand-in for Stripe.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8421)
    parser.add_argument("--folder", type=Path, help="where its file is kept; without it, everything is forgotten")
    parser.add_argument("--site", action="append", default=[], help="an origin whose pages may show the card fields")
    options = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s standin %(message)s")
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    standin = Standin(options.folder, sites=tuple(options.site))
    try:
        with standin.serving(options.port, options.host):
            ended.wait()
    except OSError as error:
        sys.exit(f"The stand-in for Stripe cannot listen on port {options.port} (STANDIN_PORT): {error.strerror}")
    finally:
        standin.close()


if __name__ == "__main__":
    main()
