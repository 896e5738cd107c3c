"""What `make bench` runs: figures, never assertions."""
