"""`python -m samebits` is the command line."""

from samebits.cli import main

if __name__ == "__main__":
    main()
