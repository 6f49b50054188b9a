"""tlmviz: `streamlit run app.py`. Page config, sections, warm-up, run."""

import streamlit as st

st.set_page_config(page_icon="pages/icon.svg", layout="wide", initial_sidebar_state=240)

from tlmviz.ui import compute, frame, state  # noqa: E402  torch is imported here, before any page

compute.warm_up()
page = st.navigation(
    {
        "Attention": [
            st.Page("pages/attention/explorer.py", title="Attention explorer", icon=":material/grid_view:", default=True),
            st.Page("pages/attention/inside_block.py", title="Inside a block", icon=":material/account_tree:"),
        ],
        "Positions": [
            st.Page("pages/positions/rope_planes.py", title="RoPE planes", icon=":material/rotate_right:"),
            st.Page("pages/positions/position_schemes.py", title="Position schemes", icon=":material/compare:"),
            st.Page("pages/positions/context_extension.py", title="Context extension", icon=":material/expand:"),
        ],
        "Caches": [
            st.Page("pages/caches/kv_cache.py", title="KV cache", icon=":material/memory:"),
            st.Page("pages/caches/serving.py", title="Serving", icon=":material/dns:"),
            st.Page("pages/caches/attention_family.py", title="Attention family", icon=":material/family_history:"),
        ],
        "Kernels": [
            st.Page("pages/kernels/flash_attention.py", title="FlashAttention", icon=":material/bolt:"),
            st.Page("pages/kernels/long_context.py", title="Long context", icon=":material/straighten:"),
        ],
        "Models": [
            st.Page("pages/models/model_zoo.py", title="Model zoo", icon=":material/table_chart:"),
        ],
    }
)
frame.sidebar_status(state.model_menu())
page.run()
