"""Builds the wheel and the source distribution (PEP 517) with the standard library alone, so that building needs no network.

Both are the same to the byte whenever they are made: times in them are fixed.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
PACKAGE = "weir"
#: 1980-01-01, the first time that a zip file can have.
TIME = (1980, 1, 1, 0, 0, 0)
SECONDS = 315532800


def project() -> dict[str, str]:
    """The values of the table ``[project]``. Python 3.10 has no reader of TOML."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = text[text.index("[project]") :]
    return dict(re.findall(r'^([a-z-]+) = "([^"]*)"$', table, re.MULTILINE))


def _stem() -> str:
    of = project()
    return f"{of['name'].replace('-', '_')}-{of['version']}"


def _metadata() -> str:
    of = project()
    head = {
        "Metadata-Version": "2.1",
        "Name": of["name"],
        "Version": of["version"],
        "Summary": of["description"],
        "Requires-Python": of["requires-python"],
        "Classifier": "Typing :: Typed",
        "Description-Content-Type": "text/markdown",
    }
    lines = [f"{name}: {value}" for name, value in head.items()]
    return "\n".join(lines) + "\n\n" + (ROOT / "README.md").read_text(encoding="utf-8")


def _sources() -> dict[str, bytes]:
    files = sorted(path for path in (ROOT / PACKAGE).rglob("*") if path.suffix in (".py", ".typed"))
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in files}


def _licence() -> dict[str, bytes]:
    """That of the repository, or of the source distribution that was made of it."""
    for folder in (ROOT, ROOT.parent.parent.parent):
        if (folder / "LICENSE").is_file():
            return {"LICENSE": (folder / "LICENSE").read_bytes()}
    return {}


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    stem = _stem()
    info = f"{stem}.dist-info"
    files = _sources()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: weir\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    for name, content in _licence().items():
        files[f"{info}/{name}"] = content
    record = "".join(f"{name},{_digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


def _digest(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    stem = _stem()
    files = {**_sources(), **_licence(), "PKG-INFO": _metadata().encode()}
    for name in ("pyproject.toml", "build_backend.py", "README.md"):
        files[name] = (ROOT / name).read_bytes()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{stem}/{path}")
            entry.size = len(content)
            entry.mtime = SECONDS
            entry.mode = 0o644
            archive.addfile(entry, io.BytesIO(content))
    name = f"{stem}.tar.gz"
    (Path(sdist_directory) / name).write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return name
