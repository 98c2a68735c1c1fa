# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds the dependencies of pcc. Every package is Debian's own; tools/dev/install-deps installs them.
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

set(CMAKE_THREAD_PREFER_PTHREAD ON)
find_package(Threads REQUIRED)
# Static, so that pcc-run needs no library but libc.
set(Protobuf_USE_STATIC_LIBS ON)
find_package(Protobuf REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(ICU REQUIRED COMPONENTS i18n uc)

# oneDNN and OpenSSL's libcrypto are opened with dlopen: only their headers are needed here.
find_path(PCC_DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.h REQUIRED)
find_path(PCC_OPENSSL_INCLUDE_DIR openssl/hmac.h REQUIRED)
# The hash of checkpoints is compiled in from its header.
find_path(PCC_XXHASH_INCLUDE_DIR xxhash.h REQUIRED)

# Only a plug-in needs MPI (runtime/collective/mpi); the rest is built without it.
find_package(MPI COMPONENTS C QUIET)
if(NOT MPI_C_FOUND)
  message(STATUS "MPI is not here: the communicator 'mpi' and its tests are left out; "
                 "libopenmpi-dev and openmpi-bin bring it")
endif()

# Cached objects serve every folder: paths are hashed relative to the source tree. ccache takes sources that use
# precompiled headers only if it may ignore the dates of these headers, and if GCC keeps their names (-fpch-preprocess).
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(launcher "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
               CCACHE_NOHASHDIR=1 "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()
