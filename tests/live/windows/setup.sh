#!/usr/bin/env bash
# Put Windows' CPython together, with this checkout's wheel installed:  setup.sh FOLDER
#
# It runs under Wine. The interpreter, its extension modules, OpenSSL, SQLite and Tcl/Tk come out of
# the win_amd64 wheel of panda3d, which carries the official build of Windows in deploy_libs/. The
# library written in Python is that of the Python 3.11 that runs this script's tools, and python.exe is
# a few lines of C, compiled with ziglang. The dependencies of the wheel come by this machine's pip, for
# Windows; the wheel itself is installed by Windows' own pip, which takes five minutes for all of them.
#
# Needs Debian's packages wine wine64 libtcl8.6 libtk8.6, and Python 3.11 with pip and venv (variable
# PYTHON). Does nothing that was done before: what is there is kept between runs, if this very script
# made it and came to its end. Exit code 69: the package index does not give something
# that is needed, or cannot be reached.
set -euo pipefail

target=$(mkdir -p "${1:?usage: setup.sh FOLDER}" && cd "$1" && pwd)
checkout=$(cd "$(dirname "$0")/../../.." && pwd)
python=${PYTHON:-python3.11}
version=1.10.16 # of panda3d: CPython 3.11.9, Tcl/Tk 8.6.12
home=$target/python
packages=$home/Lib/site-packages
tools=$target/tools/bin/python
export WINEPREFIX=$target/wine WINEDEBUG=-all WINEDLLOVERRIDES="mscoree=;mshtml="
export PIP_QUIET=2 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_NO_INPUT=1

if [[ -z ${MINEBOT_WINDOWS_HELD:-} ]]; then # else by the tests, until their end
    exec 9>"$target/lock"
    flock 9
fi
wine() { command wine "$@" 9>&-; } # what it leaves running does not hold the lock

made=$(sha256sum <"$0")
if [[ $made != $(cat "$target/made" 2>/dev/null) ]]; then
    rm -rf "$target"/{python,wine,programs,wheels,needed,installed,made}
fi

fetch() { # by pip, the last word being what is fetched
    "$tools" -m pip "$@" || { echo "the package index does not give ${*: -1}: see above" >&2; exit 69; }
}

# 1. The C compiler, and what builds wheels.
if ! "$tools" -c 'import hatchling, setuptools, wheel, ziglang' 2>/dev/null; then
    "$python" -m venv --clear "$target/tools"
    fetch install hatchling wheel 'setuptools<81' 'ziglang>=0.13,<1'
fi

# 2. The interpreter.
if [[ ! -f $home/python311.dll ]]; then
    fetch download --no-deps --platform win_amd64 --python-version 3.11 \
        --implementation cp --abi cp311 --only-binary=:all: -d "$target/download" "panda3d==$version"
    mkdir -p "$home/DLLs" "$packages" "$home/Scripts" "$home/tcl"
    "$tools" - "$target"/download/panda3d-*.whl "$home" <<'PYTHON'
import sys, zipfile
from pathlib import Path
wheel, home = zipfile.ZipFile(sys.argv[1]), Path(sys.argv[2])
for name in wheel.namelist():
    folder, _, file = name.rpartition("/")
    if folder != "deploy_libs" or file.startswith("api-ms-"):  # Wine has its own C library
        continue
    beside = file.lower().startswith("vcruntime")
    if file != "python311.dll":
        Path(home, "" if beside else "DLLs", file).write_bytes(wheel.read(name))
    else:
        dll = wheel.read(name)
(home / "python311.dll").write_bytes(dll)  # last: it says that all is there
PYTHON
    rm -rf "$target/download"
fi

