#include <cmath>

#include "regatta.h"

static const Vec marks[kMarks] = {
    {0.0f, 400.0f}, {300.0f, 200.0f}, {0.0f, -50.0f}, {-300.0f, 200.0f},
};
static const float kNoGo = 0.7f;  // radians to the wind in which no boat sails

void start(Boat (&boats)[kBoats]) {
  for (int k = 0; k < kBoats; k++) {
    boats[k] = {{10.0f * static_cast<float>(k) - 55.0f, 0.0f}, 0.0f, 1.0f, 0, 1, 0};
  }
}

static float wrapped(float angle) {
  while (angle > 3.14159265f) angle -= 6.28318531f;
  while (angle < -3.14159265f) angle += 6.28318531f;
  return angle;
}

void sail(Boat &boat, const Wind &wind, float time) {
  const Vec to = {marks[boat.mark].x - boat.pos.x, marks[boat.mark].y - boat.pos.y};
  if (to.x * to.x + to.y * to.y < 400.0f) boat.mark = (boat.mark + 1) % kMarks;

  float course = std::atan2(to.x, to.y);
  float off = wrapped(course - wind.direction);
  if (std::fabs(off) < kNoGo) {
    if (off * static_cast<float>(boat.side) < -0.3f) {
      boat.side = -boat.side;
      boat.tacks++;
    }
    off = kNoGo * static_cast<float>(boat.side);
    course = wind.direction + off;
  }
  boat.heading = wrapped(boat.heading + wrapped(course - boat.heading) * 2.0f * kStep);

  const Vec bow = {std::sin(boat.heading), std::cos(boat.heading)};
  const Vec hill = slope(boat.pos, time);
  const float pull = wind.force * (1.2f - std::cos(off)) * 0.4f;
  const float drag = boat.speed * (0.3f + 0.05f * boat.speed) + surface(boat.pos, time) * 0.8f;
  boat.speed += (pull - drag - (hill.x * bow.x + hill.y * bow.y) * 9.81f) * kStep;
  boat.pos.x += bow.x * boat.speed * kStep;
  boat.pos.y += bow.y * boat.speed * kStep;
}
