# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPT of models.py in jax on 1 or 8 host devices, data parallel; every step is waited for."""

import os

import common

options = common.arguments()
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={options.devices}"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import models
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

mesh = Mesh(np.array(jax.devices()), ("dp",))
whole, rows = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec("dp"))
sizes = models.GPT
width, heads, sequence = sizes["width"], sizes["heads"], sizes["sequence"]


def normed(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    variance = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def attended(x, block):
    heads_of = lambda name: (x @ block[name] + block[name + "_bias"]).reshape(*x.shape[:2], heads, -1)
    q, k, v = heads_of("q"), heads_of("k"), heads_of("v")
    result = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    return result.reshape(x.shape) @ block["proj"] + block["proj_bias"]


def loss(parameters, ids, labels):
    x = parameters["words"][ids] + parameters["places"]
    for block in parameters["blocks"]:
        x = x + attended(normed(x, block["ln1"], block["ln1_bias"]), block)
        hidden = jax.nn.gelu(normed(x, block["ln2"], block["ln2_bias"]) @ block["fc"] + block["fc_bias"])
        x = x + hidden @ block["out"] + block["out_bias"]
    logits = normed(x, parameters["norm"], parameters["norm_bias"]) @ parameters["head"]
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1).mean()


@jax.jit
def train(parameters, velocities, ids, labels):
    value, gradients = jax.value_and_grad(loss)(parameters, ids, labels)
    velocities = jax.tree.map(lambda v, g: models.MOMENTUM * v + g, velocities, gradients)
    return jax.tree.map(lambda p, v: p - models.RATE * v, parameters, velocities), velocities, value


def make_parameters(random):
    normal = lambda *shape: random.normal(0, 0.02, shape).astype(np.float32)
    zeros, ones = (lambda n: np.zeros(n, np.float32)), (lambda n: np.ones(n, np.float32))

    def block():
        result = {"ln1": ones(width), "ln1_bias": zeros(width), "ln2": ones(width), "ln2_bias": zeros(width)}
        shapes = dict.fromkeys("qkv", (width, width)) | {
            "proj": (width, width), "fc": (width, 4 * width), "out": (4 * width, width)}
        for name, shape in shapes.items():
            result |= {name: normal(*shape), name + "_bias": zeros(shape[1])}
        return result

    return {"words": normal(sizes["vocabulary"], width), "places": normal(sequence, width),
            "blocks": [block() for _ in range(sizes["layers"])], "norm": ones(width), "norm_bias": zeros(width),
            "head": normal(width, sizes["vocabulary"])}


random = np.random.default_rng(0)
parameters = jax.device_put(make_parameters(random), whole)
state = [parameters, jax.tree.map(jnp.zeros_like, parameters)]
ids, labels = (jax.device_put(random.integers(0, sizes["vocabulary"], (sizes["batch"], sequence)).astype(np.int32), rows)
               for _ in range(2))


def step():
    state[0], state[1], value = train(state[0], state[1], ids, labels)
    jax.block_until_ready((state, value))


compile_seconds = common.first_call(step)
common.print_rows([{"who": f"jax {jax.__version__}", "model": "gpt", "devices": options.devices,
                    "compile_s": compile_seconds, **common.measure(step, models.steps_of("gpt", options.quick))}])
