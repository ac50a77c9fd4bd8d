#!/usr/bin/env node
// Copies the vendored libraries, as their npm packages publish them, into
// static/ and their licences into licences/. Needs npm install in this folder.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const published = (path) => readFileSync(join(here, "node_modules", path), "utf8");
const write = (path, text) => writeFileSync(join(here, "..", path), text.trimEnd() + "\n");

// The source maps are not served, so nothing may ask for them.
const withoutMap = (script) => script.replace(/^\/\/# sourceMappingURL=.*$/m, "");

// Leaflet's style names pictures that are not served: of its default marker, of
// its switch of layers and of what old Internet Explorers draw. The rules that
// name one go, and so do comments and space.
function withoutPictures(style) {
  return style
    .replace(/\/\*[^]*?\*\//g, "")
    .replace(/[^{}]*\{[^{}]*url\([^{}]*\}/g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};]) ?/g, "$1")
    .replace(/([{;][\w-]+): /g, "$1:")
    .replace(/;\}/g, "}")
    .replace(/\}/g, "}\n");
}

// The name and version that a minified style no longer tells.
function banner(name) {
  const { version } = JSON.parse(published(`${name}/package.json`));
  return `/* ${name} ${version}, see licences/README.md */\n`;
}

write("static/leaflet.js", withoutMap(published("leaflet/dist/leaflet.js")));
write("static/leaflet.css", banner("leaflet") + withoutPictures(published("leaflet/dist/leaflet.css")).trim());
write("static/uplot.js", withoutMap(published("uplot/dist/uPlot.iife.min.js")));
write("static/uplot.css", banner("uplot") + published("uplot/dist/uPlot.min.css").trim());
write("static/protomaps-leaflet.js", withoutMap(published("protomaps-leaflet/dist/protomaps-leaflet.js")));
write("licences/leaflet.txt", published("leaflet/LICENSE"));
write("licences/uplot.txt", published("uplot/LICENSE"));
write("licences/alegreya.txt", published("@fontsource/alegreya/LICENSE"));
// Its own licence is also that of pmtiles and @protomaps/basemaps, which are in it too.
write("licences/protomaps-leaflet.txt", ["protomaps-leaflet", "@mapbox/vector-tile", "pbf", "@mapbox/point-geometry", "rbush", "quickselect", "color2k", "potpack", "fflate"]
  .map((name) => `${name}\n\n${published(`${name}/LICENSE${name === "@mapbox/vector-tile" ? ".txt" : ""}`).trim()}\n`).join("\n\n"));
write("licences/world-atlas.txt", published("world-atlas/LICENSE"));
