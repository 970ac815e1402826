#include "regatta.h"

// A gust is drawn from this game's own numbers: rand() differs between C libraries.
static float drawn(std::uint32_t &random) {
  random = random * 1664525u + 1013904223u;
  return static_cast<float>(random >> 8) * (1.0f / 16777216.0f);
}

void turn(Wind &wind, std::uint32_t &random) {
  wind.direction += (drawn(random) - 0.5f) * 0.02f;
  wind.force += (drawn(random) - 0.5f) * 0.1f + (8.0f - wind.force) * 0.001f;
}
