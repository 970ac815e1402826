/* tests/support/simulations/wide_simulation.py, ported by hand. SWING and MEASURE are the types of
   local names in these functions, C_SWING what their constants are written with. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#ifndef SWING
#define SWING double
#endif
#ifndef MEASURE
#define MEASURE double
#endif
#ifndef C_SWING
#define C_SWING(X) X
#endif
#define N 12

struct state {
    double angle[N], speed[N], length[N], energy;
    uint32_t frame;
};

static void init(struct state *s, uint64_t seed)
{
    uint32_t x = (uint32_t)seed * 2654435761u + 12345u;
    for (int i = 0; i < N; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        s->angle[i] = (double)(x >> 8) * 5.9604644775390625e-08 * 1.7 - 0.85;
        s->length[i] = (double)i * 0.3 + 0.7;
    }
}

static void swing(struct state *s, double push)
{
    for (int i = 0; i < N; i++) {
        SWING a = s->angle[i];
        SWING fall = a - a * a * a * C_SWING(0.16666);
        SWING pull = fall * C_SWING(9.81) / s->length[i];
        s->speed[i] = s->speed[i] * C_SWING(0.997) - pull * C_SWING(0.01) + push * C_SWING(0.02);
    }
}

static void turn(struct state *s)
{
    for (int i = 0; i < N; i++) s->angle[i] += s->speed[i] * 0.01;
}

static void measure(struct state *s)
{
    MEASURE total = 0;
    for (int i = 0; i < N; i++) {
        MEASURE v = s->speed[i] * s->length[i];
        total += v * v * 0.35;
    }
    s->energy = sqrt(total);
}

int main(void)
{
    static struct state s;
    double push;
    init(&s, 1);
    fwrite(&s, sizeof s, 1, stdout);
    while (fread(&push, sizeof push, 1, stdin) == 1) {
        swing(&s, push);
        turn(&s);
        measure(&s);
        s.frame += 1;
        fwrite(&s, sizeof s, 1, stdout);
    }
}
