"""`make audit`: whether the libraries that the service is installed with have known weaknesses, as pip-audit finds out over the network."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

LOCK = Path(__file__).parent.parent.parent / "requirements.lock"
TIMEOUT = 300


def main() -> int:
    """Name each vulnerability, and fail if there is one; where their database cannot be reached, say so and do not fail."""
    with tempfile.TemporaryDirectory(prefix="kalends-audit-") as folder:
        output = _run_pip_audit(Path(folder))
    try:
        libraries = json.loads(output)["dependencies"]
    except ValueError:
        print("The known vulnerabilities could not be looked up: pip-audit could not be installed, or has no network.")
        return 0
    weak = [(library, weakness) for library in libraries for weakness in library.get("vulns", [])]
    for library, weakness in weak:
        mended = ", ".join(weakness["fix_versions"]) or "no version yet"
        print(f"{library['name']} {library['version']}: {weakness['id']}, mended in {mended}")
    print(f"{len(libraries)} libraries, {len(weak)} known weaknesses.")
    return 1 if weak else 0


def _run_pip_audit(folder: Path) -> str:
    """The output of pip-audit for the lock file, or nothing. It has its own environment, since it needs other library versions."""
    python = folder / "bin" / "python"
    steps = [
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pip-audit"],
        [str(python), "-m", "pip_audit", "--require-hashes", "--disable-pip", "--progress-spinner=off", "-f", "json", "-r", str(LOCK)],
    ]
    output = ""
    for step in steps:
        try:
            output = subprocess.run(step, capture_output=True, text=True, timeout=TIMEOUT).stdout
        except (OSError, subprocess.TimeoutExpired):
            return ""
    return output


if __name__ == "__main__":
    sys.exit(main())
