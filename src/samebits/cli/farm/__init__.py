"""Commands of replay farms: `samebits farm`."""
