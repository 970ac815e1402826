/* The recorder alone, which is built fast: no bit depends on how. */
#if defined(__clang__)
#pragma clang optimize off
#elif defined(__GNUC__)
#pragma GCC optimize("O0")
#endif
#define SAMEBITS_IMPLEMENTATION
#include "samebits.h"

#include "pendulum.h"

static World world;

int main(void) {
  sb_run *run = sb_open(NULL, "pendulum", "1");
  sb_region(run, "weights", world.weights, sizeof world.weights,
            "{place:f32 speed:f32 stiffness:f32 hits:i32}[8]");
  sb_region(run, "energy", &world.energy, sizeof world.energy, "f32");
  sb_region(run, "stamp", &world.stamp, sizeof world.stamp, "u32");
  sb_begin(run, -1, NULL, 0);
  set_up(&world);
  sb_end(run, -1);
  for (int frame = 0; frame < 40; frame++) {
    sb_begin(run, frame, NULL, 0);
    pull(&world);
    collide(&world);
    world.energy = energy_of(&world);
    world.stamp = stamp_of(&world);
    sb_end(run, frame);
  }
  return sb_close(run) ? 1 : 0;
}
