"""A scene's shapes as a `foxglove.SceneUpdate`.

The foxglove-sdk is the viewer's own library: it has the messages and their descriptions. Discs and
balls, of which there may be many, are copies of one that it wrote, with other numbers.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from functools import cache

import numpy as np
from foxglove import messages as fox
from google.protobuf import descriptor_pb2

from samebits.scene import Balls, Discs, Line, Polygon, Scene, Shape, Text
from samebits.scene.shapes import color, places, spread
from samebits.view.messages import varint

FRAME_ID = "world"
_FLAT = 0.01
"""How thick a flat shape is, as a part of its size."""
_UNTURNED = fox.Quaternion(x=0.0, y=0.0, z=0.0, w=1.0)


def schema() -> tuple[str, bytes]:
    """Name and `FileDescriptorSet` of the message."""
    about = fox.SceneUpdate.get_schema()
    return about.name, about.data


def grid(scene: Scene) -> float:
    """The step of a scene's places in a message: a power of two, an eighth of a pixel of its
    pictures or less. Finer ones take more of a file than all else."""
    (left, _), (right, _) = scene.bounds
    return 2.0 ** math.floor(math.log2(abs(right - left) / scene.pixels / 8))


def scene_update(shapes: Iterable[Shape], time: int, step: float) -> bytes:
    """The message of one frame's shapes at `time`, in nanoseconds, the places of discs and balls
    to multiples of `step`. They replace those before."""
    round_ones: list[bytes] = []
    lines: list[fox.LinePrimitive] = []
    triangles: list[fox.TriangleListPrimitive] = []
    texts: list[fox.TextPrimitive] = []
    for layer, shape in enumerate(shapes):
        depth = layer * 1e-4  # so that what comes later lies in front
        match shape:
            case Discs() if shape.outline:
                for at, radius in zip(*_sized(shape), strict=True):
                    turn = np.linspace(0, 2 * np.pi, 33)[:-1]
                    ring = at[:2] + radius * np.stack([np.cos(turn), np.sin(turn)], 1)
                    lines.append(_line(ring, depth, shape.outline, shape.color, True))
            case Discs() | Balls():
                round_ones.append(_repeated(shape, depth, step))
            case Line():
                points = places("points", shape.points, 2)
                if np.isfinite(points).all():
                    lines.append(_line(points, depth, shape.width, shape.color, shape.closed))
            case Polygon():
                points = places("points", shape.points, 3)
                if np.isfinite(points).all():
                    corners = [_point(point, depth) for point in points]
                    fan = [k for i in range(1, len(points) - 1) for k in (0, i, i + 1)]
                    triangles.append(
                        fox.TriangleListPrimitive(
                            pose=_pose(np.zeros(2), 0.0), points=corners, indices=fan,
                            color=_color(shape.color),
                        )
                    )  # fmt: skip
            case Text():
                at = places("at", shape.at, 1)[0]
                if np.isfinite(at).all():
                    texts.append(
                        fox.TextPrimitive(
                            pose=_pose(at, depth), billboard=True, font_size=float(shape.size),
                            scale_invariant=False, color=_color(shape.color), text=str(shape.text),
                        )
                    )  # fmt: skip
    entity = fox.SceneEntity(
        timestamp=fox.Timestamp(time // 1_000_000_000, time % 1_000_000_000), frame_id=FRAME_ID,
        id="scene", lines=lines, triangles=triangles, texts=texts,
    ).encode()  # fmt: skip
    # Protobuf's messages may be joined from parts: each repeated field goes on.
    whole = b"".join((entity, *round_ones))
    return _key("SceneUpdate", "entities") + varint(len(whole)) + whole


@cache
def _descriptions() -> dict[str, descriptor_pb2.DescriptorProto]:
    """Foxglove's messages by name."""
    found = descriptor_pb2.FileDescriptorSet.FromString(schema()[1])
    return {message.name: message for file in found.file for message in file.message_type}


@cache
def _key(message: str, name: str) -> bytes:
    """The key of a field that is a message."""
    fields = {about.name: about.number for about in _descriptions()[message].field}
    return varint(fields[name] << 3 | 2)


