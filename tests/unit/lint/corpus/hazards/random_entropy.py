"""Entropy as a seed."""

import os
import secrets
import uuid
from random import Random

SEED = int.from_bytes(os.urandom(8), "little")  # expect: SB301
TOKEN = secrets.token_hex(8)  # expect: SB301
MATCH = str(uuid.uuid4())  # expect: SB301
RNG = Random()  # expect: SB301
