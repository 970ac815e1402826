// Goods and coins: integers, and the conversions between them and floats.
#include "world.h"

namespace harbour {

void make_berths(World &world) {
  for (int k = 0; k < kBerths; k++) {
    Berth &berth = world.berths[k];
    berth.place = {20.0f + 18.0f * static_cast<float>(k), k % 2 ? 8.0f : kSide * kCell - 8.0f};
    for (int good = 0; good < kGoods; good++) {
      berth.stock[good] = static_cast<int32_t>(100 + below(world.chance, 900));
      berth.price[good] = static_cast<int32_t>(256 + below(world.chance, 2048));
    }
  }
}

/// The whole part, towards zero, as a conversion of C does.
static int32_t whole(float v) {
  if (planted(kRoundingUp)) return static_cast<int32_t>(v + (v < 0.0f ? -0.5f : 0.5f));
  return static_cast<int32_t>(v);
}

/// A price goes an eighth of the way to where stock would have it.
static int32_t towards(int32_t price, int32_t stock) {
  int32_t wanted = 3000 - stock * 2;
  int32_t way = wanted - price;
  if (planted(kNegativeShift)) return price + (way >> 3);
  return price + way / 8;
}

static int nearest_berth(const World &world, Vec place) {
  int best = 0;
  float least_square = 1e9f;
  for (int k = 0; k < kBerths; k++) {
    Vec apart = world.berths[k].place - place;
    float square = dot(apart, apart);
    if (square < least_square) {
      least_square = square;
      best = k;
    }
  }
  return best;
}

static void unload(World &world, Ship &ship) {
  Berth &berth = world.berths[nearest_berth(world, ship.place)];
  for (int good = 0; good < kGoods; good++) {
    float part = static_cast<float>(ship.cargo[good]) * 0.013f;
    int32_t moved = whole(part);
    if (moved <= 0) continue;
    ship.cargo[good] -= moved;
    berth.stock[good] += moved;
    if (ship.owner < kPlayers)
      world.coins[ship.owner] += static_cast<int64_t>(moved) * berth.price[good] / 256;
  }
}

void trade(World &world, const Input inputs[kPlayers]) {
  for (Ship &ship : world.ships) {
    bool asks = ship.owner < kPlayers && (inputs[ship.owner].buttons & 2u);
    bool drifts = ship.owner == kPlayers && world.frame % 40 == 7;
    if (ship.afloat && (asks || drifts)) unload(world, ship);
  }
  if (world.frame % 16 != 3) return;
  for (Berth &berth : world.berths) {
    for (int good = 0; good < kGoods; good++) {
      int32_t used = berth.stock[good] / 50;
      berth.stock[good] -= used;
      berth.price[good] = towards(berth.price[good], berth.stock[good]);
      if (berth.price[good] < 16) berth.price[good] = 16;
    }
  }
}

}  // namespace harbour
