// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists one row per field of ParallelConfig. setDefaults() finds fields by name through protobuf
// reflection, and leaves alone the fields that are already set.

#include "runtime/abi/ConfigFields.h"

#include "runtime/abi/Limits.h"

namespace pcc::abi {

static constexpr double maxActions = 1 << 20;
static constexpr double maxSeconds = 1e6;

static constexpr FieldInfo parallelFields[] = {
    {"device_num", "number of ranks (default: 1, or those of --cluster if the program is split)", 1,
     maxRanks, 1},
    {"global_rank", "rank whose program --emit prints (default: the program of all ranks)", 0,
     maxRanks - 1, std::nullopt},
    {"parallel_mode",
     "stand_alone, data_parallel, hybrid_parallel, semi_auto_parallel or auto_parallel"},
    {"gradients_mean", "average gradients over the ranks instead of adding them"},
    {"full_batch", "feed the whole batch to every rank"},
    {"dataset_strategy",
     "sharding in which each input is fed: '((8,1),(8))', '[dp, _], [dp]', full_batch or "
     "data_parallel"},
    {"micro_batches", "number of microbatches that a step accumulates (default: 1)", 1, maxActions,
     1},
    {"interleave_num", "number of copies of each microbatch (default: 1; 0: chosen by cost)", 0,
     maxActions, 1},
    {"micro_reduction", "sum or mean over microbatches and copies"},
    {"gradient_fp32_sync", "reduce f16 and bf16 gradients over the ranks in f32 (default: true)", 0,
     1, 1},
    {"enable_parallel_optimizer", "shard the optimizer over ranks that hold the same parameter"},
    {"parallel_optimizer_level",
     "1: shard states (default), 2: gradients as well, 3: parameters as well", 1, 3, 1},
    {"parallel_optimizer_threshold",
     "bytes below which a parameter is not sharded (default: 65536)", 0, maxByteLimit, 64 << 10},
    {"loss_repeated_mean",
     "divide the gradient of a replicated loss by its replicas (default: true)", 0, 1, 1},
    {"parameter_broadcast", "start training with rank 0's parameters"},
    {"strategy_ckpt_load_file", "strategy checkpoint by which to split the program"},
    {"strategy_ckpt_save_file",
     "output file of the strategy checkpoint: binary, .textproto or .json"},
    {"group_ckpt_save_file",
     "output file of the groups of ranks that hold the same slices of all parameters"},
    {"auto_parallel_search_mode",
     "dynamic_programming, recursive_programming, sharding_propagation or best"},
    {"time_limit", "time limit of the plan search in seconds (default: 60)", 1e-3, maxSeconds, 60},
    {"memory_limit",
     "memory limit of a plan on one device in bytes (default: 0, the machine's memory)", 0,
     maxByteLimit},
    {"cost_model", "cost model for plans: roofline (default) or memory"},
    {"fully_use_devices",
     "under the cost model memory, use only strategies that occupy all devices"},
    {"elementwise_op_strategy_follow",
     "under the cost model memory, an elementwise op keeps the sharding of its operands"},
    {"strategy_reuse",
     "none (default): a loaded strategy must fit; partial: ops that do not fit are planned again"},
    {"pipeline_stages", "number of pipeline stages (default: 1)", 1, maxRanks, 1},
    {"pipeline_schedule", "gpipe, 1f1b, interleaved-1f1b, zb-h1, zb-h2, zb-v, dualpipe-v or auto"},
    {"virtual_stages", "virtual stages per stage (default: 1; for zb-v and dualpipe-v 2)", 1,
     maxRanks, 1},
    {"comm_fusion", "buckets of fused collectives: auto, off, all, size:MB, index:N:M or by kind: "
                    "'all_reduce=size:32, all_gather=off'"},
    {"all_reduce_fusion_config",
     "buckets of gradient all-reduces in order of readiness: '[20,35]' is the first 20, the "
     "next 15 and the rest"},
    {"size_rule", "bucket rule under size:MB: ready, or reference (MindSpore's rule)"},
    {"fusion_limit", "largest bucket in bytes under auto (default: 0, no limit)", 0, maxByteLimit},
};

std::span<const FieldInfo> listParallelFields() { return parallelFields; }

/// Sets an optional number or switch; fields of other types have their type's default.
static void setDefault(google::protobuf::Message &message,
                       const google::protobuf::FieldDescriptor *field, int64_t value) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection *reflection = message.GetReflection();
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT32)
    reflection->SetInt32(&message, field, static_cast<int32_t>(value));
  else if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT64)
    reflection->SetInt64(&message, field, value);
  else if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE)
    reflection->SetDouble(&message, field, static_cast<double>(value));
  else if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL)
    reflection->SetBool(&message, field, value != 0);
}

void setDefaults(google::protobuf::Message &message, std::span<const FieldInfo> infos) {
  for (const FieldInfo &info : infos) {
    const google::protobuf::FieldDescriptor *field =
        message.GetDescriptor()->FindFieldByName(info.name);
    if (info.defaultValue && field->has_presence() &&
        !message.GetReflection()->HasField(message, field))
      setDefault(message, field, *info.defaultValue);
  }
}

} // namespace pcc::abi
