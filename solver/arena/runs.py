"""Run many independent tasks in several processes or on a Dask cluster; an ended run can resume.

Results are appended to a file of JSON lines as they arrive: a header with the settings each time a
run starts, then one line per task with its ``key``. A run with the same file and settings skips
the tasks that are in the file.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from solver.errors import BadResults, CannotSave, MissingExtra, NoCluster
from solver.files import RESULTS_BYTES, append_file, check_place, parse_json, read_text

Row: TypeAlias = dict[str, Any]
Columns: TypeAlias = Mapping[str, tuple[type, ...]]
NUMBER = (int, float)
CHUNK_S = 0.5
"""Workers get their tasks in chunks of about this many seconds."""

CONNECT_S = 10.0
"""How long a Dask scheduler may take to answer."""


@dataclass(frozen=True)
class Task:
    """One piece of work: its key in the results, and its input."""

    key: str
    payload: Any


@dataclass(frozen=True)
class Workers:
    """Where the work is done.

    ``jobs`` local processes (-1: one for each core), or the Dask cluster whose scheduler listens
    at ``scheduler`` (``tcp://host:port``).
    """

    jobs: int = 1
    scheduler: str | None = None

    @property
    def parallel(self) -> bool:
        """Whether any work is done outside this process."""
        return self.jobs != 1 or self.scheduler is not None

    def open(self) -> AbstractContextManager[Executor]:
        """Start the processes, or connect to the cluster; on exit all work is stopped.

        Raises `MissingExtra` without the Dask package, `NoCluster`.
        """
        return _processes(self.jobs) if self.scheduler is None else _cluster(self.scheduler)


@dataclass
class Results:
    """Rows by key, kept in a file of JSON lines if ``path`` is given.

    ``settings`` are what a row depends on. ``columns`` are the types that its values may have; by
    default a row may hold anything. Raises `BadResults` if the file has results of other settings,
    is damaged or is another kind of file, `CannotSave` if it cannot be written. An incomplete last
    line is dropped.
    """

    settings: Row
    path: str | Path | None = None
    columns: Columns | None = None
    rows: dict[str, Row] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.settings = json.loads(json.dumps(self.settings))
        if self.path is None:
            return
        path = Path(self.path)
        try:
            check_place(path, replace=True)
            text = read_text(path, RESULTS_BYTES) if path.exists() else ""
        except OSError as error:
            raise BadResults(f"{path} is not a results file; give another name.") from error
        if text:
            self._load(path, text)
        self._write([{"minebot": "results", "settings": self.settings, "versions": versions()}])

    def add(self, rows: dict[str, Row]) -> None:
        """Add finished rows and write them to the file."""
        self.rows.update(rows)
        self._write([{"key": key, **row} for key, row in rows.items()])

    def _load(self, path: Path, text: str) -> None:
        whole = text[: text.rfind("\n") + 1]
        lines = [_object_of(line) for line in whole.split("\n")[:-1]]
        header = lines[0] if lines else {}
        if header.get("minebot") != "results" or not isinstance(header.get("settings"), dict):
            raise BadResults(f"{path} is not a results file; give another name.")
        if header["settings"] != self.settings:
            other = [k for k in self.settings if header["settings"].get(k) != self.settings[k]]
            raise BadResults(
                f"{path} has results of other settings ({', '.join(other) or 'more of them'}); "
                "give another name, or the settings it was made with."
            )
        rows: dict[str, Row] = {}
        for number, line in enumerate(lines, start=1):
            key = line.pop("key", None)
            if isinstance(key, str) and self._fits(line):
                rows[key] = line
            elif line.get("minebot") != "results":
                raise BadResults(
                    f"Line {number} of {path} is damaged: remove it, or give another name."
                )
        if len(whole) < len(text):
            os.truncate(path, len(whole.encode()))
        self.rows.update(rows)

    def _fits(self, row: Row) -> bool:
        """Whether a row has exactly the columns, each with a value of its types."""
        if self.columns is None:
            return True
        return row.keys() == self.columns.keys() and all(
            type(value) in self.columns[name] and (type(value) is not float or isfinite(value))
            for name, value in row.items()
        )

    def _write(self, lines: Iterable[Row]) -> None:
        if self.path is None:
            return
        try:
            text = "".join(json.dumps(line) + "\n" for line in lines)
            append_file(self.path, text)
        except OSError as error:
            raise CannotSave(
                f"{self.path} cannot be written ({error.strerror}): free some space, or give "
                "another name. Start again to continue with the results that are in it."
            ) from error


def _load_nothing() -> None:
    """Start without preparation."""


def _object_of(line: str) -> Row:
    """Read a JSON object from a line; return an empty one for any other line."""
    try:
        found = parse_json(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def run(
    tasks: Sequence[Task],
    work: Callable[[Any], Row],
    results: Results,
    *,
    workers: Workers | None = None,
    warm: Callable[[], None] = _load_nothing,
    on_done: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Row]:
    """Do every task that is not in ``results`` yet; return the rows of all ``tasks``.

    ``work`` turns a payload into a row. ``warm`` is called first in each process, so that the times
    in the rows exclude what is loaded on first use. Both must be picklable. ``on_done`` gets the
    number of finished tasks and the number of all tasks.
    """
    workers = workers or Workers()
    left = [task for task in tasks if task.key not in results.rows]
    done = len(tasks) - len(left)
    on_done(done, len(tasks))
    if left:
        warm()
        with closing(_rows(left, work, warm, workers)) as finished:
            for rows in finished:
                results.add(rows)
                done += len(rows)
                on_done(done, len(tasks))
    return {task.key: results.rows[task.key] for task in tasks}


def _rows(
    tasks: Sequence[Task],
    work: Callable[[Any], Row],
    warm: Callable[[], None],
    workers: Workers,
) -> Generator[dict[str, Row]]:
    """Yield finished rows. The first task is done in this process, to measure how long it takes."""
    start = time.perf_counter()
    yield _work_through(tasks[:1], work, warm)
    each = time.perf_counter() - start
    size = max(1, min(200, int(CHUNK_S / max(each, 1e-6)), len(tasks) // 8))
    chunks = [tasks[at : at + size] for at in range(1, len(tasks), size)]
    if not workers.parallel:
        yield from (_work_through(chunk, work, warm) for chunk in chunks)
        return
    with workers.open() as executor:
        with _interrupts_held():
            futures = [executor.submit(_work_through, chunk, work, warm) for chunk in chunks]
        yield from (future.result() for future in as_completed(futures))


def _work_through(
    tasks: Sequence[Task], work: Callable[[Any], Row], warm: Callable[[], None]
) -> dict[str, Row]:
    warm()
    return {task.key: work(task.payload) for task in tasks}


@contextmanager
def _processes(jobs: int) -> Iterator[Executor]:
    """Start ``jobs`` processes, -1 for one per core; on an error, terminate them."""
    with ProcessPoolExecutor(
        _cores() if jobs == -1 else jobs,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin_work,
    ) as executor:
        try:
            yield executor
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _begin_work() -> None:
    """Leave Ctrl-C to the parent process, and end when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Block Ctrl-C; processes that start meanwhile block it until `_begin_work`."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    """Connect to a Dask cluster; on exit, tasks that have not begun are dropped."""
    try:
        from distributed import Client  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("A Dask cluster needs", "dask") from error
    try:
        client = Client(address, timeout=CONNECT_S)
    except (OSError, ValueError) as error:
        raise NoCluster(
            f"No Dask scheduler answers at {address}; start one with 'dask scheduler'."
        ) from error
    with client:
        executor: Executor = client.get_executor()
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)


def versions() -> dict[str, str]:
    """Return the versions that results depend on."""
    found = {"python": platform.python_version()}
    for package in ("minebot", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found
