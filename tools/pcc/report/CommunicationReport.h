// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `pcc explain --communication`: every collective of a program, read from its instructions.
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
  std::string op;                           ///< name of the model's op that it serves; may be empty
  std::string location;                     ///< source location of that op; may be empty
  std::vector<std::vector<int64_t>> groups; ///< groups of ranks; pairs for a send or receive
  int64_t bytes = 0;                        ///< received by the busiest rank
  std::optional<double> seconds;            ///< estimated time; absent without a machine
};

/// The collectives of one section in the order of its instructions.
struct SectionCommunication {
  std::string section;
  int64_t runs = 0; ///< executions in one step
  std::vector<Communication> collectives;
};

/// Lists the collectives of a valid program, linked or without its kernels. `cluster` is complete
/// and has a device for each rank.
std::vector<SectionCommunication> reportCommunication(const abi::Executable &program,
                                                      const std::optional<abi::Cluster> &cluster);

/// Returns a list with one object per collective.
llvm::json::Value toJson(const std::vector<SectionCommunication> &report);

/// Prints the totals of each section, a table of its collectives if it has any, and the totals of a
/// step. Groups that match axes of `mesh` are named by these axes.
void printTable(const std::vector<SectionCommunication> &report, const abi::Mesh &mesh);

} // namespace pcc::cli
