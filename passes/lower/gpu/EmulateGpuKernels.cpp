// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// EmulateGpuKernels: turns kernels of a GPU into kernels of the host, so that their loops can be
// run and tested without a GPU.
//
//   void k(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end) {
//     pcc_gpu_run(k.thread, buffers, scalars, begin, end, threads);    blocks begin … end-1
//   }
//
// `k.arguments` are two numbers: of its buffers, of its scalars. `k.thread` is the code of one
// thread. Thread and block numbers, barriers and exchanges are calls of functions pcc_gpu_…, which
// the loader of the object must provide. Shared memory is a variable of the object, so one block
// runs at a time.
#include "passes/lower/Passes.h"
#include "passes/lower/host/ConvertToLLVM.h"
#include "passes/lower/host/EmitKernels.h"

#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace pcc::lower {
#define GEN_PASS_DEF_EMULATEGPUKERNELS
#include "passes/lower/Passes.h.inc"

/// Calls a function of the emulator, and declares it if necessary.
static LLVM::CallOp callEmulator(OpBuilder &b, Location loc, StringRef name, Type result,
                                 ValueRange arguments) {
  auto module = b.getBlock()->getParent()->getParentOfType<ModuleOp>();
  Type returned = result ? result : LLVM::LLVMVoidType::get(b.getContext());
  if (!module.lookupSymbol(name)) {
    OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
    LLVM::LLVMFuncOp::create(
        outside, loc, name,
        LLVM::LLVMFunctionType::get(returned, SmallVector<Type>(arguments.getTypes())));
  }
  return LLVM::CallOp::create(b, loc, result ? TypeRange(result) : TypeRange(), name, arguments);
}

namespace {
/// Converts thread and block numbers to calls.
template <typename OpT> struct NumberToCall : OpConversionPattern<OpT> {
  NumberToCall(const TypeConverter &converter, MLIRContext *context, StringRef name)
      : OpConversionPattern<OpT>(converter, context), name(name) {}
  LogicalResult matchAndRewrite(OpT op, typename OpT::Adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, callEmulator(b, op.getLoc(), name, b.getI64Type(), {}));
    return success();
  }
  StringRef name;
};

struct BarrierToCall : OpConversionPattern<gpu::BarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    callEmulator(b, op.getLoc(), "pcc_gpu_barrier", {}, {});
    b.eraseOp(op);
    return success();
  }
};

struct ShuffleToCall : OpConversionPattern<gpu::ShuffleOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(gpu::ShuffleOp op, OpAdaptor operands,
                                ConversionPatternRewriter &b) const override {
    bool isXor = op.getMode() == gpu::ShuffleMode::XOR;
    Value value =
        callEmulator(b, op.getLoc(), isXor ? "pcc_gpu_shuffle_xor" : "pcc_gpu_shuffle_from",
                     b.getI32Type(), {operands.getValue(), operands.getOffset()})
            .getResult();
    Value valid = LLVM::ConstantOp::create(b, op.getLoc(), b.getBoolAttr(true));
    b.replaceOp(op, {value, valid});
    return success();
  }
};

struct VoteToCall : OpConversionPattern<NVVM::VoteSyncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(NVVM::VoteSyncOp op, OpAdaptor operands,
                                ConversionPatternRewriter &b) const override {
    if (op.getKind() != NVVM::VoteSyncKind::any)
      return failure();
    Location loc = op.getLoc();
    Value own = LLVM::ZExtOp::create(b, loc, b.getI32Type(), operands.getPred());
    Value any = callEmulator(b, loc, "pcc_gpu_any", b.getI32Type(), own).getResult();
    b.replaceOpWithNewOp<LLVM::TruncOp>(op, b.getI1Type(), any);
    return success();
  }
};
} // namespace

/// Loads `count` elements of an array.
static void unpack(ImplicitLocOpBuilder &b, Value array, Type element, int32_t count,
                   SmallVector<Value> &values) {
  for (int32_t i = 0; i < count; ++i) {
    Value address =
        LLVM::GEPOp::create(b, array.getType(), element, array, ArrayRef<LLVM::GEPArg>{i});
    values.push_back(LLVM::LoadOp::create(b, element, address));
  }
}

