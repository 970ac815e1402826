#include <cstdio>
#include <cstdlib>

#include "regatta.h"

static Boat boats[kBoats];
static Wind wind = {0.3f, 8.0f};
static std::uint32_t random_state = 20;

static void step(int frame) {
  turn(wind, random_state);
  for (Boat &boat : boats) sail(boat, wind, static_cast<float>(frame) * kStep);
}

int main(int count, char **words) {
  const int frames = count > 1 ? std::atoi(words[1]) : 600;
  start(boats);
  for (int frame = 0; frame < frames; frame++) {
    step(frame);
  }
  for (const Boat &boat : boats) {
    std::printf("%9.3f %9.3f  mark %d, %d tacks\n", boat.pos.x, boat.pos.y, boat.mark, boat.tacks);
  }
}
