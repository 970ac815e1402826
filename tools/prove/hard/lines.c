// Finds where a polynomial of an integer comes near an integer: the inner loop of search.py.
//
// The polynomial is given piece by piece as a line, whose start and slope modulo 1 are themselves
// polynomials of the piece's number and are stepped by their differences, in 128 bits. In a piece the
// first place where a line modulo 1 falls into an interval is found as Euclid's algorithm goes
// (V. Lefèvre, "New results on the distance between a segment and Z^2", ARITH-17, 2005), in a number
// of steps that is the logarithm of the piece's length.
#include <stdint.h>

typedef unsigned __int128 wide;

// The least i >= 0 with low <= (a·i mod m) <= high, -1 if there is none; 0 <= low <= high < m.
static int64_t first(wide a, wide m, wide low, wide high, int64_t most) {
    if (low == 0) return 0;
    a %= m;
    if (a == 0) return -1;
    if (2 * a > m) {
        wide was = low;
        a = m - a, low = m - high, high = m - was;
    }
    wide i = (low + a - 1) / a;
    if (i > (wide)most) return -1;
    if (i * a <= high) return (int64_t)i;
    // a·i - m·k in the interval: m·k mod a between -high and -low.
    int64_t k = first(m, a, (a - high % a) % a, (a - low % a) % a, most);
    if (k < 0) return -1;
    return (int64_t)((low + m * (wide)k + a - 1) / a);
}

// In `pieces` pieces of `length`: every place where the value, which starts at `starts` and has the
// slope `slopes`, is within `near` (in 2^-64) of an integer. Both are tables of `degree` + 1
// differences modulo 2^128. Gives how many places there are, of which `room` are written.
int64_t search(wide *starts, wide *slopes, int degree, int64_t pieces, int64_t length,
               uint64_t near, int64_t *found, int64_t room) {
    const wide one = (wide)1 << 64;
    int64_t count = 0;
    for (int64_t piece = 0; piece < pieces; piece++) {
        uint64_t at = (uint64_t)(starts[0] >> 64) + near, slope = (uint64_t)(slopes[0] >> 64);
        for (int64_t i = 0; i < length;) {
            uint64_t here = at + slope * (uint64_t)i;
            int64_t step = 0;
            if (here > 2 * near) {
                wide low = one - here;
                step = first(slope, one, low, low + 2 * near, length);
                if (step < 0) break;
            }
            i += step;
            if (i >= length) break;
            if (count < room) found[count] = piece * length + i;
            count++, i++;
        }
        for (int k = 0; k < degree; k++) starts[k] += starts[k + 1], slopes[k] += slopes[k + 1];
    }
    return count;
}
