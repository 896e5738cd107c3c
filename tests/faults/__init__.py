"""Real faults, and what is left of the service's promises after them: `python -m tests.faults`, and in short in `make test`."""
