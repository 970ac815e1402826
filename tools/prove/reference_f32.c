// Checks float32 sines and cosines against the system's float64 sin and cos, where those decide.
//
// A float64 result decides the float32 one unless a float32 rounding boundary lies within MARGIN of
// its ULP; such inputs are handed back, for MPFR. Built by sin_cos_f32.py.
#include <math.h>
#include <stdint.h>
#include <string.h>

static const double MARGIN = 64 * 0x1p-52;
static const uint32_t CANONICAL_NAN = 0x7fc00000u;

typedef struct {
    int64_t checked, wrong, asymmetric, undecided;
    uint32_t first_wrong, first_asymmetric;
} Counts;

static uint32_t bits(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
static float from_bits(uint32_t u) { float x; memcpy(&x, &u, 4); return x; }

static void note(int64_t *count, uint32_t *first, uint32_t input) {
    if ((*count)++ == 0) *first = input;
}

// Inputs first .. first + n - 1 (bit patterns, sign clear). `got` are the results, `mirrored` those
// of the negated inputs, which must be -got (`odd`) or got. `undecided` holds up to n inputs.
void check(double (*reference)(double), int odd, uint32_t first, int64_t n, const float *got,
           const float *mirrored, uint32_t *undecided, Counts *counts) {
    for (int64_t i = 0; i < n; i++) {
        uint32_t u = first + (uint32_t)i, found = bits(got[i]);
        uint32_t flip = odd && u < 0x7f800000u ? 0x80000000u : 0;
        counts->checked++;
        if ((found ^ flip) != bits(mirrored[i]))
            note(&counts->asymmetric, &counts->first_asymmetric, u);
        if (u >= 0x7f800000u) {
            if (found != CANONICAL_NAN) note(&counts->wrong, &counts->first_wrong, u);
            continue;
        }
        double y = reference((double)from_bits(u));
        double slack = MARGIN * fabs(y);
        float low = (float)(y - slack), high = (float)(y + slack);
        if (bits(low) != bits(high)) {
            undecided[counts->undecided++] = u;
        } else if (bits(low) != found) {
            note(&counts->wrong, &counts->first_wrong, u);
        }
    }
}

void check_sin(uint32_t first, int64_t n, const float *got, const float *mirrored,
               uint32_t *undecided, Counts *counts) {
    check(sin, 1, first, n, got, mirrored, undecided, counts);
}

void check_cos(uint32_t first, int64_t n, const float *got, const float *mirrored,
               uint32_t *undecided, Counts *counts) {
    check(cos, 0, first, n, got, mirrored, undecided, counts);
}

double reference_sin(double x) { return sin(x); }
double reference_cos(double x) { return cos(x); }
