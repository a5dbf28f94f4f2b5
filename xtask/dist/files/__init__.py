"""Runs the program that this package installs as a script."""

import os
import sys
import sysconfig

NAME = "mgp.exe" if os.name == "nt" else "mgp"


def program():
    """Returns the path of the program."""
    here = os.path.dirname(os.path.abspath(__file__))
    user = "nt_user" if os.name == "nt" else "posix_user"
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=user),
        # Of `pip install --target` and `--prefix`.
        os.path.join(os.path.dirname(here), "bin"),
        os.path.join(here, *[os.pardir] * 4, "bin"),
    ]
    for folder in folders:
        path = os.path.join(folder, NAME)
        if os.path.isfile(path):
            return os.path.abspath(path)
    raise SystemExit(f"the program {NAME} is in none of {', '.join(folders)}: install the package again")


def main():
    """Replaces this process by the program."""
    command = [program(), *sys.argv[1:]]
    if os.name == "nt":
        import subprocess

        raise SystemExit(subprocess.call(command))
    os.execv(command[0], command)
