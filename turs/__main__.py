"""Run the command line as `python -m turs`."""

from turs.cli import main

if __name__ == "__main__":
    main()
