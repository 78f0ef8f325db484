"""Where and with what a measurement was taken."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("glassgrad", "numpy", "torch", "autograd", "mygrad")


def facts() -> dict[str, str]:
    """What a reader needs to judge the numbers, ready to print."""
    return {
        "Date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "Processor": f"{_processor()}, {os.cpu_count()} cores, one BLAS thread",
        "Load before": ", ".join(f"{load:.2f}" for load in os.getloadavg()) + " (1, 5, 15 min)",
        "Memory": _memory(),
        "System": f"{platform.system()} {platform.release()}, {' '.join(platform.libc_ver())}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "Packages": ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
    }


def _processor() -> str:
    """The model's name where Linux tells it, which `platform.processor()` mostly does not."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    pages, page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return f"{pages * page / 2**30:.1f} GiB"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed)"
