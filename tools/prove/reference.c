// Compares results with the system's math library in a wider type, where that decides.
//
// float32 results are compared with float64 functions, float64 results with x87 long double ones.
// A wide value decides a result unless a rounding boundary lies within `margin`, relatively, and
// within `cancels` of the arguments' sizes; those inputs are handed back by index, for MPFR. Errors are in units in the last place of the result.
// Built and called by reference.py, which fixes the order of FUNCTIONS.
#define _GNU_SOURCE
#include <dlfcn.h>
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

#define TANPI(name, real, fmod_, tan_, fabs_)                                \
    static real name(real x) {                                               \
        if (!isfinite(x)) return NAN;                                        \
        real a = fmod_(fabs_(x), 2), y;                                      \
        if (a == 0 || a == 1)                                                \
            y = a == 0 ? 0.0 : -0.0;                                         \
        else if (a == 0.5 || a == 1.5)                                       \
            y = a == 0.5 ? INFINITY : -INFINITY;                             \
        else {                                                               \
            a = a > 1.5 ? a - 2 : a > 0.5 ? a - 1 : a;                       \
            y = a > 0.25    ? 1 / tan_((real)PI * (0.5 - a))                 \
                : a < -0.25 ? -1 / tan_((real)PI * (0.5 + a))                \
                            : tan_((real)PI * a);                            \
        }                                                                    \
        return signbit(x) ? -y : y;                                          \
    }
TANPI(tanpi64, double, fmod, tan, fabs)
TANPI(tanpi80, wide, fmodl, tanl, fabsl)
#define OVER_PI(name)                                                        \
    static double name##pi64(double x) { return name(x) / (double)PI; }      \
    static wide name##pi80(wide x) { return name##l(x) / PI; }
OVER_PI(asin)
OVER_PI(acos)
OVER_PI(atan)
static double atan2pi64(double y, double x) { return atan2(y, x) / (double)PI; }
static wide atan2pi80(wide y, wide x) { return atan2l(y, x) / PI; }

#define POWR(name, real, pow_, fabs_)                                        \
    static real name(real x, real y) {                                       \
        if ((y == 0 && (x == 0 || isinf(x))) || (x == 1 && isinf(y))) return NAN; \
        return x >= 0 && !isnan(y) ? pow_(fabs_(x), y) : (real)NAN;          \
    }
POWR(powr64, double, pow, fabs)
POWR(powr80, wide, powl, fabsl)

#define LN2 0.693147180559945309417232121458176568L
#define LN10 2.30258509299404568401799145468436421L
#define LESS_ONE(name, real, ln, bound, fabs_, expm1_, power)                \
    static real name(real x) {                                               \
        return fabs_(x) < (real)bound ? expm1_(x * (real)ln) : power(x) - 1; \
    }
#define OF_ONE_MORE(name, real, ln, log1p_)                                  \
    static real name(real x) { return x == 0 ? x : log1p_(x) / (real)ln; }
LESS_ONE(exp2m1_64, double, LN2, 0.75, fabs, expm1, exp2)
LESS_ONE(exp2m1_80, wide, LN2, 0.75, fabsl, expm1l, exp2l)
LESS_ONE(exp10m1_64, double, LN10, 0.25, fabs, expm1, exp10)
LESS_ONE(exp10m1_80, wide, LN10, 0.25, fabsl, expm1l, exp10l)
OF_ONE_MORE(log2p1_64, double, LN2, log1p)
OF_ONE_MORE(log2p1_80, wide, LN2, log1pl)
OF_ONE_MORE(log10p1_64, double, LN10, log1p)
OF_ONE_MORE(log10p1_80, wide, LN10, log1pl)

// quad.c
wide rootn80(wide, wide), compound80(wide, wide), logaddexp80(wide, wide);

static double pown64(double x, double n) { return pow(x, n); }
static wide pown80(wide x, wide n) { return powl(x, n); }
static double rootn64(double x, double n) { return rootn80(x, n); }
static double compound64(double x, double n) { return compound80(x, n); }
static double logaddexp64(double x, double y) { return logaddexp80(x, y); }

