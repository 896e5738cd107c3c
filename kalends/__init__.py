"""Kalends: an event calendar service that people host themselves."""

import gc

# The default threshold takes a tenth of the start-up time for collections that free almost nothing: few objects are in reference cycles.
gc.set_threshold(20_000)
