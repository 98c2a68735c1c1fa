// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes from a forward model to a training step, in this order.
#ifndef PCC_PASSES_AUTODIFF_PASSES_TD
#define PCC_PASSES_AUTODIFF_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttachLoss : Pass<"autodiff-attach-loss", "::mlir::ModuleOp"> {
  let summary = "make @forward_loss: @forward followed by a loss";
  let description = [{
    Copies @forward to @forward_loss, which takes the labels as one more input and yields the loss
    instead of the outputs. @forward stays as it is, for evaluation. The labels are the input of the
    given name, or a new input if @forward has none of that name. The loss `output` is an output of
    @forward, without labels. With `labels-only` there is no @forward_loss, and @forward takes the
    labels, which no op in it reads.
  }];
  let options = [Option<"loss", "loss", "std::string", [{"softmax_cross_entropy"}],
                        "KIND[:PREDICTION[,LABELS]][,OPTION=VALUE…]">,
                 Option<"labelsOnly", "labels-only", "bool", "false",
                        "add the labels, but no loss">];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def CheckParameters : Pass<"autodiff-check-parameters", "::mlir::ModuleOp"> {
  let summary = "refuse a model whose parameters an exporter changed";
  let description = [{
    The attribute `graph.altered_parameters` of the module lists the changes to parameters. Such a
    model can be evaluated, but training it would train another module.
  }];
}

