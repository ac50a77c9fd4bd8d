#!/bin/sh
# Makes static/contorno.json: the outline of Chile and its neighbours, from
# Natural Earth at 1:10 million. Chile keeps what the map can show, its neighbours
# only their shape; of the islands those that can be seen, and all of the ocean's
# that people walk on. Needs npm install in this folder.
set -eu
cd "$(dirname "$0")"

node_modules/.bin/mapshaper node_modules/world-atlas/countries-10m.json \
	-filter target=countries '["Chile", "Argentina", "Bolivia", "Peru"].includes(name)' \
	-clean \
	-explode \
	-filter 'this.area > 30e6 || name == "Chile" && this.area > 5e6 && this.centroidX < -76' \
	-simplify variable interval='name == "Chile" ? 3200 : 15000' keep-shapes \
	-dissolve fields=name \
	-clean \
	-o ../static/contorno.json format=geojson precision=0.001
