import os

import torch
import torch.distributed as dist
from gpt import GPT, MasterAdamW, Tokens
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

torch.manual_seed(0)
on_gpu = torch.cuda.is_available()
local_rank = int(os.environ["LOCAL_RANK"])
if on_gpu:
    torch.cuda.set_device(local_rank)
device = torch.device("cuda" if on_gpu else "cpu")
dist.init_process_group("nccl" if on_gpu else "gloo")

model = GPT().bfloat16()
model.to(device)
model = DDP(model, device_ids=[local_rank] if on_gpu else None)
optimizer = MasterAdamW(model.parameters(), lr=3e-4)

data = Tokens()
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=8, sampler=sampler)

for epoch in range(3):
    sampler.set_epoch(epoch)
    for inputs, targets in loader:
        loss = model(inputs.to(device), targets.to(device))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    if dist.get_rank() == 0:
        print(f"epoch {epoch}: loss {loss.item():.3f}")

dist.destroy_process_group()
