# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzz targets, SCHEDPOL_FUZZ_JOBS at once (1), each for as long as SCHEDPOL_FUZZ_SECONDS says (60).

    fuzz.py SOURCE_ROOT BUILD_DIRECTORY [TARGET...]

Builds them with clang, libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer in a build directory of their own,
which keeps what they find from run to run: inputs that reach new code in found/TARGET, those that break something
in broken/. Exits 1 if there are any of these.

SCHEDPOL_FUZZ_SANITIZERS=none builds them without sanitizers, in another build directory: what is left to break are the
laws and the bounds that the targets hold, steps among them, with several times the executions.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
SECONDS = int(os.environ.get("SCHEDPOL_FUZZ_SECONDS", "60"))
JOBS = int(os.environ.get("SCHEDPOL_FUZZ_JOBS", "1"))
SANITIZERS = os.environ.get("SCHEDPOL_FUZZ_SANITIZERS", "address,undefined")
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
COMPILERS = ("clang++-16", "clang++")
PLAIN = SANITIZERS == "none"
# What is compared is of use to a mutator that does not know the words of policies; ours does.
FLAGS = "-fsanitize=fuzzer-no-link -D_GLIBCXX_ASSERTIONS" + (" -fno-sanitize-coverage=trace-cmp" if PLAIN else "")
OPTIONS = ("-Dfuzzers=true", "-Dexamples=disabled", "-Dsimdjson=enabled", f"-Db_sanitize={SANITIZERS}", "-Db_lundef=false",
           f"-Doptimization={2 if PLAIN else 1}", "-Ddebug=true", f"-Dcpp_args={FLAGS}")
# libFuzzer's weights of rare features cost four fifths of the time and more where there are this many of them.
LIMITS = ("-entropic=0", "-max_len=16384", "-timeout=20", "-print_final_stats=1")


def is_fuzzer(compiler):
    """Whether a compiler links programs with libFuzzer."""
    if shutil.which(compiler) is None:
        return False
    source = 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
    return subprocess.run([compiler, "-fsanitize=fuzzer", "-x", "c++", "-", "-o", "/dev/null"], input=source, text=True,
                          capture_output=True, check=False).returncode == 0


def build(compiler, targets):
    environment = dict(os.environ, CXX=compiler)
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["meson", "setup", BUILD, ROOT, *OPTIONS], env=environment, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", BUILD, "--quiet", *(f"tests/fuzz/fuzz_{target}" for target in targets)], check=True)


def fuzz(target):
    """True if nothing was broken."""
    found, broken = BUILD / "found" / target, BUILD / "broken"
    found.mkdir(parents=True, exist_ok=True)
    broken.mkdir(exist_ok=True)
    run = subprocess.run(
        [BUILD / "tests" / "fuzz" / f"fuzz_{target}", f"-max_total_time={SECONDS}", f"-artifact_prefix={broken}/{target}-",
         *LIMITS, found, CORPUS / target],
        env=dict(os.environ, UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"), capture_output=True, check=False)
    output = run.stderr.decode("utf-8", "replace")
    executions = re.search(r"number_of_executed_units: *(\d+)", output)
    coverage = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", output)
    print(f"{target}: {executions[1] if executions else '?'} executions, {coverage[-1][0] if coverage else '?'} edges",
          flush=True)
    if run.returncode != 0:
        end = output.find("BROKEN") if "BROKEN" in output else output.find("ERROR")
        print(output[max(end, 0):][:4000], flush=True)
    return run.returncode == 0


def main():
    targets = sys.argv[3:] or sorted(path.name for path in CORPUS.iterdir())
    compiler = next((compiler for compiler in COMPILERS if is_fuzzer(compiler)), None)
    if compiler is None:
        print("SKIPPED: there is no clang++ with libFuzzer")
        return 0
    build(compiler, targets)
    with ThreadPoolExecutor(JOBS) as pool:
        return 0 if all(list(pool.map(fuzz, targets))) else 1


sys.exit(main())
