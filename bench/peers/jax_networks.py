# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of models.py in jax: their parameters, and their losses as functions of parameters, inputs and labels."""

import jax
import jax.numpy as jnp
import models
import numpy as np


def loss_of(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits.astype(jnp.float32)), labels[..., None], -1).mean()


def normal(random, *shape):
    return random.normal(0, 0.02, shape).astype(np.float32)


def zeros(count):
    return np.zeros(count, np.float32)


def ones(count):
    return np.ones(count, np.float32)


class Mlp:
    def __init__(self, sizes):
        self.sizes = sizes

    def parameters(self, random):
        widths = (784, self.sizes["width"], self.sizes["width"], self.sizes["classes"])
        return [(normal(random, m, n), zeros(n)) for m, n in zip(widths, widths[1:])]

    def batch(self, random):
        images = random.random((self.sizes["batch"], 784), np.float32)
        return images, random.integers(0, self.sizes["classes"], self.sizes["batch"]).astype(np.int32)

    def loss(self, parameters, x, labels):
        for weight, bias in parameters[:-1]:
            x = jax.nn.relu(x @ weight + bias)
        weight, bias = parameters[-1]
        return loss_of(x @ weight + bias, labels)


def normed(x, scale, bias):
    """Layer norm, whose statistics are f32."""
    wide = x.astype(jnp.float32)
    mean = wide.mean(-1, keepdims=True)
    variance = jnp.square(wide - mean).mean(-1, keepdims=True)
    return ((wide - mean) * jax.lax.rsqrt(variance + 1e-5)).astype(x.dtype) * scale + bias


class Gpt:
    def __init__(self, sizes):
        self.sizes = sizes

    def block_parameters(self, random):
        width = self.sizes["width"]
        shapes = dict.fromkeys("qkv", (width, width)) | {
            "proj": (width, width), "fc": (width, 4 * width), "out": (4 * width, width)}
        result = {"ln1": ones(width), "ln1_bias": zeros(width), "ln2": ones(width), "ln2_bias": zeros(width)}
        for name, shape in shapes.items():
            result |= {name: normal(random, *shape), name + "_bias": zeros(shape[1])}
        return result

    def parameters(self, random):
        width, vocabulary = self.sizes["width"], self.sizes["vocabulary"]
        return {"words": normal(random, vocabulary, width), "places": normal(random, self.sizes["sequence"], width),
                "blocks": [self.block_parameters(random) for _ in range(self.sizes["layers"])],
                "norm": ones(width), "norm_bias": zeros(width), "head": normal(random, width, vocabulary)}

    def batch(self, random):
        shape = (self.sizes["batch"], self.sizes["sequence"])
        return tuple(random.integers(0, self.sizes["vocabulary"], shape).astype(np.int32) for _ in range(2))

    def attended(self, x, block):
        q, k, v = ((x @ block[name] + block[name + "_bias"]).reshape(*x.shape[:2], self.sizes["heads"], -1) for name in "qkv")
        # cuDNN's attention is the fastest on a GPU, and takes only half types.
        fast = jax.default_backend() == "gpu" and x.dtype == jnp.bfloat16
        result = jax.nn.dot_product_attention(q, k, v, is_causal=True, implementation="cudnn" if fast else None)
        return result.reshape(x.shape) @ block["proj"] + block["proj_bias"]

    def loss(self, parameters, ids, labels):
        x = parameters["words"][ids] + parameters["places"]
        for block in parameters["blocks"]:
            x = x + self.attended(normed(x, block["ln1"], block["ln1_bias"]), block)
            hidden = jax.nn.gelu(normed(x, block["ln2"], block["ln2_bias"]) @ block["fc"] + block["fc_bias"])
            x = x + hidden @ block["out"] + block["out_bias"]
        return loss_of(normed(x, parameters["norm"], parameters["norm_bias"]) @ parameters["head"], labels)


def convolved(x, weight, stride):
    edge = weight.shape[0] // 2
    return jax.lax.conv_general_dilated(x, weight, (stride, stride), ((edge, edge), (edge, edge)),
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"))


def batch_normed(x, scale, bias):
    wide = x.astype(jnp.float32)
    mean, variance = wide.mean((0, 1, 2)), wide.var((0, 1, 2))
    return ((wide - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias).astype(x.dtype)


class Resnet:
    """Its convolutions are those of models.convolutions, in their order; running statistics are left out."""

    def __init__(self, sizes):
        self.sizes = sizes

    def parameters(self, random):
        layers = [(normal(random, window, window, source, target), ones(target), zeros(target))
                  for source, target, window, _, _ in models.convolutions(self.sizes)]
        features, classes = models.features(self.sizes), self.sizes["classes"]
        return {"layers": layers, "fc": normal(random, features, classes), "fc_bias": zeros(classes)}

    def batch(self, random):
        batch, image = self.sizes["batch"], self.sizes["image"]
        images = random.random((batch, image, image, 3), np.float32)
        return images, random.integers(0, self.sizes["classes"], batch).astype(np.int32)

    def loss(self, parameters, x, labels):
        layers = zip(parameters["layers"], models.convolutions(self.sizes))

        def layer(value):
            (weight, scale, bias), (_, _, _, stride, _) = next(layers)
            return batch_normed(convolved(value, weight, stride), scale, bias)

        x = jax.nn.relu(layer(x))
        if self.sizes["stem"] == 7:
            x = jax.lax.reduce_window(x, np.array(-np.inf, x.dtype), jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1),
                                      ((0, 0), (1, 1), (1, 1), (0, 0)))
        deep = self.sizes["depth"] == 50
        for stage, blocks in enumerate((3, 4, 6, 3) if deep else (2, 2, 2, 2)):
            for index in range(blocks):
                y = x
                for last in (False, False, True) if deep else (False, True):
                    y = layer(y) if last else jax.nn.relu(layer(y))
                changes = index == 0 and (stage > 0 or deep)
                x = jax.nn.relu(y + (layer(x) if changes else x))
        return loss_of(x.mean((1, 2)) @ parameters["fc"] + parameters["fc_bias"], labels)


NETWORKS = {"mlp": Mlp, "gpt": Gpt, "resnet": Resnet}
