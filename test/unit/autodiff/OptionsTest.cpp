// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of --loss, --optimizer and --micro-reduction, and every error about them.
#include "passes/autodiff/TrainingOptions.h"
#include "passes/autodiff/options/Losses.h"
#include "passes/autodiff/options/Optimizers.h"

#include <gtest/gtest.h>

using namespace pcc;
using namespace pcc::autodiff;

namespace {

template <typename T> std::string errorOf(llvm::Expected<T> parsed) {
  return parsed ? "" : llvm::toString(parsed.takeError());
}

TEST(LossFlag, HoldsNamesAndOptions) {
  auto spec = parseLoss("softmax_cross_entropy:logits:0, labels,reduction=sum,ignore_index=-100");
  ASSERT_TRUE(bool(spec)) << llvm::toString(spec.takeError());
  EXPECT_EQ(spec->kind->name, "softmax_cross_entropy");
  EXPECT_EQ(spec->prediction, "logits:0");
  EXPECT_EQ(spec->labels, "labels");
  EXPECT_EQ(spec->reduction, graph::LossReduction::Sum);
  EXPECT_EQ(spec->ignoreIndex, -100);
}

TEST(LossFlag, LeavesEverythingOut) {
  auto spec = parseLoss("softmax_cross_entropy");
  ASSERT_TRUE(bool(spec)) << llvm::toString(spec.takeError());
  EXPECT_EQ(spec->prediction, "");
  EXPECT_EQ(spec->labels, "");
  EXPECT_EQ(spec->reduction, graph::LossReduction::Mean);
  EXPECT_FALSE(spec->ignoreIndex.has_value());
}

TEST(LossFlag, NamesWhatIsWrong) {
  EXPECT_EQ(errorOf(parseLoss("hinge")),
            "unknown loss 'hinge'; known: 'softmax_cross_entropy', 'nll', 'mse', "
            "'sigmoid_cross_entropy', 'output'");
  EXPECT_EQ(errorOf(parseLoss("nll,ignore_index=-100")),
            "expected ':' behind the name of the loss, as in 'nll:ignore_index=-100', got ','");
  EXPECT_EQ(errorOf(parseLoss("softmax_cross_entropy:a,b,c")),
            "expected at most two names in loss 'softmax_cross_entropy', a prediction and labels, "
            "got 3");
  EXPECT_EQ(errorOf(parseLoss("output:a,b")), "expected one name in loss 'output', got 2");
  EXPECT_EQ(errorOf(parseLoss("output:a,reduction=sum")),
            "unknown option 'reduction' of loss 'output', which has none");
  EXPECT_EQ(errorOf(parseLoss("softmax_cross_entropy:a,,b")),
            "expected an option between the commas of loss 'softmax_cross_entropy', got ''");
  EXPECT_EQ(errorOf(parseLoss("softmax_cross_entropy:a,weight=2")),
            "unknown option 'weight' of loss 'softmax_cross_entropy'; known: 'reduction', "
            "'ignore_index'");
  EXPECT_EQ(errorOf(parseLoss("softmax_cross_entropy:reduction=max")),
            "option 'reduction': expected mean or sum, got 'max'");
  EXPECT_EQ(errorOf(parseLoss("softmax_cross_entropy:ignore_index=1.5")),
            "option 'ignore_index': expected an integer, got '1.5'");
}

TEST(OptimizerFlag, HoldsOptions) {
  auto momentum = parseOptimizer("momentum,lr=0.01,momentum=0.8,weight_decay=1e-4,nesterov");
  ASSERT_TRUE(bool(momentum)) << llvm::toString(momentum.takeError());
  EXPECT_EQ(momentum->kind->name, "momentum");
  EXPECT_EQ(momentum->momentum, 0.8);
  EXPECT_EQ(momentum->weightDecay, 1e-4);
  EXPECT_TRUE(momentum->nesterov);
  auto sgd = parseOptimizer("sgd, lr = 0.5");
  ASSERT_TRUE(bool(sgd)) << llvm::toString(sgd.takeError());
  EXPECT_EQ(sgd->weightDecay, 0.0);
}

TEST(OptimizerFlag, NamesWhatIsWrong) {
  EXPECT_EQ(
      errorOf(parseOptimizer("adamax,lr=1")),
      "unknown optimizer 'adamax'; known: 'sgd', 'momentum', 'adam', 'adam_weight_decay', 'adamw', "
      "'lamb', 'adagrad'");
  EXPECT_EQ(errorOf(parseOptimizer("sgd")), "optimizer 'sgd' needs a learning rate: add lr=NUMBER");
  EXPECT_EQ(errorOf(parseOptimizer("sgd,lr=fast")),
            "option 'lr': expected a number of at least 0, got 'fast'");
  EXPECT_EQ(errorOf(parseOptimizer("sgd,lr=-1")),
            "option 'lr': expected a number of at least 0, got '-1'");
  EXPECT_EQ(errorOf(parseOptimizer("sgd,lr=inf")),
            "option 'lr': expected a number of at least 0, got 'inf'");
  EXPECT_EQ(errorOf(parseOptimizer("sgd,lr=1,lr=2")),
            "option 'lr' of optimizer 'sgd' is given twice");
  EXPECT_EQ(
      errorOf(parseOptimizer("sgd,lr=1,nesterov")),
      "unknown option 'nesterov' of optimizer 'sgd'; known: 'lr', 'schedule', 'steps', 'every', "
      "'factor', 'least', 'warmup', 'weight_decay'");
  EXPECT_EQ(errorOf(parseOptimizer("momentum,lr=1,nesterov=maybe")),
            "option 'nesterov': expected true or false, got 'maybe'");
  EXPECT_EQ(errorOf(parseOptimizer("adam,lr=1,beta1=1")),
            "option 'beta1': expected a number in [0, 1), got '1'");
  EXPECT_EQ(errorOf(parseOptimizer("lamb,lr=1,beta2=-0.5")),
            "option 'beta2': expected a number in [0, 1), got '-0.5'");
  auto adamw = parseOptimizer("adamw,lr=1");
  ASSERT_TRUE(bool(adamw));
  EXPECT_EQ(adamw->weightDecay, 0.01); // as torch.optim.AdamW
  EXPECT_EQ(errorOf(parseOptimizer("adam_weight_decay,lr=1,eps=0")),
            "option 'eps': expected a number above 0, got '0'");
  EXPECT_EQ(errorOf(parseOptimizer("adagrad,lr=1,eps=little")),
            "option 'eps': expected a number above 0, got 'little'");
  EXPECT_EQ(
      errorOf(parseOptimizer("adagrad,lr=1,beta1=0.5")),
      "unknown option 'beta1' of optimizer 'adagrad'; known: 'lr', 'schedule', 'steps', 'every', "
      "'factor', 'least', 'warmup', 'eps', 'weight_decay'");
}

TEST(OptimizerFlag, HasTheDefaultsOfThePapers) {
  auto adam = parseOptimizer("adam,lr=0.001");
  ASSERT_TRUE(bool(adam)) << llvm::toString(adam.takeError());
  EXPECT_EQ(adam->beta1, 0.9);
  EXPECT_EQ(adam->beta2, 0.999);
  EXPECT_EQ(adam->epsilon, 1e-8);
  EXPECT_TRUE(adam->kind->takesStep);
  auto lamb = parseOptimizer("lamb,lr=0.001,beta1=0.5,beta2=0.25,eps=1e-3,weight_decay=0.1");
  ASSERT_TRUE(bool(lamb)) << llvm::toString(lamb.takeError());
  EXPECT_EQ(lamb->beta1, 0.5);
  EXPECT_EQ(lamb->beta2, 0.25);
  EXPECT_EQ(lamb->epsilon, 1e-3);
  EXPECT_EQ(lamb->weightDecay, 0.1);
  auto adagrad = parseOptimizer("adagrad,lr=0.001");
  ASSERT_TRUE(bool(adagrad)) << llvm::toString(adagrad.takeError());
  EXPECT_EQ(adagrad->epsilon, 1e-10);
  EXPECT_FALSE(adagrad->kind->takesStep);
}

TEST(TrainingOptions, AreCheckedBeforeThereIsAModel) {
  auto check = [](TrainingOptions options) {
    return llvm::toString(checkTrainingOptions(options));
  };
  EXPECT_EQ(check({"", "sgd,lr=1"}), "");
  EXPECT_EQ(check({"hinge", "sgd,lr=1"}),
            "unknown loss 'hinge'; known: 'softmax_cross_entropy', 'nll', 'mse', "
            "'sigmoid_cross_entropy', 'output'");
  EXPECT_EQ(
      check({"", "adamax"}),
      "unknown optimizer 'adamax'; known: 'sgd', 'momentum', 'adam', 'adam_weight_decay', 'adamw', "
      "'lamb', 'adagrad'");
  EXPECT_EQ(check({"", "sgd,lr=1", 0}),
            "'--micro-batches': expected at least one microbatch, got 0");
  EXPECT_EQ(check({"", "sgd,lr=1", 1, -2}),
            "'--interleave-num': expected at least one copy, got -2");
}

} // namespace
