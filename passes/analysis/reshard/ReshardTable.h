// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the costs of all reshard plans of a tensor at once, between any two shardings on a
// machine. A search over shardings asks for every pair; planReshard would look at the same steps
// again for each pair.
//
//   ReshardGraph    all shardings of tensors that can be cut in the same ways, and the steps
//                   between them, each with the share of the tensor that it moves
//   ReshardTable    the costs of the steps for one tensor, and the cheapest paths of all pairs
//
// On a mesh of many axes there are too many shardings for a table of all. There each pair has the
// table of its reduced mesh (ReducedMesh.h), which it shares with all pairs that differ in the same
// axes.
//
// [8, 1024, 512] and [8, 1024, 2048] share a graph on 2x4 ranks. The costs are those of planReshard
// with all waypoints. Partial shardings are sums only.
#pragma once

#include "passes/analysis/reshard/ReshardCostModel.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace pcc::analysis {

/// Maximum number of axes of more than one rank for which all shardings are listed.
inline constexpr size_t maxTableAxes = 3;
/// Maximum number of axes of a reduced mesh that has a table. There are many such meshes, and few
/// pairs ask for the same, so these tables must be small.
inline constexpr size_t maxReducedAxes = 2;

class ReshardGraph {
public:
  /// Graph of tensors whose sizes have the same common divisors with the number of ranks as the
  /// sizes of `shape`. `mesh` has at most maxTableAxes axes of more than one rank.
  ReshardGraph(llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh);

  size_t size() const { return shardings.size(); }
  const dist::Sharding &operator[](unsigned index) const { return shardings[index]; }
  /// Returns the index of a sharding without axes of one rank; it must be legal.
  unsigned find(const dist::Sharding &sharding) const { return indices.lookup(sharding.str()); }

private:
  friend class ReshardTable;

  struct Edge {
    unsigned from, to;
    ReshardStep step; ///< on the shape from which the graph was made
  };

  void addShardings(const dist::Mesh &mesh, llvm::ArrayRef<int64_t> shape);
  void addSteps(const dist::Mesh &mesh, llvm::ArrayRef<int64_t> shape);

  double elements; ///< number of elements of the graph's shape
  std::vector<dist::Sharding> shardings;
  llvm::StringMap<unsigned> indices;
  std::vector<Edge> edges;
};

class ReshardTable {
public:
  /// Returns the cost of a step whose number of elements is multiplied by `scale`.
  using StepCost = llvm::function_ref<double(const ReshardStep &step, double scale)>;

  /// Table of a tensor of `elements` elements whose shape has `graph`. `graph` outlives this.
  ReshardTable(const ReshardGraph &graph, int64_t elements, StepCost cost);

  const ReshardGraph &getGraph() const { return graph; }
  /// Returns the seconds between two shardings, given by their indices.
  double operator()(unsigned from, unsigned to) const { return seconds[from * graph.size() + to]; }

private:
  const ReshardGraph &graph;
  std::vector<double> seconds; ///< row-major
};

/// Tables of the tensors of one program, each computed once.
class ReshardTables {
public:
  /// `mesh` and `cluster` outlive this.
  ReshardTables(const dist::Mesh &mesh, const abi::Cluster &cluster)
      : mesh(mesh), cluster(cluster) {}

  /// Returns the table of all shardings of a tensor; the mesh has at most maxTableAxes axes.
  const ReshardTable &get(llvm::ArrayRef<int64_t> shape, int64_t elementBytes);
  /// Returns the seconds between two shardings, which are legal, without axes of one rank, and
  /// partial as sums only. Returns nothing if they differ in more than maxReducedAxes axes.
  std::optional<double> find(const dist::Sharding &from, const dist::Sharding &to,
                             llvm::ArrayRef<int64_t> shape, int64_t elementBytes);

private:
  const ReshardTable &get(const dist::Mesh &used, llvm::ArrayRef<int64_t> shape,
                          int64_t elementBytes, ReshardTable::StepCost cost);

  const dist::Mesh &mesh;
  const abi::Cluster &cluster;
  llvm::StringMap<std::unique_ptr<ReshardGraph>> graphs;
  llvm::StringMap<std::unique_ptr<ReshardTable>> tables;
};

} // namespace pcc::analysis
