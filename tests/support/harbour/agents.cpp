// Gulls: each follows the ship that promises most, and steers around the others.
#include "angles.h"
#include "world.h"

namespace harbour {

void make_gulls(World &world) {
  for (Gull &gull : world.gulls) {
    gull = Gull();
    gull.place = {between(world.chance, 0.0f, kSide * kCell), between(world.chance, 0.0f, kSide * kCell)};
    gull.speed = at_angle(between(world.chance, -3.0f, 3.0f)) * 4.0f;
    gull.hunger = unit(world.chance);
    gull.target = kShips;
  }
}

/// What a ship promises to a gull: more for much fish, less for a long way.
static float promise_of(const Gull &gull, const Ship &ship) {
  float fish = static_cast<float>(ship.cargo[0]);
  float way = length(ship.place - gull.place);
  return fish / (way + 5.0f);
}

static uint32_t best_ship(const World &world, const Gull &gull) {
  uint32_t best = kShips;
  float most_promising = 0.0f;
  for (int k = 0; k < kShips; k++) {
    if (!world.ships[k].afloat) continue;
    float promise = promise_of(gull, world.ships[k]);
    if (promise > most_promising) {
      most_promising = promise;
      best = static_cast<uint32_t>(k);
    }
  }
  return best;
}

static Vec away_from_others(const World &world, int own) {
  Vec sum = {0.0f, 0.0f};
  const Gull &gull = world.gulls[own];
  for (int k = 0; k < kGulls; k++) {
    if (k == own) continue;
    Vec apart = gull.place - world.gulls[k].place;
    float square = dot(apart, apart);
    if (square < 36.0f && square > 0.0f) sum += apart * (1.0f / (square + 1.0f));
  }
  return sum;
}

/// The lesser of two patiences; of a NaN and a number the number.
static float lesser(float a, float b) {
  if (planted(kNanCompare)) return a < b ? a : b;
  return a < b || b != b ? a : b;
}

void fly(World &world) {
  for (int k = 0; k < kGulls; k++) {
    Gull &gull = world.gulls[k];
    gull.hunger = clamped(gull.hunger + 0.002f, 0.0f, 1.0f);
    if (world.frame % 30 == static_cast<uint32_t>(k)) {
      uint32_t target = best_ship(world, gull);
      if (!planted(kUnsetField) || world.frame <= 30) gull.target = target;
      // Nothing promises less than nothing: 0 / 0 where no ship is left.
      float ships = gull.target < kShips ? 1.0f : 0.0f;
      float odd = world.frame % 90 == 5 ? 0.0f : ships;
      gull.patience = lesser(4.0f, odd / odd);
    }
    Vec wish = turned(gull.speed) * 0.1f;
    if (gull.target < kShips) {
      const Ship &ship = world.ships[gull.target];
      Vec ahead = ship.place + ship.speed * 0.5f - gull.place;
      wish += direction(ahead) * (6.0f * gull.hunger);
      if (dot(ahead, ahead) < 1.0f && gull.hunger > 0.5f) {
        gull.hunger = 0.0f;
        if (world.ships[gull.target].cargo[0] > 0) world.ships[gull.target].cargo[0]--;
      }
    }
    wish += away_from_others(world, k) * 3.0f + world.weather.wind * 0.2f;
    gull.speed += (wish - gull.speed * 0.4f) * kStep;
    float size = length(gull.speed);
    if (size > 12.0f) gull.speed = gull.speed * (12.0f / size);
    gull.place += gull.speed * kStep;
    gull.patience -= kStep;
  }
}

}  // namespace harbour
