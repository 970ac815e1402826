"""The sender's side: one request for each file, tried again, and a folder for what can't be sent.

It needs nothing but Python.
"""
