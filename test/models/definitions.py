# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Public models in small sizes with random weights. pcc's authors did not write their definitions.

`MODELS[name]` builds one. Architectures come from transformers, torchvision and timm; four are plain torch.nn.
"""

import math

import torch
from torch import nn

VOCABULARY = 96


class Output(nn.Module):
    """A model of transformers or torchvision whose result is one tensor: the field `field`, or the first one."""

    def __init__(self, model, field, **options):
        super().__init__()
        self.model, self.field, self.options = model, field, options

    def forward(self, values):
        result = self.model(values, **self.options)
        return result[self.field] if self.field in result else result[0]


class Arguments(nn.Module):
    """A model of transformers that takes its inputs by name and keeps no cache."""

    def __init__(self, model, names, field, **options):
        super().__init__()
        self.model, self.names, self.field, self.options = model, names, field, options

    def forward(self, first, second):
        return getattr(self.model(**dict(zip(self.names, (first, second))), **self.options), self.field)


class Padded(nn.Module):
    """A model of transformers for rows of tokens that are padded to one length, which a mask tells."""

    def __init__(self, model, field, **options):
        super().__init__()
        self.model, self.field, self.options = model, field, options

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids=input_ids, attention_mask=attention_mask, **self.options)[self.field]


class Unet(nn.Module):
    """A diffusion model of two levels, with an embedding of the time step and a skip connection."""

    def __init__(self):
        super().__init__()

        def block(inputs, outputs):
            return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.GroupNorm(4, outputs), nn.SiLU())

        self.first, self.second, self.middle, self.up = block(3, 16), block(16, 32), block(32, 32), block(48, 16)
        self.time, self.down, self.last = nn.Linear(16, 32), nn.Conv2d(16, 16, 3, 2, 1), nn.Conv2d(16, 3, 1)

    def forward(self, image, time):
        phase = time[:, None] * torch.exp(torch.arange(8) * (-math.log(10000.0) / 8))[None]
        embedded = self.time(torch.cat([phase.sin(), phase.cos()], dim=-1))
        skip = self.first(image)
        low = self.middle(self.second(self.down(skip)) + embedded[:, :, None, None])
        high = nn.functional.interpolate(low, scale_factor=2.0, mode="nearest")
        return self.last(self.up(torch.cat([skip, high], dim=1)))


class LstmTagger(nn.Module):
    """A language model of two bidirectional LSTM layers."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, 32)
        self.lstm = nn.LSTM(32, 48, num_layers=2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(96, VOCABULARY)

    def forward(self, tokens):
        return self.head(self.lstm(self.embed(tokens))[0])


class Detector(nn.Module):
    """A detector like DETR: patches, a transformer and learned queries."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 8, 8)
        self.transformer = nn.Transformer(32, 4, 1, 1, 64, batch_first=True, dropout=0.0)
        self.queries = nn.Parameter(torch.randn(1, 10, 32))
        self.classes, self.boxes = nn.Linear(32, 5), nn.Linear(32, 4)

    def forward(self, image):
        patches = self.patches(image).flatten(2).transpose(1, 2)
        found = self.transformer(patches, self.queries.expand(image.shape[0], -1, -1))
        return self.classes(found), self.boxes(found).sigmoid()


def tokens(batch, length=16):
    return torch.randint(3, VOCABULARY, (batch, length))


def padded(batch, length):
    """Tokens and a mask of which padding comes first. So the first queries see no key."""
    lengths = torch.randint(length // 2, length + 1, (batch, 1))
    return tokens(batch, length), (torch.arange(length) >= length - lengths).long()


def image(batch, size, channels=3):
    return torch.randn(batch, channels, size, size)


def transformer(model_class, config_class, field="logits", attention="sdpa", options=None, wrapper=Output, **config):
    """Returns a function that builds a model of transformers from its configuration."""

    def build():
        import transformers

        settings = getattr(transformers, config_class)(**config)
        settings._attn_implementation = attention
        settings._experts_implementation = "batched_mm"  # what torch.export takes
        model = getattr(transformers, model_class)
        model = model._from_config(settings) if hasattr(model, "_from_config") else model(settings)
        return wrapper(model, field, **(options or {}))

    return build


def torchvision(name, segments=False):
    def build():
        import torchvision.models as models

        if segments:
            model = getattr(models.segmentation, name)(weights=None, weights_backbone=None, num_classes=5)
            return Output(model, "out")
        return getattr(models, name)(weights=None)

    return build


def timm(name):
    def build():
        import timm as library

        return library.create_model(name, pretrained=False)

    return build


def t5():
    import transformers

    config = transformers.T5Config(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, vocab_size=VOCABULARY,
                                   decoder_start_token_id=0)
    config._attn_implementation = "eager"
    return Arguments(transformers.T5ForConditionalGeneration(config), ("input_ids", "decoder_input_ids"), "logits",
                     use_cache=False)


def whisper():
    import transformers

    config = transformers.WhisperConfig(
        d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=VOCABULARY, num_mel_bins=16, max_source_positions=32,
        max_target_positions=16, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
        suppress_tokens=None, begin_suppress_tokens=None)
    model = transformers.WhisperForConditionalGeneration(config)
    return Arguments(model, ("input_features", "decoder_input_ids"), "logits", use_cache=False)


def clip():
    import transformers

    tower = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.CLIPConfig(
        text_config={**tower, "vocab_size": VOCABULARY, "max_position_embeddings": 16, "eos_token_id": 95},
        vision_config={**tower, "image_size": 32, "patch_size": 8}, projection_dim=16)
    return Arguments(transformers.CLIPModel(config), ("input_ids", "pixel_values"), "logits_per_image")


class Model:
    """How to build a model and a batch of its inputs, and how to train it.

    `frozen_norms`: batch norms keep their statistics. Such a model with random weights needs a small step, `rate`.
    `mixes_samples`: the loss compares the samples of a batch with each other, so microbatches have no meaning.
    """

    def __init__(self, build, inputs, frozen_norms=False, mixes_samples=False):
        self.build, self.inputs, self.mixes_samples = build, inputs, mixes_samples
        self.flags, self.rate = (["--freeze-batch-norm"], 1e-6) if frozen_norms else ([], 0.05)


SMALL = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
LANGUAGE = {**SMALL, "vocab_size": VOCABULARY, "max_position_embeddings": 32}
NO_CACHE = {"options": {"use_cache": False}}

MODELS = {
    "gpt2": Model(transformer("GPT2LMHeadModel", "GPT2Config", n_embd=64, n_layer=2, n_head=4, vocab_size=VOCABULARY,
                              n_positions=32, **NO_CACHE), lambda n: (tokens(n),)),
    "llama": Model(transformer("LlamaForCausalLM", "LlamaConfig", num_key_value_heads=2, **LANGUAGE, **NO_CACHE),
                   lambda n: (tokens(n),)),
    "mixtral": Model(transformer("MixtralForCausalLM", "MixtralConfig", num_key_value_heads=2, num_local_experts=4,
                                 **LANGUAGE, **NO_CACHE), lambda n: (tokens(n),)),
    "opt": Model(transformer("OPTForCausalLM", "OPTConfig", hidden_size=64, num_hidden_layers=2, ffn_dim=128,
                             num_attention_heads=4, vocab_size=VOCABULARY, max_position_embeddings=32,
                             word_embed_proj_dim=64, **NO_CACHE), lambda n: (tokens(n),)),
    "bert": Model(transformer("BertForSequenceClassification", "BertConfig", **LANGUAGE), lambda n: (tokens(n),)),
    "deberta2": Model(transformer("DebertaV2ForMaskedLM", "DebertaV2Config", attention="eager", relative_attention=True,
                                  position_buckets=8, pos_att_type=["p2c", "c2p"], **LANGUAGE),
                      lambda n: (tokens(n),)),
    "t5": Model(t5, lambda n: (tokens(n, 12), tokens(n, 8))),
    "whisper": Model(whisper, lambda n: (torch.randn(n, 16, 64), tokens(n, 8))),
    "vit": Model(transformer("ViTForImageClassification", "ViTConfig", image_size=32, patch_size=8, **SMALL),
                 lambda n: (image(n, 32),)),
    "segformer": Model(transformer("SegformerForSemanticSegmentation", "SegformerConfig", depths=[1, 1, 1, 1],
                                   hidden_sizes=[8, 16, 24, 32], decoder_hidden_size=32,
                                   num_attention_heads=[1, 2, 3, 4]), lambda n: (image(n, 64),), frozen_norms=True),
    "clip": Model(clip, lambda n: (tokens(n, 12), image(n, 32)), mixes_samples=True),
    "unet2d": Model(Unet, lambda n: (image(n, 32), torch.linspace(1.0, 20.0, n))),
    "lstm_lm": Model(LstmTagger, lambda n: (tokens(n, 12),)),
    "detr_like": Model(Detector, lambda n: (image(n, 64),)),
    "resnet50": Model(torchvision("resnet50"), lambda n: (image(n, 64),), frozen_norms=True),
    "convnext_tiny": Model(torchvision("convnext_tiny"), lambda n: (image(n, 64),)),
    "efficientnet_b0": Model(torchvision("efficientnet_b0"), lambda n: (image(n, 64),), frozen_norms=True),
    "densenet121": Model(torchvision("densenet121"), lambda n: (image(n, 64),), frozen_norms=True),
    "fcn_resnet50": Model(torchvision("fcn_resnet50", segments=True), lambda n: (image(n, 64),), frozen_norms=True),
    "mixer_s32_224": Model(timm("mixer_s32_224"), lambda n: (image(n, 224),)),
}
