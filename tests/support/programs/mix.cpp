#include <cmath>
#include <cstdint>
#include <cstring>

static std::uint64_t hash;

static void add(double value)
{
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * UINT64_C(1099511628211);
}

extern "C" std::uint64_t mix()
{
    double (*named)(double) = std::cos;
    for (int k = 0; k < 3000; k++) {
        double x = k * 0.37 - 500.0, y = k * 0.011 + 0.1;
        int n;
        add(std::sin(x));
        add(named(x));
        add(std::pow(y, 1.7));
        add(std::sin(static_cast<float>(x)));
        add(std::pow(static_cast<float>(y), -0.3f));
        double fraction = std::frexp(x, &n);
        add(fraction + n);
        add(std::ldexp(y, k % 40));
    }
    add(sin(1e22));
    return hash;
}
