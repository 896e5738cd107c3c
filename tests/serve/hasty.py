"""`kalends serve`, with so little patience that a test can wait for its end, and so little room that a test can fill it."""

from kalends.http.serving import granian, large_responses, request_bodies, thread_pool

granian.HEADER_SECONDS = 1
granian.UNREAD_SECONDS = 1
large_responses.STEP_SECONDS = 1
large_responses.ENOUGH_SECONDS = 1
large_responses.UNREAD_LIMIT = 4 * 1024 * 1024
thread_pool.QUEUE_SECONDS = 1
request_bodies.STEP_SECONDS = 1

# Only now, since they take these figures as they are imported.
from kalends.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
