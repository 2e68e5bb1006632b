# SPDX-License-Identifier: Apache-2.0
"""Says why a test cannot run here; Meson takes exit status 77 for skipped."""

import sys

print(f"SKIPPED: {' '.join(sys.argv[1:])}")
sys.exit(77)
