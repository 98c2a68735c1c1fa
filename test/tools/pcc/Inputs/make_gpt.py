# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a GPT of any size as a module: `make_gpt.py LAYERS WIDTH HEADS BATCH SEQUENCE VOCABULARY`.

The model has learned positions, and layer norms before attention and perceptron. The perceptron is four times as wide.
Matmuls have no biases; queries, keys and values have separate matmuls; the head is not the embedding. All tokens see all
others: a mask would be a constant that moves no bytes.
"""

import sys

layers, width, heads, batch, sequence, vocabulary = map(int, sys.argv[1:])
rows, inner = batch * sequence, 4 * width
flat, grid = f"{rows}x{width}xf32", f"{batch}x{sequence}x{width}xf32"
by_head = f"{batch}x{sequence}x{heads}x{width // heads}xf32"
head_first = f"{batch}x{heads}x{sequence}x{width // heads}xf32"
scores = f"{batch}x{heads}x{sequence}x{sequence}xf32"

parameters = {}  # name to shape and initializer
body = []


def parameter(name, *shape, init="<uniform, -0.05, 0.05>"):
    parameters[name] = ("x".join(map(str, shape)) + "xf32", init)
    return name


def op(result, text):
    body.append(f"    %{result} = graph.{text}")
    return result


def matmul(result, x, left, weight, *shape):
    parameter(weight, *shape)
    return op(result, f"matmul %{x}, %{weight} : tensor<{left}>, tensor<{parameters[weight][0]}>")


def layer_norm(name, x):
    """Normalizes each row by its mean and variance, then applies a gain and an offset per column."""
    repeat = lambda value, of, size, dim: op(
        f"{name}_{value}s", f"broadcast %{of}, [{dim}] : tensor<{size}xf32> to tensor<{flat}>"
    )
    op(f"{name}_mean", f"reduce mean %{x}, [1] : tensor<{flat}>")
    repeat("mean", f"{name}_mean", rows, 0)
    op(f"{name}_c", f"sub %{x}, %{name}_means : tensor<{flat}>")
    op(f"{name}_sq", f"square %{name}_c : tensor<{flat}>")
    op(f"{name}_var", f"reduce mean %{name}_sq, [1] : tensor<{flat}>")
    op(f"{name}_eps", f"constant dense<1.0e-05> : tensor<{rows}xf32>")
    op(f"{name}_sum", f"add %{name}_var, %{name}_eps : tensor<{rows}xf32>")
    op(f"{name}_scale", f"rsqrt %{name}_sum : tensor<{rows}xf32>")
    repeat("scale", f"{name}_scale", rows, 0)
    op(f"{name}_n", f"mul %{name}_c, %{name}_scales : tensor<{flat}>")
    repeat("gain", parameter(f"{name}_g", width, init="<ones>"), width, 1)
    repeat("offset", parameter(f"{name}_b", width, init="<zeros>"), width, 1)
    op(f"{name}_ng", f"mul %{name}_n, %{name}_gains : tensor<{flat}>")
    return op(name, f"add %{name}_ng, %{name}_offsets : tensor<{flat}>")


def attention(name, x):
    for part in "qkv":
        matmul(f"{name}_{part}", x, flat, f"{name}_w{part}", width, width)
        op(f"{name}_{part}4", f"reshape %{name}_{part} : tensor<{flat}> to tensor<{by_head}>")
        op(f"{name}_{part}h", f"transpose %{name}_{part}4, [0, 2, 1, 3] : tensor<{by_head}>")
    op(f"{name}_s", f"matmul %{name}_qh, %{name}_kh {{transpose_rhs}} : tensor<{head_first}>, tensor<{head_first}>")
    op(f"{name}_f", f"constant dense<{(width // heads) ** -0.5}> : tensor<{scores}>")
    op(f"{name}_sf", f"mul %{name}_s, %{name}_f : tensor<{scores}>")
    op(f"{name}_p", f"softmax %{name}_sf axis = 3 : tensor<{scores}>")
    op(f"{name}_a", f"matmul %{name}_p, %{name}_vh : tensor<{scores}>, tensor<{head_first}>")
    op(f"{name}_at", f"transpose %{name}_a, [0, 2, 1, 3] : tensor<{head_first}>")
    op(f"{name}_ar", f"reshape %{name}_at : tensor<{by_head}> to tensor<{flat}>")
    return matmul(name, f"{name}_ar", flat, f"{name}_wo", width, width)


def perceptron(name, x):
    matmul(f"{name}_h", x, flat, f"{name}_w1", width, inner)
    op(f"{name}_g", f"gelu %{name}_h : tensor<{rows}x{inner}xf32>")
    return matmul(name, f"{name}_g", f"{rows}x{inner}xf32", f"{name}_w2", inner, width)


parameter("wte", vocabulary, width)
parameter("wpe", sequence, width)
op("rows", f"gather %wte, %tokens axis = 0 : tensor<{vocabulary}x{width}xf32>, tensor<{batch}x{sequence}xi64>")
op("places", f"broadcast %wpe, [1, 2] : tensor<{sequence}x{width}xf32> to tensor<{grid}>")
op("placed", f"add %rows, %places : tensor<{grid}>")
stream = op("x", f"reshape %placed : tensor<{grid}> to tensor<{flat}>")
for layer in range(layers):
    for name, block in (("attn", attention), ("mlp", perceptron)):
        piece = block(f"h{layer}_{name}", layer_norm(f"h{layer}_{name}_ln", stream))
        stream = op(f"h{layer}_{name}_x", f"add %{stream}, %{piece} : tensor<{flat}>")
classes = f"{batch}x{sequence}x{vocabulary}xf32"
matmul("scores", layer_norm("ln", stream), flat, "head", width, vocabulary)
op("logits", f"reshape %scores : tensor<{rows}x{vocabulary}xf32> to tensor<{classes}>")

print("module {")
for name, (shape, init) in parameters.items():
    print(f"  graph.parameter @{name} : tensor<{shape}> init({init})")
print(f"  func.func @forward(%tokens: tensor<{batch}x{sequence}xi64> {{graph.role = #graph.role<input \"tokens\">}}", end="")
for name, (shape, _) in parameters.items():
    print(f",\n      %{name}: tensor<{shape}> {{graph.role = #graph.role<parameter \"{name}\">}}", end="")
print(f")\n      -> (tensor<{classes}> {{graph.role = #graph.role<output \"logits\">}}) {{")
print(*body, sep="\n")
print(f"    return %logits : tensor<{classes}>\n  }}\n}}")
