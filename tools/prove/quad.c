// The wide references that need 113 bits on their way: an exponent's error counts as often as the
// exponent is large, and what is added to a logarithm may cancel it.
//
// A library of its own: with the arithmetic of 113 bits the compiler's runtime brings a sinl and its
// like, which must not take the place of the system's in reference.c.
#include <math.h>
#include <stdint.h>

typedef long double wide;
typedef __float128 quad;
quad expf128(quad), log1pf128(quad), powf128(quad, quad);

wide rootn80(wide x, wide n) {
    int odd = (int64_t)n & 1;
    if (n == 0 || isnan(x) || (x < 0 && !odd)) return NAN;
    wide root = x == 0 || isinf(x) ? ((x == 0) == (n > 0) ? 0 : INFINITY)
                                   : (wide)powf128(fabsl(x), 1 / (quad)n);
    return signbit(x) && odd ? -root : root;
}

wide compound80(wide x, wide n) {
    if (n == 0) return x < -1 ? NAN : 1;
    if (!(x >= -1)) return NAN;
    if (x == -1 || isinf(x)) return (x < 0) == (n > 0) ? 0 : INFINITY;
    return expf128(n * log1pf128(x));
}

wide logaddexp80(wide x, wide y) {
    if (isnan(x) || isnan(y)) return NAN;
    quad big = x > y ? x : y, small = x > y ? y : x;
    return isinf(x) || isinf(y) ? big + 0 : big + log1pf128(expf128(small - big));
}
