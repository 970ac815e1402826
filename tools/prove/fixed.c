// How far results of fixed-point functions are from the exact ones, in steps.
//
// The exact value comes from the system's math library: in double for 32-bit types, in long double
// for 64-bit ones. It is cut to the type's range, as a saturating type cuts it. Built and called by
// fixed.py, which fixes the order of FUNCTIONS.
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>

typedef long double wide;

typedef struct {
    double worst;      // largest error in steps
    double relative;   // largest (error - 1/2) / result of those that are off by more than 0.51
    int64_t worst_at;  // index into this block
} Found;

#define ONE(name) {name, 0, name##l, 0}
#define TWO(name) {0, name, 0, name##l}
static const struct {
    double (*one64)(double);
    double (*two64)(double, double);
    wide (*one80)(wide);
    wide (*two80)(wide, wide);
} FUNCTIONS[] = {ONE(sqrt), ONE(sin), ONE(cos), ONE(tan), ONE(exp), ONE(log), TWO(atan2), TWO(pow)};
enum { SQRT = 0, LOG = 5, POW = 7 };

// What has no value gives the least number, as the logarithm of 0 or less and a power of a negative
// number, or 0, as the root of one.
#define CHECK(name, real, integer, least, most, one, two, fabs_)                                   \
    void name(int which, int fraction, const integer *a, const integer *b, const integer *out,     \
              int64_t n, Found *found) {                                                           \
        const real unit = 1 / (real)(1ull << fraction), steps = (real)(1ull << fraction);          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            real x = (real)a[i] * unit, y = (real)b[i] * unit, exact;                              \
            if (FUNCTIONS[which].one)                                                              \
                exact = FUNCTIONS[which].one(x) * steps;                                           \
            else                                                                                   \
                exact = FUNCTIONS[which].two(x, y) * steps;                                        \
            if ((which == LOG && a[i] <= 0) || (which == POW && a[i] < 0)) exact = -INFINITY;      \
            if (which == SQRT && a[i] < 0) exact = 0;                                              \
            if (exact < (real)least) exact = (real)least;                                          \
            if (exact > (real)most) exact = (real)most;                                            \
            real error = fabs_(exact - (real)out[i]);                                              \
            if (!(error <= found->worst)) {                                                        \
                found->worst = (double)error;                                                      \
                found->worst_at = i;                                                               \
            }                                                                                      \
            if (error > (real)0.51) {                                                              \
                real size = fabs_(exact) < 1 ? 1 : fabs_(exact);                                   \
                double part = (double)((error - (real)0.5) / size);                                \
                if (part > found->relative) found->relative = part;                                \
            }                                                                                      \
        }                                                                                          \
    }
CHECK(check32, double, int32_t, INT32_MIN, INT32_MAX, one64, two64, fabs)
CHECK(check64, wide, int64_t, INT64_MIN, INT64_MAX, one80, two80, fabsl)
