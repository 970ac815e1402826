/* What C's operators do not do as the kernels' operations do. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* With FORCES, what is logged may be given another value. */
bool log_step(uint32_t number, double value);
extern double forced;
#ifdef FORCES
#define LOG_STEP(NUMBER, T, PLACE) if (log_step(NUMBER, (T)(PLACE))) PLACE = (T)forced
#else
#define LOG_STEP(NUMBER, T, PLACE) log_step(NUMBER, (T)(PLACE))
#endif

/* With BRANCHES, remainders and quotients get a name, and what rounds them down is another value. */
#ifdef BRANCHES
#define FLOORDIV(T, U) \
    T q = b == -1 ? (T)(0 - (U)a) : a / b; \
    return b != -1 && a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
#define MOD(T) \
    T r = b == -1 ? 0 : a % b; \
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
#else
#define FLOORDIV(T, U) \
    if (b == -1) return (T)(0 - (U)a); \
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
#define MOD(T) \
    if (b == -1) return 0; \
    return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
#endif

#define INTEGERS(NAME, T, U, BITS) \
    static inline T min_##NAME(T a, T b) { return a < b ? a : b; } \
    static inline T max_##NAME(T a, T b) { return a > b ? a : b; } \
    static inline T shl_##NAME(T a, T n) { return (U)n < BITS ? (T)((U)a << n) : 0; } \
    static inline T rotl_##NAME(T a, T n) \
    { \
        return (T)((U)a << ((U)n % BITS) | (U)((U)a >> ((BITS - (U)n % BITS) % BITS))); \
    } \
    static inline T rotr_##NAME(T a, T n) \
    { \
        return (T)((U)((U)a >> ((U)n % BITS)) | (U)a << ((BITS - (U)n % BITS) % BITS)); \
    } \
    static inline T popcount_##NAME(T a) { return (T)__builtin_popcountll((U)a); } \
    static inline T clz_##NAME(T a) { return a ? (T)(__builtin_clzll((U)a) - (64 - BITS)) : BITS; } \
    static inline T ctz_##NAME(T a) { return a ? (T)__builtin_ctzll((U)a) : BITS; }

#define SIGNED(NAME, T, U, BITS) \
    INTEGERS(NAME, T, U, BITS) \
    static inline T shr_##NAME(T a, T n) { return (U)n < BITS ? a >> n : a < 0 ? -1 : 0; } \
    static inline T abs_##NAME(T a) { return a < 0 ? (T)(0 - (U)a) : a; } \
    static inline T floordiv_##NAME(T a, T b) { FLOORDIV(T, U) } \
    static inline T mod_##NAME(T a, T b) { MOD(T) }

#define UNSIGNED(NAME, T, BITS) \
    INTEGERS(NAME, T, T, BITS) \
    static inline T shr_##NAME(T a, T n) { return n < BITS ? a >> n : 0; } \
    static inline T abs_##NAME(T a) { return a; } \
    static inline T floordiv_##NAME(T a, T b) { return a / b; } \
    static inline T mod_##NAME(T a, T b) { return a % b; }

SIGNED(int8, int8_t, uint8_t, 8)
SIGNED(int16, int16_t, uint16_t, 16)
SIGNED(int32, int32_t, uint32_t, 32)
SIGNED(int64, int64_t, uint64_t, 64)
UNSIGNED(uint8, uint8_t, 8)
UNSIGNED(uint16, uint16_t, 16)
UNSIGNED(uint32, uint32_t, 32)
UNSIGNED(uint64, uint64_t, 64)

/* A float cut to an integer, the nearest there is; 0 for a NaN. END is one more than the greatest. */
#define FROM_FLOAT(FLOAT, F, NAME, T, LEAST, GREATEST, END) \
    static inline T NAME##_from_##FLOAT(F x) \
    { \
        if (!(x < END)) return x == x ? GREATEST : 0; \
        return x >= LEAST ? (T)x : LEAST; \
    }

#define FLOATS(NAME, F, U, SUFFIX, LEAST_NORMAL) \
    static inline U bits_of_##NAME(F x) \
    { \
        union { F value; U bits; } both = {x == x ? x : (F)NAN}; \
        return both.bits & (x == x ? (U)-1 : (U)-1 >> 1); \
    } \
    static inline F NAME##_of_bits(U bits) \
    { \
        union { U bits; F value; } both = {bits}; \
        return both.value; \
    } \
    static inline F min_##NAME(F a, F b) \
    { \
        return a < b ? a : b < a ? b : a != a ? a : b != b ? b : signbit(a) ? a : b; \
    } \
    static inline F max_##NAME(F a, F b) \
    { \
        return a > b ? a : b > a ? b : a != a ? a : b != b ? b : signbit(a) ? b : a; \
    } \
    static inline F flush_##NAME(F x) \
    { \
        return fabs##SUFFIX(x) < LEAST_NORMAL ? copysign##SUFFIX(0, x) : x; \
    } \
    static inline F copysign_##NAME(F a, F b) \
    { \
        return b == b ? copysign##SUFFIX(a, b) : fabs##SUFFIX(a); \
    } \
    static inline F product_error_##NAME(F a, F b) { return fma##SUFFIX(a, b, -(a * b)); } \
    FROM_FLOAT(NAME, F, int8, int8_t, INT8_MIN, INT8_MAX, 128) \
    FROM_FLOAT(NAME, F, int16, int16_t, INT16_MIN, INT16_MAX, 32768) \
    FROM_FLOAT(NAME, F, int32, int32_t, INT32_MIN, INT32_MAX, 2147483648.0##SUFFIX) \
    FROM_FLOAT(NAME, F, int64, int64_t, INT64_MIN, INT64_MAX, 9223372036854775808.0##SUFFIX) \
    FROM_FLOAT(NAME, F, uint8, uint8_t, 0, UINT8_MAX, 256) \
    FROM_FLOAT(NAME, F, uint16, uint16_t, 0, UINT16_MAX, 65536) \
    FROM_FLOAT(NAME, F, uint32, uint32_t, 0, UINT32_MAX, 4294967296.0##SUFFIX) \
    FROM_FLOAT(NAME, F, uint64, uint64_t, 0, UINT64_MAX, 18446744073709551616.0##SUFFIX)

FLOATS(float32, float, uint32_t, f, 0x1p-126f)
FLOATS(float64, double, uint64_t, , 0x1p-1022)
