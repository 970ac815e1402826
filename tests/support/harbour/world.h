// The state of a harbour: ships on waves, ropes between them, gulls, cargo and sparks. All of it is
// here, and a frame is a function of it and of the inputs.
#ifndef HARBOUR_WORLD_H
#define HARBOUR_WORLD_H

#include <cstdint>
#include <list>

#include "chance.h"
#include "vec.h"

namespace harbour {

const int kPlayers = 2;
const int kShips = 24;
const int kRopes = 16;
const int kGulls = 12;
const int kBerths = 6;
const int kGoods = 4;
const int kSide = 32;      // cells of the sea, each way
const float kCell = 4.0f;  // metres of a cell
const float kStep = 1.0f / 60.0f;
const int kMostSparks = 96;

struct Input {
  float rudder, throttle;  // -1 to 1
  uint32_t buttons;        // 1: fire, 2: unload
};

struct Ship {
  Vec place, speed;
  float heading, turning;
  float mass, radius;
  int32_t cargo[kGoods];
  int16_t hull;
  uint8_t owner;  // 0 and 1 are players, 2 nobody
  bool afloat;
};

struct Rope {
  uint16_t from, to;
  float rest, stiffness;
  float strain;
  bool whole;
};

struct Gull {
  Vec place, speed;
  float hunger;
  uint32_t target;  // a ship, or kShips for none
  float patience;
};

struct Berth {
  Vec place;
  int32_t stock[kGoods];
  int32_t price[kGoods];  // in 1/256 of a coin
};

struct Weather {
  Vec wind;
  float gust, cloud, echo;
  uint32_t lightning;
};

struct Spark {
  Vec place, speed;
  float heat;
  uint32_t id;
};

struct World {
  Chance chance;
  uint32_t frame;
  Ship ships[kShips];
  Rope ropes[kRopes];
  Gull gulls[kGulls];
  Berth berths[kBerths];
  Weather weather;
  float height[kSide * kSide], swell[kSide * kSide];
  int8_t depth[kSide * kSide];
  int64_t coins[kPlayers];
  double energy;
  std::list<Spark> sparks;  // on the heap, in the order of their making
  uint32_t next_spark;
};

/// A harbour before its first frame.
void set_up(World &world, uint64_t seed);
/// One frame, in the order of the files that it calls.
void step(World &world, const Input inputs[kPlayers]);

// terrain.cpp
void make_terrain(World &world);
int depth_at(const World &world, Vec place);
// weather.cpp
void blow(World &world);
// waves.cpp
void ripple(World &world);
void splash(World &world, Vec place, float strength);
Vec slope_at(const World &world, Vec place);
// bodies.cpp
void steer(World &world, const Input inputs[kPlayers]);
void drift(World &world);
// joints.cpp
void make_ropes(World &world);
void pull(World &world);
// collide.cpp
void collide(World &world);
// agents.cpp
void make_gulls(World &world);
void fly(World &world);
// cargo.cpp
void make_berths(World &world);
void trade(World &world, const Input inputs[kPlayers]);
// sparks.cpp
void burst(World &world, Vec place, int count);
void cool(World &world);
// input.cpp
/// What the players of a run do in a frame: a function of seed and frame.
void inputs_of(uint64_t seed, int frame, Input inputs[kPlayers]);

}  // namespace harbour

#endif
