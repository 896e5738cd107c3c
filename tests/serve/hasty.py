"""`kalends serve` with timeouts short enough to wait for in a test, and limits small enough to reach."""

from kalends.http.serving import followers, granian, large_responses, request_bodies, thread_pool

followers.SLOW_SECONDS = 1
followers.UNREAD_BYTES = 8 * 1024
granian.HEADER_TIMEOUT = 1
granian.USER_TIMEOUT = 1
large_responses.STEP_SECONDS = 1
large_responses.EVICT_AFTER_SECONDS = 1
large_responses.UNREAD_LIMIT = 4 * 1024 * 1024
thread_pool.QUEUE_SECONDS = 1
request_bodies.STEP_SECONDS = 1

# Imported after the changes above, since other modules copy these values at import.
from kalends.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
