# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of models.py in torch on one device, the host or a GPU: eager, and compiled whole by torch.compile."""

import sys

import common
import models
import torch
import torch_networks
import torch_steps

options = common.arguments()
place = torch.device("cuda" if options.gpu else "cpu")
wait = torch.cuda.synchronize if options.gpu else (lambda: None)
# Steps between two waits, so that a GPU never idles until the host answers.
together = 5 if options.gpu else 1


def make(timed, compiled):
    """A function that does one step. On a GPU images have their channels last, as its convolutions like them best."""
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = timed.type == "tf32"
    torch.backends.cudnn.benchmark = True
    network, inputs, labels = torch_networks.build(timed)
    element = torch.bfloat16 if timed.type == "bf16" else torch.float32
    layout = torch.channels_last if options.gpu and timed.model == "resnet" else torch.preserve_format
    network = network.to(place, element, memory_format=layout)
    inputs, labels = inputs.to(place), labels.to(place)
    if inputs.is_floating_point():
        inputs = inputs.to(element, memory_format=layout)
    if compiled:
        return torch_steps.compiled_step(network, inputs, labels, models.RATE, models.MOMENTUM)
    optimizer = torch.optim.SGD(network.parameters(), lr=models.RATE, momentum=models.MOMENTUM, fused=options.gpu)
    return torch_steps.eager_step(network, inputs, labels, optimizer)


def matmul_rate():
    """TFLOP/s of a product of bf16 matrices of 8192 x 8192: what the share of the peak is of."""
    a, b = (torch.randn(8192, 8192, device=place, dtype=torch.bfloat16) for _ in range(2))
    fastest = common.measure(lambda: a @ b, 50, wait, together=10)["min_ms"]
    return 2 * 8192**3 / fastest / 1e9


results = []
for timed in common.chosen_models(options):
    for compiled in (False, True):
        step = make(timed, compiled)
        try:
            compile_seconds = common.first_call(step, wait)
        except Exception as failure:  # of the compiler; the eager figures do not need it
            if not compiled:
                raise
            print(f"torch.compile: {timed.name}: {failure}", file=sys.stderr)
            continue
        who = f"torch {torch.__version__.split('+')[0]}" + (" compiled" if compiled else "")
        results.append({"who": who, "model": timed.name, "devices": 1, "compile_s": compile_seconds,
                        **common.measure(step, timed.steps_of(options.quick), wait, together)})
if options.gpu:
    results.append({"who": "peak", "gpu": torch.cuda.get_device_name(), "tflops": matmul_rate()})
common.print_rows(results)
