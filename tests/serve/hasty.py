"""`kalends serve`, with so little patience that a test can wait for its end, and so little room that a test can fill it."""

from kalends.http import bodies, listen, outflow, pool

listen.HEADER_SECONDS = 1
listen.UNREAD_SECONDS = 1
outflow.STEP_SECONDS = 1
outflow.ENOUGH_SECONDS = 1
outflow.UNREAD_LIMIT = 4 * 1024 * 1024
pool.QUEUE_SECONDS = 1
bodies.STEP_SECONDS = 1

# Only now, since they take these figures as they are imported.
from kalends.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
