#include <cmath>

#include "regatta.h"

static const Wave waves[] = {
    {{0.11f, 0.02f}, 0.7f, 0.9f},
    {{0.05f, -0.09f}, 0.4f, 1.3f},
    {{-0.21f, 0.17f}, 0.15f, 2.1f},
};

static float phase(const Wave &wave, Vec at, float time) {
  return wave.along.x * at.x + wave.along.y * at.y - wave.rate * time;
}

float surface(Vec at, float time) {
  float height = 0.0f;
  for (const Wave &wave : waves) {
    const float swell = wave.height * std::sin(phase(wave, at, time));
    height += swell;
  }
  return height;
}

Vec slope(Vec at, float time) {
  Vec sum = {0.0f, 0.0f};
  for (const Wave &wave : waves) {
    const float steep = wave.height * std::cos(phase(wave, at, time));
    sum.x += steep * wave.along.x;
    sum.y += steep * wave.along.y;
  }
  return sum;
}
