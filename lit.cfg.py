# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit suite: every .mlir and .test file under test/.

`lit BUILD/test/dialects` and `lit test/dialects` both work; the second uses the build folder named by
--param=build=DIR (default: build). Outputs go to the build folder.
"""

import os
import shutil
import subprocess

import lit.formats

root = os.path.dirname(os.path.abspath(__file__))

# Loaded from the source tree: load the configured twin, which sets the paths and loads this file again.
if not hasattr(config, "pcc_build"):
    build = os.path.abspath(lit_config.params.get("build", os.path.join(root, "build")))
    site = os.path.join(build, "lit.site.cfg.py")
    if not os.path.exists(site):
        lit_config.fatal(f"expected a configured build folder at '{build}': run 'make build'")
    lit_config.load_config(config, site)
    raise SystemExit

config.name = "pcc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = root
config.test_exec_root = config.pcc_build

tool_folders = [os.path.join(config.pcc_build, "bin"), config.llvm_tools]
config.environment["PATH"] = os.pathsep.join(tool_folders + [config.environment["PATH"]])
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --allow-unused-prefixes=false"

config.substitutions.append(("%root", root))
config.substitutions.append(("%examples", os.path.join(root, "examples")))
config.substitutions.append(("%build", config.pcc_build))
config.substitutions.append(("%python", config.python))
# %exits CODE COMMAND…: demands an exit code; stdout and stderr both come as stdout.
config.substitutions.append(("%exits", f"{config.python} {root}/test/Inputs/exits.py"))

# `make test-full`: tests that sample a matrix run all of it.
if os.environ.get("PCC_TEST_FULL"):
    config.environment["PCC_TEST_FULL"] = "1"
    config.available_features.add("full")

# The samples that tests take (tools/dev/run-tests).
rotation = int(os.environ.get("PCC_TEST_ROTATION", "0"))
config.environment["PCC_TEST_ROTATION"] = str(rotation)
# %first_graph: the first of 120 out of 3,000 random ONNX graphs.
config.substitutions.append(("%first_graph", str(1 + rotation % 25 * 120)))
# %first_request, %requests: the first of 2 out of 200 random requests of a plan, or of all.
full = "full" in config.available_features
config.substitutions.append(("%first_request", "1" if full else str(1 + rotation % 100 * 2)))
config.substitutions.append(("%requests", "200" if full else "2"))
# %first_plan, %plans: the first of 4 out of 500 random plans whose costs are compared, or of all.
config.substitutions.append(("%first_plan", "1" if full else str(1 + rotation % 125 * 4)))
config.substitutions.append(("%plans", "500" if full else "4"))

# A test that hangs fails. lit ends its processes with the help of Debian's python3-psutil.
if not lit_config.maxIndividualTestTime:
    supported, reason = lit_config.maxIndividualTestTimeIsSupported
    if supported:
        lit_config.maxIndividualTestTime = 4 * 3600 if os.environ.get("PCC_TEST_FULL") else 1200
    else:
        lit_config.warning(f"tests have no time limit: {reason} tools/dev/install-deps installs it")

# The node tests of ONNX, from Debian's package libonnx-testdata: without it their tests are unsupported.
onnx_nodes = "/usr/share/libonnx-testdata/data/node"
config.substitutions.append(("%onnx_nodes", onnx_nodes))
if os.path.isdir(onnx_nodes):
    config.available_features.add("libonnx-testdata")

# Ranks of several processes: if the plug-in was built and there is an mpirun. OpenMPI needs a permission for containers
# whose only user is root, and for more processes than cores.
if os.path.exists(os.path.join(config.pcc_build, "lib", "libpcc-mpi.so")) and shutil.which("mpirun"):
    config.available_features.add("mpi")
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"):
        config.environment[name] = "1"

# Faults of system calls: strace must be allowed to trace a process.
if shutil.which("strace") and subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode == 0:
    config.available_features.add("strace")

# clang-tidy, by which presubmit checks changed files.
if shutil.which("clang-tidy-22"):
    config.available_features.add("clang-tidy")

# NVIDIA's assembler, from the CUDA toolkit.
ptxas = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))

if config.pcc_sanitizer:
    config.available_features.add(config.pcc_sanitizer)
# The time limit of a search that must find plans of several kinds. Sanitizers make it three times slower or more.
config.substitutions.append(("%search-seconds", "45" if config.pcc_sanitizer else "9"))
for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
