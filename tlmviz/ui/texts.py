"""What the frame, the menus and the inputs that pages share say; the lessons and the glossary hold their own texts."""

from __future__ import annotations

GET_HELP = (
    "Fetched once from the package index that this server's pip is set to, checked, and kept in its cache folder."
)
MEASURING = "Measuring the identities on what you see …"
SLIPS = "Where the lecture notes differ"
TEXTS_TO_START = "Texts to start from"
POSITION_HELP = "The token whose row is framed and followed"
HOW_HELP = "mean: the head's average output over this text, later positions included."
PASTE_PLACEHOLDER = "Paste up to about 60,000 characters."
STEP = "Step of its training"
ABOUT_MODEL = "About it"
FOLLOWS_TYPING = {
    "language": (
        "Your browser makes the pictures of what you type by itself, with this model's weights, in the Attention "
        "explorer, Inside a block and RoPE planes, on Start, and in KV cache at temperature 0; the server computes all "
        "else."
    ),
    "translation": (
        "Your browser makes the picture of what you type by itself, with this model's weights, in the part Race of "
        "Beam search under the usual rules; the server computes all else."
    ),
}
LEVEL_HELP = (
    "*Plain*: what to see, in words. *Maths*: also the equations, their sources, and where the lecture notes that "
    "these pages follow differ."
)
SENTENCES_TO_START = "Sentences to start from"
UNLIKE_ENGLISH = "Most of this is unlike the English that the model learned from: what follows is its guess."
UPLOAD_HELP = (
    "A .gguf file, a trace (.safetensors), or all files of a checkpoint folder together. Everybody who visits this "
    "server sees it in the menu, until others have opened eight more."
)
GUESS_HELP = "Pages whose picture holds a surprise ask what it will show before they show it."
EXAMPLES = {  # texts to start from
    "A lost ball": "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost the "
    "red ball.",
    "Two friends": 'Tom and Anna were friends. Tom gave Anna a cake because Anna was sad. Anna said, "Thank you, Tom."',
    "Repeats": "The cat saw a bird. The dog saw a bird. The cat saw a bird. The dog saw a",
    "Names": "Zumi met Kavo at the big tree. Zumi waved and Kavo smiled. Then Zumi and",
    "A short line": "The sun was hot, so the boy went to the",
}
# Sentences that invite a translator to repeat itself.
REPEATERS = (
    "Yesterday I bought bread, milk, cheese, butter, apples, eggs and a bottle of wine.",
    "I like coffee, tea, milk, water, wine, beer and orange juice.",
    "He is a good man, a good father, a good friend and a good neighbour.",
    "The teacher asked the students to open the window, close the door, turn off the light and sit down.",
    "On Monday I work, on Tuesday I work, on Wednesday I rest.",
    "Tom bought apples, Mary bought pears, and John bought bananas.",
    "There are red cars, blue cars, green cars and yellow cars in the street.",
    "The dog chased the cat, the cat chased the mouse, and the mouse ran away.",
    "She said that he said that they said it was fine.",
    "One, two, three, four, five, six, seven, eight, nine, ten.",
)
SENTENCES = {  # to translate
    "A cold day": "I am cold in my red coat.",
    "Adjective after the noun": "The black cat is sleeping on the red chair.",
    "Greedy loses": "I am cold.",
    "One word becomes two": "She never eats meat.",
    "Words to repeat": "He talked and talked and talked about his new car.",
    "Two clauses": "I wanted to call you yesterday, but I lost my phone.",
    "A question": "Where did you buy that beautiful dress?",
}
OPENING = "Once upon a time"  # what the default model reads before the first visitor
MODELS_HELP = {  # by the kind of models that a page shows
    "language": "Small models trained for this app, and those that `tlmviz get` or `tlmviz run PATH` added.",
    "translation": "Small models trained for this app, English to French.",
    "streams": "Small models trained for this app; they differ in their connections.",
    "experts": "Small models trained for this app, and those that `tlmviz get` or `tlmviz run PATH` added, of those "
    "with experts.",
}
MEASURED_NOW = "Measured now, on what is shown: each error beside what rounding may make of it."


