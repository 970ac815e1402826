/* tests/support/simulations/ported_simulation.py, ported by hand. FLOAT is the type of local names,
   MEASURED that of those in measure. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#ifndef FLOAT
#define FLOAT float
#endif
#ifndef MEASURED
#define MEASURED FLOAT
#endif
#define N 32

struct state {
    float pos[N], vel[N], weight[N], heat, middle;
    uint32_t frame;
};

static void init(struct state *s, uint64_t seed)
{
    uint32_t x = (uint32_t)seed * 2654435761u + 12345u;
    for (int i = 0; i < N; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        s->pos[i] = (float)(x >> 8) * 5.9604644775390625e-08f * 4.0f;
        s->weight[i] = (float)(i % 7) * 0.25f + 0.5f;
    }
}

static void pull(struct state *s, FLOAT push)
{
    for (int i = 0; i < N; i++) {
        FLOAT d = s->pos[i] - s->pos[(i + 1) % N];
        FLOAT force = d / (1.0f + d * d);
        s->vel[i] = s->vel[i] * 0.995f - force * 0.05f + push * 0.01f;
    }
}

static void measure(struct state *s)
{
    MEASURED heat = 0, middle = 0;
    for (int i = 0; i < N; i++) {
        heat += s->vel[i] * s->vel[i] * s->weight[i];
        middle += s->pos[i] * s->weight[i];
    }
    s->heat = sqrtf(heat);
    s->middle = middle / 30.5f;
}

static void step(struct state *s, float push)
{
    pull(s, push);
    for (int i = 0; i < N; i++) s->pos[i] += s->vel[i] * 0.0625f;
    measure(s);
    s->frame += 1;
}

int main(void)
{
    static struct state s;
    float push;
    init(&s, 1);
    fwrite(&s, sizeof s, 1, stdout);
    while (fread(&push, sizeof push, 1, stdin) == 1) {
        step(&s, push);
        fwrite(&s, sizeof s, 1, stdout);
    }
}