_PLACES = [float.fromhex(f"0x1.{k:x}23456789abcp+77") for k in range(1, 7)]
"""Numbers that stand in a message's bytes for x, y, z and the size's x, y, z."""


@cache
def _pattern(kind: type[Discs | Balls], given: str) -> tuple[bytes, list[int]]:
    """The field of a disc or a ball, and where in it the numbers `_PLACES` lie."""
    x, y, z, dx, dy, dz = _PLACES
    pose = fox.Pose(position=fox.Vector3(x=x, y=y, z=z), orientation=_UNTURNED)
    size = fox.Vector3(x=dx, y=dy, z=dz)
    if kind is Balls:
        key = _key("SceneEntity", "spheres")
        body = fox.SpherePrimitive(pose=pose, size=size, color=_color(given)).encode()
    else:
        key = _key("SceneEntity", "cylinders")
        body = fox.CylinderPrimitive(
            pose=pose, size=size, bottom_scale=1.0, top_scale=1.0, color=_color(given)
        ).encode()
    one = key + varint(len(body)) + body
    return one, [one.index(struct.pack("<d", number)) for number in _PLACES]


def _repeated(shape: Discs | Balls, depth: float, step: float) -> bytes:
    """The fields of all discs or balls of a shape, one after another."""
    at, radii = _sized(shape)
    if not len(at):
        return b""
    one, marks = _pattern(type(shape), shape.color)
    thick = 2.0 if isinstance(shape, Balls) else _FLAT
    at = np.rint(at / step) * step
    high = at[:, 2] if at.shape[1] == 3 else np.full(len(at), depth)
    sizes = _short(np.stack([2 * radii, 2 * radii, thick * radii]))
    numbers = [at[:, 0], at[:, 1], high, *sizes]
    out = np.empty((len(at), len(one)), np.uint8)
    out[:] = np.frombuffer(one, np.uint8)
    for mark, values in zip(marks, numbers, strict=True):
        np.ndarray(len(at), "<f8", out.data, mark, (len(one),))[:] = values
    return out.tobytes()


def _short(numbers: np.ndarray) -> np.ndarray:
    """Numbers to 16 bits, nearer than a picture shows, so that files are smaller."""
    fractions, exponents = np.frexp(numbers)
    return np.ldexp(np.rint(fractions * 65536), exponents - 16)


def _sized(shape: Discs | Balls) -> tuple[np.ndarray, np.ndarray]:
    """Places and radii of all that have both."""
    at = places("at", shape.at)
    radii = spread("radius", shape.radius, len(at))
    drawn = np.isfinite(at).all(1) & np.isfinite(radii) & (radii > 0)
    return at[drawn], radii[drawn]


def _line(
    points: np.ndarray, depth: float, width: float, given: str, closed: bool
) -> fox.LinePrimitive:
    kind = fox.LinePrimitiveLineType
    return fox.LinePrimitive(
        type=kind.LineLoop if closed else kind.LineStrip, pose=_pose(np.zeros(2), 0.0),
        thickness=float(width), scale_invariant=False,
        points=[_point(point, depth) for point in points], color=_color(given),
    )  # fmt: skip


def _pose(at: np.ndarray, depth: float) -> fox.Pose:
    x, y, z = _three(at, depth)
    return fox.Pose(position=fox.Vector3(x=x, y=y, z=z), orientation=_UNTURNED)


def _point(at: np.ndarray, depth: float) -> fox.Point3:
    x, y, z = _three(at, depth)
    return fox.Point3(x=x, y=y, z=z)


def _three(at: np.ndarray, depth: float) -> tuple[float, float, float]:
    """A place in space: of one in the plane, `depth` in front of it."""
    numbers = at.tolist()
    return numbers[0], numbers[1], numbers[2] if len(numbers) == 3 else depth


def _color(given: str) -> fox.Color:
    red, green, blue, opacity = color(given)
    return fox.Color(r=red, g=green, b=blue, a=opacity)
