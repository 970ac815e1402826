#include <time.h>

#include "pendulum.h"

float energy_of(const World *world) {
  float sum = 0.0f;
  for (int k = 0; k < kWeights; k++) sum += world->weights[k].speed * world->weights[k].speed;
  return sum;
}

unsigned stamp_of(const World *world) {
#if defined(PENDULUM_ADDRESS)
  return (unsigned)((unsigned long)world >> 12);
#elif defined(PENDULUM_CLOCK)
  struct timespec now;
  (void)world;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned)now.tv_nsec;
#elif defined(PENDULUM_UNSET)
  volatile unsigned unset[4];
  (void)world;
  return unset[2] ? 1 : 2;
#else
  return (unsigned)world->weights[0].hits;
#endif
}
