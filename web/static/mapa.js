// The maps of the country and of a park. Nothing of them is loaded before they are
// opened; the drawing and the lists of the page say the same. They ask no other host:
// the outline is ours. Once its estimates are over a map shows no state any more.
"use strict";
(function () {
  var box = document.querySelector("details.mapa");
  if (!box) return;
  var words = JSON.parse(box.dataset.palabras), started = false;
  var ranks = { rojo: 3000, amarillo: 2000, nada: 1000, verde: 0 }; // the worst above
  var mainland = [[-56.6, -76], [-17, -66.4]];
  var apart = 34; // pixels between signs
  var nearZoom = 9; // from which a park's trails stand in its place
  var day = null, chosen = null; // of a page of a chosen day, and the states that it shows

  box.addEventListener("toggle", function () {
    if (!box.open || started) return;
    started = true;
    day = box.dataset.estados ? new URLSearchParams(location.search).get("dia") : null;
    chosen = day ? JSON.parse(box.dataset.estados) : null;
    var status = add(box, "p", "mapa-estado");
    status.setAttribute("role", "status");
    status.textContent = words["mapa.cargando"];
    Promise.all([style(box.dataset.estilo), script(box.dataset.leaflet), data(box.dataset.contorno), data(box.dataset.datos),
      box.dataset.senderos ? data(box.dataset.senderos) : null])
      .then(function (all) { // an operator's own map wants Leaflet before it
        return box.dataset.region ? script(box.dataset.protomaps).then(function () { return all; }) : all;
      })
      .then(function (all) { open(status, all[2], all[3], all[4]); })
      .catch(function () {
        status.textContent = words["mapa.fallo"];
        box.addEventListener("toggle", function again() { // closed: the next opening tries anew
          box.removeEventListener("toggle", again);
          status.remove();
          started = false;
        });
      });
  });

  function add(to, tag, name) {
    var element = document.createElement(tag);
    element.className = name;
    to.appendChild(element);
    return element;
  }

  function load(element) {
    return new Promise(function (resolve, reject) {
      element.onload = resolve;
      element.onerror = reject;
      document.head.appendChild(element);
    });
  }

  function style(path) {
    var link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = path;
    return load(link);
  }

  function script(path) {
    var element = document.createElement("script");
    element.src = path;
    return load(element);
  }

  function data(path) {
    return fetch(path).then(function (answer) {
      if (!answer.ok) throw new Error(path + " " + answer.status);
      return answer.json();
    });
  }

  // open draws the map: all parks, and the trails of the park that the page is of.
  function open(status, outline, parks, trails) {
    var canvas = add(box, "div", "mapa-lienzo");
    canvas.setAttribute("role", "region");
    canvas.setAttribute("aria-label", words["mapa.nombre"]);
    var map = L.map(canvas, {
      zoomControl: false, zoomSnap: .25, minZoom: 2, maxZoom: 14, maxBounds: [[-62, -120], [-8, -52]], maxBoundsViscosity: 1,
      scrollWheelZoom: false, tap: false
    });
    map.attributionControl.setPrefix(false).addAttribution("Leaflet · Natural Earth");
    L.control.zoom({ position: "bottomright", zoomInTitle: words["mapa.acercar"], zoomOutTitle: words["mapa.alejar"] }).addTo(map);
    L.control.scale({ imperial: false, position: "bottomleft" }).addTo(map);
    L.geoJSON(outline, { interactive: false, style: function (country) {
      return { className: country.properties.name === "Chile" ? "tierra" : "tierra-otra", weight: 1 };
    } }).addTo(map);
    if (box.dataset.region) region(map);
    var marks = signs(map, canvas, parks.features.map(placeOf));
    if (!trails) ways(map, parks.features);
    var end = chosen ? pageEnd() : earliest(parks.features.concat(trails ? trails.features : []));
    map.on("zoomend", function () { canvas.classList.toggle("sin-contorno", map.getZoom() >= nearZoom); });
    map.on("zoomend", function () { map.closePopup(); marks.draw(); });
    map.on("moveend", function () {
      marks.renew();
      if (!chosen) nearby(map, marks);
    });
    if (trails) marks.add(trails.features);
    map.fitBounds(trails ? boundsOf(trails.features) : mainland, { maxZoom: 13, padding: [30, 30] });
    canvas.addEventListener("click", function () { map.scrollWheelZoom.enable(); });
    var last = null;
    map.on("popupopen", function (event) { last = event.popup._source; });
    canvas.addEventListener("keydown", function (event) {
      if (event.key !== "Escape" || !last) return;
      map.closePopup();
      last.getElement().focus();
      last = null;
    });
    watch(status, canvas, map, marks, end);
  }

  // region adds the operator's own map of vector tiles, above the outline.
  function region(map) {
    var own = JSON.parse(box.dataset.region), dark = matchMedia("(prefers-color-scheme: dark)").matches, whose = document.createElement("span");
    whose.textContent = own.atribucion; // it may have anything in it
    var layer = protomapsL.leafletLayer({
      url: own.ruta, maxDataZoom: own.zoom, bounds: own.limites, attribution: whose.innerHTML || undefined,
      flavor: dark ? "dark" : "light", lang: document.documentElement.lang.slice(0, 2)
    });
    layer.backgroundColor = ""; // where it has no land, ours is seen
    layer.addTo(map);
  }

  // boundsOf is where a park's trails lie, or the one that the page is of.
  function boundsOf(features) {
    var own = features.filter(function (f) { return f.properties.slug === box.dataset.sendero; });
    return L.latLngBounds([].concat.apply([], (own.length ? own : features).map(function (f) {
      return f.properties.puntos.map(function (p) { return [p.latitud, p.longitud]; });
    })));
  }

  // placeOf is a park or a trail as a sign shows it.
  function placeOf(feature) {
    var of = feature.properties, at = feature.geometry.coordinates, trail = !!of.puntos;
    var state = ranks[of.estado] === undefined ? "nada" : of.estado;
    if (chosen) state = ranks[chosen[of.slug]] === undefined ? "nada" : chosen[of.slug];
    var said = words[state];
    if (!chosen && of.amenaza_principal && state !== "verde" && words[of.amenaza_principal])
      said = words["mapa.por"].replace("{estado}", said).replace("{amenaza}", words[of.amenaza_principal]);
    var critical = trail && of.puntos.filter(function (p) { return p.critico; })[0];
    return {
      at: L.latLng(trail ? [critical.latitud, critical.longitud] : [at[1], at[0]]), of: of, state: state, said: said, shape: feature.geometry,
      park: trail ? of.parque : of.slug, trail: trail,
      link: box.dataset.raiz + "/parques/" + (trail ? of.parque + "/senderos/" : "") + of.slug
    };
  }

  // signs are the marks of a map: those that would cover each other are one, the worst,
  // with their number.
  function signs(map, canvas, places) {
    var layer = L.layerGroup().addTo(map), standing = {}, drawn = [], asked = {}, known = {}, ready = false, stale = false;
    map.on("popupclose", later);
    canvas.addEventListener("focusout", function () { setTimeout(later); });

    function shown() {
      var near = map.getZoom() >= nearZoom, seen = map.getBounds().pad(.1);
      return places.filter(function (p) { return near ? seen.contains(p.at) && (p.trail || !known[p.of.slug]) : !p.trail; })
        .sort(function (a, b) { return ranks[b.state] - ranks[a.state]; });
    }

    // later draws what came since, once nobody reads a popup or is on a sign.
    function later() {
      var at = document.activeElement;
      if (stale && !canvas.querySelector(".leaflet-popup") && (at === canvas || !canvas.contains(at))) draw();
    }

    function draw() {
      ready = true;
      stale = false;
      drawn.forEach(function (line) { line.remove(); });
      var groups = grouped(map, shown()), taken = groups.map(function (g) { return around(g.px, 15, 15); });
      drawn = map.getZoom() >= nearZoom ? trailLines(map, places) : [];
      var before = standing;
      standing = {};
      groups.forEach(function (g) {
        var side = g.places.length > 1 ? map.getZoom() >= map.getMaxZoom() - .5 : sideOf(map, g, taken);
        var key = [side].concat(g.places.map(function (p) { return p.link + " " + p.state; })).join(" ");
        standing[key] = before[key] || (g.places.length > 1 ? cluster(map, canvas, g) : single(map, g, side)).addTo(layer);
      });
      Object.keys(before).forEach(function (key) { if (!standing[key]) layer.removeLayer(before[key]); });
    }

    return {
      places: places,
      draw: draw,
      renew: function () {
        stale = ready && map.getZoom() >= nearZoom; // from farther away all signs stand
        later();
      },
      // first reports whether a park's trails were not asked for before.
      first: function (slug) {
        var is = !asked[slug] && !known[slug];
        asked[slug] = true;
        return is;
      },
      add: function (features) {
        features.forEach(function (f) {
          var place = placeOf(f);
          if (canvas.classList.contains("mapa-vencido")) none(place);
          places.push(place);
          known[place.park] = true;
        });
        stale = ready;
        later();
      }
    };
  }

  // grouped joins places that are too near to each other on the screen, to the nearest
  // sign. The places come worst first, and the worst keeps its own.
  function grouped(map, places) {
    var groups = [];
    places.forEach(function (place) {
      var px = map.project(place.at), near = apart, into = null;
      groups.forEach(function (g) {
        var d = g.px.distanceTo(px);
        if (d < near) { near = d; into = g; }
      });
      if (into) into.places.push(place);
      else groups.push({ px: px, places: [place] });
    });
    return groups;
  }

  function around(px, x, y) { return [px.x - x, px.y - y, px.x + x, px.y + y]; }

  function shortName(place) { return place.of.nombre.replace(/^(Parque|Reserva|Monumento) \S+ /, ""); }

  // sideOf is the side of a sign on which its name has room, undefined for none.
  function sideOf(map, group, taken) {
    return ["", " izquierda"].find(function (side) { return free(map, group.px, shortName(group.places[0]), side, taken); });
  }

  function single(map, group, side) {
    var place = group.places[0], text = place.of.nombre;
    var marker = L.marker(place.at, { icon: icon(place.state, 1, side === undefined ? "" : shortName(place), side), riseOnHover: true, zIndexOffset: ranks[place.state] });
    marker.on("add", function () { name(marker, text + ": " + place.said); });
    pop(map, marker, popup([place]));
    return marker;
  }

  // free reports whether a name has room beside a sign, and takes it.
  function free(map, px, text, side, taken) {
    var rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    var wide = .39 * rem * text.length + 4, left = side ? px.x - 15 - wide : px.x + 15, seen = map.getPixelBounds();
    var label = [left, px.y - 9, left + wide, px.y + 9];
    if (label[0] < seen.min.x || label[2] > seen.max.x || taken.some(function (t) {
      return label[0] < t[2] && label[2] > t[0] && label[1] < t[3] && label[3] > t[1];
    })) return false;
    taken.push(label);
    return true;
  }

  function cluster(map, canvas, group) {
    var worst = group.places[0], n = group.places.length, within = L.latLngBounds(group.places.map(function (p) { return p.at; }));
    var marker = L.marker(worst.at, { icon: icon(worst.state, n), riseOnHover: true, zIndexOffset: ranks[worst.state] });
    marker.on("add", function () {
      name(marker, words["mapa.varios"].replace("{lugar}", worst.of.nombre).replace("{n}", n - 1).replace("{estado}", worst.said));
    });
    if (map.getZoom() >= map.getMaxZoom() - .5 || within.getNorthEast().distanceTo(within.getSouthWest()) < 50) {
      pop(map, marker, popup(group.places));
      return marker;
    }
    marker.on("click", closer);
    marker.on("keypress", function (event) { if (event.originalEvent.key === "Enter") closer(); });
    function closer() {
      canvas.focus({ preventScroll: true }); // the sign goes, and the focus with it
      var zoom = map.getBoundsZoom(within.pad(.4));
      map.setView(within.getCenter(), Math.min(map.getMaxZoom(), Math.max(zoom, map.getZoom() + 1)));
    }
    return marker;
  }

  function pop(map, marker, content) {
    var room = Math.min(300, map.getContainer().clientWidth - 64); // for words, between the popup's edges and the map's
    marker.bindPopup(content, { closeButton: false, autoPanPadding: [8, 12], maxWidth: room, maxHeight: 260 });
    marker.on("popupopen", function () { marker.getPopup().getElement().querySelector("a").focus({ preventScroll: true }); });
  }

  function name(marker, text) {
    var element = marker.getElement();
    element.title = text;
    element.setAttribute("aria-label", text);
  }

  function icon(state, n, label, side) {
    var sign = document.createElement("div");
    sign.innerHTML = '<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><use href="#f-' + state + '"/></svg>';
    if (n > 1) add(sign, "b", "mapa-cuenta").textContent = n;
    if (label) add(sign, "span", "mapa-nombre" + side).textContent = label;
    return L.divIcon({ className: "mapa-signo mapa-" + state, iconSize: [26, 26], popupAnchor: [0, -8], html: sign });
  }

  // trailLines draws how trails run, or where that is not known links from their start to
  // their points.
  function trailLines(map, places) {
    var drawn = [];
    places.filter(function (p) { return p.trail; }).forEach(function (p) {
      var points = p.of.puntos.map(function (q) { return [q.latitud, q.longitud]; });
      var known = p.shape.type === "LineString";
      var line = known ? p.shape.coordinates.map(function (c) { return [c[1], c[0]]; }) : points;
      drawn.push(L.polyline(line, { className: known ? "mapa-huella" : "mapa-union", interactive: false }).addTo(map));
      p.of.puntos.forEach(function (q, i) {
        if (q.critico) return;
        drawn.push(L.circleMarker(points[i], { radius: i ? 4 : 6, className: i ? "mapa-punto" : "mapa-inicio" })
          .bindTooltip(document.createTextNode(q.nombre)).addTo(map));
      });
    });
    return drawn;
  }

  // nearby loads the trails of the parks that are seen from near.
  function nearby(map, marks) {
    if (map.getZoom() < nearZoom) return;
    var seen = map.getBounds().pad(.2);
    marks.places.filter(function (p) { return !p.trail && seen.contains(p.at) && marks.first(p.of.slug); }).forEach(function (p) {
      data("/parques/" + p.of.slug + "/senderos.geojson").then(function (trails) { marks.add(trails.features); }, function () {});
    });
  }

  function popup(places) {
    var content = document.createElement("div");
    places.forEach(function (place) {
      var link = add(content, "a", "");
      link.href = place.link;
      link.textContent = place.of.nombre;
      official(place.of).forEach(function (said) { add(content, "p", "oficial-breve").textContent = said; });
      add(content, "p", "mapa-dice palabra").textContent = place.said;
    });
    var until = validity(places[0]);
    if (until) add(content, "p", "mapa-hasta").textContent = until;
    return content;
  }

  // validity says until when a state holds, in the park's zone, and of which day it is.
  function validity(place) {
    var end = chosen ? pageEnd() : Date.parse(place.of.vigente_hasta);
    if (place.state === "nada" || !(end > now())) return "";
    var at = local(end, place.of.zona_horaria);
    var text = words["mapa.hasta"].replace("{hora}", at.weekday + " " + at.day + ", " + at.hour + ":" + at.minute)
      .replace("{zona}", words["zona." + place.of.zona_horaria] || place.of.zona_horaria);
    if (!chosen) return text;
    at = local(Date.parse(day + "T12:00:00Z"), "UTC");
    return words["mapa.dia"].replace("{dia}", at.weekday + " " + at.day) + " " + text;
  }

  function local(instant, zone) {
    var parts = {};
    new Intl.DateTimeFormat(document.documentElement.lang, { timeZone: zone, weekday: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
      .formatToParts(instant).forEach(function (part) { parts[part.type] = part.value; });
    return parts;
  }

  function pageEnd() { return Date.parse(document.body.dataset.vigenteHasta); }

  // official is what official bodies say now: it stands until the source takes it back.
  function official(of) {
    var at = now(), said = [];
    (of.cierres || []).forEach(function (c) {
      if (c.desde && Date.parse(c.desde) > at || c.hasta && Date.parse(c.hasta) <= at) return;
      said.push(aged(words["mapa." + c.alcance + "." + c.situacion].replace("{fuente}", c.fuente), c));
    });
    (of.alertas_volcanicas || []).forEach(function (v) {
      if (v.nivel_tecnico === "verde") return;
      said.push(aged(words["mapa.volcan." + v.nivel_tecnico].replace("{volcan}", v.volcan).replace("{fuente}", v.fuente), v));
    });
    return said.filter(function (text, i) { return said.indexOf(text) === i; });
  }

  function aged(text, notice) { return notice.desactualizado ? words.vieja.replace("{que}", text) : text; }

  // The device's clock may be wrong, and the page knows by how much.
  function now() { return window.vigia ? window.vigia.now() : Date.now(); }

  // ways are buttons to the mainland and to the islands too far out to be on it.
  function ways(map, features) {
    var bar = add(box, "p", "mapa-ir");
    box.insertBefore(bar, map.getContainer());
    way(bar, words["mapa.continente"], function () { map.fitBounds(mainland); });
    features.forEach(function (park) {
      var at = park.geometry.coordinates, island = words["isla." + park.properties.slug];
      if (island) way(bar, island, function () { map.setView([at[1], at[0]], 8); });
    });
  }

  function way(bar, text, go) {
    var button = add(bar, "button", "boton otro");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", go);
  }

  // earliest is until when the states hold, NaN when there are none.
  function earliest(features) {
    return features.reduce(function (least, park) {
      var end = Date.parse(park.properties.vigente_hasta) || 0; // a state without an end holds no more
      return park.properties.estado && !(end >= least) ? end : least;
    }, NaN);
  }

  function none(place) {
    place.state = "nada";
    place.said = words.nada;
  }

  // watch takes the states away when they hold no more. Until when they do the page says.
  function watch(status, canvas, map, marks, end) {
    if (isNaN(end)) {
      over(words["mapa.sin_datos"]);
      return;
    }
    status.textContent = "";
    (function check() {
      var left = end - now();
      if (left <= 0) over(words["mapa.vencido"]);
      else setTimeout(check, Math.min(left, 60000));
    })();
    document.addEventListener("visibilitychange", function () { if (now() >= end) over(words["mapa.vencido"]); });

    function over(text) {
      status.textContent = text;
      if (canvas.classList.contains("mapa-vencido")) return;
      canvas.classList.add("mapa-vencido");
      map.closePopup();
      marks.places.forEach(none);
      marks.draw();
    }
  }
})();
