// The map of the parks. Nothing of it is loaded before it is opened; the chart and
// the lists of the page say the same. It has no tiles and asks no other host: the
// outline is ours. Once its estimates are over it shows no state any more.
"use strict";
(function () {
  var box = document.querySelector("details.mapa");
  if (!box) return;
  var words = JSON.parse(box.dataset.palabras), started = false;
  var ranks = { rojo: 3000, amarillo: 2000, nada: 1000, verde: 0 }; // the worst above
  var mainland = [[-56.6, -76], [-17, -66.4]];

  box.addEventListener("toggle", function () {
    if (!box.open || started) return;
    started = true;
    var status = add(box, "p", "mapa-estado");
    status.setAttribute("role", "status");
    status.textContent = words["mapa.cargando"];
    Promise.all([style(box.dataset.estilo), script(box.dataset.leaflet), data(box.dataset.contorno), data(box.dataset.datos)])
      .then(function (all) { draw(status, all[2], all[3]); })
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

  function draw(status, outline, parks) {
    var canvas = add(box, "div", "mapa-lienzo");
    canvas.setAttribute("role", "region");
    canvas.setAttribute("aria-label", words["mapa.nombre"]);
    var map = L.map(canvas, {
      zoomControl: false, zoomSnap: .25, minZoom: 2, maxZoom: 9, maxBounds: [[-62, -120], [-8, -52]], maxBoundsViscosity: 1,
      scrollWheelZoom: false, tap: false
    });
    map.attributionControl.setPrefix(false).addAttribution("Leaflet · Natural Earth");
    L.control.zoom({ position: "bottomright", zoomInTitle: words["mapa.acercar"], zoomOutTitle: words["mapa.alejar"] }).addTo(map);
    L.geoJSON(outline, { interactive: false, style: function (country) {
      return { className: country.properties.name === "Chile" ? "tierra" : "tierra-otra", weight: 1 };
    } }).addTo(map);
    var room = Math.min(300, canvas.clientWidth - 64); // for the words of a popup, between its edges and the map's
    var marks = parks.features.map(function (park) { return mark(park, room).addTo(map); });
    ways(map, parks.features);
    map.on("zoomend", function () { canvas.classList.toggle("de-cerca", map.getZoom() >= 6.5); });
    map.fitBounds(mainland);
    canvas.addEventListener("click", function () { map.scrollWheelZoom.enable(); });
    var last = null;
    map.on("popupopen", function (event) { last = event.popup._source; });
    canvas.addEventListener("keydown", function (event) {
      if (event.key !== "Escape" || !last) return;
      map.closePopup();
      last.getElement().focus();
      last = null;
    });
    watch(status, canvas, map, marks, earliest(parks.features));
  }

  function mark(park, room) {
    var at = park.geometry.coordinates, of = park.properties, state = ranks[of.estado] === undefined ? "nada" : of.estado;
    var said = of.amenaza_principal && state !== "verde" && words[of.amenaza_principal] ?
      words["mapa.por"].replace("{estado}", words[state]).replace("{amenaza}", words[of.amenaza_principal]) : words[state];
    var marker = L.marker([at[1], at[0]], { icon: icon(state), title: of.nombre + ": " + said, riseOnHover: true, zIndexOffset: ranks[state] });
    marker.on("add", function () { name(marker, of.nombre + ": " + said); });
    marker.bindPopup(popup(of, state, said), { closeButton: false, autoPanPadding: [8, 12], maxWidth: room });
    marker.on("popupopen", function () { marker.getPopup().getElement().querySelector("a").focus({ preventScroll: true }); });
    marker.of = of;
    return marker;
  }

  function name(marker, text) {
    var element = marker.getElement();
    element.title = text;
    element.setAttribute("aria-label", text);
  }

  function icon(state) {
    return L.divIcon({
      className: "mapa-parque mapa-" + state, iconSize: [26, 26], popupAnchor: [0, -8],
      html: '<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><use href="#f-' + state + '"/></svg>'
    });
  }

  function popup(of, state, said) {
    var content = document.createElement("div"), link = document.createElement("a");
    link.href = box.dataset.raiz + "/parques/" + of.slug;
    link.textContent = of.nombre;
    content.appendChild(link);
    official(of).forEach(function (said) { add(content, "p", "oficial-breve").textContent = said; });
    var line = add(content, "p", "mapa-dice palabra");
    line.textContent = said;
    return content;
  }

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
      marks.forEach(function (marker) {
        marker.setIcon(icon("nada"));
        name(marker, marker.of.nombre + ": " + words.nada);
        marker.setPopupContent(popup(marker.of, "nada", words.nada));
      });
    }
  }
})();
