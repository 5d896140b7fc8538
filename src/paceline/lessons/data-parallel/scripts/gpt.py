"""What train.py trains: a small GPT on bytes, its text, and AdamW on fp32 copies of bf16 weights."""

from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    """One layer: causal attention and an MLP, each on a normed input and added to it."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        split = (batch, length, 3, self.heads, width // self.heads)
        query, key, value = self.qkv(self.norm_1(x)).view(split).permute(2, 0, 3, 1, 4)
        heard = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(heard.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norm_2(x))


class GPT(nn.Module):
    """A GPT-2 of any size, its head tied to the token embedding; called with targets, it gives the loss."""

    def __init__(self, vocabulary=256, context=64, width=64, layers=2, heads=4):
        super().__init__()
        self.token, self.position = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        for embedding in (self.token, self.position):
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, inputs, targets):
        x = self.token(inputs) + self.position(torch.arange(inputs.shape[1], device=inputs.device))
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.norm(x), self.token.weight)
        return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


class Tokens(torch.utils.data.Dataset):
    """The bytes of a text file (this one, if none is given) cut into sequences with the next byte as target."""

    def __init__(self, path=__file__, length=64):
        text = torch.frombuffer(bytearray(Path(path).read_bytes()), dtype=torch.uint8).long()
        count = (len(text) - 1) // length
        self.inputs = text[: count * length].view(count, length)
        self.targets = text[1 : count * length + 1].view(count, length)

    def __len__(self):
        return len(self.inputs)

    def __getitem__(self, index):
        return self.inputs[index], self.targets[index]


class MasterAdamW:
    """AdamW in fp32 for bf16 weights: an update far smaller than a weight would be lost in eight bits."""

    def __init__(self, parameters, **options):
        self.weights = list(parameters)
        self.masters = [weight.detach().float() for weight in self.weights]
        self.adamw = torch.optim.AdamW(self.masters, **options)

    @torch.no_grad()
    def step(self):
        for weight, master in zip(self.weights, self.masters, strict=True):
            master.grad = weight.grad.float()
        self.adamw.step()
        for weight, master in zip(self.weights, self.masters, strict=True):
            weight.copy_(master)

    def zero_grad(self):
        for weight in self.weights:
            weight.grad = None
        self.adamw.zero_grad()
