"""``python -m tests.uploads``: see the package."""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from pathlib import Path

from tests import servers
from tests.uploads import __doc__ as about
from tests.uploads.endurance import CLIENTS, MEGABYTE, run
from tests.uploads.server import SERVE, Server, create_account


def main() -> int:
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--client", choices=CLIENTS, action="append", help="by default all of them, one after another")
    parser.add_argument("--megabytes", type=int, default=2048, help="the size of the file (2048)")
    parser.add_argument("--postgres", action="store_true", help="with PostgreSQL and Redis")
    options = parser.parse_args()
    problems = []
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="study-uploads-")))
        environment = {"DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "studyplatform.settings.embedded"}
        environment["STANDIN_PORT"] = str(servers.free_port())  # by default one beside the server's, which may be taken
        environment["TUTOR_WARM_UP"] = "0"  # the weights would count as memory of the uploads
        if options.postgres:
            database, _ = stack.enter_context(servers.postgres())
            environment |= {"DATABASE_URL": database, "REDIS_URL": stack.enter_context(servers.redis())}
        headers = create_account(environment)
        for client in options.client or CLIENTS:
            server = Server(SERVE, servers.free_port(), environment, headers)
            try:
                report = run(server, client, folder, options.megabytes * MEGABYTE, is_patient=True)
            finally:
                server.stop()
            print(report, *report.problems, sep="\n  ", flush=True)
            problems += report.problems
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
