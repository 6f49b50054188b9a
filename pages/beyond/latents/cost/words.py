"""The words of the part "Cost"."""

NOTICE = (
    "Each area is a number of scores, to one scale: a score is one query times one key. Twice as many inputs make the square "
    "four times as large, but the strip only twice.",
    "Take M close to N and nothing is saved; the latents are a bottleneck, at a price: what M rows cannot hold is lost.",
    "Below: measured just now on the machine that runs this app. For few inputs both take the time of calling them at all.",
)
TIMES = "One layer's attention, measured (milliseconds)"
EQUATIONS = (
    (
        r"\text{self-attention: } N^2, \qquad \text{latents: } N M + M^2 \quad (M \ll N)",
        "LLM notes, sections 3.5 and 3.6: scores per head; each takes d_h multiplications, and d_h more for the weighted sum.",
    ),
)
SNIPPET = """\
from tlmviz.analysis.beyond.latent_cost import latent_scores, self_scores, time_both

print(self_scores(1024), latent_scores(1024, 64))  # scores per head
print(time_both(1024, 64))  # milliseconds, 4 heads of 16 dimensions
"""
MEASURING = "Measuring both on this machine …"
LATTIMES_ALT = "Measured milliseconds of self-attention and of latent reading, by the number of inputs"
