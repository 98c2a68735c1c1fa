# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions with which every room declares itself.
include(CMakeParseArguments)

# A batch of sources in one translation unit parses its headers once, which divides the time of a bare build by about
# three. When off, every source is an object of its own: a change then compiles less.
option(PCC_UNITY_BUILD "Compile the sources of a folder in batches" ON)
set(PCC_UNITY_BATCH_SIZE 8)

# pcc_add_batches(NAME FOLDER SOURCES OUT): appends to the list OUT translation units of target NAME that include SOURCES,
# all of FOLDER. The units name their sources relative to the project, so that ccache finds them from every folder.
function(pcc_add_batches name folder sources out)
  list(LENGTH sources count)
  math(EXPR batches "(${count} + ${PCC_UNITY_BATCH_SIZE} - 1) / ${PCC_UNITY_BATCH_SIZE}")
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  string(REPLACE "/" "-" stem "${folder}")
  set(units ${${out}})
  math(EXPR last "${count} - 1")
  foreach(start RANGE 0 ${last} ${size})
    list(SUBLIST sources ${start} ${size} batch)
    list(TRANSFORM batch PREPEND "#include \"${folder}/")
    list(TRANSFORM batch APPEND "\"\n")
    list(JOIN batch "" text)
    set(unit "${CMAKE_BINARY_DIR}/unity/${name}/${stem}-${start}.cpp")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "${text}" @ONLY)
    list(APPEND units "${unit}")
  endforeach()
  set(${out} ${units} PARENT_SCOPE)
endfunction()

