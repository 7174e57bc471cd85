"""Outputs as models write them."""

import re

# Tokens that end or fill up an output. Those that name sentences are part of it.
_END = re.compile(r"</s>|<\|endoftext\|>|<\|im_end\|>")
_FILLING = re.compile(r"<pad>|<s>|<unk>")


def clean(output: str) -> str:
    """Up to its first end, without fillings."""
    return _FILLING.sub(" ", _END.split(output, maxsplit=1)[0]).strip()
