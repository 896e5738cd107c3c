"""`make release`: check that this commit can be released, build its files into dist, and print what is missing."""

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial

from tests.release import checks

# Each depends on the commit alone. What others may have changed since, `make audit` asks over the network.
STEPS: dict[str, Callable[[], Iterable[str]]] = {
    "tree": checks.clean_tree,
    "version": checks.version,
    "translations": checks.translations,
    "licences": checks.licences,
    "files": checks.build_twice,
    "image": checks.image_context,
    "documents": partial(checks.make, "pytest", "OPTIONS=tests/serve/test_documents.py tests/reference tests/release --soak"),
    # The long forms of all tests: more than `make test`.
    "soak": partial(checks.make, "soak"),
}


def main() -> int:
    """Run the steps. What is skipped is missing."""
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument("--skip", action="append", default=[], choices=STEPS, help="leave this step out; it counts as missing")
    skipped = parser.parse_args().skip
    missing = []
    for name, step in STEPS.items():
        began_at = time.monotonic()
        found = ["skipped"] if name in skipped else list(step())
        print(f"{'BAD ' if found else 'ok  '} {name} ({time.monotonic() - began_at:.0f} s)", flush=True)
        missing += [f"{name}: {line}" for line in found]
    print("".join(f"missing: {line}\n" for line in missing) or "Nothing is missing.\n", end="")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
