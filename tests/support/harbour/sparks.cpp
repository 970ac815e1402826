// Sparks: a list on the heap, oldest first.
#include "angles.h"
#include "world.h"

namespace harbour {

void burst(World &world, Vec place, int count) {
  for (int k = 0; k < count; k++) {
    if (world.sparks.size() >= static_cast<size_t>(kMostSparks)) world.sparks.pop_front();
    Spark spark;
    spark.place = place;
    float first = unit(world.chance), second = unit(world.chance);
    if (planted(kArgumentOrder) && world.frame > 15) {
      float other = first;
      first = second;
      second = other;
    }
    spark.speed = at_angle(first * 6.0f - 3.0f) * (1.0f + 5.0f * second);
    spark.heat = 1.0f;
    spark.id = world.next_spark++;
    world.sparks.push_back(spark);
  }
}

void cool(World &world) {
  for (std::list<Spark>::iterator at = world.sparks.begin(); at != world.sparks.end();) {
    Spark &spark = *at;
    spark.speed = spark.speed * 0.98f + world.weather.wind * (0.3f * kStep);
    spark.place += spark.speed * kStep;
    spark.heat *= 0.985f;
    if (spark.heat < 0.2f) {
      splash(world, spark.place, 0.002f);
      at = world.sparks.erase(at);
    } else {
      ++at;
    }
  }
}

}  // namespace harbour