def SeparateModes : Pass<"autodiff-separate-modes", "::mlir::ModuleOp"> {
  let summary = "separate @forward_loss, which is trained, from @forward, which is evaluated";
  let description = [{
    In @forward_loss batch norms take the statistics of the batch and yield new running statistics.
    The inference form does so too if parameters hold its statistics. The seeds of random numbers
    follow the number of the run, a new argument with the role of a step. In @forward batch norms
    take the running statistics and dropout is left out. If @forward has a loss of its own,
    @forward_loss is made as its copy.
  }];
  let options = [Option<"freezeBatchNorm", "freeze-batch-norm", "bool", "false",
                        "the inference form of batch norm stays: its statistics are fixed">];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def FreezeParameters : Pass<"autodiff-freeze-parameters", "::mlir::ModuleOp"> {
  let summary = "exclude the parameters of given names from training";
  let description = [{
    Makes every parameter in whose name the regular expression `names` is found untrainable. It is
    an error if there is none.
  }];
  let options = [Option<"names", "names", "std::string", [{""}],
                        "regular expression, found anywhere in a name">];
}

def AdaptLossToParts : Pass<"autodiff-adapt-loss-to-parts", "::mlir::ModuleOp"> {
  let summary = "make the mean of the losses of a batch's parts the loss of the batch";
  let description = [{
    For steps that run on parts of the batch, microbatches times copies. In a loss, each sum over
    samples is multiplied by the number of parts, if `micro-reduction` is mean. A loss may divide by
    the number of labels that are not ignored, or by another number that follows from the inputs.
    That of the batch is not known before its last part. This pass lets each part divide by the
    number of its positions, a constant, and return the share of them that counts as the gradient of
    the state `counted_share`, which it declares. autodiff-build-update divides the accumulated loss
    and gradients by the accumulated share. Warns of losses with several such divisions, and of batch
    norms, which take the statistics of a part. Makes @forward_loss from @forward, if the model has
    a loss of its own.
  }];
  let options = [
    Option<"microBatches", "micro-batches", "int64_t", "1", "microbatches of a step (m)">,
    Option<"copies", "copies", "int64_t", "1", "interleaved copies of a microbatch (k)">,
    Option<"microReduction", "micro-reduction", "::pcc::pipe::MicroReduction",
           "::pcc::pipe::MicroReduction::Sum", "how microbatches and copies are combined", [{
      ::llvm::cl::values(
        clEnumValN(::pcc::pipe::MicroReduction::Sum, "sum", "sum of losses, gradients over m"),
        clEnumValN(::pcc::pipe::MicroReduction::Mean, "mean", "mean of both over m k"))
    }]>];
  let dependentDialects = ["::pcc::graph::GraphDialect", "::pcc::pipe::PipeDialect"];
}

def Differentiate : Pass<"autodiff-differentiate", "::mlir::ModuleOp"> {
  let summary = "make @forward_backward: the loss and its gradients";
  let description = [{
    Turns @forward_loss (or a copy of @forward, if the model has a loss of its own) into
    @forward_backward(inputs, parameters) -> (loss, gradients of the trainable parameters, updated
    running statistics) by reverse-mode differentiation. Gradients are plain graph ops. They leave
    in f32, whatever the parameter's type, so that they are added over the ranks in f32. Without
    `wide-gradients` they leave in their parameter's type. The loss is multiplied by `loss-scale`
    for its gradients, but not in the result. With `dynamic-loss-scale` the factor is the parameter
    `loss_scale`, which this pass declares with its states. A parameter from which the loss is not
    computed becomes untrainable, with a warning. Every op without a derivative is
    reported before anything is changed.
  }];
  let options = [Option<"wideGradients", "wide-gradients", "bool", "true",
                        "gradients of f16 and bf16 parameters leave in f32">,
                 Option<"lossScale", "loss-scale", "double", "1",
                        "factor of the loss; its first value, if it is dynamic">,
                 Option<"dynamicLossScale", "dynamic-loss-scale", "bool", "false",
                        "the factor is a parameter">];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def BuildUpdate : Pass<"autodiff-build-update", "::mlir::ModuleOp"> {
  let summary = "make @update: one optimizer step, and declare the optimizer's states";
  let description = [{
    Adds @update(parameters, gradients, states[, step]) -> (parameters, states) for the gradients of
    @forward_backward. Declares the states of parameter w as parameters w.STATE: not trainable, in
    f32 (f64 for a parameter of f64), at first zero, with the attribute `graph.state_of = @w`. The
    number of the step is an argument if the optimizer depends on it. All gradients are divided by
    `loss-scale`, and multiplied by a number so that their global norm is at most `clip-norm`. With
    `skip-nonfinite` or `dynamic-loss-scale`, gradients that are not finite skip the step; with the
    latter the states of the loss scale are updated.
  }];
  let options = [Option<"optimizer", "optimizer", "std::string", [{""}],
                        "KIND[,OPTION=VALUE…]">,
                 Option<"clipNorm", "clip-norm", "double", "0",
                        "limit of the global norm of the gradients; 0: none">,
                 Option<"lossScale", "loss-scale", "double", "1",
                        "factor of the loss, as given to autodiff-differentiate">,
                 Option<"dynamicLossScale", "dynamic-loss-scale", "bool", "false",
                        "the factor is the parameter loss_scale">,
                 Option<"skipNonfinite", "skip-nonfinite", "bool", "false",
                        "gradients that are not finite skip the step">];
  let dependentDialects = ["::pcc::graph::GraphDialect", "::pcc::pipe::PipeDialect"];
}

def BuildStep : Pass<"autodiff-build-step", "::mlir::ModuleOp"> {
  let summary = "make the step @train: the actions of @forward_backward, then @update";
  let description = [{
    Lists one action of @forward_backward for each microbatch of each copy, then one of @update, and
    annotates loss and gradients as accumulated. The scales follow `micro-reduction`: sum multiplies
    the gradients by 1/m and leaves the loss, mean multiplies both by 1/(m k), for m microbatches of
    k copies each.
  }];
  let options = [
    Option<"microBatches", "micro-batches", "int64_t", "1", "microbatches of a step (m)">,
    Option<"copies", "copies", "int64_t", "1", "interleaved copies of a microbatch (k)">,
    Option<"microReduction", "micro-reduction", "::pcc::pipe::MicroReduction",
           "::pcc::pipe::MicroReduction::Sum", "how microbatches and copies are combined", [{
      ::llvm::cl::values(
        clEnumValN(::pcc::pipe::MicroReduction::Sum, "sum", "sum of losses, gradients over m"),
        clEnumValN(::pcc::pipe::MicroReduction::Mean, "mean", "mean of both over m k"))
    }]>];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

#endif // PCC_PASSES_AUTODIFF_PASSES_TD
