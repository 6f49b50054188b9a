"""KV cache: generation token by token, what is kept and what is not, and what that costs in bytes and time."""

from pages import IN
from pages.caches.kv_cache import claims, guess, view
from pages.caches.kv_cache.cost import part as cost
from pages.caches.kv_cache.data import Data
from pages.caches.kv_cache.examples import examples
from pages.caches.kv_cache.models import part as models
from pages.caches.kv_cache.state import COST, SIDE_BY_SIDE, STEPS, Cache
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, Parts, later, page

WALKED = Part(
    Cache,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    notice=claims.NOTICE,
    equation=view.EQUATION,
    code=view.snippet,
    before=(guess.seen, view.wait),
    beneath=(later("beneath-cache", view.generated, CLAIMS, BADGES, EQUATION, CODE, seen=False),),
)
PART = Parts(Cache, "view", {STEPS: WALKED, COST: cost.PART, SIDE_BY_SIDE: models.PART}, controls=view.controls)

if __name__ == "__main__":
    page(IN["caches/kv_cache"], PART, examples)
