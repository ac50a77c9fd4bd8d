#!/bin/sh
# Makes the social cards of static/ from card.html. A card stays in the caches of
# others for days, so it tells no state. Needs Chromium and Debian's pngquant and
# zopfli.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for language in es en; do
	sed "s|<svg width|<svg class=\"$language\" width|; s|\.\./static/|file://$PWD/../static/|" card.html >"$work/card.html"
	chromium --headless --no-sandbox --hide-scrollbars --allow-file-access-from-files --virtual-time-budget=2000 \
		--window-size=1200,630 --screenshot="$work/shot.png" "file://$work/card.html" 2>/dev/null
	pngquant --force --speed 1 --output "$work/few.png" 64 "$work/shot.png"
	zopflipng -y -m "$work/few.png" "../static/tarjeta-$language.png" >/dev/null
done
