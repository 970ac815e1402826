/* Weights on springs, in C: small enough to be built in a second, and recorded. */
#ifndef PENDULUM_H
#define PENDULUM_H

enum { kWeights = 8 };

typedef struct {
  float place, speed, stiffness;
  int hits;
} Weight;

typedef struct {
  Weight weights[kWeights];
  float energy;
  unsigned stamp;
} World;

void set_up(World *world);
void pull(World *world);
void collide(World *world);
float energy_of(const World *world);
/* What is not the same in two runs, where one asks for it. */
unsigned stamp_of(const World *world);

#endif