/// Adds to a GPU function an entry function of the host's form.
static void addEntry(LLVM::LLVMFuncOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type(), none = LLVM::LLVMVoidType::get(b.getContext());
  std::string name = kernel.getName().str();
  kernel.setName(name + ".body");
  kernel.setLinkage(LLVM::Linkage::Internal);
  auto grid = kernel->getAttrOfType<DenseI64ArrayAttr>(gridAttrName);
  for (StringRef attribute : {NVVM::NVVMDialect::getKernelFuncAttrName(),
                              NVVM::NVVMDialect::getReqntidAttrName(), StringRef(gridAttrName)})
    kernel->removeAttr(attribute);

  auto thread = LLVM::LLVMFuncOp::create(b, name + ".thread",
                                         LLVM::LLVMFunctionType::get(none, {pointer, pointer}),
                                         LLVM::Linkage::Internal);
  auto entry = LLVM::LLVMFuncOp::create(
      b, name, LLVM::LLVMFunctionType::get(none, {pointer, pointer, i64, i64}));
  entry->setAttr(gridAttrName, grid);
  Block *block = thread.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  SmallVector<Value> arguments;
  auto isPointer = [](Type type) { return isa<LLVM::LLVMPointerType>(type); };
  int32_t buffers = llvm::count_if(kernel.getArgumentTypes(), isPointer);
  unpack(b, block->getArgument(0), pointer, buffers, arguments);
  int32_t scalars = int32_t(kernel.getNumArguments()) - buffers;
  unpack(b, block->getArgument(1), i64, scalars, arguments);
  LLVM::CallOp::create(b, kernel, arguments);
  LLVM::ReturnOp::create(b, ValueRange());

  block = entry.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  arguments.assign({LLVM::AddressOfOp::create(b, thread)});
  llvm::append_range(arguments, block->getArguments());
  arguments.push_back(LLVM::ConstantOp::create(b, b.getI64IntegerAttr(grid[1])));
  callEmulator(b, b.getLoc(), "pcc_gpu_run", {}, arguments);
  LLVM::ReturnOp::create(b, ValueRange());

  b.setInsertionPoint(entry);
  LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI32Type(), 2), /*isConstant=*/true,
                         LLVM::Linkage::External, name + ".arguments",
                         b.getI32TensorAttr({buffers, scalars}));
}

namespace {
struct EmulateGpuKernels : impl::EmulateGpuKernelsBase<EmulateGpuKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto kernels : llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>())) {
      if (failed(convert(kernels)))
        return signalPassFailure();
      for (auto function : llvm::to_vector(kernels.getOps<LLVM::LLVMFuncOp>()))
        if (function->hasAttr(gridAttrName))
          addEntry(function);
      Block *body = module.getBody(), *own = kernels.getBody();
      body->getOperations().splice(body->end(), own->getOperations());
      kernels.erase();
    }
  }

  LogicalResult convert(gpu::GPUModuleOp kernels) {
    if (failed(approximateMath(kernels)))
      return failure();
    disableUnsafeVectorization(kernels);
    MLIRContext *context = &getContext();
    LLVMTypeConverter converter(context);
    RewritePatternSet patterns(context);
    populateKernelPatterns(converter, patterns);
    populateDoubleFunctions(patterns);
    patterns.add<NumberToCall<gpu::ThreadIdOp>>(converter, context, "pcc_gpu_thread");
    patterns.add<NumberToCall<gpu::BlockIdOp>>(converter, context, "pcc_gpu_block");
    patterns.add<BarrierToCall, ShuffleToCall, VoteToCall>(converter, context);
    ConversionTarget target(*context);
    target.addLegalDialect<LLVM::LLVMDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    return applyFullConversion(kernels, target, std::move(patterns));
  }
};
} // namespace
} // namespace pcc::lower
