"""A simulation in one HTML file: its module, its drawing, and a replay or a run to steer.

The file needs no network and no server. A content security policy lets in its own script alone,
by hash, and the modules that this makes of the page's parts.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from markupsafe import Markup

from samebits.errors import SimulationError
from samebits.export.inputs_file import export_inputs
from samebits.export.interface import Interface, interface_of
from samebits.export.scene import SceneModule, scene_module
from samebits.pages import filled
from samebits.play.bundle import bundled
from samebits.play.facts import facts_of
from samebits.play.files import ServedFile, view_file, views_beside
from samebits.play.pictures import Pictures
from samebits.runtime.work_folders import work_folder
from samebits.sim.simulation import Simulation
from samebits.visible import visible

BEGINS = b'<!doctype html>\n<html lang="en" data-written-by="samebits play">'
"""The first bytes of a page, by which a file of this module is known."""
MOST_INPUTS = 128 << 20
_SHARED = ("controls.mjs", "fields.mjs", "fields_view.mjs", "names.mjs", "stage.mjs")
"""Modules of the pages of matches that this page has too."""
_OWN = ("keys_view.mjs", "scene_view.mjs", "solo.mjs", "timeline.mjs")
_SPEEDS = ((0.125, "⅛×"), (0.25, "¼×"), (0.5, "½×"), (1, "1×"), (2, "2×"), (4, "4×"), (16, "16×"))


@dataclass(frozen=True, slots=True)
class Shown:
    """A replay that a page goes through: its file of inputs, and what is said of it."""

    inputs: bytes
    frames: int
    damage: str | None
    name: str


@dataclass(frozen=True, slots=True)
class PagePlan:
    """What a page shows: a replay, or a live run of a seed, which may end before frame `frames`.

    `views` are the files of a view beside the simulation's; `pictures` those of a scene in Python.
    `command` is what to ask where states are not those recorded.
    """

    seed: int = 1
    frames: int | None = None
    replay: Shown | None = None
    pictures: Pictures | None = None
    views: Mapping[str, Path] | None = None
    command: str = ""


def shown_replay(replay: str, limit: int | None) -> Shown:
    """The first `limit` frames of a replay, or all whole ones. Raises ReplayError, and
    SimulationError for one of more than 128 MiB of inputs."""
    with work_folder() as folder:
        done = export_inputs(replay, folder / "inputs", limit)
        path = folder / "inputs"
        if path.stat().st_size > MOST_INPUTS:
            raise SimulationError(
                f"{replay} has {path.stat().st_size:,} bytes of inputs and hashes, more than a"
                f" page holds: {MOST_INPUTS:,}",
                fix="give --frames, fewer than it has",
            )
        return Shown(path.read_bytes(), done.frames, done.damage, Path(replay).name)


def views_of(source: str | None) -> Mapping[str, Path]:
    """The view beside a simulation's file, as for matches; nothing where there is none."""
    return {} if source is None else views_beside(Path(source))


def page_text(simulation: Simulation, module: Mapping[str, ServedFile], plan: PagePlan) -> str:
    """The page, of the simulation's module for browsers as `play.host.module_of` gives it.

    Raises SimulationError, CompileError, TargetError where zig is missing or fails.
    """
    interface = interface_of(simulation)
    views = {f"view/{path.name}": view_file(path) for path in (plan.views or {}).values()}
    scene = None if views else scene_module(interface)
    script = module[f"/module/{interface.name}.mjs"].data.decode()
    modules = {
        "module.mjs": script,
        **{f"page/{name}": _text("page", name) for name in _SHARED},
        **{f"solo/{name}": _text("solo", name) for name in _OWN},
        **{name: file.data.decode("utf-8", "replace") for name, file in views.items()},
    }
    parts = {
        "modules": bundled(modules),
        "wasm": _base64(module[f"/module/{interface.name}.wasm"].data),
        "view": min(views, key=len) if views else None,
        **_drawing(simulation, scene, plan, bool(views)),
        **_facts(interface, plan),
    }
    boot = f"\n{_text('solo', 'boot.mjs')}"
    style = f"\n{_text('page', 'style.css')}\n{_text('solo', 'solo.css')}"
    return filled(
        "samebits.play.solo",
        "solo.html",
        name=simulation.name,
        policy=_policy(boot, style),
        style=Markup(style),
        boot=Markup(boot),
        speeds=_SPEEDS,
        parts=Markup(_json(parts)),
    )


def _facts(interface: Interface, plan: PagePlan) -> dict[str, Any]:
    simulation = interface.simulation
    facts = facts_of(interface, "")
    for served in ("module", "match", "view"):
        del facts[served]
    replay = plan.replay
    about = "" if replay is None else f"version {simulation.version}, {replay.name}"
    if replay is not None and replay.damage:
        about += f", which is {replay.damage}"
    seed = plan.seed if replay is None else int.from_bytes(replay.inputs[24:32], "little")
    return {
        "facts": {**facts, "name": visible(facts["name"]), "version": visible(facts["version"])},
        "command": visible(plan.command),
        "run": {
            "seed": str(seed),
            "frames": plan.frames,
            "replay": None if replay is None else _deflated(replay.inputs),
            "about": visible(about),
        },
    }


def _drawing(
    simulation: Simulation, scene: SceneModule | None, plan: PagePlan, has_view: bool
) -> dict[str, Any]:
    """How states are drawn, and a note where they are not as their scene has them."""
    look, pictures, note = None, None, ""
    if not has_view and simulation.scene is not None:
        (left, bottom), (right, top) = simulation.scene.bounds
        look = {
            "bounds": [[float(left), float(bottom)], [float(right), float(top)]],
            "background": simulation.scene.background,
        }
        if plan.pictures is not None:
            lines = "\n".join(plan.pictures.lines).encode()
            pictures = {"lines": _deflated(lines), "scale": plan.pictures.scale}
        elif scene is None:
            note = (
                "The scene is Python, which a page cannot run, so that the state's fields are"
                " shown. Make the scene a kernel, or show a replay."
            )
    traps = [] if scene is None else [[t.message, t.file, t.function, t.line] for t in scene.traps]
    return {
        "look": look,
        "pictures": pictures,
        "note": note,
        "scene": None if scene is None else {"wasm": _base64(scene.wasm), "traps": traps},
    }


def _policy(boot: str, style: str) -> str:
    script, look = (
        base64.b64encode(sha256(text.encode()).digest()).decode() for text in (boot, style)
    )
    return (
        f"default-src 'none'; script-src 'sha256-{script}' blob: 'wasm-unsafe-eval'; "
        f"style-src 'sha256-{look}'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _json(value: Any) -> str:
    """JSON that ends no script element."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _text(folder: str, name: str) -> str:
    return (files("samebits.play") / folder / name).read_text("utf-8")


def _deflated(data: bytes) -> str:
    return _base64(zlib.compress(data, 9))


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
