"""A mail server that fails in every documented way, a thousand times."""

from pathlib import Path

from tests.deliveries.faulty_server import every_fault
from tests.deliveries.mail_faults import send_through_faults
from tests.faults.row import Row, kind
from tests.serve.running import Running

GOAL = "each message arrives once or is failed with its reason; twice only if accepted without a reply"


def show(folder: Path, database: str, faults: int) -> Row:
    """Send messages through this number of faults."""
    service = Running(folder, "--no-work", database=database, rate_limits="off", access_log="off").ready()
    try:
        tally = send_through_faults(folder, service, database, faults)
    finally:
        service.stop()
    further = sum(tally.faults[name] for name in ("greylisting", "too many connections"))
    figures = (
        f"{tally.faults.total() - further:,} faults of {len(every_fault())} kinds (421, 4xx, 5xx, disconnection, silence, nonsense and "
        f"endless lines at the greeting, EHLO, MAIL, RCPT, DATA and after the content), {tally.faults['greylisting']:,} times greylisted, "
        f"{tally.faults['too many connections']:,} times too many connections: {tally.sent:,} messages sent, {tally.failed:,} failed with "
        f"the reason of the server, {tally.lost} lost, {tally.without_reason} failed without a reason, {tally.repeated} sent again because "
        f"they were accepted without a reply, {tally.unexpected} for another reason"
    )
    return Row("a mail server that fails in every documented way", kind(database), figures, GOAL, tally.is_sound)
