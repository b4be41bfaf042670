"""The project runs in folders of any name."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_database_is_in_the_data_folder_whatever_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "C++ & C# ä, 100%20"
    known = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    code = "from studyplatform.settings import embedded; print(embedded.DATABASES['default']['NAME'])"
    told = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        cwd=ROOT,
        env={**known, "DATA_DIR": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=True,
    ).stdout

    assert told.strip() == str(folder / "db.sqlite3")
    assert (folder / "db.sqlite3").exists()
