#include "world.h"

namespace harbour {

static void make_ships(World &world) {
  for (int k = 0; k < kShips; k++) {
    Ship &ship = world.ships[k];
    ship = Ship();
    float column = static_cast<float>(k % 6), row = static_cast<float>(k / 6);
    ship.place = {40.0f + 6.5f * column, 46.0f + 6.5f * row};
    ship.place.x += between(world.chance, -3.0f, 3.0f);
    ship.place.y += between(world.chance, -3.0f, 3.0f);
    ship.heading = between(world.chance, -3.0f, 3.0f);
    ship.radius = between(world.chance, 1.2f, 3.6f);
    ship.mass = ship.radius * ship.radius * ship.radius * 0.8f;
    ship.hull = static_cast<int16_t>(80 + below(world.chance, 40));
    ship.owner = static_cast<uint8_t>(k < kPlayers ? k : kPlayers);
    ship.afloat = true;
    for (int good = 0; good < kGoods; good++)
      ship.cargo[good] = static_cast<int32_t>(below(world.chance, 200));
  }
}

/// The energy of motion of all ships; what it adds up in shows.
static double energy_of(const World &world) {
  double sum = 0.0;
  float narrow = 0.0f;
  for (const Ship &ship : world.ships) {
    if (!ship.afloat) continue;
    float own = 0.5f * ship.mass * dot(ship.speed, ship.speed);
    sum += static_cast<double>(own);
    narrow += own;
  }
  return planted(kNarrowEnergy) && world.frame > 30 ? static_cast<double>(narrow) : sum;
}

void set_up(World &world, uint64_t seed) {
  world.chance = seeded(seed, 54);
  world.frame = 0;
  world.weather = Weather();
  world.weather.wind = {1.5f, 0.25f};
  world.weather.echo = 1.0f;
  for (int k = 0; k < kSide * kSide; k++) world.height[k] = world.swell[k] = 0.0f;
  for (int64_t &coins : world.coins) coins = 1000;
  world.sparks.clear();
  world.next_spark = 1;
  make_terrain(world);
  make_ships(world);
  make_ropes(world);
  make_gulls(world);
  make_berths(world);
  world.energy = energy_of(world);
}

void step(World &world, const Input inputs[kPlayers]) {
  blow(world);
  ripple(world);
  steer(world, inputs);
  pull(world);
  drift(world);
  collide(world);
  fly(world);
  trade(world, inputs);
  cool(world);
  world.energy = energy_of(world);
  world.frame++;
}

}  // namespace harbour
