// The players of a run: they steer in curves, and press buttons now and then.
#include "angles.h"
#include "world.h"

namespace harbour {

static Input input_of(uint64_t seed, int frame, int player) {
  Chance chance = seeded(seed + static_cast<uint64_t>(frame / 20), 100 + static_cast<uint64_t>(player));
  Input input;
  input.rudder = between(chance, -1.0f, 1.0f);
  input.throttle = between(chance, 0.2f, 1.0f);
  input.buttons = 0;
  if (below(chance, 3) == 0 && frame % 20 < 3) input.buttons |= 1u;
  if (frame % 33 == 10 + player) input.buttons |= 2u;
  return input;
}

void inputs_of(uint64_t seed, int frame, Input inputs[kPlayers]) {
  for (int player = 0; player < kPlayers; player++) {
    int shown = planted(kLateInput) && player == 1 && frame > 40 ? frame - 1 : frame;
    inputs[player] = input_of(seed, shown, player);
  }
  if (planted(kDroppedInput) && frame == 45) inputs[0] = Input();
}

}  // namespace harbour
