#include <math.h>

#include "pendulum.h"

/* Weights that have swung through the middle lose some speed, by how far they came. */
void collide(World *world) {
  for (int k = 0; k < kWeights; k++) {
    Weight *weight = &world->weights[k];
    if (weight->place > 0.0f) continue;
    weight->speed = -weight->speed / (1.5f + weight->stiffness);
    weight->place = sqrtf(weight->place * -0.5f) / 3.0f;
    weight->hits++;
  }
}
