"""What a daily series of two years costs beside one create: `python -m bench.series WHERE` (a data folder or a PostgreSQL address)."""

import json
import statistics
import time

import click

from bench.growth import Service, serving

ROUNDS = 20
TWO_YEARS = {"frequency": "DAILY", "end_date": "2028-12-30"}


@click.command()
@click.argument("where")
def main(where: str) -> None:
    """Print the medians of a create and of a repeat that makes 730 events, and their ratio."""
    with serving(where) as service:
        create = _median([_created(service)[1] for _ in range(ROUNDS * 5)])
        repeat = _median([_repeated(service) for _ in range(ROUNDS)])
        print("| | ms |\n|---|---|")
        print(
            f"| one create | {create:.2f} |\n| repeat daily for two years (730 events) | {repeat:.1f} |\n| ratio | {repeat / create:.0f} |"
        )


def _median(seconds: list[float]) -> float:
    return statistics.median(seconds) * 1000


def _created(service: Service) -> tuple[int, float]:
    began = time.perf_counter()
    given = {"title": "Rehearsal", "start_time": "2027-01-01T20:00", "tag_list": "jazz,trio", "description": "Bring the charts. " * 5}
    made = service.send("POST", "/api/events", given)
    return json.loads(made)["id"], time.perf_counter() - began


def _repeated(service: Service) -> float:
    event_id, _ = _created(service)
    began = time.perf_counter()
    made = json.loads(service.send("PUT", f"/api/events/{event_id}/repeat", TWO_YEARS))
    elapsed = time.perf_counter() - began
    assert made["occurrences"] == 730
    return elapsed


if __name__ == "__main__":
    main()
