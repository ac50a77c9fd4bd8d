#!/usr/bin/python3
"""Makes static/alegreya.woff2 and styles/05-face.css.

The display face is Alegreya Bold with only the signs that headings in Spanish
and English use; any other letter comes from the reserve. The reserve is a serif
of the reader's machine drawn at Alegreya's width and height, so that nothing
moves when the face arrives. Gelasio and Tinos stand for Georgia and Times, with
whose widths they were drawn.

Needs npm install in this folder, and fonttools and brotli (Debian: fonttools,
python3-brotli).
"""
import json
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font
from fontTools.ttLib import TTFont

HERE = Path(__file__).resolve().parent
WEB = HERE.parent
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
SIGNS = " !\"#%&'()*+,-./:;=?@[]_" "áéíóúüñÁÉÍÓÚÜÑ¿¡«»–—…·°‘’“”−\u00a0"

# Each reserve by the font that stands for it. Of two that a machine has, browsers
# take the later rule.
RESERVES = [
    ("tinos", ["Liberation Serif Bold", "LiberationSerif-Bold", "Times New Roman Bold", "TimesNewRomanPS-BoldMT"]),
    ("noto-serif", ["Noto Serif Bold", "NotoSerif-Bold"]),
    ("gelasio", ["Georgia Bold", "Georgia-Bold"]),
]


def published(family):
    """The bold Latin font of a family as its npm package has it."""
    return HERE / f"node_modules/@fontsource/{family}/files/{family}-latin-700-normal.woff2"


def subset():
    """Writes the smaller font and gives it back."""
    options = Options(
        flavor="woff2", hinting=False, desubroutinize=True,
        layout_features=["kern", "lnum", "tnum"], name_IDs=[0, 1, 2, 13, 14])
    font = load_font(published("alegreya"), options)
    subsetter = Subsetter(options)
    subsetter.populate(text=LETTERS + SIGNS)
    subsetter.subset(font)
    save_font(font, WEB / "static/alegreya.woff2", options)
    return font


def sample():
    """The names of parks and trails: what most headings are."""
    catalogue = json.loads((WEB.parent / "store/catalogue/default.json").read_text())
    return "".join(names(catalogue["parques"]))


def names(value):
    """Every name at any depth of a part of the catalogue."""
    if isinstance(value, dict):
        if isinstance(value.get("nombre"), str):
            yield value["nombre"]
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from names(one)


def width(font, text):
    """How wide a text is, in ems, without kerning."""
    glyphs, metrics = font.getBestCmap(), font["hmtx"]
    return sum(metrics[glyphs[ord(c)]][0] for c in text if ord(c) in glyphs) / font["head"].unitsPerEm


def reserve(font, text, stand_in, local):
    """The rule that draws a local font at the width and height of the face."""
    size = width(font, text) / width(TTFont(published(stand_in)), text)
    em, head = font["head"].unitsPerEm, font["hhea"]
    sources = ", ".join(f'local("{name}")' for name in local)
    return (f'@font-face {{ font-family: "Alegreya de reserva"; font-weight: 700; src: {sources};\n'
            f'  size-adjust: {size:.2%}; ascent-override: {head.ascent / em / size:.2%};'
            f' descent-override: {-head.descent / em / size:.2%}; line-gap-override: 0%; }}\n')


def main():
    font = subset()
    text = sample()
    rules = ["/* The display face and its reserve, with the same measures. Made by make/face.py. */\n",
             '@font-face { font-family: "Alegreya"; font-weight: 700; font-display: optional; src: url("alegreya.woff2") format("woff2"); }\n']
    rules += [reserve(font, text, stand_in, local) for stand_in, local in RESERVES]
    (WEB / "styles/05-face.css").write_text("".join(rules))


main()
