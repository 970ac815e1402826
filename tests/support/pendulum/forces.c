#include "pendulum.h"

void set_up(World *world) {
  for (int k = 0; k < kWeights; k++) {
    Weight *weight = &world->weights[k];
    weight->place = 0.25f * (float)(k + 1);
    weight->speed = 0.0f;
    weight->stiffness = 1.5f + 0.125f * (float)k;
    weight->hits = 0;
  }
}

static float damped(float speed) { return speed * 0.9921875f; }

void pull(World *world) {
  for (int k = 0; k < kWeights; k++) {
    Weight *weight = &world->weights[k];
    float force = -weight->stiffness * weight->place;
    weight->speed = damped(weight->speed + force * 0.0166f);
    weight->place += weight->speed * 0.5f;
  }
}