#define ONE(name) {name, name##l, 0, 0, 0}
#define TWO(name) {0, 0, name, name##l, 0}
static const struct {
    double (*one64)(double);
    wide (*one80)(wide);
    double (*two64)(double, double);
    wide (*two80)(wide, wide);
    int integer;  // whether the second argument is an int32
} FUNCTIONS[] = {
    ONE(exp), ONE(exp2), ONE(exp10), ONE(expm1), ONE(log), ONE(log2), ONE(log10), ONE(log1p),
    ONE(sin), ONE(cos), ONE(tan), {sinpi64, sinpi80, 0, 0}, {cospi64, cospi80, 0, 0},
    ONE(asin), ONE(acos), ONE(atan), ONE(sinh), ONE(cosh), ONE(tanh),
    ONE(asinh), ONE(acosh), ONE(atanh), ONE(cbrt), {rsqrt64, rsqrt80, 0, 0},
    TWO(pow), TWO(atan2), TWO(hypot), TWO(fmod), TWO(remainder), ONE(erf), ONE(erfc),
    {exp2m1_64, exp2m1_80, 0, 0}, {exp10m1_64, exp10m1_80, 0, 0},
    {log2p1_64, log2p1_80, 0, 0}, {log10p1_64, log10p1_80, 0, 0},
    {tanpi64, tanpi80, 0, 0}, {asinpi64, asinpi80, 0, 0}, {acospi64, acospi80, 0, 0},
    {atanpi64, atanpi80, 0, 0}, {0, 0, atan2pi64, atan2pi80}, {0, 0, powr64, powr80},
    ONE(tgamma), ONE(lgamma),
    {0, 0, pown64, pown80, 1}, {0, 0, rootn64, rootn80, 1}, {0, 0, compound64, compound80, 1},
    {0, 0, logaddexp64, logaddexp80},
};

#define BITS(name, real, word)                                               \
    static word name(real x) { word u; memcpy(&u, &x, sizeof u); return u; }
BITS(bits32, float, uint32_t)
BITS(bits64, double, uint64_t)

#define SECOND(name, real, larger)                                           \
    static larger name(int fn, const real *b, int64_t i) {                   \
        return FUNCTIONS[fn].integer ? ((const int32_t *)b)[i] : (larger)b[i]; \
    }
