// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pcc explain --communication`: every collective of a program, from its records.
#pragma once

#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/program.pb.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <vector>

namespace pcc::cli {

/// One collective.
struct Communication {
  std::string kind;                         ///< `all_reduce`
  std::string op;                           ///< the model's name of what it is for; may be empty
  std::string location;                     ///< where the user wrote that; may be empty
  std::vector<std::vector<int64_t>> groups; ///< of ranks; of a send or receive the pairs
  int64_t bytes = 0;                        ///< that the busiest rank receives
  std::optional<double> seconds;            ///< absent without a machine
};

/// The collectives of one section in the order of its records.
struct SectionCommunication {
  std::string section;
  int64_t runs = 0; ///< in one step
  std::vector<Communication> collectives;
};

/// Reads a valid program, linked or without its kernels. `cluster` is complete and has a device for
/// each rank.
std::vector<SectionCommunication> reportCommunication(const abi::Executable &program,
                                                      const std::optional<abi::Cluster> &cluster);

/// A list of objects, one a collective.
llvm::json::Value toJson(const std::vector<SectionCommunication> &report);

/// A table for each section that has collectives, with its sums, and the sums of a step. Groups are
/// named by the axes of `mesh` where they are those.
void printTable(const std::vector<SectionCommunication> &report, const abi::Mesh &mesh);

} // namespace pcc::cli
