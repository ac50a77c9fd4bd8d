// The first page's own block: favourites, places seen lately, and the parks nearest
// to where the device is. The states are those of the page's rows. Nothing is sent.
"use strict";
(function () {
  var home = document.getElementById("mios"), vigia = window.vigia;
  if (!home || !vigia || !vigia.mine) return;
  var NEAREST = 8, words = home.dataset, english = vigia.mine.root, recall = vigia.mine.recall;

  function part(name) { return home.querySelector('[data-mio="' + name + '"]'); }

  function say(text) { part("dicho").textContent = text; }

  // row copies the row of a park from the page's own list, with its present state and the
  // worst to come. Lists of alerts and of the map's signs say less.
  function row(path) {
    var best = Array.prototype.filter.call(document.querySelectorAll(".grupo .parques > li a"), function (link) { return link.getAttribute("href") === english + path; })[0];
    if (!best) return null;
    var copied = best.closest("li").cloneNode(true);
    copied.hidden = false;
    copied.removeAttribute("id");
    copied.removeAttribute("data-region"); // no filter of the list takes it away
    copied.querySelectorAll("[id]").forEach(function (element) { element.removeAttribute("id"); });
    return copied;
  }

  function add(parent, tag, text) {
    var made = document.createElement(tag);
    made.textContent = text;
    return parent.appendChild(made);
  }

  function link(parent, at) {
    var made = add(parent, "a", at.name);
    made.href = english + at.path;
    return made;
  }

  // fill lists places, a row for each park with the trails of it that are meant.
  function fill(name, places) {
    var box = home.querySelector('[data-lista="' + name + '"]'), list = box.querySelector("ul"), parks = {};
    list.textContent = "";
    places.forEach(function (at) {
      var park = at.path.replace(/\/senderos\/.*/, ""), item = parks[park];
      if (!item) {
        item = parks[park] = row(park) || document.createElement("li");
        if (!item.firstChild) {
          var body = add(item, "div", "");
          link(body, park === at.path || !at.park ? { path: park, name: at.name } : { path: park, name: at.park });
          add(body, "p", words.sinFila).className = "menor";
        }
        list.appendChild(item);
      }
      var within = item.querySelector("div") || item;
      if (park !== at.path) {
        var trails = within.querySelector(".mio-suyos") || add(within, "p", words.senderos + " ");
        trails.className = "mio-suyos menor";
        link(trails, at);
      }
      if (at.far) add(within, "p", at.far).className = "menor";
    });
    box.hidden = !list.firstChild;
  }

  // lists shows the favourites. The places seen lately are shown when they are asked
  // for: with each visit they are others, and would move what is below them.
  function lists() {
    fill("favoritos", recall("favoritos"));
    if (opened()) fill("recientes", recall("recientes"));
  }

  function opened() { return part("recientes").getAttribute("aria-expanded") === "true"; }

  function lately() {
    var open = !opened(), places = recall("recientes");
    part("recientes").setAttribute("aria-expanded", String(open));
    fill("recientes", open ? places : []);
    if (open && !places.length) say(words.sinRecientes);
  }

  function near() {
    var button = part("cerca");
    button.disabled = true;
    say(words.buscando);
    position().then(function (at) {
      return fetch(words.posiciones).then(function (answer) {
        if (!answer.ok) throw new Error("positions " + answer.status);
        return answer.json();
      }).then(function (parks) { nearest(at.coords, parks.features); }, function () { say(words.sinRed); });
    }, function (failure) {
      say(failure.code === 1 ? words.negada : words.fallo);
    }).then(function () { button.disabled = false; });
  }

  function position() {
    return new Promise(function (resolve, reject) {
      if (!navigator.geolocation) reject({ code: 2 });
      else navigator.geolocation.getCurrentPosition(resolve, reject, { timeout: 20000, maximumAge: 600000 });
    });
  }

  function nearest(at, features) {
    var places = features.map(function (park) {
      var to = park.geometry.coordinates;
      return { path: "/parques/" + park.properties.slug, name: park.properties.nombre, km: distance(at.latitude, at.longitude, to[1], to[0]) };
    }).sort(function (a, b) { return a.km - b.km; }).slice(0, NEAREST);
    places.forEach(function (park) { park.far = park.km < 1 ? words.menosDeUnKm : vigia.fill(words.km, { n: Math.round(park.km) }); });
    fill("cerca", places);
    say(vigia.fill(words.hay, { n: places.length }));
  }

  // distance is that of two places on the globe, in kilometres.
  function distance(lat, lon, toLat, toLon) {
    var rad = Math.PI / 180, y = Math.sin((toLat - lat) * rad / 2), x = Math.sin((toLon - lon) * rad / 2);
    return 2 * 6371 * Math.asin(Math.sqrt(y * y + Math.cos(lat * rad) * Math.cos(toLat * rad) * x * x));
  }

  part("cerca").addEventListener("click", near);
  part("recientes").addEventListener("click", lately);
  window.addEventListener("pageshow", lists);
  lists();
  home.classList.add("lista");
})();
