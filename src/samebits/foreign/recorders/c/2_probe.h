
/* The probe: compiled into every file that says SAMEBITS_CHECK(), with that file's own flags. It
   sees a product and a sum fused, a sum reassociated, subnormals flushed, another rounding, results
   wider than their type, a division made a product, and NaN or the sign of zero left out of account.
   Estimates of square roots and GCC 12's PR 107647 it does not see: look at the binary for them. */
enum {
  SB_FUSED = 1, SB_REASSOCIATED = 2, SB_FLUSHED = 4, SB_ROUNDING = 8, SB_WIDER = 16,
  SB_RECIPROCAL = 32, SB_NO_NAN = 64, SB_NO_SIGNED_ZERO = 128
};

#if defined(__GNUC__)
#define SB_UNUSED_ __attribute__((unused))
#else
#define SB_UNUSED_
#endif

SB_UNUSED_ static unsigned sb_probe_(void) {
  /* Through volatile objects, so that nothing is folded when it is compiled. */
  volatile float f1 = 1.0f, fhuge = 1.0e24f, fmin = 1.1754944e-38f;
  volatile double d1 = 1.0, dhuge = 1.0e30, dmin = 2.2250738585072014e-308;
  volatile double d53 = 9007199254740992.0, small = 1.0 / 1152921504606846976.0, three = 3.0;
  volatile double divisor = 49.0;
  /* 1 + 2^-40 and less its square, rounded: a fused product leaves 2^-80, also in x87's 64 bits. */
  volatile double near = 1.0 + 1.0 / 1099511627776.0, square = -(1.0 + 2.0 / 1099511627776.0);
  volatile float near_f = 1.0f + 1.0f / 1048576, square_f = -(1.0f + 2.0f / 1048576);
  volatile float f24 = 16777216.0f, half = 0.5f;
  volatile uint64_t seen;
  unsigned found = 0;
  {
    double a = d53, b = d1;
    float c = f24, d = f1;
    volatile double wide = (a + b) - a;
    volatile float wide_f = (c + d) - c;
    double h = dhuge, p = d1;
    float g = fhuge, q = f1;
    volatile double whole = (h + p) - h; /* 1 even of 64 bits of significand only where reordered */
    volatile float whole_f = (g + q) - g;
    double x = d1, y = three;
    volatile double third = x / y;
    if (whole != 0.0 || whole_f != 0.0f) found |= SB_REASSOCIATED;
    else if (wide != 0.0 || wide_f != 0.0f) found |= SB_WIDER;
    if (x / y != third) found |= SB_WIDER;
  }
  {
    double a = near, c = square;
    volatile double rest = a * a + c;
    float e = near_f, g = square_f;
    volatile float rest_f = e * e + g;
    if (rest != 0.0 || (rest_f != 0.0f && !(found & SB_WIDER))) found |= SB_FUSED;
  }
  {
    volatile double result;
    volatile float result_f;
    double m = dmin, h = (double)half;
    float n = fmin, k = half;
    union { double d; uint64_t u; } wide;
    union { float f; uint32_t u; } narrow;
    result = m * h;
    wide.d = result;
    result_f = n * k;
    narrow.f = result_f;
    if (wide.u == 0 || narrow.u == 0) found |= SB_FLUSHED;
    wide.u = 1;
    result = wide.d;
    result = result * d53; /* 2^-1021, a normal number: 0 where operands are flushed */
    wide.d = result;
    if (wide.u == 0) found |= SB_FLUSHED;
  }
  {
    double one = d1, tiny = small;
    volatile double up = one + tiny, down = one - tiny, below = -one - tiny;
    if (up != 1.0 || down != 1.0 || below != -1.0) found |= SB_ROUNDING;
  }
  {
    volatile double direct[6];
    volatile double by[6];
    double inverse, over = divisor;
    double n1 = d1, n2 = three, n3 = d53, n4 = 5 * d1, n5 = 7 * d1, n6 = 11 * d1;
    volatile double exact;
    int i, same = 1, apart = 0;
    direct[0] = n1 / over, direct[1] = n2 / over, direct[2] = n3 / over;
    direct[3] = n4 / over, direct[4] = n5 / over, direct[5] = n6 / over;
    exact = d1 / divisor;
    inverse = exact;
    by[0] = n1 * inverse, by[1] = n2 * inverse, by[2] = n3 * inverse;
    by[3] = n4 * inverse, by[4] = n5 * inverse, by[5] = n6 * inverse;
    exact = 5 * d1;
    exact = exact / divisor; /* alone: nothing to share an inverse with */
    for (i = 0; i < 6; i++) same &= direct[i] == by[i];
    apart = by[3] != exact;
    if (apart && direct[3] == by[3] && same) found |= SB_RECIPROCAL;
  }
  {
    union { double d; uint64_t u; } bits;
    volatile double nan, minus;
    double value, sum;
    bits.u = UINT64_C(0x7ff8000000000000);
    nan = bits.d;
    value = nan;
    seen = value != value;
    if (!seen) found |= SB_NO_NAN;
    bits.u = UINT64_C(0x8000000000000000);
    minus = bits.d;
    sum = minus;
    sum = sum + 0.0; /* +0; the sum may be left out where the sign of zero does not count */
    bits.d = sum;
    seen = bits.u;
    if (seen) found |= SB_NO_SIGNED_ZERO;
  }
  return found;
}

/* At file scope, in each file that computes. CHECK ends the program when it starts if the file is
   not strict, and names it; TELL only has it in the record. */
#define SAMEBITS_CHECK() SB_UNIT_(1)
#define SAMEBITS_TELL() SB_UNIT_(0)
#if defined(__GNUC__)
#define SB_UNIT_(strict) \
  static sb_unit sb_unit_ = {__FILE__, sb_probe_, 0}; \
  __attribute__((constructor)) static void sb_unit_start_(void) { sb_unit_add(&sb_unit_, strict); } \
  extern int sb_unit_end_
#elif defined(__cplusplus)
#define SB_UNIT_(strict) \
  static sb_unit sb_unit_ = {__FILE__, sb_probe_, 0}; \
  static const int sb_unit_started_ = (sb_unit_add(&sb_unit_, strict), 0)
#elif defined(_MSC_VER)
#pragma section(".CRT$XCU", read)
#define SB_UNIT_(strict) \
  static sb_unit sb_unit_ = {__FILE__, sb_probe_, 0}; \
  static void sb_unit_start_(void) { sb_unit_add(&sb_unit_, strict); } \
  __declspec(allocate(".CRT$XCU")) void (*sb_unit_starter_)(void) = sb_unit_start_
#endif

#endif /* SAMEBITS_H */
