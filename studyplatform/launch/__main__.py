"""What the Makefile runs: ``python3 -I -X utf8 studyplatform/launch COMMAND``.

Older Pythons must be able to parse this file, so that they reach the sentence that says what is needed.
"""

import sys
from pathlib import Path
from types import ModuleType

if sys.version_info < (3, 11):
    sys.exit(
        f"\nStudy Platform needs Python 3.11 or newer; this is {sys.version.split()[0]}.\n"
        "Install a newer one (Debian 12, Ubuntu 24.04 and later have it: apt-get install -y python3 python3-venv), "
        "or name one: make run PYTHON3=/path/to/python3"
    )

if __name__ == "__main__":
    # The package without its __init__, which needs Celery.
    package = ModuleType("studyplatform")
    package.__path__ = [str(Path(__file__).resolve().parents[1])]
    sys.modules["studyplatform"] = package
    from studyplatform.launch.commands import main

    sys.exit(main())
