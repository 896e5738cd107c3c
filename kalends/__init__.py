"""Kalends: an event calendar service that people host themselves."""

import gc

# Little of what is made here refers to itself. To look for such garbage as often as Python does by itself takes a tenth of the start.
gc.set_threshold(20_000)

__version__ = "0.1.0"
