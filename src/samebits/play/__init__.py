"""A match in browser tabs: the pages, who gets a ticket, bots, and the relay behind them.

`host.py` puts them together. The page's own code is in `page/`, where shell, networking and drawing
know each other by small interfaces alone.
"""
