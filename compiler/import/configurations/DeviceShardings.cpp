// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both directions go through dist::Placement, the block that each rank holds. Writing lists the
// holders of each block. Reading computes the placement of each distinct spec, then finds one mesh
// on which all placements are shardings.
#include "compiler/import/configurations/DeviceShardings.h"

#include "compiler/import/files/Locations.h"
#include "compiler/import/files/onnx.pb.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using pcc::dist::Mesh;
using pcc::dist::Placement;
using pcc::dist::Sharding;

namespace pcc::import {

std::string getMeshProperty(StringRef configuration) { return ("pcc.mesh." + configuration).str(); }

//===-- Writing ------------------------------------------------------------------------------===//

void fillSpec(const Sharding &sharding, const Mesh &mesh, int64_t firstDevice,
              onnx::ShardingSpecProto &spec) {
  Placement placement = dist::getPlacement(sharding, mesh);
  for (auto [dim, count] : llvm::enumerate(placement.counts)) {
    if (count == 1)
      continue;
    onnx::ShardedDimProto &sharded = *spec.add_sharded_dim();
    sharded.set_axis(static_cast<int64_t>(dim));
    sharded.add_simple_sharding()->set_num_shards(count);
  }
  std::vector<SmallVector<int64_t>> holders(sharding.getNumBlocks(mesh));
  for (auto [rank, block] : llvm::enumerate(placement.blocks)) {
    int64_t position = 0;
    for (auto [index, count] : llvm::zip_equal(block, placement.counts))
      position = position * count + index;
    holders[position].push_back(firstDevice + static_cast<int64_t>(rank));
  }
  for (auto [index, devices] : llvm::enumerate(holders)) {
    if (devices.size() == 1) {
      spec.add_device(devices.front());
      continue;
    }
    int64_t key = -1 - static_cast<int64_t>(index);
    spec.add_device(key);
    onnx::IntIntListEntryProto &group = *spec.add_index_to_device_group_map();
    group.set_key(key);
    group.mutable_value()->Add(devices.begin(), devices.end());
  }
}

//===-- Reading ------------------------------------------------------------------------------===//

bool givesShardings(const onnx::ModelProto &model, StringRef configuration) {
  if (configuration.empty())
    return false;
  for (const onnx::NodeProto &node : model.graph().node())
    for (const onnx::NodeDeviceConfigurationProto &entry : node.device_configurations())
      if (entry.configuration_id() == configuration && entry.sharding_spec_size() > 0)
        return true;
  return false;
}

/// Returns a text by which placements are computed once: specs with equal texts have equal
/// placements. Specs with different texts may have equal placements, too.
static std::string describePlacement(onnx::ShardingSpecProto spec, int64_t stage,
                                     ArrayRef<int64_t> shape) {
  spec.clear_tensor_name();
  std::string text = spec.SerializeAsString();
  llvm::raw_string_ostream os(text);
  os << '|' << stage;
  for (int64_t size : shape)
    os << ',' << size;
  return text;
}

ShardingReader::ShardingReader(const onnx::ModelProto &model, StringRef path,
                               std::string configuration, MLIRContext &context)
    : model(model), path(path), configuration(std::move(configuration)), context(context) {
  if (this->configuration.empty())
    return;
  for (const auto &[index, node] : llvm::enumerate(model.graph().node()))
    for (const onnx::NodeDeviceConfigurationProto &entry : node.device_configurations()) {
      if (entry.configuration_id() != this->configuration)
        continue;
      int64_t stage = entry.has_pipeline_stage() ? entry.pipeline_stage() : -1;
      numStages = std::max(numStages, stage + 1);
      for (const onnx::ShardingSpecProto &spec : entry.sharding_spec())
        specs.push_back({&node, static_cast<int64_t>(index), stage, &spec});
    }
}

InFlightDiagnostic ShardingReader::error(const Spec &spec) const {
  return emitError(nodeLocation(path, spec.index, *spec.node, context))
         << "sharding of '" << spec.spec->tensor_name() << "': ";
}

/// Finds the number of devices, and of the ranks of a pipeline stage.
LogicalResult ShardingReader::countDevices() {
  for (const onnx::DeviceConfigurationProto &known : model.configuration())
    if (known.name() == configuration)
      numDevices = known.num_devices();
  numRanks = numDevices / numStages;
  Location loc = fileLocation(path, context);
  if (numDevices < 1 || numDevices > dist::maxRanks)
    return emitError(loc) << "device configuration '" << configuration
                          << "': expected 'num_devices' from 1 to " << dist::maxRanks << ", got "
                          << numDevices;
  if (numDevices % numStages)
    return emitError(loc) << "device configuration '" << configuration
                          << "': expected a multiple of " << numStages
                          << " devices, the number of its pipeline stages, got " << numDevices;
  return success();
}

/// Checks that the tensor is an input or output of its node, and has one spec.
LogicalResult ShardingReader::checkTensor(const Spec &spec, llvm::StringSet<> &known) const {
  const std::string &name = spec.spec->tensor_name();
  if (!llvm::is_contained(spec.node->input(), name) &&
      !llvm::is_contained(spec.node->output(), name))
    return error(spec) << "expected an input or output of the node";
  if (!known.insert(name).second)
    return error(spec) << "expected one sharding of the tensor at this node, got two";
  return success();
}

/// Returns the number of equal and contiguous shards of a dimension of `size` elements. A spec may
/// divide the dimension into parts, slowest first, each with shards of its own.
FailureOr<int64_t> ShardingReader::readDim(const Spec &spec, int64_t index, int64_t size) const {
  const onnx::ShardedDimProto &sharded = spec.spec->sharded_dim(static_cast<int>(index));
  int64_t count = 1, elements = 1;
  bool hasUncutRest = false, areKnown = true;
  for (const onnx::SimpleShardedDimProto &part : sharded.simple_sharding()) {
    int64_t shards = part.num_shards();
    if (shards < 1 || shards > numRanks)
      return error(spec) << "axis " << sharded.axis() << ": expected 'num_shards' from 1 to "
                         << numRanks << ", got " << shards;
    if (hasUncutRest && shards > 1)
      return error(spec)
             << "axis " << sharded.axis()
             << ": its parts are sharded so that a device has elements that are not "
                "contiguous; expected 1 shard for each part after the first part that is "
                "not cut into single elements";
    areKnown &= part.has_dim_value();
    elements *= part.has_dim_value() ? part.dim_value() : 1;
    hasUncutRest |= !part.has_dim_value() || shards < part.dim_value();
    count *= shards;
  }
  if (areKnown && sharded.simple_sharding_size() > 0 && elements != size)
    return error(spec) << "axis " << sharded.axis() << ": expected " << size
                       << " elements, the size of the dimension, got 'dim_value' " << elements
                       << "; '--set-dim' sets symbolic sizes";
  if (size % count)
    return error(spec) << "axis " << sharded.axis() << ": expected a number of shards that divides "
                       << size << " (" << dist::listDivisors(size) << "), got " << count;
  return count;
}

/// Returns the numbers of shards in the order of the spec, and sets `dims` to their dimensions.
FailureOr<SmallVector<int64_t>> ShardingReader::readCounts(const Spec &spec,
                                                           ArrayRef<int64_t> shape,
                                                           SmallVectorImpl<int64_t> &dims) const {
  SmallVector<int64_t> counts;
  auto rank = static_cast<int64_t>(shape.size());
  for (auto [index, sharded] : llvm::enumerate(spec.spec->sharded_dim())) {
    int64_t dim = sharded.axis() < 0 ? sharded.axis() + rank : sharded.axis();
    if (dim < 0 || dim >= rank)
      return rank == 0 ? FailureOr<SmallVector<int64_t>>(error(spec) << "a scalar has no axis "
                                                                     << sharded.axis())
                       : FailureOr<SmallVector<int64_t>>(error(spec) << "expected an axis from "
                                                                     << -rank << " to " << rank - 1
                                                                     << ", got " << sharded.axis());
    if (llvm::is_contained(dims, dim))
      return error(spec) << "expected axis " << dim << " once, got it twice";
    FailureOr<int64_t> count = readDim(spec, static_cast<int64_t>(index), shape[dim]);
    if (failed(count))
      return failure();
    dims.push_back(dim);
    counts.push_back(*count);
  }
  return counts;
}

/// Returns the devices that hold each shard, by the numbers of the file.
FailureOr<std::vector<SmallVector<int64_t>>> ShardingReader::readHolders(const Spec &spec,
                                                                         int64_t numShards) const {
  std::map<int64_t, const onnx::IntIntListEntryProto *> groups; // the file may hold any key
  for (const onnx::IntIntListEntryProto &group : spec.spec->index_to_device_group_map())
    if (!groups.try_emplace(group.key(), &group).second)
      return error(spec) << "expected device group " << group.key() << " once, got it twice";
  std::vector<SmallVector<int64_t>> holders;
  for (int64_t entry : spec.spec->device()) {
    SmallVector<int64_t> &devices = holders.emplace_back();
    if (auto group = groups.find(entry); group != groups.end())
      devices.assign(group->second->value().begin(), group->second->value().end());
    else
      devices.push_back(entry);
  }
  // A tensor with one shard may list its devices without a group.
  if (numShards == 1 && holders.size() > 1) {
    SmallVector<int64_t> all;
    for (ArrayRef<int64_t> devices : holders)
      llvm::append_range(all, devices);
    holders = {all};
  }
  if (static_cast<int64_t>(holders.size()) != numShards)
    return error(spec) << "expected " << numShards
                       << " entries of 'device', one for each shard, got " << holders.size();
  return holders;
}

/// Returns the shard that each rank of the node's stage holds.
FailureOr<Placement> ShardingReader::place(const Spec &spec, ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> dims;
  FailureOr<SmallVector<int64_t>> counts = readCounts(spec, shape, dims);
  if (failed(counts))
    return failure();
  int64_t numShards = 1;
  for (int64_t count : *counts)
    numShards *= count;
  FailureOr<std::vector<SmallVector<int64_t>>> holders = readHolders(spec, numShards);
  if (failed(holders))
    return failure();
  Placement placement;
  placement.counts.assign(shape.size(), 1);
  for (auto [dim, count] : llvm::zip_equal(dims, *counts))
    placement.counts[dim] = count;
  placement.blocks.resize(numRanks);
  int64_t first = spec.stage >= 0            ? spec.stage * numRanks
                  : holders->front().empty() ? 0
                                             : holders->front().front() / numRanks * numRanks;
  std::vector<bool> isHeld(numRanks, false);
  for (auto [shard, devices] : llvm::enumerate(*holders))
    for (int64_t device : devices) {
      if (device < 0 || device >= numDevices)
        return error(spec) << "expected devices from 0 to " << numDevices - 1
                           << ", or keys of 'index_to_device_group_map', got " << device;
      int64_t rank = device - first;
      if (rank < 0 || rank >= numRanks)
        return error(spec) << "expected devices of pipeline stage " << first / numRanks << " ("
                           << first << " to " << first + numRanks - 1 << "), got " << device;
      if (isHeld[rank])
        return error(spec) << "expected device " << device << " once, got it twice";
      isHeld[rank] = true;
      placement.blocks[rank].assign(shape.size(), 0);
      int64_t rest = static_cast<int64_t>(shard);
      for (int64_t axis = static_cast<int64_t>(dims.size()) - 1; axis >= 0; --axis) {
        placement.blocks[rank][dims[axis]] = rest % (*counts)[axis];
        rest /= (*counts)[axis];
      }
    }
  for (int64_t rank = 0; rank < numRanks; ++rank)
    if (!isHeld[rank])
      return error(spec) << "expected a shard on each of the " << numRanks << " devices "
                         << (numStages > 1 ? "of the stage" : "of the configuration")
                         << ", got none on device " << first + rank;
  return placement;
}

/// Returns the mesh that the file names, if all placements are shardings on it; else the coarsest
/// one on which they are.
FailureOr<Mesh> ShardingReader::chooseMesh(ArrayRef<Placed> placed) const {
  for (const onnx::StringStringEntryProto &property : model.metadata_props()) {
    if (property.key() != getMeshProperty(configuration))
      continue;
    ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
    auto named = dyn_cast_or_null<dist::MeshAttr>(
        parseAttribute("#dist.mesh<" + property.value() + ">", &context));
    if (named && named.getMesh().getNumRanks() == numRanks &&
        llvm::all_of(placed, [&](const Placed &entry) {
          return dist::findSharding(entry.placement, named.getMesh());
        }))
      return named.getMesh();
  }
  std::vector<Placement> placements;
  for (const Placed &entry : placed)
    placements.push_back(entry.placement);
  size_t misfit = 0;
  if (std::optional<Mesh> mesh = dist::findMesh(placements, numRanks, misfit))
    return *mesh;
  return error(*placed[misfit].spec)
         << "no mesh of " << numRanks
         << " devices places its shards and those of the nodes before it; expected devices that "
            "are numbered in the order of the shards, with equal groups";
}

LogicalResult ShardingReader::read(analysis::FileNodes &file) {
  if (failed(countDevices()))
    return failure();
  std::vector<Placed> placed; // without duplicates: large meshes have large placements
  llvm::StringMap<size_t> known;
  std::vector<std::pair<const Spec *, size_t>> found;
  llvm::StringSet<> tensorsOfNode;
  const onnx::NodeProto *node = nullptr;
  for (const Spec &spec : specs) {
    if (spec.node != node)
      tensorsOfNode.clear();
    node = spec.node;
    if (failed(checkTensor(spec, tensorsOfNode)))
      return failure();
    // A tensor that import has replaced has no shape, and no op reads it.
    auto shape = file.shapes.find(spec.spec->tensor_name());
    if (shape == file.shapes.end())
      continue;
    auto [entry, isNew] =
        known.try_emplace(describePlacement(*spec.spec, spec.stage, shape->second), placed.size());
    if (isNew) {
      FailureOr<Placement> placement = place(spec, shape->second);
      if (failed(placement))
        return failure();
      placed.push_back({&spec, std::move(*placement)});
    }
    found.push_back({&spec, entry->second});
  }
  FailureOr<Mesh> mesh = chooseMesh(placed);
  if (failed(mesh))
    return failure();
  std::vector<Sharding> shardings;
  for (const Placed &entry : placed) {
    std::optional<Sharding> sharding = dist::findSharding(entry.placement, *mesh);
    if (!sharding)
      return error(*entry.spec) << "no mesh places its shards and those of all other nodes";
    shardings.push_back(std::move(*sharding));
  }
  file.configuration = configuration;
  file.stages = numStages;
  file.mesh = *mesh;
  for (auto [spec, index] : found)
    file.shardings.push_back({spec->index, spec->spec->tensor_name(), shardings[index]});
  return success();
}

} // namespace pcc::import
