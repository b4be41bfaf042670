"""Remove from the environment what would change what is installed, or how text is read."""

import contextlib
import locale
import os
import sys

from studyplatform.launch import places

# Variables by which other projects and the user's habits change what an installer does.
FOREIGN = {
    *("PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONWARNINGS", "NODE_ENV", "NODE_OPTIONS", "NODE_PATH"),
    *("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIREMENT", "PIP_CONSTRAINT", "PIP_EDITABLE", "PIP_PYTHON"),
    *("PIP_NO_DEPS", "PIP_DRY_RUN", "PIP_IGNORE_INSTALLED", "PIP_NO_BINARY", "PIP_ONLY_BINARY", "PIP_REQUIRE_HASHES"),
    *("PIP_PRE", "PIP_UPGRADE", "PIP_FORCE_REINSTALL", "PIP_QUIET", "PIP_VERBOSE", "PIP_REPORT"),
}
FOREIGN_OF_NPM = {
    *("omit", "include", "only", "also", "dev", "production", "optional", "global", "location", "prefix", "dry_run"),
    *("engine_strict", "package_lock", "package_lock_only", "install_strategy", "loglevel", "json", "workspace"),
    *("workspaces", "ignore_scripts", "script_shell", "node_options", "libc", "os", "cpu"),
}


def clean_environment() -> None:
    """Remove or set the variables that would change what is installed, or how text is read."""
    for name in list(os.environ):
        is_of_npm = name.lower().startswith("npm_config_")
        if name in FOREIGN or (is_of_npm and name[len("npm_config_") :].lower().replace("-", "_") in FOREIGN_OF_NPM):
            del os.environ[name]
    # A file of settings may say the same; these take precedence over it.
    os.environ.update(PIP_USER="0", PIP_REQUIRE_VIRTUALENV="0", PYTHONUTF8="1")
    if not os.environ.get("DJANGO_SETTINGS_MODULE", "studyplatform.").startswith("studyplatform."):
        del os.environ["DJANGO_SETTINGS_MODULE"]
    try:
        locale.setlocale(locale.LC_ALL, "")
    except locale.Error:  # the terminal of another machine names a locale that is not installed: initdb refuses it
        os.environ.update(LC_ALL="C.UTF-8")
    home = os.environ.get("HOME", "")
    if not (home and os.access(home, os.W_OK)):
        os.environ["NPM_CONFIG_CACHE"] = str(places.VENV / "npm-cache")
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
