"""KV cache and memory: what a token keeps, what a GPU has room for."""

from engine.atlas.entry import Entry, Quoted
from engine.formulas import kv

ENTRIES = (
    Entry(
        id="kv_cell_size",
        title="KV bytes of one token",
        topic="kv_memory",
        kind="calculator",
        symbols={"L": "layers", "h_kv": "kv_heads", "d_h": "head_width", "b": "kv_width", "k": "cell_bytes"},
        formulas=(kv.cell_bytes,),
        example={"L": 32, "h_kv": 8, "d_h": 128, "b": 2},
        quoted=(Quoted("formula sheet", "§2.1"),),
        related=("kv_batch_bytes",),
    ),
)
