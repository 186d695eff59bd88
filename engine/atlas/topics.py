"""The topics of the atlas, in the order in which the sheet shows them."""

from types import MappingProxyType

TOPICS = MappingProxyType(
    {
        "model": "The model",
        "attention": "Attention kernels",
        "roofline": "Roofline",
        "prefill": "Prefill",
        "decode": "Decode",
        "kv_memory": "KV cache and memory",
        "paging_prefix": "Paging and prefixes",
        "batching": "Batching",
        "scheduling": "Scheduling",
        "serving_metrics": "Serving metrics",
        "queueing": "Queueing",
        "speculative": "Speculative decoding",
        "quantization": "Quantisation",
        "moe": "Mixture of experts",
        "mla_ssm": "Latent attention and state-space layers",
        "lora": "Adapters",
        "collectives_parallelism": "Collectives and parallelism",
        "capacity_cost": "Capacity and cost",
        "host_frontend": "Host and front end",
        "multimodal": "Images and video",
        "retrieval": "Retrieval",
        "reasoning_agents": "Reasoning and agents",
        "kubernetes_ops": "Operations",
        "benchmarking_stats": "Benchmarking and statistics",
    }
)
"""Title by slug; a slug is the name of the topic's modules in engine/atlas, engine/formulas and engine/glossary."""
