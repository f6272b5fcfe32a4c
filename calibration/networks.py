"""Load the networks that come with the package, to be run by ONNX Runtime."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.errors import BadNetwork

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, SessionOptions


@cache
def load_session(
    path: Path, inputs: tuple[str, ...], outputs: int | None = None
) -> InferenceSession:
    """Load a network from a ``.onnx.gz`` file, to be run on one thread.

    It must have these inputs and, if ``outputs`` is given, so many values in the last axis of its
    first output. Raises `BadNetwork`.
    """
    # Loading the library takes a tenth of a second, and known programs are read without it.
    from onnxruntime import InferenceSession  # noqa: PLC0415

    try:
        model = gzip.decompress(path.read_bytes())
        session = InferenceSession(model, session_options(), providers=["CPUExecutionProvider"])
        if tuple(value.name for value in session.get_inputs()) != inputs:
            raise ValueError("another network")
        if outputs is not None and session.get_outputs()[0].shape[-1] != outputs:
            raise ValueError("another network")
    except Exception as error:  # those of ONNX Runtime have no common class
        raise BadNetwork(
            f"The weights in {path} cannot be read ({error}). Install minebot again."
        ) from error
    return session


def session_options() -> SessionOptions:
    """Return how ONNX Runtime is to run a network: silently, on one thread, in little memory."""
    from onnxruntime import SessionOptions  # noqa: PLC0415

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Each size of a picture would add to an arena, which is never given back: 130 MB after 18
    # boards, and no less processor time.
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    return options
