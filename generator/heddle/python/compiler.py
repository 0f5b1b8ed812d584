# SPDX-License-Identifier: Apache-2.0
"""The compilers of this machine, for kernels that run from Python: the system's C++ compiler, and nvcc."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from heddle.errors import KernelError
from heddle.ir.target import Target
from heddle.python.ptxas import VERBOSE

WHERE = "heddle.load"
HOST_FLAGS = "-std=c++20 -O3 -fPIC -fopenmp -ffp-contract=off -fno-math-errno -fno-trapping-math".split()
CALL_FLAGS = ["-O1"]
"""What calls the kernels takes 2 us so, too, and half the time to compile."""
GPU_FLAGS = f"-std=c++20 -O3 -fmad=false -Xcompiler -fPIC {VERBOSE}".split()
_NO_COMPILER = (
    "install one (Debian, Ubuntu: apt install g++; conda: gxx), or name it in the variable CXX; `heddle "
    "doctor` says what is missing. Without a compiler use a package that `heddle build --python` made"
)
_NO_NVCC = (
    "install the CUDA toolkit, or its wheels: pip install 'nvidia-cuda-nvcc>=13' 'nvidia-cuda-runtime>=13' "
    "'nvidia-cuda-cccl>=13'; or name nvcc in the variable CUDACXX"
)


@dataclass(frozen=True)
class Compiler:
    """A command with its flags, and a text that changes whenever the same source may give another binary."""

    command: tuple[str, ...]
    flags: tuple[str, ...]
    identity: str

    def compile(self, source: Path, folder: Path, result: Path, quick: bool = False) -> list[str]:
        """The command that compiles one source. folder: of the header files. quick: what calls kernels."""
        more = CALL_FLAGS if quick else []
        includes = [f"-I{path}" for path in sorted({str(folder), str(source.parent)})]
        return [*self.command, *self.flags, *more, *includes, "-c", str(source), "-o", str(result)]

    def link(self, objects: Sequence[Path], library: Path) -> list[str]:
        """The command that makes a shared library of objects."""
        return [*self.command, *self.flags, "-shared", *map(str, objects), "-o", str(library)]


def run_all(commands: Sequence[Sequence[str]], verbose: bool) -> list[str]:
    """Run commands side by side; returns what they print."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(lambda command: run(command, verbose), commands))


def run(command: Sequence[str], verbose: bool = False) -> str:
    """What a compiler prints; raises KernelError with its first lines if it fails."""
    if verbose:
        print(shlex.join(command), file=sys.stderr, flush=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise KernelError(WHERE, f"{command[0]} cannot be started: {error.strerror}.", _NO_COMPILER) from None
    if done.returncode:
        said = "\n    ".join((done.stderr or done.stdout).strip().splitlines()[:12])
        raise KernelError(
            WHERE,
            f"{command[0]} fails:\n    {said}",
            "run `heddle doctor`; verbose=True prints the whole command. HEDDLE_CACHE names the cache",
        )
    return done.stdout + done.stderr


def compiler(target: Target, native: bool = True) -> Compiler:
    """The compiler of a target; raises KernelError with what to install. native: as in host_compiler."""
    if target.gpu is None:
        return host_compiler(native)
    if not target.gpu.in_runtime:
        raise KernelError(
            WHERE, f"kernels of the target {target.name} do not run from Python.", "use cpu or cuda"
        )
    return gpu_compiler()


@cache
def host_compiler(native: bool = True) -> Compiler:
    """CXX, or c++, g++, clang++; CXXFLAGS come behind the own flags. native: for this processor alone, where
    HEDDLE_ARCH names no other one."""
    command = _host_command()
    architecture = os.environ.get("HEDDLE_ARCH", "native" if native else "")
    flags = [*HOST_FLAGS, *([f"-march={architecture}"] if architecture else [])]
    if "-march=native" in flags and not _takes(command, "-march=native"):
        flags.remove("-march=native")  # compilers for some processors spell it otherwise
    if not _takes(command, "-fopenmp", link=True):
        flags[flags.index("-fopenmp")] = "-fopenmp-simd"
    flags += shlex.split(os.environ.get("CXXFLAGS", ""))
    resolved = run([*command, *flags, "-###", "-E", "-x", "c++", os.devnull])  # what native means here
    return Compiler(tuple(command), tuple(flags), _identity(command, resolved))


def _host_command() -> list[str]:
    named = shlex.split(os.environ.get("CXX", ""))
    for candidate in [named] if named else [["c++"], ["g++"], ["clang++"]]:
        found = shutil.which(candidate[0])
        if found:
            return [found, *candidate[1:]]
    what = f"the C++ compiler {named[0]} (CXX) was not found." if named else "no C++ compiler was found."
    raise KernelError(WHERE, what, _NO_COMPILER)


def gpu_compiler() -> Compiler:
    """nvcc for the GPUs of this machine, or for HEDDLE_CUDA_ARCH, such as sm_90."""
    command = [nvcc()]
    flags = [*GPU_FLAGS, f"-arch={_architecture()}"]
    root = Path(command[0]).resolve().parents[1]
    for name in ("lib64", "lib", "targets/x86_64-linux/lib"):
        if (root / name).is_dir():
            flags.append(f"-L{root / name}")
    return Compiler(tuple(command), tuple(flags), _identity(command, ""))


def nvcc() -> str:
    """CUDACXX, nvcc of the PATH, of /usr/local/cuda, or of NVIDIA's wheels."""
    named = os.environ.get("CUDACXX")
    wheels = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/*/bin/nvcc"))
    for candidate in [named] if named else ["nvcc", "/usr/local/cuda/bin/nvcc", *map(str, wheels)]:
        found = shutil.which(candidate)
        if found:
            return found
    what = f"the CUDA compiler {named} (CUDACXX) was not found." if named else "no CUDA compiler was found."
    raise KernelError(WHERE, what, _NO_NVCC)


def _architecture() -> str:
    named = os.environ.get("HEDDLE_CUDA_ARCH")
    if named:
        return named
    found = compute_capabilities()
    if not found:
        raise KernelError(
            WHERE,
            "no GPU was found to compile for.",
            'set HEDDLE_CUDA_ARCH=sm_90 to compile for another machine, or load with target="cpu"',
        )
    return f"sm_{min(found)}"


def compute_capabilities() -> list[int]:
    """Those of the GPUs that the driver shows: 90 for an H100."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return []
    count, found = ctypes.c_int(), []
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return []
    for device in range(count.value):
        numbers = [ctypes.c_int(), ctypes.c_int()]
        for number, attribute in zip(numbers, (75, 76), strict=True):  # compute capability: major, minor
            driver.cuDeviceGetAttribute(ctypes.byref(number), attribute, device)
        found.append(10 * numbers[0].value + numbers[1].value)
    return found


def _takes(command: Sequence[str], flag: str, link: bool = False) -> bool:
    """Whether a compiler takes a flag."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.cpp"
        source.write_text("int probe() { return 0; }\n")
        how = ["-shared", "-fPIC"] if link else ["-c"]
        words = [*command, flag, *how, str(source), "-o", str(source.with_suffix(".out"))]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0


def _identity(command: Sequence[str], resolved: str) -> str:
    """Path, version, and what its flags mean here."""
    version = run([*command, "--version"])
    return f"{command}\n{version}\n{hashlib.sha256(resolved.encode()).hexdigest()}"
