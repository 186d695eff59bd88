"""Prefixes that requests share, and the blocks that hold them."""

from engine.quantities import define

define("requests", "N_req", "request", "requests", "requests that are looked at together")
define("prefix", "n_pre", "token", "common prefix", "tokens at the start that all prompts have in common")
define("private", "n_own", "token", "own tokens", "tokens that each request has of its own after the prefix")
define("sharing", "sharing", "flag", "sharing", "whether full blocks of the same content are held once")
define("shared_blocks", "k_sh", "block", "shared blocks", "blocks that all requests hold together")
define("blocks_per_request", "k_req", "block/request", "blocks a request", "blocks that one request refers to")
define("private_blocks_per_request", "k_own", "block/request", "own blocks a request", "blocks that one holds alone")
define("physical_blocks", "k_phys", "block", "blocks held", "blocks of the pool in use, every shared one once")
define("logical_blocks", "k_log", "block", "blocks referred to", "blocks in use, shared ones once for each request")
define("saved_blocks", "k_saved", "block", "blocks saved", "blocks that would be held more without sharing")
define("private_tail_prefix_tokens", "n_tail", "token", "copied tail", "tokens of the prefix that each request copies")
define("held_tokens", "n_held", "token", "tokens held", "tokens in the blocks in use, shared ones once")
define("unused_slots", "n_unused", "token", "unused slots", "slots of the blocks in use that hold no token")
define("unused_fraction", "ω", "share", "unused share", "share of the slots in use that hold no token")
define("reused_tokens", "n_again", "token", "tokens found again", "tokens that a prompt finds when it is sent again")
define("pool_blocks", "k_pool", "block", "pool", "blocks that there are")
define("edited", "n_edit", "token", "edited token", "position in the prefix, from 0, whose token is changed")
define("surviving_blocks", "k_left", "block", "blocks that survive", "shared blocks that are still found after an edit")
define("released_blocks", "k_rel", "block", "blocks released", "blocks without an owner after one request finishes")
