"""A GPT of two layers, with tied weights, AdamW, a cosine schedule and greedy generation."""

import math

import torch
import torch.nn as nn
from torch.nn import functional as F

from drawn import draw_weights

BLOCK, WIDTH, HEADS, LAYERS = 16, 16, 2, 2
TEXT = "to be, or not to be, that is the question: whether 'tis nobler in the mind to suffer"


class CausalSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn = nn.Linear(WIDTH, 3 * WIDTH)
        self.c_proj = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(WIDTH, dim=2)
        k = k.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        q = q.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        v = v.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1 = nn.LayerNorm(WIDTH)
        self.attn = CausalSelfAttention()
        self.ln_2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(approximate="tanh"), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.transformer = nn.ModuleDict(
            dict(
                wte=nn.Embedding(vocabulary, WIDTH),
                wpe=nn.Embedding(BLOCK, WIDTH),
                drop=nn.Dropout(0.0),
                h=nn.ModuleList([Block() for _ in range(LAYERS)]),
                ln_f=nn.LayerNorm(WIDTH),
            )
        )
        self.lm_head = nn.Linear(WIDTH, vocabulary, bias=False)
        self.transformer.wte.weight = self.lm_head.weight  # one matrix reads and writes

    def forward(self, tokens, targets=None):
        positions = torch.arange(0, tokens.size(1), dtype=torch.long, device=tokens.device)
        x = self.transformer.wte(tokens) + self.transformer.wpe(positions)
        x = self.transformer.drop(x)
        for block in self.transformer.h:
            x = block(x)
        logits = self.lm_head(self.transformer.ln_f(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))

    @torch.no_grad()
    def generate(self, tokens, count):
        for _ in range(count):
            logits, _ = self(tokens[:, -BLOCK:])
            best = torch.argmax(F.softmax(logits[:, -1, :], dim=-1), dim=-1, keepdim=True)
            tokens = torch.cat((tokens, best), dim=1)
        return tokens


def main() -> list[float]:
    letters = sorted(set(TEXT))
    text = torch.tensor([letters.index(letter) for letter in TEXT], dtype=torch.long)
    windows = text.unfold(0, BLOCK + 1, 8)
    inputs, targets = windows[:, :-1].contiguous(), windows[:, 1:].contiguous()

    model = draw_weights(GPT(len(letters)))
    decayed = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95))
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=30, eta_min=1e-3)

    losses = []
    for _ in range(30):
        _, loss = model(inputs, targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    assert losses[0] > math.log(len(letters)) / 2 > losses[-1]
    return losses + [float(token) for token in model.generate(text[None, :4], 8)[0]]
