"""Runs all measurements, or the named ones: `python -m bench --quick speed writes`."""

import os
import sys

import click

from bench import (
    databases,
    dav,
    deliveries,
    followers,
    growth,
    guests,
    journal,
    memory,
    series,
    sitemap,
    sources,
    speed,
    workers,
    writes,
    wrk,
)
from bench.databases import FEW, FOLDER, KINDS, MANY
from bench.report import LISTED, Report

MEASURES = {
    "speed": speed,
    "writes": writes,
    "workers": workers,
    "memory": memory,
    "series": series,
    "followers": followers,
    "journal": journal,
    "guests": guests,
    "dav": dav,
    "deliveries": deliveries,
    "sitemap": sitemap,
    "sources": sources,
    "growth": growth,
}

# What --quick leaves out unless it is named: each takes a minute or more.
LONG = {"guests", "followers", "journal", "dav", "deliveries", "sitemap", "sources", "series", "growth"}


@click.command()
@click.option(
    "--quick", is_flag=True, help="Few rounds, and without the long measurements that are not named; the tables go to .bench/results."
)
@click.argument("names", nargs=-1, type=click.Choice(list(MEASURES)))
def main(names: tuple[str, ...], quick: bool) -> None:
    """Fill the databases, measure, and write the tables."""
    wrk.require()
    if len(os.sched_getaffinity(0)) < 2:
        sys.exit("Measuring needs two cores: one for the server and one for the load generator.")
    report = Report(FOLDER / "results" if quick else LISTED)
    selected = [name for name in MEASURES if name in names or not (names or (quick and name in LONG))]
    with databases.opened(core=0) as opened:
        for kind in KINDS:
            for events in (FEW, MANY) if "growth" in selected else (FEW,):
                opened.fill(kind, events)
        for name in selected:
            MEASURES[name].measure(opened, report, quick=quick)


if __name__ == "__main__":
    main()