# 3. The library in Python, and the scripts of Tcl/Tk: Debian's, told that they belong to the wheel's.
if [[ ! -f $home/Lib/os.py ]]; then
    library=$("$python" -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
    [[ -f $library/os.py && $library == *3.11* ]] || { echo "no library of Python 3.11: set PYTHON" >&2; exit 1; }
    (cd "$library" && tar -ch --exclude=site-packages --exclude=dist-packages --exclude=__pycache__ \
        --exclude='*.so' --exclude='config-3.11*' --exclude=./test --exclude=lib-dynload \
        --exclude='_sysconfigdata*' --exclude=idlelib --exclude=lib2to3/tests .) | tar -x -C "$home/Lib"
fi
for name in tcl tk; do
    if [[ ! -d $home/tcl/${name}8.6 ]]; then
        cp -rL "/usr/share/tcltk/${name}8.6" "$home/tcl/${name}8.6"
        sed -i -E 's/(-exact (Tcl|Tk) +)8\.6\.[0-9]+/\18.6.12/' "$home/tcl/${name}8.6"/{init,tk}.tcl 2>/dev/null || true
    fi
done

# 4. python.exe; and python3.dll, the stable ABI, which hands all on to python311.dll.
zig=("$tools" -m ziglang cc -target x86_64-windows-gnu -mcpu=x86_64_v2 -O3 -s)
if [[ ! -f $home/python.exe ]]; then
    cat >"$target/python.c" <<'C'
#include <windows.h>
#include <stdio.h>
typedef int (*Main)(int, wchar_t **);
int main(void)
{
    HMODULE dll = LoadLibraryA("python311.dll");
    Main entry = dll ? (Main)(void *)GetProcAddress(dll, "Py_Main") : 0;
    if (!entry) {
        fprintf(stderr, "python311.dll cannot be loaded: error %lu\n", GetLastError());
        return 1;
    }
    int count;
    wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
    return entry(count, arguments);
}
C
    # What the real python.exe declares: without it Windows says that it is Windows 8.
    cat >"$target/python.manifest" <<'XML'
<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0">
  <compatibility xmlns="urn:schemas-microsoft-com:compatibility.v1"><application>
    <supportedOS Id="{1f676c76-80e1-4239-95bb-83d0f6d0da78}"/>
    <supportedOS Id="{8e0f7a12-bfb3-4fe8-b9a5-48fd50a15a9a}"/>
  </application></compatibility>
</assembly>
XML
    (cd "$target" && echo '1 24 "python.manifest"' >python.rc && "$tools" -m ziglang rc python.rc python.res)
    "${zig[@]}" "$target/python.c" "$target/python.res" -lshell32 -o "$home/python.exe"
fi
if [[ ! -f $home/python3.dll ]]; then
    "$tools" - "$home/python311.dll" >"$target/python3.c" <<'PYTHON'
import struct, sys
from pathlib import Path

data = Path(sys.argv[1]).read_bytes()
pe = struct.unpack_from("<I", data, 0x3C)[0]
count, size = struct.unpack_from("<H12xH", data, pe + 6)
rows = [struct.unpack_from("<8sIIII", data, pe + 24 + size + 40 * n) for n in range(count)]

def at(address):
    return next(raw + address - start for _, length, start, stored, raw in rows if start <= address < start + max(length, stored))

exports = at(struct.unpack_from("<I", data, pe + 24 + 112)[0])
names, table = struct.unpack_from("<I4xI", data, exports + 24)
def name(n):
    place = at(struct.unpack_from("<I", data, at(table) + 4 * n)[0])
    return data[place : data.index(b"\0", place)].decode()

print('__asm__(".section .drectve,\\"yni\\"\\n"')
for n in range(names):
    if name(n).startswith(("Py", "_Py")):
        print(f'".ascii \\" -export:{name(n)}=python311.{name(n)}\\"\\n"')
print(");\nint DllMainCRTStartup(void *a, int b, void *c) { return 1; }")
PYTHON
    "${zig[@]}" -shared -nostdlib -Wl,--entry,DllMainCRTStartup -o "$home/python3.dll" "$target/python3.c"
fi
rm -f "$home"/*.pdb "$home"/*.lib

# 5. A Windows to run it in. Debian's Wine says that it is Windows 7 unless it is asked for 10.
if [[ ! -f $WINEPREFIX/system.reg ]]; then
    wine wineboot --init >/dev/null 2>&1
    wine winecfg -v win10 >/dev/null 2>&1
    wineserver -w
fi

# 6. The wheel, and what it needs on Windows: pip would take the markers of this machine, also that of
# colorama. NumPy since 2.1 calls crealf, which Wine 8.0 lacks.
foreign=(--platform win_amd64 --python-version 3.11 --implementation cp --abi cp311 --abi abi3 --abi none
    --only-binary=:all: --no-compile)
mkdir -p "$target/wheels"
rm -f "$target"/wheels/minebot_sweeper-*
(cd "$checkout" && MINEBOT_PLATFORM=win_amd64 MINEBOT_TARGET=x86_64-windows-gnu \
    "$tools" -m hatchling build -t wheel -d "$target/wheels" >"$target/build.log" 2>&1) ||
    { cat "$target/build.log" >&2; exit 1; }
wheel=$(echo "$target"/wheels/minebot_sweeper-*-win_amd64.whl)
needed=$("$tools" - "$wheel" <<'PYTHON'
import sys, zipfile
from email import message_from_bytes
from pip._vendor.packaging.requirements import Requirement

system = {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt", "extra": ""}
wheel = zipfile.ZipFile(sys.argv[1])
(name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
for text in message_from_bytes(wheel.read(name)).get_all("Requires-Dist"):
    needed = Requirement(text)
    if needed.marker is None or needed.marker.evaluate(system):
        print(f"{needed.name}{needed.specifier}")
PYTHON
)
if [[ $needed != $(cat "$target/needed" 2>/dev/null) ]]; then
    # What the index has no wheel of is written in Python.
    if ! ls "$target"/wheels/pyautogui-* >/dev/null 2>&1; then
        fetch wheel --no-deps --no-build-isolation -w "$target/wheels" \
            pyautogui pygetwindow pyscreeze pytweening mouseinfo pyrect pymsgbox python3-xlib
    fi
    fetch install --target "$packages" "${foreign[@]}" --upgrade \
        --find-links "$target/wheels" $needed 'numpy==2.0.2' colorama \
        pip pytest pytest-timeout pytest-xdist pytest-rerunfailures hypothesis tomli-w
    echo "$needed" >"$target/needed"
fi
# Two programs to play, each in a folder of its own: their packages have the same name.
for program in pygame-minesweeper minesweeper-python; do
    if [[ ! -d $target/programs/$program ]]; then
        fetch install --target "$target/programs/$program" "${foreign[@]}" "$program"
    fi
done
echo "$made" >"$target/made"

# 7. The wheel itself, unless this very one is there.
hash=$(sha256sum <"$wheel")
if [[ $hash == $(cat "$target/installed" 2>/dev/null) ]]; then
    exit 0
fi
rm -rf "$target/installed" "$packages"/minebot_sweeper-* "$packages"/{bot,calibration,solver}
cd "$target"
# Into a pipe, since Wine's Python cannot write to a file that bash opened; but not in a pipeline, since
# services that Wine leaves running hold the pipe open.
wine "$home/python.exe" -m pip install --no-deps --no-index --no-warn-script-location \
    "Z:${wheel//\//\\}" > >(cat >"$target/pip.log") 2>&1 || true
wineserver -k || true
[[ -f $packages/bot/__main__.py ]] || { cat "$target/pip.log" >&2; exit 1; }
echo "$hash" >"$target/installed"
