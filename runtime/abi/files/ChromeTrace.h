// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a timeline for the viewers of Chrome and Perfetto: a process for each rank, a thread for
// each stream, an event for each run of an instruction. The category of an event is the kind of the
// instruction. Measured and simulated runs write the same tracks.
//
//   [{"name":"process_name","ph":"M","pid":0,"args":{"name":"rank 0"}},
//    {"name":"thread_name","ph":"M","pid":0,"tid":1,"args":{"name":"communication"}},
//    {"name":"fc1","cat":"matmul","ph":"X","pid":0,"tid":0,"ts":0.000,"dur":12.500,"args":{"step":3,…}}]
//
// Format: "Trace Event Format", Google, 2016.

#pragma once

#include "runtime/abi/files/WholeFile.h"
#include "runtime/abi/program.pb.h"

#include <string>
#include <string_view>

namespace pcc::abi {

class ChromeTrace {
public:
  /// Creates the file. Errors (BadInput) name the file.
  static Expected<ChromeTrace> create(const std::string &path);

  /// Names the process of `rank` ("rank 0", or a name for several ranks) and its streams.
  void addRank(int64_t rank, std::string_view name);
  /// Adds one run of an instruction. Times are in microseconds.
  void addInstruction(int64_t rank, const Instruction &instruction, int64_t step, double begin,
                      double duration);
  /// Sets `counter` to `value` from `begin` on.
  void addCounter(int64_t rank, std::string_view counter, double begin, uint64_t value);

  /// Ends the file. Returns the first write error.
  Status finish();

private:
  explicit ChromeTrace(FileWriter file) : file(std::move(file)) {}
  void add(std::string_view event);

  FileWriter file;
  Status status;
  std::string pending = "[";
  bool isEmpty = true;
};

} // namespace pcc::abi
