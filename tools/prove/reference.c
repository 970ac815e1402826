// Compares results with the system's math library in a wider type, where that decides.
//
// float32 results are compared with float64 functions, float64 results with x87 long double ones.
// A wide value decides a result unless a rounding boundary lies within `margin`, relatively; those
// inputs are handed back by index, for MPFR. Errors are in units in the last place of the result.
// Built and called by reference.py, which fixes the order of FUNCTIONS.
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef long double wide;

typedef struct {
    int64_t wrong, special, undecided;  // special: NaN for a number, a zero's sign, and the like
    double worst;                       // largest error in ULP of those that are wrong numbers
    int64_t first_wrong, first_special, worst_at;  // indices into this block
} Counts;

#define PI 3.141592653589793238462643383279502884L

static double rsqrt64(double x) { return 1.0 / sqrt(x); }
static wide rsqrt80(wide x) { return 1.0L / sqrtl(x); }

#define SINPI(name, real, fmod_, sin_, copysign_, fabs_)                     \
    static real name(real x) {                                               \
        if (!isfinite(x)) return NAN;                                        \
        real a = fmod_(fabs_(x), 2), sign = 1;                               \
        if (a >= 1) sign = -1, a -= 1;                                       \
        if (a == 0) return copysign_(0, x);                                  \
        if (a > 0.5) a = 1 - a;                                              \
        return copysign_(1, x) * sign * sin_((real)PI * a);                  \
    }
#define COSPI(name, real, fmod_, sin_, cos_, fabs_)                          \
    static real name(real x) {                                               \
        if (!isfinite(x)) return NAN;                                        \
        real a = fmod_(fabs_(x), 2);                                         \
        if (a > 1) a = 2 - a;                                                \
        if (a == 0.5) return 0;                                              \
        if (a < 0.25) return cos_((real)PI * a);                             \
        if (a < 0.75) return sin_((real)PI * (0.5 - a));                     \
        return -cos_((real)PI * (1 - a));                                    \
    }
SINPI(sinpi64, double, fmod, sin, copysign, fabs)
COSPI(cospi64, double, fmod, sin, cos, fabs)
SINPI(sinpi80, wide, fmodl, sinl, copysignl, fabsl)
COSPI(cospi80, wide, fmodl, sinl, cosl, fabsl)

#define ONE(name) {name, name##l, 0, 0}
#define TWO(name) {0, 0, name, name##l}
static const struct {
    double (*one64)(double);
    wide (*one80)(wide);
    double (*two64)(double, double);
    wide (*two80)(wide, wide);
} FUNCTIONS[] = {
    ONE(exp), ONE(exp2), ONE(exp10), ONE(expm1), ONE(log), ONE(log2), ONE(log10), ONE(log1p),
    ONE(sin), ONE(cos), ONE(tan), {sinpi64, sinpi80, 0, 0}, {cospi64, cospi80, 0, 0},
    ONE(asin), ONE(acos), ONE(atan), ONE(sinh), ONE(cosh), ONE(tanh),
    ONE(asinh), ONE(acosh), ONE(atanh), ONE(cbrt), {rsqrt64, rsqrt80, 0, 0},
    TWO(pow), TWO(atan2), TWO(hypot), TWO(fmod), TWO(remainder), ONE(erf),
};

#define BITS(name, real, word)                                               \
    static word name(real x) { word u; memcpy(&u, &x, sizeof u); return u; }
BITS(bits32, float, uint32_t)
BITS(bits64, double, uint64_t)

static void note(int64_t *count, int64_t *first, int64_t at) {
    if ((*count)++ == 0) *first = at;
}

// The error of `got` in ULP: spacing of the narrow type's numbers at the wide value. Infinity
// counts as the power of two after the largest number.
static double error32(double y, float got) {
    double found = got;
    if (fabs(y) > 0x1p128) y = copysign(0x1p128, y);
    if (fabs(found) > 0x1p128) found = copysign(0x1p128, found);
    int e = (int)(bits64(y) >> 52 & 0x7ff) - 1023;
    e = e > 127 ? 127 : e < -126 ? -126 : e;
    uint64_t scale = (uint64_t)(1023 + 23 - e) << 52;
    double per_ulp;
    memcpy(&per_ulp, &scale, sizeof scale);
    return fabs(found - y) * per_ulp;
}
static double error64(wide y, double got) {
    wide found = got;
    if (fabsl(y) > 0x1p1024L) y = copysignl(0x1p1024L, y);
    if (fabsl(found) > 0x1p1024L) found = copysignl(0x1p1024L, found);
    int e = y == 0 ? -1022 : ilogbl(y);
    e = e > 1023 ? 1023 : e < -1022 ? -1022 : e;
    return (double)ldexpl(fabsl(found - y), 52 - e);
}

// `parity` 1 (even) or -1 (odd): the second half of the inputs is the first half negated, and so
// are the right results; 0: no such structure.
#define CHECK(name, real, word, bits, larger, one, two, error, fabs_, CANONICAL)           \
    void name(int fn, const real *a, const real *b, const real *got, int64_t n,            \
              double margin, int parity, int64_t *undecided, Counts *counts) {             \
        int64_t distinct = parity ? n / 2 : n;                                             \
        for (int64_t i = 0; i < distinct; i++) {                                           \
            larger y = b ? FUNCTIONS[fn].two(a[i], b[i]) : FUNCTIONS[fn].one(a[i]);        \
            for (int64_t at = i; at < n; at += distinct, y = parity < 0 ? -y : y) {        \
                larger slack = (larger)margin * fabs_(y);                                  \
                real low = (real)y, high = low;                                            \
                if (isfinite(y) && slack != 0)                                             \
                    low = (real)(y - slack), high = (real)(y + slack);                     \
                word found = bits(got[at]), wanted = isnan(y) ? CANONICAL : bits(low);     \
                if (!isnan(y) && bits(low) != bits(high)) {                                \
                    undecided[counts->undecided++] = at;                                   \
                } else if (found != wanted) {                                              \
                    note(&counts->wrong, &counts->first_wrong, at);                        \
                    if (isnan(y) || isnan(got[at]) || (low == 0 && got[at] == 0)) {        \
                        note(&counts->special, &counts->first_special, at);                \
                        continue;                                                          \
                    }                                                                      \
                    double off = error(y, got[at]);                                        \
                    if (off > counts->worst) counts->worst = off, counts->worst_at = at;   \
                }                                                                          \
            }                                                                              \
        }                                                                                  \
    }
CHECK(check_f32, float, uint32_t, bits32, double, one64, two64, error32, fabs, 0x7fc00000u)
CHECK(check_f64, double, uint64_t, bits64, wide, one80, two80, error64, fabsl,
      0x7ff8000000000000u)

// The wide reference itself, as a sum of two doubles, to measure how far off it is.
void reference_f32(int fn, const float *a, const float *b, int64_t n, double *high, double *low) {
    for (int64_t i = 0; i < n; i++) {
        high[i] = b ? FUNCTIONS[fn].two64(a[i], b[i]) : FUNCTIONS[fn].one64(a[i]);
        low[i] = 0;
    }
}
void reference_f64(int fn, const double *a, const double *b, int64_t n, double *high,
                   double *low) {
    for (int64_t i = 0; i < n; i++) {
        wide y = b ? FUNCTIONS[fn].two80(a[i], b[i]) : FUNCTIONS[fn].one80(a[i]);
        high[i] = (double)y;
        low[i] = (double)(y - (wide)high[i]);
    }
}
