# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Entry points for people. Every target does its own set-up: on a fresh Debian 12, `make demo` is enough.

BUILD ?= build
JOBS ?= $(shell nproc)

# Containers pass between instrumented code and LLVM's, which is not instrumented; neither is OpenMP's library.
ASAN = ASAN_OPTIONS=detect_container_overflow=0:detect_odr_violation=0:allow_user_poisoning=0 \
       LSAN_OPTIONS=suppressions=$(CURDIR)/tools/dev/lsan.supp:print_suppressions=0
TSAN = TSAN_OPTIONS=suppressions=$(CURDIR)/tools/dev/tsan.supp

.PHONY: help deps build demo test test-full test-onnxruntime test-onnx-nodes test-models test-asan test-tsan test-gpu fuzz bench bench-peers bench-gpu docs format presubmit hooks clean

help: ## lists the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

deps: ## installs missing Debian packages
	@tools/dev/install-deps

# configure PRESET,FOLDER[,FLAGS]: runs CMake once, and again if CMake itself sees a need.
configure = test -f $(2)/build.ninja || cmake --preset $(1) -B $(2) --log-level=WARNING $(3)

build: deps ## builds everything but the benchmarks, in build/
	@$(call configure,release,$(BUILD))
	@ninja -C $(BUILD) -j $(JOBS)

demo: deps ## trains a digit classifier on eight ranks, from nothing
	@$(call configure,release,$(BUILD))
	@ninja -C $(BUILD) -j $(JOBS) pcc
	@examples/mnist-mlp/run $(BUILD)/bin/pcc

test: build ## runs all tests, matrices by a seeded sample
	@tools/dev/run-tests $(BUILD)

test-full: build ## runs all tests, matrices completely
	@PCC_TEST_FULL=1 tools/dev/run-tests $(BUILD)

test-onnxruntime: deps ## compares random ONNX graphs (COUNT=3000) in pcc and in onnxruntime, in a separate virtual environment
	@$(call configure,release,$(BUILD))
	@ninja -C $(BUILD) -j $(JOBS) onnx-graphs
	@test/fuzz/onnx/compare-onnxruntime $(BUILD) $(or $(COUNT),3000)

test-models: deps ## trains public models in pcc and in torch (MODELS="gpt2 vit"), in a separate virtual environment
	@$(call configure,release,$(BUILD))
	@ninja -C $(BUILD) -j $(JOBS) pcc
	@test/models/compare-models $(BUILD) $(MODELS)

test-onnx-nodes: deps ## runs the node tests of the newest ONNX package, in a separate virtual environment (ARGS=--only=lstm)
	@$(call configure,release,$(BUILD))
	@ninja -C $(BUILD) -j $(JOBS) pcc check-onnx-nodes
	@test/conformance/onnx_nodes/run-onnx-nodes $(BUILD) $(ARGS)

test-asan: deps ## runs the tests under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer; needs clang-22 and libclang-rt-22-dev
	@test/fuzz/readers/fuzz-readers --check-packages
	@$(call configure,asan,build-asan)
	@ninja -C build-asan -j $(JOBS)
	@$(ASAN) tools/dev/run-tests build-asan

test-tsan: deps ## runs the runtime's tests under ThreadSanitizer; needs clang-22 and libclang-rt-22-dev
	@test/fuzz/readers/fuzz-readers --check-packages
	@$(call configure,tsan,build-tsan)
	@ninja -C build-tsan -j $(JOBS) runtime-tests
	@$(TSAN) tools/dev/run-tests build-tsan --label runtime

fuzz: deps ## fuzzes the readers of files for MINUTES=1 of CPU time each (TARGET="onnx module"); needs clang-22 and libclang-rt-22-dev
	@test/fuzz/readers/fuzz-readers --check-packages
	@$(call configure,fuzz,build-fuzz)
	@ninja -C build-fuzz -j $(JOBS) $(if $(TARGET),$(addprefix fuzz-,$(TARGET)),fuzz-targets)
	@test/fuzz/readers/fuzz-readers build-fuzz $(TARGET) --minutes=$(or $(MINUTES),1)

test-gpu: deps ## runs programs on a GPU: of this machine, of HOST=USER@MACHINE, or CHIP=emulator
	@$(call configure,release,$(BUILD))
	@ninja -C $(BUILD) -j $(JOBS) pcc pcc-run $(if $(filter emulator,$(CHIP)),test/emulator/all)
	@tools/dev/test-gpu $(BUILD) $(if $(HOST),--host=$(HOST)) $(if $(CHIP),--chip=$(CHIP))

bench: deps ## times steps next to this machine's own limits
	@cmake --preset release -B $(BUILD) --log-level=WARNING -DPCC_BUILD_BENCH=ON
	@ninja -C $(BUILD) -j $(JOBS)
	@bench/run $(BUILD)

bench-peers: bench ## times the same work in jax and torch, in a separate virtual environment
	@bench/peers/run $(BUILD)

bench-gpu: deps ## times training steps on a GPU next to torch and jax: of this machine, or of HOST=USER@MACHINE
	@$(call configure,release,$(BUILD))
	@ninja -C $(BUILD) -j $(JOBS) pcc pcc-run
	@bench/gpu/bench-gpu $(BUILD) $(if $(HOST),--host=$(HOST)) $(if $(CHIP),--chip=$(CHIP))

docs: deps ## regenerates docs/generated
	@$(call configure,release,$(BUILD))
	@ninja -C $(BUILD) -j $(JOBS) pcc
	@tools/dev/generate-docs --pcc=$(BUILD)/bin/pcc

format: ## formats the C++ sources
	@tools/dev/presubmit --fix format

presubmit: ## checks format, layers, sizes, words, generated docs and, with clang-tidy, changed files
	@tools/dev/presubmit

hooks: ## installs the git hooks that check commits
	@git config core.hooksPath tools/dev/hooks

clean: ## removes the build folders
	@rm -rf build build-debug build-asan build-tsan build-fuzz
