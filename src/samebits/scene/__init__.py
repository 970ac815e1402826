"""The look of a state: shapes in the units of the simulation, `samebits.scene`.

A simulation's `scene` is read by `samebits replay export --protobuf`, for viewers, and by
environments that render. It never changes a state, and no bits hang on it. A shape with a number
that is not finite is left out.
"""

from samebits.scene.scene import Scene
from samebits.scene.shapes import Balls, Discs, Line, Polygon, Shape, Text

__all__ = ["Balls", "Discs", "Line", "Polygon", "Scene", "Shape", "Text"]
