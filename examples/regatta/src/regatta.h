// Boats that sail round marks, on waves and in a wind that turns.
#pragma once

#include <cstdint>

constexpr int kBoats = 12;
constexpr int kMarks = 4;
constexpr float kStep = 1.0f / 60.0f;  // seconds

struct Vec {
  float x, y;
};

struct Wave {
  Vec along;     // radians a metre
  float height;  // metres
  float rate;    // radians a second
};

struct Boat {
  Vec pos;        // metres
  float heading;  // radians
  float speed;    // metres a second
  std::int32_t mark;
  std::int32_t side;  // of the wind, 1 or -1
  std::int32_t tacks;
};

struct Wind {
  float direction;  // radians, where it comes from
  float force;      // metres a second
};

float surface(Vec at, float time);
Vec slope(Vec at, float time);
void turn(Wind &wind, std::uint32_t &random);
void start(Boat (&boats)[kBoats]);
void sail(Boat &boat, const Wind &wind, float time);
