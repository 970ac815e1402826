"""Paths are not what the machine is."""

import os


def place(folder, name):
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, name), os.path.basename(name)
