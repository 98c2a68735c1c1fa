// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives what follows from compile options: fields of the training step, whether the training
// section is cut, and the options of the same computation on one device.
#include "compiler/Compile.h"

#include "compiler/PipelineShape.h"
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/options/Losses.h"

using namespace pcc;

llvm::Error pcc::completeTraining(CompileOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  autodiff::TrainingOptions &training = options.training;
  training.microBatches = config.micro_batches();
  training.copies = std::max(config.interleave_num(), 1); // 0: chosen later
  training.microReduction = config.micro_reduction() == abi::MICRO_MEAN ? pipe::MicroReduction::Mean
                                                                        : pipe::MicroReduction::Sum;
  training.wideGradients = config.gradient_fp32_sync();
  if (options.trains())
    if (llvm::Error error = autodiff::checkTrainingOptions(training))
      return error;
  if (!options.evaluatedLoss.empty())
    return autodiff::parseLoss(options.evaluatedLoss).takeError();
  return llvm::Error::success();
}

bool pcc::isCut(const CompileOptions &options) {
  return getPipelineShape(options.parallel).devices > 1 || options.recomputes() ||
         options.shardsParameters();
}

CompileOptions pcc::getSingleRankOptions(CompileOptions options) {
  options.obeysAnnotations = options.parallel.parallel_mode() == abi::STAND_ALONE;
  options.obeysStages = false;
  options.parallel.set_device_num(1);
  options.parallel.set_pipeline_stages(1);
  options.parallel.set_virtual_stages(1);
  options.parallel.set_pipeline_schedule(abi::SCHEDULE_1F1B);
  options.parallel.clear_global_rank();
  options.parallel.set_parallel_mode(abi::STAND_ALONE);
  options.strategy.reset();
  options.constraints.reset();
  options.receiveStrategy = nullptr;
  options.parallel.clear_strategy_ckpt_load_file();
  options.parallel.clear_strategy_ckpt_save_file();
  options.parallel.clear_group_ckpt_save_file();
  options.recomputedParts.emplace();
  options.recomputesNamedOps = false;
  return options;
}
