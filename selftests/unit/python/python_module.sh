#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The Python module etw, as far as it works without the kernel module; the rest is tested by
# selftests/vm/lib/lib_python.c.
set -euo pipefail

cd "$(dirname "$0")/../../.."
command -v /usr/bin/python3 >/dev/null || { echo "1..0 # SKIP install the package python3"; exit 0; }
export ETW_BUILD=${ETW_BUILD:-$PWD/build}
export LD_LIBRARY_PATH=$ETW_BUILD PYTHONPATH=user/python:selftests/languages PYTHONDONTWRITEBYTECODE=1
export PYTHONUTF8=1 ETW_DEVICE=/nonexistent
exec /usr/bin/python3 selftests/unit/python/python_module.py
