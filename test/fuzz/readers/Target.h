// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fuzz target gives arbitrary bytes to one reader of pcc. It is built twice: with libFuzzer as a
// program of its own (`make fuzz`), and with all other targets in `replay-readers`, which runs the
// stored inputs in every `make test`.
//
//   static void readShapes(std::string_view bytes) { (void)parseShapes(bytes); }
//   PCC_FUZZ_TARGET(shapes, readShapes)
//
// A target returns for every input. A crash, a report of a sanitizer, more than 10 s and more than
// 2 GiB are findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pcc::fuzz {

/// Gives bytes to a reader.
using Read = void (*)(std::string_view bytes);

/// Adds a target to those that `replay-readers` runs.
struct Registration {
  Registration(const char *name, Read read);
};

} // namespace pcc::fuzz

#ifdef PCC_LIBFUZZER
#define PCC_FUZZ_TARGET(name, read)                                                                \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {                        \
    read({reinterpret_cast<const char *>(data), size});                                            \
    return 0;                                                                                      \
  }
#else
#define PCC_FUZZ_TARGET(name, read)                                                                \
  static const pcc::fuzz::Registration name##Registration(#name, read);
#endif
