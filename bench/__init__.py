"""The measurements of `make bench`: figures, never assertions."""
