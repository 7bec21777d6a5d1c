"""Fields as datasets of xarray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict

if TYPE_CHECKING:
    from .field import Field


def _plain(facts: Dict[str, Any]) -> Dict[str, Any]:
    """Attributes that files of NetCDF and Zarr can hold: no nested values, no None."""
    return {key: int(value) if isinstance(value, bool)
            else value if isinstance(value, (str, int, float)) else str(value)
            for key, value in facts.items()
            if value is not None and not isinstance(value, (dict, list))}


def dataset(field: "Field") -> Any:
    import xarray

    from .field import _LONG_NAMES

    axes, facts = field.axes, field.attrs
    units = {row["name"]: row["unit"] for row in facts["planes"]}
    kind = f"offset from the centre in units of {axes.unit}" if axes.relative else "coordinate"
    dims = (("x",), ("y",)) if axes.upright else (("y", "x"), ("y", "x"))
    coords = {
        "x": ("x", axes.x, {"units": "pixel", "long_name": "position from the left", "axis": "X"}),
        "y": ("y", axes.y, {"units": "pixel", "long_name": "position from the top", "axis": "Y",
                            "positive": "down"}),
        "re": (dims[0], axes.re, {"units": "1", "long_name": f"real part, {kind}"}),
        "im": (dims[1], axes.im, {"units": "1", "long_name": f"imaginary part, {kind}"}),
    }
    planes = {
        name: (("y", "x"), field.host(name),
               {"units": units[name], "long_name": _LONG_NAMES.get(name, name)})
        for name in field.planes}
    attrs = _plain(facts)
    attrs.update(Conventions="CF-1.10", source=f"deepfield {facts.get('version', '')}".strip(),
                 centre_re=axes.centre[0], centre_im=axes.centre[1])
    return xarray.Dataset(planes, coords, attrs)
