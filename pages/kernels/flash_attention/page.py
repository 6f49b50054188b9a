"""FlashAttention: one head, then one row, computed without storing the map or the row; and what that saves."""

from pages import IN
from pages.kernels.flash_attention.costs import part as costs
from pages.kernels.flash_attention.examples import examples
from pages.kernels.flash_attention.one_row import part as one_row
from pages.kernels.flash_attention.one_row.state import Row
from pages.kernels.flash_attention.state import COSTS, ONE_ROW, TILES
from pages.kernels.flash_attention.state import Part as Open
from pages.kernels.flash_attention.tiles import part as tiles
from tlmviz.ui import address
from tlmviz.ui.part import Parts, page

PART = Parts(Open, "part", {TILES: tiles.PART, ONE_ROW: one_row.PART, COSTS: costs.PART})

if __name__ == "__main__":
    if Row.logits.key in address.given() and Open.part.key not in address.given():
        Open.part.set(ONE_ROW)  # a link to logits that says no part
    page(IN["kernels/flash_attention"], PART, examples)
