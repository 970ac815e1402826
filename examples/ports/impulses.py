"""Sequential impulses, as in Erin Catto's Box2D-Lite (GDC 2006), of discs over a floor."""

from typing import Literal

import samebits as sb
from samebits import double2, float64, int32, math

FLOOR = -1
ITERATIONS = 10
SLOP, BIAS = 0.01, 0.2


@sb.struct
class Body(sb.Struct):
    pos: double2 = sb.zero
    vel: double2 = sb.zero
    angle: float64 = 0.0
    omega: float64 = 0.0
    inv_mass: float64 = 0.0
    inv_inertia: float64 = 0.0
    radius: float64 = 0.0
    friction: float64 = 0.0


@sb.struct
class Contact(sb.Struct):
    a: int32 = 0
    b: int32 = 0
    normal: double2 = sb.zero
    ra: double2 = sb.zero
    rb: double2 = sb.zero
    separation: float64 = 0.0
    pn: float64 = 0.0
    pt: float64 = 0.0
    mass_n: float64 = 0.0
    mass_t: float64 = 0.0
    bias: float64 = 0.0
    friction: float64 = 0.0


@sb.kernel
def cross(a: double2, b: double2) -> float64:
    return a.x * b.y - a.y * b.x


@sb.kernel
def spun(omega: float64, r: double2) -> double2:
    return double2(-omega * r.y, omega * r.x)


@sb.struct
class World(sb.Struct):
    bodies: sb.List[Body, Literal[16]] = sb.zero
    contacts: sb.List[Contact, Literal[64]] = sb.zero
    gravity: double2 = sb.zero

    def add(self, pos: double2, radius: float64, mass: float64, friction: float64) -> None:
        inertia = mass * radius**2 / 2
        self.bodies.append(
            Body(
                pos=pos,
                radius=radius,
                inv_mass=1 / mass,
                inv_inertia=1 / inertia,
                friction=friction,
            )
        )

    def touch(self, a: int, b: int, normal: double2, separation: float64) -> None:
        """Add a contact, with the impulses of the one that was there in the frame before."""
        contact = Contact(a=a, b=b, normal=normal, separation=separation)
        body = self.bodies[a]
        contact.ra = normal * body.radius
        contact.friction = body.friction
        if b != FLOOR:
            contact.rb = -normal * self.bodies[b].radius
            contact.friction = math.sqrt(body.friction * self.bodies[b].friction)
        for old in self.contacts:
            if old.a == a and old.b == b:
                contact.pn = old.pn
                contact.pt = old.pt
        self.contacts.append(contact)

    def collide(self) -> None:
        before = len(self.contacts)
        for i, body in enumerate(self.bodies):
            if body.pos.y < body.radius:
                self.touch(i, FLOOR, double2(0, -1), body.pos.y - body.radius)
            for j in range(i + 1, len(self.bodies)):
                other = self.bodies[j]
                d = other.pos - body.pos
                distance = math.length(d)
                separation = distance - body.radius - other.radius
                if separation < 0 and distance > 0:
                    self.touch(i, j, d / distance, separation)
        for _ in range(before):
            self.contacts.pop(0)

    def push(self, contact: Contact, impulse: double2) -> None:
        a = self.bodies[contact.a]
        a.vel -= impulse * a.inv_mass
        a.omega -= a.inv_inertia * cross(contact.ra, impulse)
        if contact.b != FLOOR:
            b = self.bodies[contact.b]
            b.vel += impulse * b.inv_mass
            b.omega += b.inv_inertia * cross(contact.rb, impulse)

    def relative(self, contact: Contact) -> double2:
        """The velocity of b at the contact, seen from a."""
        a = self.bodies[contact.a]
        v = -(a.vel + spun(a.omega, contact.ra))
        if contact.b != FLOOR:
            b = self.bodies[contact.b]
            v += b.vel + spun(b.omega, contact.rb)
        return v

    def prepare(self, contact: Contact, inv_dt: float64) -> None:
        a = self.bodies[contact.a]
        n = contact.normal
        t = double2(n.y, -n.x)
        kn = a.inv_mass + a.inv_inertia * cross(contact.ra, n) ** 2
        kt = a.inv_mass + a.inv_inertia * cross(contact.ra, t) ** 2
        if contact.b != FLOOR:
            b = self.bodies[contact.b]
            kn += b.inv_mass + b.inv_inertia * cross(contact.rb, n) ** 2
            kt += b.inv_mass + b.inv_inertia * cross(contact.rb, t) ** 2
        contact.mass_n = 1 / kn
        contact.mass_t = 1 / kt
        contact.bias = -BIAS * inv_dt * min(0, contact.separation + SLOP)
        self.push(contact, n * contact.pn + t * contact.pt)

    def solve(self, contact: Contact) -> None:
        n = contact.normal
        t = double2(n.y, -n.x)
        dpn = contact.mass_n * (contact.bias - math.dot(self.relative(contact), n))
        pn = max(contact.pn + dpn, 0)
        self.push(contact, n * (pn - contact.pn))
        contact.pn = pn
        most = contact.friction * contact.pn
        dpt = -contact.mass_t * math.dot(self.relative(contact), t)
        pt = math.clamp(contact.pt + dpt, -most, most)
        self.push(contact, t * (pt - contact.pt))
        contact.pt = pt

    def step(self, dt: float64) -> None:
        self.collide()
        for body in self.bodies:
            body.vel += self.gravity * dt
        for contact in self.contacts:
            self.prepare(contact, 1 / dt)
        for _ in range(ITERATIONS):
            for contact in self.contacts:
                self.solve(contact)
        for body in self.bodies:
            body.pos += body.vel * dt
            body.angle += body.omega * dt


@sb.kernel
def run(world: World, dt: float64, steps: int) -> None:
    for _ in range(steps):
        world.step(dt)
