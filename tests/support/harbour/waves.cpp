// The surface of the sea: a wave equation on a grid whose edges stay at rest.
#include "world.h"

namespace harbour {

static float around(const World &world, int at) {
  float left = world.height[at - 1], right = world.height[at + 1];
  float up = world.height[at - kSide], down = world.height[at + kSide];
  if (planted(kReassociatedSum) && world.frame > 20) return (left + right) + (up + down);
  return left + right + up + down;
}

void ripple(World &world) {
  for (int y = 1; y < kSide - 1; y++) {
    for (int x = 1; x < kSide - 1; x++) {
      int at = y * kSide + x;
      float pull = around(world, at) - 4.0f * world.height[at];
      world.swell[at] = (world.swell[at] + pull * 0.2f) * 0.996f;
    }
  }
  for (int at = 0; at < kSide * kSide; at++) world.height[at] += world.swell[at];
}

void splash(World &world, Vec place, float strength) {
  int x = static_cast<int>(clamped(place.x / kCell, 1.0f, kSide - 2.0f));
  int y = static_cast<int>(clamped(place.y / kCell, 1.0f, kSide - 2.0f));
  world.height[y * kSide + x] += strength;
}

Vec slope_at(const World &world, Vec place) {
  int x = static_cast<int>(clamped(place.x / kCell, 1.0f, kSide - 2.0f));
  int y = static_cast<int>(clamped(place.y / kCell, 1.0f, kSide - 2.0f));
  int at = y * kSide + x;
  return {(world.height[at + 1] - world.height[at - 1]) / (2.0f * kCell),
          (world.height[at + kSide] - world.height[at - kSide]) / (2.0f * kCell)};
}

}  // namespace harbour
