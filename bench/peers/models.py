# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models that are timed beside the peers, in one place: what `pcc example` is asked for, and what peers build."""

RATE, MOMENTUM = 0.01, 0.9
GPT = {"batch": 8, "sequence": 256, "layers": 4, "width": 256, "heads": 4, "vocabulary": 256}
RESNET = {"batch": 32, "image": 32, "depth": 18, "stem": 3, "classes": 10}
STEPS = {"gpt": 20, "resnet": 10}


def steps_of(model, quick):
    return 5 if quick else STEPS[model]
