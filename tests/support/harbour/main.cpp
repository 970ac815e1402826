// harbour RECORD [--frames N] [--seed N] [--plant N]: runs the simulation and records it.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "recording.h"

namespace {

struct Options {
  const char *record;
  int frames;
  uint64_t seed;
};

int wrong(const char *what) {
  std::fprintf(stderr, "harbour: %s\nusage: harbour RECORD [--frames N] [--seed N] [--plant N] | --list\n", what);
  return 2;
}

int list() {
  for (int plant = 0; harbour::plant_name(plant); plant++)
    std::printf("%d %s\n", plant, harbour::plant_name(plant));
  return 0;
}

bool parsed(int count, char **given, Options &options) {
  for (int k = 1; k < count; k++) {
    if (given[k][0] != '-') {
      options.record = given[k];
      continue;
    }
    if (k + 1 == count) return false;
    long value = std::strtol(given[k + 1], nullptr, 10);
    if (!std::strcmp(given[k], "--frames")) options.frames = static_cast<int>(value);
    else if (!std::strcmp(given[k], "--seed")) options.seed = static_cast<uint64_t>(value);
#ifndef HARBOUR_PLANT
    else if (!std::strcmp(given[k], "--plant")) harbour::plant_of_this_run = static_cast<int>(value);
#endif
    else return false;
    k++;
  }
  return true;
}

harbour::World world;

}  // namespace

int main(int count, char **given) {
  Options options = {nullptr, 120, 1};
  if (count == 2 && !std::strcmp(given[1], "--list")) return list();
  if (!parsed(count, given, options)) return wrong("an option that there is not, or without its value");
  sb_run *run = sb_open(options.record, "harbour", "1");
  if (run && !harbour::describe(run, world, options.seed)) return wrong(sb_fault(run));
  sb_begin(run, -1, nullptr, 0);
  harbour::set_up(world, options.seed);
  sb_end(run, -1);
  for (int frame = 0; frame < options.frames; frame++) {
    harbour::Input inputs[harbour::kPlayers];
    harbour::inputs_of(options.seed, frame, inputs);
    sb_begin(run, frame, inputs, sizeof inputs);
    harbour::step(world, inputs);
    sb_end(run, frame);
  }
  std::printf("%.17g\n", world.energy);
  return sb_close(run) ? 1 : 0;
}
