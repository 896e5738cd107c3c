"""Templates that one process compiles and all others read: to compile those of a page takes as long as to show it fifty times."""

import os

from jinja2 import FileSystemBytecodeCache

from kalends.web import environment
from tests.migrated import SHARED_FOLDER


def share() -> None:
    """Let this process read and write them in the folder that test processes share. Without tests, there is none."""
    if folder := os.environ.get(SHARED_FOLDER):
        vars(environment)["_compiled"] = FileSystemBytecodeCache(folder)
