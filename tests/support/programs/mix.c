#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t hash;

static void add(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * UINT64_C(1099511628211);
}

uint64_t mix(void)
{
    double (*named)(double) = cos;
    int k, n;
    for (k = 0; k < 3000; k++) {
        double x = k * 0.37 - 500.0, y = k * 0.011 + 0.1;
        add(sin(x));
        add(named(x));
        add(pow(y, 1.7));
        add((double)sinf((float)x));
        add((double)powf((float)y, -0.3f));
        add(frexp(x, &n) + n);
        add(ldexp(y, k % 40));
    }
    add(sin(1e22));
    return hash;
}