SECOND(second32, float, double)
SECOND(second64, double, wide)

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
#define CHECK(name, real, word, bits, larger, one, two, second, error, fabs_, CANONICAL)           \
    void name(int fn, const real *a, const real *b, const real *got, int64_t n,            \
              double margin, double cancels, int parity, int64_t *undecided,               \
              Counts *counts) {                                                            \
        int64_t distinct = parity ? n / 2 : n;                                             \
        for (int64_t i = 0; i < distinct; i++) {                                           \
            larger y = b ? FUNCTIONS[fn].two(a[i], second(fn, b, i)) : FUNCTIONS[fn].one(a[i]); \
            for (int64_t at = i; at < n; at += distinct, y = parity < 0 ? -y : y) {        \
                larger slack = (larger)margin * fabs_(y);                                  \
                if (cancels) slack += cancels * (fabs_(a[i]) + fabs_(second(fn, b, i)));   \
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
CHECK(check_f32, float, uint32_t, bits32, double, one64, two64, second32, error32,
      __builtin_fabs, 0x7fc00000u)
CHECK(check_f64, double, uint64_t, bits64, wide, one80, two80, second64, error64,
      __builtin_fabsl, 0x7ff8000000000000u)

// check_f32 of n inputs from `start`, with indices into the whole.
static void part_f32(int fn, const float *a, const float *b, const float *got, int64_t start,
                     int64_t n, double margin, double cancels, int64_t *undecided, Counts *counts) {
    Counts found = {0};
    check_f32(fn, a + start, b ? b + start : 0, got + start, n, margin, cancels, 0,
              undecided + counts->undecided, &found);
    for (int64_t i = 0; i < found.undecided; i++) undecided[counts->undecided + i] += start;
    if (found.wrong && !counts->wrong) counts->first_wrong = found.first_wrong + start;
    if (found.special && !counts->special) counts->first_special = found.first_special + start;
    if (found.worst > counts->worst)
        counts->worst = found.worst, counts->worst_at = found.worst_at + start;
    counts->wrong += found.wrong, counts->special += found.special;
    counts->undecided += found.undecided;
}

// A faster look first: glibc's vector functions, at most 4 ULP off, 8 float64 at a time. Where each
// of a part's results is the float32 nearest to all numbers within `margin` of theirs, the part is
// right; anything else is left to the scalar functions above.
#define PART 1024
typedef double vector __attribute__((vector_size(64), aligned(8)));
typedef vector (*vector_one)(vector);
typedef vector (*vector_two)(vector, vector);
#define WITH_VECTORS __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw")))

static const char *const VECTOR_NAMES[] = {
    "v_exp", "v_exp2", "v_exp10", "v_expm1", "v_log", "v_log2", "v_log10", "v_log1p",
    "v_sin", "v_cos", "v_tan", "sinpi", "cospi", "v_asin", "v_acos", "v_atan", "v_sinh", "v_cosh",
    "v_tanh", "v_asinh", "v_acosh", "v_atanh", "v_cbrt", "rsqrt", "vv_pow", "vv_atan2",
    "vv_hypot", 0, 0, "v_erf", "v_erfc", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0,
};

static int vectors_allowed;
void allow_vectors(int allowed) { vectors_allowed = allowed; }

static void *vector_function(const char *name) {
    char full[32] = "_ZGVeN8";
    void *library = dlopen("libmvec.so.1", RTLD_NOW);
    if (!library || !name || !vectors_allowed) return 0;
    return dlsym(library, strcat(full, name[0] == 'v' ? name : "v_sin"));
}

// sin(πx) as ±sin(πa) and cos(πx) as ±sin(πa), |a| <= 1/2, exactly reduced.
WITH_VECTORS static void of_pi(int cosine, double *x) {
    for (int i = 0; i < PART; i++) {
        double size = __builtin_fabs(x[i]), a = size - 2 * __builtin_trunc(size / 2);
        double rest = a > 1 ? a - 1 : a, sign = __builtin_copysign(1, x[i]);
        rest = rest > 0.5 ? 1 - rest : rest;
        rest = a > 1 ? -rest : rest;
        x[i] = (cosine ? __builtin_fabs(a - 1) - 0.5 : sign * rest) * (double)PI;
    }
}

// Whether the results of PART inputs are certainly right.
WITH_VECTORS static int all_right(int fn, void *function, const float *a, const float *b,
                                  const float *got, double margin, double *y) {
    const char *name = VECTOR_NAMES[fn];
    double x[PART], z[PART];
    for (int i = 0; i < PART; i++) x[i] = a[i];
    if (b) {
        for (int i = 0; i < PART; i++) z[i] = b[i];
        for (int i = 0; i < PART; i += 8)
            *(vector *)(y + i) = ((vector_two)function)(*(vector *)(x + i), *(vector *)(z + i));
    } else if (name[0] == 'r') {
        for (int i = 0; i < PART; i++) y[i] = 1 / __builtin_sqrt(x[i]);
    } else {
        if (name[0] != 'v') of_pi(name[0] == 'c', x);
        vector_one one = (vector_one)function;
        for (int i = 0; i < PART; i += 8) *(vector *)(y + i) = one(*(vector *)(x + i));
    }
    uint32_t open = 0;
    for (int i = 0; i < PART; i++) {
        double slack = margin * __builtin_fabs(y[i]);
        slack = slack <= 0x1p1000 ? slack : 0;  // infinities
        float low = (float)(y[i] - slack), high = (float)(y[i] + slack);
        uint32_t found = bits32(got[i]), wanted = y[i] != y[i] ? 0x7fc00000u : bits32(low);
        open |= (found ^ wanted) | (y[i] != y[i] ? 0 : bits32(low) ^ bits32(high));
    }
    return open == 0;
}

WITH_VECTORS static int mirrors(int parity, const float *got, const float *mirrored) {
    uint32_t open = 0, flip = parity < 0 ? 0x80000000u : 0;
    for (int i = 0; i < PART; i++) {
        uint32_t one = bits32(got[i]);
        open |= bits32(mirrored[i]) ^ (got[i] != got[i] ? one : one ^ flip);
    }
    return open == 0;
}

// As check_f32.
void screen_f32(int fn, const float *a, const float *b, const float *got, int64_t n,
                double margin, double cancels, int parity, int64_t *undecided, Counts *counts) {
    void *function = vector_function(VECTOR_NAMES[fn]);
    int64_t distinct = parity ? n / 2 : n, start = 0;
    double y[PART];
    if (!function || (parity && n % (2 * PART))) {
        check_f32(fn, a, b, got, n, margin, cancels, parity, undecided, counts);
        return;
    }
    for (; start + PART <= distinct; start += PART) {
        if (all_right(fn, function, a + start, b ? b + start : 0, got + start, margin, y) &&
            (!parity || mirrors(parity, got + start, got + distinct + start)))
            continue;
        for (int64_t at = start; at < n; at += distinct)
            part_f32(fn, a, b, got, at, PART, margin, cancels, undecided, counts);
    }
    if (start < n && !parity)
        part_f32(fn, a, b, got, start, n - start, margin, cancels, undecided, counts);
}

// The vector functions' values for PART inputs, to measure how far off they are; 0 if there are none.
int vector_reference(int fn, const float *a, const float *b, double *y) {
    float none[PART] = {0};
    void *function = vector_function(VECTOR_NAMES[fn]);
    if (function) all_right(fn, function, a, b, none, 0, y);
    return function != 0;
}

// The wide reference itself, as a sum of two doubles, to measure how far off it is.
void reference_f32(int fn, const float *a, const float *b, int64_t n, double *high, double *low) {
    for (int64_t i = 0; i < n; i++) {
        high[i] = b ? FUNCTIONS[fn].two64(a[i], second32(fn, b, i)) : FUNCTIONS[fn].one64(a[i]);
        low[i] = 0;
    }
}
void reference_f64(int fn, const double *a, const double *b, int64_t n, double *high,
                   double *low) {
    for (int64_t i = 0; i < n; i++) {
        wide y = b ? FUNCTIONS[fn].two80(a[i], second64(fn, b, i)) : FUNCTIONS[fn].one80(a[i]);
        high[i] = (double)y;
        low[i] = (double)(y - (wide)high[i]);
    }
}
