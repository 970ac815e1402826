// Vectors of two floats, and the square root that all of the simulation uses.
#ifndef HARBOUR_VEC_H
#define HARBOUR_VEC_H

#include <cstdint>
#include <cstring>

#include "plants.h"

namespace harbour {

struct Vec {
  float x, y;
};

inline Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
inline Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y}; }
inline Vec operator*(Vec a, float s) { return {a.x * s, a.y * s}; }
inline Vec &operator+=(Vec &a, Vec b) { return a = a + b; }
inline Vec &operator-=(Vec &a, Vec b) { return a = a - b; }
inline float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y; }
inline float cross(Vec a, Vec b) { return a.x * b.y - a.y * b.x; }
inline Vec turned(Vec a) { return {-a.y, a.x}; }

/// The correctly rounded square root: an instruction everywhere, and libm where there is none.
float root(float square);

inline float length(Vec a) { return root(dot(a, a)); }

/// The vector of length 1, or (1, 0) for one too short to have a direction.
inline Vec direction(Vec a) {
  float size = length(a);
  if (size < 1e-6f) return {1.0f, 0.0f};
  return {a.x / size, a.y / size};
}

inline float least(float a, float b) { return a < b ? a : b; }
inline float most(float a, float b) { return a > b ? a : b; }
inline float clamped(float v, float low, float high) { return least(most(v, low), high); }

inline uint32_t bits_of(float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}

inline float of_bits(uint32_t bits) {
  float v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

}  // namespace harbour

#endif