def needs_network(page: str, name: str, reader: str) -> str:
    """Why a page does not show a file of one pass, and which page does."""
    return (
        f"{page} needs a network, and {name} is a file of one pass; choose a model at the top, or open the page "
        f"{reader}."
    )


def crossing(queries: int, keys: int) -> str:
    """Why a trace of cross-attention is not shown."""
    return (
        f"This picture shows maps within one text, and here {queries} queries attend to {keys} keys "
        "of another; take the numbers from trace.attention(layer, head) and trace.overview()."
    )


def no_language_model(name: str) -> str:
    """Why a page does not show a model."""
    return f"{name} is no language model, and this page shows those; choose one of them."


def fixed_text(name: str) -> str:
    """Why the text cannot be changed."""
    return f"{name} holds one pass over this text and no network, so the text cannot be changed."


def cut_characters(length: int, most: int) -> str:
    """That not all of a text is read."""
    return (
        f"This text has {length:,} characters and this server reads {most:,}: the first {most:,} are shown. Your own "
        "computer has no such limit."
    )


def no_model(asked: str, name: str) -> str:
    """Which model is shown in place of one that is not here."""
    return f"There is no model “{asked}” here; {name} is shown instead. The menu at the top lists all."


def at_step(step: str) -> str:
    """What a model is called at a step of its training; "" is the finished one."""
    return f"step {int(step):,}" if step else "finished"


def cut_tokens(count: int, name: str, limit: int) -> str:
    """That not all of a text is read."""
    return f"This text has {count:,} tokens and {name} reads {limit:,}: the first {limit:,} are shown."


def too_long(seconds: float) -> str:
    """Why a press was stopped."""
    return (
        f"This takes longer than the {seconds:g} seconds that this server gives to a press; shorten the text, or try "
        "again when fewer are here."
    )


def too_many(before: int, seconds: float) -> str:
    """Why a press was not begun."""
    return (
        f"{before} long texts are before this one, which would wait for more than the {seconds:g} seconds that this "
        "server lets a press wait for others; shorten the text, or try again when fewer are here."
    )


def precomputed_claim(what: str) -> str:
    """What holds where shipped figures are right."""
    return f"the figures above were computed beforehand; {what}, computed again now, is the same"


def no_lesson(name: str) -> str:
    """What is said of a lesson that is not here."""
    return f"There is no lesson “{name}” here; these are those there are."


def no_translator(name: str, others: str) -> str:
    """Why a model cannot be shown."""
    return f"{name} does not translate; choose one of {others}."


def own_placeholder(translation: str) -> str:
    """What stands in the empty field."""
    return f"{translation}   (the model’s own; type another)"


def long_translation(length: int, most: int) -> str:
    """Why a translation is not read."""
    return (
        f"This translation has {length:,} tokens, and the decoder reads at most {most}, the end included; shorten it."
    )


def no_model_files(names: str, suffix: str, trace: str, whole: str) -> str:
    """Why uploaded files are not opened."""
    return (
        f"{names} is no model and no trace; upload one {suffix} or {trace} file, or all files of a "
        f"checkpoint folder with its {whole}."
    )


def no_vectors(name: str, others: str) -> str:
    """Why a model cannot be shown."""
    return f"{name} has no word vectors; choose one of {others}."


def way_to_show(title: str) -> str:
    """How a visitor sees an installed model, as the end of a sentence."""
    return f"press **Show {title}** under *{ABOUT_MODEL}* at the top"


def way_to_get(title: str) -> str:
    """How a visitor gets a model, as the end of a sentence."""
    return f"press **Get {title}** under *{ABOUT_MODEL}* at the top"


def way_to_run(name: str) -> str:
    """How whoever runs the server gets a model, as the end of a sentence."""
    return f"run `tlmviz get {name}`"
