# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiler flags shared by all floors. Flags that come from LLVM are set per target in pcc_library.
add_compile_options(-Wall -Wextra -Wno-unused-parameter)

# GCC 12 and 13 report three wrongly where they inline std::string and std::optional (GCC bugs 105329, 105562, 105651).
# Sanitizers make such reports more frequent.
option(PCC_WARNINGS_AS_ERRORS "Treat warnings in pcc's own code as errors" ON)
if(PCC_WARNINGS_AS_ERRORS AND NOT PCC_SANITIZER)
  add_compile_options(-Werror -Wno-error=array-bounds -Wno-error=maybe-uninitialized -Wno-error=restrict)
else()
  add_compile_options(-Werror=return-type)
endif()
include_directories("${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}")

# The address sanitizer brings the undefined-behavior sanitizer along, which ends the program at its first report. Its
# check of dynamic types needs the type information that LLVM's libraries are built without. Its check of function
# pointers reads in front of the function, where memory with compiled kernels may not be mapped.
set(address_sanitizers address,undefined -fno-sanitize=vptr,function -fno-sanitize-recover=all)
if(PCC_SANITIZER STREQUAL "address")
  set(sanitizers -fsanitize=${address_sanitizers})
elseif(PCC_SANITIZER STREQUAL "fuzzer")
  # Code is instrumented for libFuzzer; only the programs of test/fuzz/readers link it.
  set(sanitizers -fsanitize=fuzzer-no-link,${address_sanitizers})
elseif(PCC_SANITIZER)
  set(sanitizers -fsanitize=${PCC_SANITIZER})
endif()
if(PCC_SANITIZER)
  add_compile_options(${sanitizers} -fno-omit-frame-pointer -g1)
  add_link_options(${sanitizers})
endif()
