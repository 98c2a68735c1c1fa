# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiler flags shared by all floors. Flags that come from LLVM are set per target in pcc_library.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Werror=return-type)
include_directories("${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}")

if(PCC_SANITIZER)
  add_compile_options(-fsanitize=${PCC_SANITIZER} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${PCC_SANITIZER})
endif()
