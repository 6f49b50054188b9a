"""Training: what goes wrong while a model learns in few bits and with steps too long, and what helps."""

from pages import IN
from pages.numbers.training.dropout import part as dropout
from pages.numbers.training.dynamic import part as dynamic
from pages.numbers.training.examples import examples
from pages.numbers.training.float8 import part as float8
from pages.numbers.training.gradients import part as gradients
from pages.numbers.training.master import part as master
from pages.numbers.training.state import DROPOUT, DYNAMIC, FLOAT8, GRADIENTS, MASTER, WARMUP, Part, Reading
from pages.numbers.training.warmup import part as warmup
from tlmviz.ui.part import Parts, page

PART = Parts(
    Part,
    "part",
    {
        GRADIENTS: gradients.PART,
        DYNAMIC: dynamic.PART,
        FLOAT8: float8.PART,
        MASTER: master.PART,
        WARMUP: warmup.PART,
        DROPOUT: dropout.PART,
    },
    also=(Reading,),
)

if __name__ == "__main__":
    page(IN["numbers/training"], PART, examples)
