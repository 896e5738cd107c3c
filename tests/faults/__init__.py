"""Real faults, and whether the service keeps its promises: `python -m tests.faults`, and a short form in `make test`."""
