// Wind and gusts, and now and then lightning.
#include "angles.h"
#include "world.h"

namespace harbour {

/// The thunder that is still heard: it fades into subnormal numbers, and to nothing.
static float faded(float echo) {
  float less = echo * 0.25f;
  bool is_tiny = less < 1.17549435e-38f;
  return planted(kFlushedEcho) && is_tiny ? 0.0f : less;
}

void blow(World &world) {
  Weather &weather = world.weather;
  float turn = between(world.chance, -0.02f, 0.02f);
  float angle = angle_of(weather.wind) + turn;
  float size = length(weather.wind);
  weather.gust = weather.gust * 0.97f + between(world.chance, -0.05f, 0.06f);
  size = clamped(size + weather.gust * 0.01f, 0.2f, 6.0f);
  weather.wind = at_angle(angle) * size;
  weather.cloud = clamped(weather.cloud + between(world.chance, -0.01f, 0.0115f), 0.0f, 1.0f);
  weather.echo = faded(weather.echo);
  if (planted(kExtraDraw) && world.frame == 77) draw(world.chance);
  if (weather.cloud > 0.3f && below(world.chance, 64) == 0) {
    Vec place = {between(world.chance, 0.0f, kSide * kCell), between(world.chance, 0.0f, kSide * kCell)};
    weather.lightning++;
    weather.echo = 1.0f;
    splash(world, place, 0.6f);
    burst(world, place, 6);
  }
}

}  // namespace harbour
