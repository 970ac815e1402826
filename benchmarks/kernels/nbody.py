"""The five outer bodies of the Computer Language Benchmarks Game's n-body, in float64."""

import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import double3, float64, math

STEPS = 4_000

SOLAR_MASS = 4 * np.pi**2
DAYS_PER_YEAR = 365.24
# Position in AU, velocity in AU a day, mass in solar masses: the game's own starting values.
PLANETS = (
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    (4.84143144246472090e00, -1.16032004402742839e00, -1.03622044471123109e-01,
     1.66007664274403694e-03, 7.69901118419740425e-03, -6.90460016972063023e-05,
     9.54791938424326609e-04),
    (8.34336671824457987e00, 4.12479856412430479e00, -4.03523417114321381e-01,
     -2.76742510726411904e-03, 4.99852801234917238e-03, 2.30417297573763929e-05,
     2.85885980666130812e-04),
    (1.28943695621391310e01, -1.51111514016986312e01, -2.23307578892655734e-01,
     2.96460137564761618e-03, 2.37847173959480950e-03, -2.96589568540237556e-05,
     4.36624404335156298e-05),
    (1.53796971148509165e01, -2.59193146099879641e01, 1.79258772950371181e-01,
     2.68067772490389322e-03, 1.62824170038242295e-03, -9.51592254519715870e-05,
     5.15138902046611451e-05),
)  # fmt: skip


@sb.struct
class Body:
    position: double3
    velocity: double3
    mass: float64


@sb.kernel
def nbody(bodies: sb.Array[Body], dt: float64, steps: int) -> None:
    for _ in range(steps):
        for i in range(len(bodies)):
            a = bodies[i]
            for j in range(i + 1, len(bodies)):
                b = bodies[j]
                d = a.position - b.position
                square = math.dot(d, d)
                pull = dt / (square * math.sqrt(square))
                a.velocity -= d * (b.mass * pull)
                b.velocity += d * (a.mass * pull)
        for i in range(len(bodies)):
            body = bodies[i]
            body.position += body.velocity * dt


C = """
#include <math.h>
#include <stdint.h>
typedef struct { double x, y, z; } double3;
typedef struct { double3 position, velocity; double mass; } body;

void nbody(body *bodies, double dt, int64_t steps, int64_t n) {
    for (int64_t step = 0; step < steps; step++) {
        for (int64_t i = 0; i < n; i++) {
            body *a = &bodies[i];
            for (int64_t j = i + 1; j < n; j++) {
                body *b = &bodies[j];
                double dx = a->position.x - b->position.x;
                double dy = a->position.y - b->position.y;
                double dz = a->position.z - b->position.z;
                double square = dx * dx + dy * dy + dz * dz;
                double pull = dt / (square * sqrt(square));
                double to_a = b->mass * pull, to_b = a->mass * pull;
                a->velocity.x -= dx * to_a;
                a->velocity.y -= dy * to_a;
                a->velocity.z -= dz * to_a;
                b->velocity.x += dx * to_b;
                b->velocity.y += dy * to_b;
                b->velocity.z += dz * to_b;
            }
        }
        for (int64_t i = 0; i < n; i++) {
            bodies[i].position.x += bodies[i].velocity.x * dt;
            bodies[i].position.y += bodies[i].velocity.y * dt;
            bodies[i].position.z += bodies[i].velocity.z * dt;
        }
    }
}
"""


def numba_nbody(bodies, dt, steps):
    for _ in range(steps):
        for i in range(len(bodies)):
            a = bodies[i]
            for j in range(i + 1, len(bodies)):
                b = bodies[j]
                dx = a.position[0] - b.position[0]
                dy = a.position[1] - b.position[1]
                dz = a.position[2] - b.position[2]
                square = dx * dx + dy * dy + dz * dz
                pull = dt / (square * np.sqrt(square))
                to_a = b.mass * pull
                to_b = a.mass * pull
                a.velocity[0] -= dx * to_a
                a.velocity[1] -= dy * to_a
                a.velocity[2] -= dz * to_a
                b.velocity[0] += dx * to_b
                b.velocity[1] += dy * to_b
                b.velocity[2] += dz * to_b
        for i in range(len(bodies)):
            body = bodies[i]
            for k in range(3):
                body.position[k] += body.velocity[k] * dt


def arguments() -> Arguments:
    bodies = np.zeros(len(PLANETS), Body.dtype)
    table = np.array(PLANETS)
    bodies["position"] = table[:, 0:3]
    bodies["velocity"] = table[:, 3:6] * DAYS_PER_YEAR
    bodies["mass"] = table[:, 6] * SOLAR_MASS
    momentum = (bodies["velocity"] * bodies["mass"][:, None]).sum(axis=0)
    bodies["velocity"][0] = -momentum / SOLAR_MASS
    return (bodies, 0.01, STEPS)


BENCHMARK = Benchmark(
    name="nbody",
    title="N-body, float64",
    kernel=nbody,
    c=C,
    numba=numba_nbody,
    arguments=arguments,
    lengths=lambda a: (len(a[0]),),
)