# pcc_translation_units(NAME OUT a.cpp …): sets OUT to what the target NAME compiles instead of the sources. A source is
# compiled alone if it has options of its own, or if SKIP_UNITY_BUILD_INCLUSION says that its names clash with those of
# its folder (pcc_compile_alone).
function(pcc_translation_units name out)
  set(units)
  set(folders)
  foreach(source IN LISTS ARGN)
    get_source_file_property(options "${source}" COMPILE_OPTIONS)
    get_source_file_property(alone "${source}" SKIP_UNITY_BUILD_INCLUSION)
    if(NOT PCC_UNITY_BUILD OR options OR alone OR IS_ABSOLUTE "${source}" OR NOT source MATCHES "[.]cpp$")
      list(APPEND units "${source}")
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    cmake_path(GET path PARENT_PATH folder)
    cmake_path(GET path FILENAME file)
    list(APPEND folders "${folder}")
    list(APPEND "sources_${folder}" "${file}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    pcc_add_batches(${name} "${folder}" "${sources_${folder}}" units)
  endforeach()
  set(${out} ${units} PARENT_SCOPE)
endfunction()

# pcc_compile_alone(a.cpp …): compiles these sources outside of batches, because they share names with others of their
# folder. Stands above the target.
function(pcc_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Headers that nearly every compiler source includes, parsed once for all libraries and once for all programs. When off,
# every object can come from ccache, which pays if several build trees share one source tree.
option(PCC_PRECOMPILED_HEADERS "Precompile the headers that nearly every compiler source includes" ON)
set(PCC_COMPILER_PCH
  <mlir/IR/Builders.h> <mlir/IR/BuiltinAttributes.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h>
  <mlir/IR/OpImplementation.h> <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Pass/Pass.h>
  <mlir/Interfaces/InferTypeOpInterface.h> <mlir/Interfaces/SideEffectInterfaces.h>)

# pcc_use_precompiled_headers(NAME): the first library makes them; the others reuse them, because all have the same
# flags.
function(pcc_use_precompiled_headers name)
  if(NOT PCC_PRECOMPILED_HEADERS)
    return()
  endif()
  get_property(maker GLOBAL PROPERTY PCC_PRECOMPILED_HEADERS_MAKER)
  if(maker)
    target_precompile_headers(${name} REUSE_FROM ${maker})
  else()
    target_precompile_headers(${name} PRIVATE ${PCC_COMPILER_PCH})
    set_property(GLOBAL PROPERTY PCC_PRECOMPILED_HEADERS_MAKER ${name})
  endif()
endfunction()

# pcc_program_flags(NAME): includes and flags of a program on the compiler side.
function(pcc_program_flags name)
  target_include_directories(${name} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>
                                         $<$<CONFIG:Release>:-O1>)
endfunction()

# Programs are compiled with -fPIE, libraries with -fPIC, so programs need their own precompiled headers. The headers
# belong to an empty program, because the other programs wait until it is linked.
if(PCC_PRECOMPILED_HEADERS)
  add_executable(pcc-program-headers "${PROJECT_SOURCE_DIR}/cmake/ProgramHeaders.cpp")
  pcc_program_flags(pcc-program-headers)
  target_link_libraries(pcc-program-headers PRIVATE MLIR LLVM)
  target_precompile_headers(pcc-program-headers PRIVATE ${PCC_COMPILER_PCH})
endif()

# pcc_library(NAME SOURCES a.cpp … LINK PccX … DEPENDS generated-targets …)
# A static library of the compiler side: sees MLIR, no exceptions, no run-time type information.
function(pcc_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  pcc_translation_units(${name} units ${ARG_SOURCES})
  add_library(${name} STATIC ${units})
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  # Compilation time is spent in LLVM; -O1 halves the time to build pcc itself.
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>
                                         $<$<CONFIG:Release>:-O1>)
  target_compile_definitions(${name} PRIVATE ${LLVM_DEFINITIONS_LIST})
  pcc_use_precompiled_headers(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# The functions of fmt, compiled once and linked in (Fmt.cpp).
add_library(PccFmt STATIC "${PROJECT_SOURCE_DIR}/cmake/Fmt.cpp")
target_include_directories(PccFmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)

# pcc_runtime_library(NAME SOURCES a.cpp … LINK PccX …)
# A static library of the device side: no LLVM, no MLIR.
function(pcc_runtime_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  pcc_translation_units(${name} units ${ARG_SOURCES})
  add_library(${name} STATIC ${units})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PccFmt Threads::Threads)
endfunction()

# pcc_tool(NAME SOURCES a.cpp … LINK PccX …)
# A program on the compiler side; links libMLIR.so and libLLVM.so only, never MLIR's static parts.
function(pcc_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  pcc_translation_units(${name} units ${ARG_SOURCES})
  add_executable(${name} ${units})
  pcc_program_flags(${name})
  if(PCC_PRECOMPILED_HEADERS)
    target_precompile_headers(${name} REUSE_FROM pcc-program-headers)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
endfunction()

# pcc_tablegen(TARGET FILE.td  -gen-x OUT.inc  -gen-y OUT2.inc …): runs mlir-tblgen once per pair.
function(pcc_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(args ${ARGN})
  while(args)
    list(POP_FRONT args flag out)
    string(REPLACE "," ";" flags "${flag}")
    mlir_tablegen(${out} ${flags} EXTRA_INCLUDES "${PROJECT_SOURCE_DIR}" ${MLIR_INCLUDE_DIRS})
  endwhile()
  add_public_tablegen_target(${target})
endfunction()

# pcc_tablegen_passes(TARGET GROUP): Passes.td of this folder → Passes.h.inc.
function(pcc_tablegen_passes target group)
  pcc_tablegen(${target} Passes.td "-gen-pass-decls,-name=${group}" Passes.h.inc)
endfunction()

# pcc_unit_test(NAME SOURCES a.cpp … LINK PccX … [COMPILER]): one GoogleTest program, one ctest entry, with the label
# `compiler` or `runtime`. The target runtime-tests builds all of the latter.
add_custom_target(runtime-tests)
function(pcc_unit_test name)
  cmake_parse_arguments(ARG "COMPILER" "" "SOURCES;LINK" ${ARGN})
  if(ARG_COMPILER)
    pcc_tool(${name} SOURCES ${ARG_SOURCES} LINK ${ARG_LINK})
    set(label compiler)
  else()
    pcc_translation_units(${name} units ${ARG_SOURCES})
    add_executable(${name} ${units})
    target_link_libraries(${name} PRIVATE ${ARG_LINK})
    add_dependencies(runtime-tests ${name})
    set(label runtime)
  endif()
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/test")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${label})
endfunction()

# pcc_mpi_test(NAME SOURCES a.cpp … LINK PccX … PROCESSES 2 4 …): a GoogleTest program with its own main that mpirun
# starts, one ctest entry for each number of processes. Adds nothing without MPI, nor under ThreadSanitizer, which
# cannot follow the threads of an MPI that was built without it.
function(pcc_mpi_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PROCESSES" ${ARGN})
  if(NOT TARGET pcc-mpi OR PCC_SANITIZER STREQUAL "thread")
    return()
  endif()
  pcc_translation_units(${name} units ${ARG_SOURCES})
  add_executable(${name} ${units})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest)
  add_dependencies(${name} pcc-mpi)
  add_dependencies(runtime-tests ${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/test")
  foreach(processes IN LISTS ARG_PROCESSES)
    add_test(NAME ${name}-${processes}
             COMMAND "${MPIEXEC_EXECUTABLE}" ${MPIEXEC_NUMPROC_FLAG} ${processes} $<TARGET_FILE:${name}>)
    # OpenMPI needs a permission for more processes than cores, and for containers whose only user is root.
    set_tests_properties(${name}-${processes} PROPERTIES LABELS runtime TIMEOUT 600 PROCESSORS 2 ENVIRONMENT
      "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1")
  endforeach()
endfunction()

# pcc_rooms(a b …): adds the subfolders of a floor, lowest first.
function(pcc_rooms)
  foreach(room IN LISTS ARGN)
    add_subdirectory(${room})
  endforeach()
endfunction()
