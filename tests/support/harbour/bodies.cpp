// Ships: rudder and throttle, drag, wind and slope, and where that takes them.
#include <cmath>

#include "angles.h"
#include "world.h"

namespace harbour {

void steer(World &world, const Input inputs[kPlayers]) {
  for (Ship &ship : world.ships) {
    if (!ship.afloat) continue;
    float rudder = 0.0f, throttle = 0.15f;
    if (ship.owner < kPlayers) {
      rudder = clamped(inputs[ship.owner].rudder, -1.0f, 1.0f);
      throttle = clamped(inputs[ship.owner].throttle, -1.0f, 1.0f);
      if (inputs[ship.owner].buttons & 1u) burst(world, ship.place + at_angle(ship.heading) * ship.radius, 2);
    } else {
      float deep = static_cast<float>(depth_at(world, ship.place));
      rudder = deep > 20.0f ? 0.8f : 0.1f;
    }
    ship.turning = ship.turning * 0.95f + rudder * 0.02f;
    ship.heading = wrapped(ship.heading + ship.turning * kStep * 8.0f);
    Vec push = at_angle(ship.heading) * (throttle * 9.0f);
    ship.speed += push * (kStep / ship.mass);
  }
}

/// Speed after drag, which grows with its square.
static Vec dragged(Vec speed, float radius) {
  float size = length(speed);
  float drag = 0.02f + 0.03f * radius * size;
  float left = clamped(1.0f - drag * kStep, 0.0f, 1.0f);
  return speed * left;
}

static Vec moved(Vec place, Vec speed) {
  if (planted(kFusedMove)) return {std::fma(speed.x, kStep, place.x), std::fma(speed.y, kStep, place.y)};
  return place + speed * kStep;
}

void drift(World &world) {
  const float shore = kSide * kCell;
  for (Ship &ship : world.ships) {
    if (!ship.afloat) continue;
    Vec slope = slope_at(world, ship.place);
    ship.speed -= slope * (9.81f * kStep);
    ship.speed += (world.weather.wind - ship.speed) * (0.01f * kStep * ship.radius);
    ship.speed = dragged(ship.speed, ship.radius);
    ship.place = moved(ship.place, ship.speed);
    if (ship.place.x < ship.radius || ship.place.x > shore - ship.radius) ship.speed.x = -ship.speed.x * 0.5f;
    if (ship.place.y < ship.radius || ship.place.y > shore - ship.radius) ship.speed.y = -ship.speed.y * 0.5f;
    ship.place.x = clamped(ship.place.x, ship.radius, shore - ship.radius);
    ship.place.y = clamped(ship.place.y, ship.radius, shore - ship.radius);
    float wake = dot(ship.speed, ship.speed) * 0.0004f * ship.radius;
    splash(world, ship.place, -wake);
    if (planted(kNegativeZero) && world.frame == 64) ship.turning *= -0.0f;
    else if (world.frame == 64) ship.turning = 0.0f;
  }
}

}  // namespace harbour
