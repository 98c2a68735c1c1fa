// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts between the sharding specs of a file (ONNX IR 11) and shardings on a mesh. A spec lists
// the devices that hold each shard of a tensor:
//
//   device: -1  device: -2                                     [x, _] on the mesh x=2, y=2
//   index_to_device_group_map { key: -1 value: 0 value: 1 }
//   index_to_device_group_map { key: -2 value: 2 value: 3 }
//   sharded_dim { axis: 0 simple_sharding { num_shards: 2 } }
//
// Specs name no mesh. The writer stores its mesh as the property `pcc.mesh.CONFIGURATION` of the
// model, so that the axes keep their names. The reader takes this mesh if all specs are shardings
// on it. Otherwise it finds the coarsest mesh on which they are.
#pragma once

#include "dialects/dist/Placement.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/analysis/names/FileNodes.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::onnx {
class ModelProto;
class NodeProto;
class ShardingSpecProto;
} // namespace pcc::onnx

namespace pcc::import {

/// Returns the key of the model's property that holds the mesh of a configuration.
std::string getMeshProperty(llvm::StringRef configuration);

/// Fills `spec` for a tensor with this sharding on the ranks of `mesh`, the first of which is
/// device `firstDevice`.
void fillSpec(const dist::Sharding &sharding, const dist::Mesh &mesh, int64_t firstDevice,
              onnx::ShardingSpecProto &spec);

/// Returns whether a node of the graph has shardings in `configuration`; false if its name is
/// empty.
bool givesShardings(const onnx::ModelProto &model, llvm::StringRef configuration);

/// Reads the sharding specs of a file's nodes.
class ShardingReader {
public:
  /// `path` is the file of `model`, for messages. `configuration` selects the entries to read; an
  /// empty name selects none. `model` and `context` must outlive this object.
  ShardingReader(const onnx::ModelProto &model, llvm::StringRef path, std::string configuration,
                 mlir::MLIRContext &context);

  /// Adds the mesh and the shardings to `file`, whose nodes and shapes are known. Emits an error at
  /// the first node whose spec is malformed or cannot be obeyed.
  mlir::LogicalResult read(analysis::FileNodes &file);

private:
  /// The spec of one tensor at one node.
  struct Spec {
    const onnx::NodeProto *node;
    int64_t index; ///< of the node
    int64_t stage; ///< pipeline stage of the node; -1 if the entry has none
    const onnx::ShardingSpecProto *spec;
  };
  /// A placement, and the first spec from which it was computed. Different specs may have equal
  /// placements.
  struct Placed {
    const Spec *spec;
    dist::Placement placement;
  };

  mlir::InFlightDiagnostic error(const Spec &spec) const;
  mlir::LogicalResult countDevices();
  /// Specs are listed node by node; `known` holds the tensors of the node at hand.
  mlir::LogicalResult checkTensor(const Spec &spec, llvm::StringSet<> &known) const;
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  readCounts(const Spec &spec, llvm::ArrayRef<int64_t> shape,
             llvm::SmallVectorImpl<int64_t> &dims) const;
  mlir::FailureOr<int64_t> readDim(const Spec &spec, int64_t index, int64_t size) const;
  mlir::FailureOr<std::vector<llvm::SmallVector<int64_t>>> readHolders(const Spec &spec,
                                                                       int64_t numShards) const;
  mlir::FailureOr<dist::Placement> place(const Spec &spec, llvm::ArrayRef<int64_t> shape) const;
  mlir::FailureOr<dist::Mesh> chooseMesh(llvm::ArrayRef<Placed> placed) const;

  const onnx::ModelProto &model;
  std::string path, configuration;
  mlir::MLIRContext &context;
  std::vector<Spec> specs;
  int64_t numDevices = 0, numStages = 1, numRanks = 0;
};

} // namespace pcc::import
