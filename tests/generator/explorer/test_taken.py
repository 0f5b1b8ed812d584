# SPDX-License-Identifier: Apache-2.0
"""What kernels take of a GPU: read from nvcc's output; resident warps as the published formula gives them."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest
from heddle import Schedule, Threads, WarpPerCell
from heddle.explorer.built import Built, capability, resources
from heddle.explorer.exploration import Exploration
from heddle.explorer.occupancy import CAPABILITIES, blocks, occupancy
from heddle.explorer.results import from_line, t4, to_line
from heddle.python.ptxas import taken
from searched import result

SAID = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_ZN6a_cuda8step_f32EPffll' for 'sm_90'
ptxas info    : Function properties for _ZN6a_cuda8step_f32EPffll
    48 bytes stack frame, 40 bytes spill stores, 56 bytes spill loads
ptxas info    : Used 72 registers, used 1 barriers, 48 bytes cumulative stack size, 2064 bytes smem
ptxas info    : Compiling entry function '_ZN6heddle7combineIfEEvPfl' for 'sm_90'
ptxas info    : Function properties for _ZN6heddle7combineIfEEvPfl
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers
ptxas info    : Compiling entry function '_ZN6a_cuda8step_f64EPdfll' for 'sm_90'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers
"""


def test_what_nvcc_says() -> None:
    first, second = taken(SAID)
    assert first == {
        "function": "_ZN6a_cuda8step_f32EPffll",
        "registers": 72,
        "shared": 2064,
        "spills": 96,
    }
    assert (second["registers"], second["shared"], second["spills"]) == (40, 0, 0)
    assert taken("g++ has nothing to say") == []


def made(architecture: int) -> Built:
    return Built("k", Path("a.so"), "a", "", 0, 0, 0, "nvcc", tuple(taken(SAID)), architecture)


def test_the_architecture_that_nvcc_is_asked_for() -> None:
    for name, number in (("sm_90", 90), ("sm_90a", 90), ("sm_120f", 120), ("native", 0)):
        assert capability(["-O3", f"-arch={name}"]) == number


def test_the_worst_kernel_of_a_step_counts() -> None:
    schedule = Schedule(gpu=Threads(block=(128, 1, 1)))
    found = resources(made(90), schedule)
    assert found == {"registers": 72, "spills": 96, "shared": 2064, "occupancy": 7 * 4 / 64}
    assert "occupancy" not in resources(made(75), schedule)  # of no known size
    assert "occupancy" not in resources(made(90), Schedule(gpu=WarpPerCell()))  # a launch gives it memory
    assert resources(replace(made(0), taken=()), schedule) == {}


@pytest.mark.parametrize(
    ("capability", "threads", "registers", "shared", "resident"),
    [
        (90, 128, 32, 0, 16),  # all 64 warps
        (90, 256, 72, 0, 3),  # 4 * floor(16384 / 2304) = 28 warps
        (90, 1024, 64, 0, 1),
        (90, 1024, 65, 0, 0),  # a block has no room
        (90, 32, 16, 0, 32),  # blocks, not warps
        (90, 64, 16, 100_000, 2),  # 101120 bytes a block
        (86, 64, 16, 0, 16),
        (80, 96, 40, 0, 16),  # 4 * floor(16384 / 1280) = 48 warps
    ],
)
def test_resident_blocks(capability: int, threads: int, registers: int, shared: int, resident: int) -> None:
    assert blocks(capability, threads, registers, shared) == resident
    warps = -(-threads // 32)
    share = resident * warps / CAPABILITIES[capability].warps
    assert occupancy(capability, threads, registers, shared) == share


PROGRAM = """
#include <cstddef>
#include <cstdio>
#include <cuda_occupancy.h>
int main() {
  const int sizes[][5] = {{8, 0, 2048, 164, 163}, {8, 6, 1536, 100, 99}, {8, 9, 1536, 100, 99},
      {9, 0, 2048, 228, 227}, {10, 0, 2048, 228, 227}};
  for (const auto& size : sizes)
    for (int threads = 32; threads <= 1024; threads += 32)
      for (int registers = 16; registers <= 255; registers += 7)
        for (int shared = 0; shared <= 40000; shared += 8001) {
          cudaOccDeviceProp device{};
          device.computeMajor = size[0];
          device.computeMinor = size[1];
          device.maxThreadsPerBlock = 1024;
          device.maxThreadsPerMultiprocessor = size[2];
          device.regsPerBlock = device.regsPerMultiprocessor = 65536;
          device.warpSize = 32;
          device.sharedMemPerBlock = 48 << 10;
          device.sharedMemPerMultiprocessor = size_t(size[3]) << 10;
          device.sharedMemPerBlockOptin = size_t(size[4]) << 10;
          device.reservedSharedMemPerBlock = 1024;
          device.numSms = 100;
          cudaOccFuncAttributes kernel{};
          kernel.maxThreadsPerBlock = 1024;
          kernel.numRegs = registers;
          kernel.sharedSizeBytes = size_t(shared);
          kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
          cudaOccDeviceState state{};
          state.cacheConfig = CACHE_PREFER_SHARED;
          state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
          cudaOccResult found{};
          if (cudaOccMaxActiveBlocksPerMultiprocessor(&found, &device, &kernel, &state, threads, 0)) return 1;
          std::printf("%d %d %d %d %d\\n", 10 * size[0] + size[1], threads, registers, shared,
              found.activeBlocksPerMultiprocessor);
        }
}
"""


def header() -> Path | None:
    """The folder of NVIDIA's own calculator, of a toolkit or of its wheels."""
    wheels = Path(sysconfig.get_path("purelib")).glob("nvidia/*/include")
    places = (Path("/usr/local/cuda/include"), *wheels)
    return next((place for place in places if (place / "cuda_occupancy.h").is_file()), None)


@pytest.mark.compiles
@pytest.mark.skipif(header() is None or shutil.which("g++") is None, reason="no cuda_occupancy.h here")
def test_blocks_as_nvidias_calculator_counts(tmp_path: Path) -> None:
    (tmp_path / "all.cpp").write_text(PROGRAM)
    command = ["g++", "-w", f"-I{header()}", "-o", str(tmp_path / "all"), str(tmp_path / "all.cpp")]
    subprocess.run(command, check=True)
    said = subprocess.run([str(tmp_path / "all")], check=True, capture_output=True, text=True).stdout
    rows = [tuple(map(int, line.split())) for line in said.splitlines()]
    assert len(rows) > 10_000
    for architecture, threads, registers, shared, resident in rows:
        assert blocks(architecture, threads, registers, shared) == resident, (architecture, threads)


def test_they_are_shown() -> None:
    own = result(target="cuda", registers=72, spills=96, shared=2064, occupancy=0.4375)
    assert from_line("here", to_line(own)) == own
    assert " regs spills warps  candidate" in Exploration((own,)).table()
    assert "   72     96   44%  f64 Schedule" in Exploration((own,)).table()
    assert "regs" not in Exploration((result(),)).table()
    measured = {one["name"]: one["value"] for one in t4([own])["results"][0]["measurements"]}
    assert measured["registers"] == 72
    assert (measured["spills"], measured["occupancy"], measured["shared_memory"]) == (96, 0.4375, 2064)
