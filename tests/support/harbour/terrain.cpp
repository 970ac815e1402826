// The bottom of the sea: hills of a value noise, in decimetres.
#include "world.h"

namespace harbour {

static float knot(uint32_t seed, int x, int y) {
  uint32_t mixed = seed ^ (static_cast<uint32_t>(x) * 0x85ebca6bu) ^ (static_cast<uint32_t>(y) * 0xc2b2ae35u);
  mixed ^= mixed >> 15;
  mixed *= 0x2c1b3c6du;
  mixed ^= mixed >> 12;
  mixed *= 0x297a2d39u;
  mixed ^= mixed >> 15;
  return static_cast<float>(mixed >> 8) * (1.0f / 16777216.0f);
}

static float smooth(float t) { return t * t * (3.0f - 2.0f * t); }

/// Value noise of one octave at cells of `size`.
static float noise(uint32_t seed, float x, float y, float size) {
  float u = x / size, v = y / size;
  int i = static_cast<int>(u), j = static_cast<int>(v);
  float s = smooth(u - static_cast<float>(i)), t = smooth(v - static_cast<float>(j));
  float low = knot(seed, i, j) + (knot(seed, i + 1, j) - knot(seed, i, j)) * s;
  float high = knot(seed, i, j + 1) + (knot(seed, i + 1, j + 1) - knot(seed, i, j + 1)) * s;
  return low + (high - low) * t;
}

void make_terrain(World &world) {
  uint32_t seed = draw(world.chance);
  for (int y = 0; y < kSide; y++) {
    for (int x = 0; x < kSide; x++) {
      float fx = static_cast<float>(x), fy = static_cast<float>(y);
      float hill = noise(seed, fx, fy, 11.0f) * 60.0f + noise(seed + 1, fx, fy, 5.0f) * 25.0f;
      hill += noise(seed + 2, fx, fy, 2.0f) * 8.0f;
      if (planted(kSetUpTerrain) && x == 20 && y == 9) hill += 1.0f;
      float deep = clamped(hill - 40.0f, -60.0f, 60.0f);
      world.depth[y * kSide + x] = static_cast<int8_t>(deep);
    }
  }
}

int depth_at(const World &world, Vec place) {
  int x = static_cast<int>(clamped(place.x / kCell, 0.0f, kSide - 1.0f));
  int y = static_cast<int>(clamped(place.y / kCell, 0.0f, kSide - 1.0f));
  int8_t deep = world.depth[y * kSide + x];
  if (planted(kCharSign) && world.frame > 50) return static_cast<uint8_t>(deep);
  return deep;
}

}  // namespace harbour
