// Ships that meet: pairs by a grid, impulses along the line between them.
#include <algorithm>
#include <vector>

#include "world.h"

namespace harbour {

namespace {

struct Pair {
  int a, b;
};

bool operator<(Pair one, Pair other) {
  return one.a != other.a ? one.a < other.a : one.b < other.b;
}

const int kBuckets = 16;
const float kBucket = kSide * kCell / kBuckets;

int bucket_of(float v) {
  return static_cast<int>(clamped(v / kBucket, 0.0f, kBuckets - 1.0f));
}

/// Pairs of ships whose buckets touch, in ascending order: no order of a container shows.
std::vector<Pair> near_pairs(const World &world) {
  std::vector<int> buckets[kBuckets * kBuckets];
  std::vector<Pair> pairs;
  for (int k = 0; k < kShips; k++) {
    const Ship &ship = world.ships[k];
    if (ship.afloat) buckets[bucket_of(ship.place.y) * kBuckets + bucket_of(ship.place.x)].push_back(k);
  }
  for (int k = 0; k < kShips; k++) {
    const Ship &ship = world.ships[k];
    if (!ship.afloat) continue;
    int x = bucket_of(ship.place.x), y = bucket_of(ship.place.y);
    for (int j = std::max(0, y - 1); j <= std::min(kBuckets - 1, y + 1); j++)
      for (int i = std::max(0, x - 1); i <= std::min(kBuckets - 1, x + 1); i++)
        for (int other : buckets[j * kBuckets + i])
          if (other > k) pairs.push_back({k, other});
  }
  std::sort(pairs.begin(), pairs.end());
  if (planted(kPairOrder) && world.frame > 10) std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

float along(Vec a, Vec b) {
  if (planted(kWiderDot)) {
    double wide = static_cast<double>(a.x) * b.x + static_cast<double>(a.y) * b.y;
    return static_cast<float>(wide);
  }
  return dot(a, b);
}

void damage(World &world, Ship &ship, float hit) {
  int points = static_cast<int>(hit * 1.5f);
  ship.hull = static_cast<int16_t>(std::max(0, ship.hull - points));
  if (ship.hull == 0) {
    ship.afloat = false;
    ship.speed = {0.0f, 0.0f};
    burst(world, ship.place, 8);
    splash(world, ship.place, 1.0f);
  }
}

void meet(World &world, Ship &one, Ship &other) {
  Vec apart = other.place - one.place;
  float reach = one.radius + other.radius;
  if (dot(apart, apart) >= reach * reach) return;
  float size = length(apart);
  Vec normal = direction(apart);
  float total = one.mass + other.mass;
  float overlap = reach - size;
  one.place -= normal * (overlap * other.mass / total);
  other.place += normal * (overlap * one.mass / total);
  float closing = along(other.speed - one.speed, normal);
  if (closing >= 0.0f) return;
  float impulse = -1.4f * closing / (1.0f / one.mass + 1.0f / other.mass);
  one.speed -= normal * (impulse / one.mass);
  other.speed += normal * (impulse / other.mass);
  float spin = cross(normal, other.speed - one.speed) * 0.02f;
  one.turning += spin;
  other.turning -= spin;
  damage(world, one, -closing);
  damage(world, other, -closing);
}

}  // namespace

void collide(World &world) {
  for (Pair pair : near_pairs(world)) {
    Ship &one = world.ships[pair.a], &other = world.ships[pair.b];
    if (one.afloat && other.afloat) meet(world, one, other);
  }
}

}  // namespace harbour
