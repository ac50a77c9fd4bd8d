#!/bin/sh
# Makes the icons of static/ from icon.svg, which fills its square: with round
# corners for browsers, whole for phones that cut the shape themselves, and small
# inside its square where a phone may cut away a fifth on each side. Needs Chromium
# and Debian's pngquant and zopfli.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

body=$(sed '1d;$d' icon.svg | tr -d '\n')
open='<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">'
rounded='<clipPath id="c"><rect width="64" height="64" rx="14"/></clipPath><g clip-path="url(#c)">'
# The mark at three quarters; what it stands on goes on to every edge.
inset='<path fill="#12313d" d="M0 0h64v64H0z"/><path fill="#2c5f6c" d="M0 48 8 45.5V50H56V44L64 47V64H0Z"/><g transform="translate(8 8) scale(.75)">'

echo "$open$rounded$body</g></svg>" >../static/favicon.svg
cp ../static/favicon.svg "$work/rounded.svg"
echo "$open$body</svg>" >"$work/whole.svg"
echo "$open$inset$body</g></svg>" >"$work/inset.svg"

# picture DRAWING SIZE NAME
picture() {
	echo "<!DOCTYPE html><style>body{margin:0}img{display:block}</style><img src=$1.svg width=$2 height=$2>" >"$work/page.html"
	chromium --headless --no-sandbox --hide-scrollbars --default-background-color=00000000 \
		--window-size="$2,$2" --screenshot="$work/shot.png" "file://$work/page.html" 2>/dev/null
	pngquant --force --speed 1 --nofs --output "$work/few.png" 32 "$work/shot.png"
	zopflipng -y -m "$work/few.png" "../static/$3" >/dev/null
}
picture rounded 192 icono-192.png
picture rounded 512 icono-512.png
picture inset 512 icono-maskable-512.png
picture whole 180 apple-touch-icon.png
