// Ropes between ships: springs that only pull, and that break.
#include "world.h"

namespace harbour {

void make_ropes(World &world) {
  for (int k = 0; k < kRopes; k++) {
    Rope &rope = world.ropes[k];
    rope = Rope();
    rope.from = static_cast<uint16_t>(2 + k % (kShips - 3));
    rope.to = static_cast<uint16_t>(rope.from + 1);
    const Ship &from = world.ships[rope.from], &to = world.ships[rope.to];
    rope.rest = length(to.place - from.place) * between(world.chance, 0.7f, 1.0f);
    rope.stiffness = between(world.chance, 0.5f, 3.0f);
    rope.whole = true;
  }
}

/// Pulls both ends of a rope together; returns how far it is beyond its length.
static float tighten(World &world, Rope &rope) {
  Ship &from = world.ships[rope.from], &to = world.ships[rope.to];
  Vec apart = to.place - from.place;
  float size = length(apart);
  float beyond = size - rope.rest;
  if (beyond <= 0.0f) return 0.0f;
  Vec along = direction(apart);
  float total = from.mass + to.mass;
  float share = planted(kReciprocal) ? to.mass * (1.0f / total) : to.mass / total;
  float pull = rope.stiffness * beyond * kStep;
  from.speed += along * (pull * share);
  to.speed -= along * (pull * (1.0f - share));
  return beyond;
}

void pull(World &world) {
  for (Rope &rope : world.ropes) {
    if (!rope.whole) continue;
    const Ship &from = world.ships[rope.from], &to = world.ships[rope.to];
    if (!from.afloat || !to.afloat) {
      rope.whole = false;
      continue;
    }
    for (int pass = 0; pass < 2; pass++) {
      float beyond = tighten(world, rope);
      rope.strain = rope.strain * 0.9f + beyond * 0.1f;
    }
    if (rope.strain > 9.0f) {
      rope.whole = false;
      burst(world, (from.place + to.place) * 0.5f, 3);
    }
  }
}

}  // namespace harbour
