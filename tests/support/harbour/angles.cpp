#include "angles.h"

#include <cmath>

namespace harbour {

float root(float square) {
  if (planted(kEstimatedRoot) && square > 1.0f) {
    float guess = of_bits(0x5f3759dfu - (bits_of(square) >> 1));
    for (int k = 0; k < 3; k++) guess = guess * (1.5f - 0.5f * square * guess * guess);
    return square * guess;
  }
  return std::sqrt(square);
}

float wrapped(float angle) {
  while (angle > kPi) angle -= 2.0f * kPi;
  while (angle < -kPi) angle += 2.0f * kPi;
  return angle;
}

float sine(float angle) {
  float x = wrapped(angle);
  if (x > 0.5f * kPi) x = kPi - x;
  if (x < -0.5f * kPi) x = -kPi - x;
  float square = x * x;
  float series = planted(kOtherSine) ? 0.0f : 2.7557319e-6f;
  series = series * square - 1.9841270e-4f;
  series = series * square + 8.3333333e-3f;
  series = series * square - 1.6666667e-1f;
  return x + x * square * series;
}

float cosine(float angle) { return sine(angle + 0.5f * kPi); }

/// The arc tangent of 0 to 1.
static float small_arc(float slope) {
  float square = slope * slope;
  float series = -0.01172120f;
  series = series * square + 0.05265332f;
  series = series * square - 0.11643287f;
  series = series * square + 0.19354346f;
  series = series * square - 0.33262347f;
  series = series * square + 0.99997726f;
  return slope * series;
}

float angle_of(Vec direction) {
  float x = direction.x < 0.0f ? -direction.x : direction.x;
  float y = direction.y < 0.0f ? -direction.y : direction.y;
  if (x == 0.0f && y == 0.0f) return 0.0f;
  float angle = y <= x ? small_arc(y / x) : 0.5f * kPi - small_arc(x / y);
  if (direction.x < 0.0f) angle = kPi - angle;
  return direction.y < 0.0f ? -angle : angle;
}

Vec at_angle(float angle) { return {cosine(angle), sine(angle)}; }

}  // namespace harbour
