// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/flags/ParallelFlags.h"

#include "tools/pcc/flags/ConfigFile.h"
#include "tools/pcc/report/Output.h"
#include "llvm/Support/FormatVariadic.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

static constexpr double maxRanks = 4096;
static constexpr double maxActions = 1 << 20;
static constexpr double maxSeconds = 1e6;
static constexpr double maxBytes = 1LL << 53; ///< integers that a double represents exactly

static constexpr FieldInfo fieldInfos[] = {
    {"device_num", "number of ranks", 1, maxRanks, 1},
    {"global_rank", "the rank whose program --emit prints; without it that of all", 0,
     maxRanks - 1},
    {"parallel_mode",
     "stand_alone, data_parallel, hybrid_parallel, semi_auto_parallel or auto_parallel"},
    {"gradients_mean", "average gradients over the ranks instead of adding them"},
    {"full_batch", "feed the whole batch to every rank"},
    {"dataset_strategy", "the cut in which each input is fed: '((8,1),(8))' or '[dp, _], [dp]'"},
    {"micro_batches", "microbatches that a step accumulates", 1, maxActions, 1},
    {"interleave_num", "copies of each microbatch; 0: as many as pay", 0, maxActions, 1},
    {"micro_reduction", "sum or mean over microbatches and copies"},
    {"gradient_fp32_sync", "reduce f16 and bf16 gradients over the ranks in f32", 0, 1, 1},
    {"enable_parallel_optimizer", "shard the optimizer over ranks that hold the same parameter"},
    {"parallel_optimizer_level", "1: shard states, 2: gradients as well, 3: parameters as well", 1,
     3, 1},
    {"parallel_optimizer_threshold", "bytes below which a parameter stays whole", 0, maxBytes,
     64 << 10},
    {"loss_repeated_mean", "divide the gradient of a replicated loss by its replicas", 0, 1, 1},
    {"parameter_broadcast", "start training with rank 0's parameters"},
    {"strategy_ckpt_load_file", "split the program as this strategy checkpoint says"},
    {"strategy_ckpt_save_file", "write how the program is split: binary, .textproto or .json"},
    {"auto_parallel_search_mode",
     "dynamic_programming, recursive_programming, sharding_propagation or best"},
    {"time_limit", "seconds that the search of a plan may take", 1e-3, maxSeconds, 60},
    {"memory_limit", "bytes that a plan may take on one device; 0: what the machine has", 0,
     maxBytes},
    {"cost_model", "by what plans are compared: roofline or memory"},
    {"fully_use_devices", "under the cost model memory, no strategy leaves devices over"},
    {"elementwise_op_strategy_follow",
     "under the cost model memory, an elementwise op takes what it reads as it comes"},
    {"strategy_reuse", "none: a loaded strategy fits; partial: what does not fit is planned anew"},
    {"pipeline_stages", "blocks of ranks, each of which works on a part of the model", 1, maxRanks,
     1},
    {"pipeline_schedule", "gpipe, 1f1b, interleaved-1f1b, zb-h1, zb-h2, zb-v, dualpipe-v or auto"},
    {"virtual_stages", "parts of the model that each stage works on", 1, maxRanks, 1},
    {"comm_fusion",
     "which collectives share a message: auto, off, all, size:MB, index:N:M or by kind: "
     "'all_reduce=size:32, all_gather=off'"},
    {"all_reduce_fusion_config",
     "'[20,35]': all-reduces of gradients of which so many share a message"},
    {"size_rule", "under size:MB: ready, or reference, MindSpore's"},
    {"fusion_limit", "bytes of a message that several share under auto; 0: any", 0, maxBytes},
};

ParallelFlags::ParallelFlags(cl::SubCommand &command)
    : file("config", cl::desc("options as a file: .textproto or .json"), cl::value_desc("file"),
           cl::sub(command)),
      flags(command, abi::ParallelConfig::descriptor(), fieldInfos) {}

llvm::StringRef ParallelFlags::givenFlag(llvm::ArrayRef<llvm::StringRef> except) const {
  return file.getNumOccurrences() ? file.ArgStr : flags.givenFlag(except);
}

ExitCode ParallelFlags::read(abi::ParallelConfig &config) const {
  if (!file.empty())
    if (ExitCode code = readConfigFile(file, config))
      return code;
  bool isOneRank = config.has_global_rank() || flags.has("global_rank");
  if (ExitCode code = flags.read(config, file))
    return code;
  if (!isOneRank)
    config.clear_global_rank(); // absent: all ranks
  if (config.global_rank() < config.device_num())
    return Success;
  std::string error =
      llvm::formatv("expected 0 to {0}, got {1}", config.device_num() - 1, config.global_rank());
  if (flags.has("global_rank") || flags.has("device_num") || file.empty())
    return fail(BadUsage, "'--global-rank': " + error);
  return fail(BadInput, file + ": 'global_rank': " + error);
}
