"""SHA-256 (FIPS 180-4) of an array of bytes, as plain loops over uint32."""

import samebits as sb
from samebits import uint8, uint32


def root_bits(prime: int, power: int) -> int:
    """The first 32 bits of the fraction of a prime's square or cube root, by whole numbers."""
    scaled = prime << (32 * power)
    low, high = 0, 1 << 40
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**power <= scaled else (low, middle)
    return low & 0xFFFFFFFF


def primes(count: int) -> list[int]:
    found: list[int] = []
    n = 2
    while len(found) < count:
        if all(n % p for p in found):
            found.append(n)
        n += 1
    return found


K = sb.table([root_bits(p, 3) for p in primes(64)], uint32)
START = sb.table([root_bits(p, 2) for p in primes(8)], uint32)


@sb.kernel
def block(state: sb.Array[uint32], words: sb.Array[uint32]) -> None:
    """Mix one block, whose first 16 words are given, into the state."""
    for t in range(16, 64):
        s0 = sb.rotr(words[t - 15], 7) ^ sb.rotr(words[t - 15], 18) ^ (words[t - 15] >> 3)
        s1 = sb.rotr(words[t - 2], 17) ^ sb.rotr(words[t - 2], 19) ^ (words[t - 2] >> 10)
        words[t] = words[t - 16] + s0 + words[t - 7] + s1
    a, b, c, d = state[0], state[1], state[2], state[3]
    e, f, g, h = state[4], state[5], state[6], state[7]
    for t in range(64):
        s1 = sb.rotr(e, 6) ^ sb.rotr(e, 11) ^ sb.rotr(e, 25)
        first = h + s1 + ((e & f) ^ (~e & g)) + K[t] + words[t]
        s0 = sb.rotr(a, 2) ^ sb.rotr(a, 13) ^ sb.rotr(a, 22)
        second = s0 + ((a & b) ^ (a & c) ^ (b & c))
        a, b, c, d, e, f, g, h = first + second, a, b, c, d + first, e, f, g
    state[0] += a
    state[1] += b
    state[2] += c
    state[3] += d
    state[4] += e
    state[5] += f
    state[6] += g
    state[7] += h


@sb.kernel
def sha256(data: sb.ReadOnly[uint8], digest: sb.Array[uint8]) -> None:
    """The 32 bytes of the digest of `data`."""
    state = sb.zeros(8, uint32)
    words = sb.zeros(64, uint32)
    for k in range(8):
        state[k] = START[k]
    n = len(data)
    blocks = (n + 9 + 63) // 64
    for b in range(blocks):
        for k in range(16):
            words[k] = 0
        for k in range(64):
            at = b * 64 + k
            byte = uint32(0)
            if at < n:
                byte = uint32(data[at])
            elif at == n:
                byte = uint32(0x80)
            elif at >= blocks * 64 - 8:
                byte = uint32((n * 8 >> 8 * (blocks * 64 - 1 - at)) & 0xFF)
            words[k // 4] |= byte << (24 - k % 4 * 8)
        block(state, words)
    for k in range(32):
        digest[k] = uint8(state[k // 4] >> (24 - k % 4 * 8))
