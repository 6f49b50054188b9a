"""mHC: residual streams that mix by doubly stochastic matrices, in models that were trained with them."""

from pages import IN
from pages.streams.mhc import view
from pages.streams.mhc.depth import view as depth
from pages.streams.mhc.dial import view as dial
from pages.streams.mhc.examples import examples
from pages.streams.mhc.flow import part as flow
from pages.streams.mhc.matrices import view as matrices
from pages.streams.mhc.state import DEPTH, DIAL, FLOW, MATRICES, STREAMS, TRAINING, Streams
from pages.streams.mhc.streams import view as streams
from pages.streams.mhc.training import part as training
from tlmviz.ui.part import Own, Parts, page

PART = Parts(
    Streams,
    "view",
    {
        FLOW: flow.PART,
        MATRICES: Own((Streams,), matrices.show),
        DIAL: Own((Streams,), dial.show),
        DEPTH: Own((Streams,), depth.show),
        STREAMS: Own((Streams,), streams.show),
        TRAINING: training.PART,
    },
    controls=view.controls,
)

if __name__ == "__main__":
    page(IN["streams/mhc"], PART, examples)
