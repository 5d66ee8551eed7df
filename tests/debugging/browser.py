"""A headless Chromium, where there is one."""

import os
import re
import shutil
import subprocess
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def found():
    """Return the program; None where there is none."""
    chosen = os.environ.get("CHROMIUM")
    return chosen or next((path for name in NAMES if (path := shutil.which(name))), None)


def run(page, *options):
    """Open a page, and return what is written to the standard streams.

    Args:
        page: the file.
        *options: further options of the browser.
    """
    common = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    profile = f"--user-data-dir={Path(page).parent / 'profile'}"
    logging = ["--enable-logging=stderr", "--v=0"]
    command = [found(), *common, profile, *logging, *options, Path(page).as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=90)


def console(done):
    """Return what a page has written to the console."""
    return re.findall(r"CONSOLE[^\]]*\] (.*)", done.stderr)
