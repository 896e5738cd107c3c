"""`python -m kalends` is the `kalends` command."""

from kalends.cli import main

main()
