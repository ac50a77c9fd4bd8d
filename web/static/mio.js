// What one person marks: favourite parks and trails, the places seen lately, parks
// kept for use offline. It stays on the device: nothing of it is sent. Where the
// device refuses to keep it, the page says so and works as before. The blocks of the
// page are shown by this script, which alone can do what they offer.
"use strict";
(function () {
  var place = document.getElementById("mio"), home = document.getElementById("mios"), vigia = window.vigia, root = document.documentElement;
  if (!vigia) return;
  vigia.ask = ask;
  vigia.kept = kept;
  if (!place && !home) return;
  var RECENT = 6, SHOWN = 3, NEAREST = 8;
  var english = (/^\/en(?=\/|$)/.exec(location.pathname) || [""])[0], here = location.pathname.slice(english.length);
  var words = (place || home).dataset;

  function part(name) { return document.querySelector('[data-mio="' + name + '"]'); }

  function say(text) { part("dicho").textContent = text; }

  // recall gives a list that this device keeps, of places by their path in the first
  // language. What cannot be read is empty.
  function recall(name) {
    try {
      var list = JSON.parse(localStorage.getItem("vigia-" + name));
      return Array.isArray(list) ? list.filter(function (at) { return at && /^\/parques\/[\w\/-]+$/.test(at.path) && typeof at.name === "string"; }) : [];
    } catch (refused) {
      return [];
    }
  }

  // remember reports whether the device has kept a list.
  function remember(name, list) {
    try {
      localStorage.setItem("vigia-" + name, JSON.stringify(list));
      return true;
    } catch (refused) {
      return false;
    }
  }

  function without(list, path) { return list.filter(function (at) { return at.path !== path; }); }

  function show() { document.querySelectorAll(".mio").forEach(function (block) { block.classList.add("lista"); }); }

  // ask has the service worker keep a park, remove one, or tell what is kept. step is
  // told how far it has come.
  function ask(message, step) {
    return new Promise(function (resolve, reject) {
      if (!navigator.serviceWorker) return reject(new Error("no worker"));
      navigator.serviceWorker.ready.then(function (registration) {
        var channel = new MessageChannel();
        channel.port1.onmessage = function (event) {
          if (event.data.avance) step(event.data.avance);
          else if (event.data.fallo) reject(new Error(event.data.fallo));
          else resolve(event.data);
        };
        registration.active.postMessage(message, [channel.port2]);
      }).catch(reject);
    });
  }

  // kept says how much of a park is kept, and since when.
  function kept(park, words, zone) {
    return vigia.fill(park.faltan ? words.guardadoEnParte : words.guardado, {
      n: park.paginas.length, total: park.paginas.length + park.faltan, hora: vigia.clock(park.en, zone), edad: vigia.span(Math.max(0, vigia.now() - park.en), words),
      tamano: vigia.fill(words.mb, { n: (Math.max(park.bytes, 100000) / 1e6).toLocaleString(root.lang, { maximumFractionDigits: 1 }) })
    });
  }

  // The page of a park or of a trail.

  function begin() {
    var self = { path: here, name: document.querySelector("h1").textContent.trim(), park: words.parque || "" };
    remember("recientes", [self].concat(without(recall("recientes"), here)).slice(0, RECENT));
    var star = part("favorito");
    function mark() { star.setAttribute("aria-pressed", String(without(recall("favoritos"), here).length < recall("favoritos").length)); }
    star.addEventListener("click", function () {
      var list = recall("favoritos"), rest = without(list, here), add = rest.length === list.length;
      var kept = remember("favoritos", add ? rest.concat(self) : rest);
      mark();
      say(!kept ? words.favoritoFallo : add ? words.favoritoSi : words.favoritoNo);
    });
    window.addEventListener("pageshow", mark);
    mark();
    part("compartir").addEventListener("click", share);
    if (part("guardar")) offerKeeping();
  }

  // message is what is told to others: a state with its hour, and none that holds no more.
  function message() {
    var old = ["vieja", "vencida"].filter(function (form) { return root.classList.contains(form); })[0];
    if (!old) return words.comparte;
    return vigia.fill(words.comparteViejo, { lugar: words.lugar, titulo: document.querySelector("#" + old + " strong").textContent });
  }

  function share() {
    var told = { title: document.querySelector("h1").textContent.trim(), text: message(), url: location.origin + location.pathname };
    if (!navigator.share) return copy(told);
    navigator.share(told).catch(function (failure) { if (failure.name !== "AbortError") copy(told); });
  }

  function copy(told) {
    var text = told.text + " " + told.url, copied = navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject(new Error("no clipboard"));
    copied.then(function () { say(words.copiado); }, function () {
      say(words.copie + " ");
      var shown = document.createElement("span");
      shown.className = "mio-texto";
      shown.textContent = text;
      part("dicho").appendChild(shown);
    });
  }

  // offerKeeping is for a park with its trails. The service worker does it.
  function offerKeeping() {
    var keep = part("guardar"), remove = part("quitar");
    if (!navigator.serviceWorker || !window.caches) {
      keep.hidden = true;
      return;
    }
    function told(kept) {
      remove.hidden = part("ver").hidden = !kept;
      if (kept) say(vigia.kept(kept, words, document.body.dataset.zona));
    }
    function find(list) { return list.filter(function (kept) { return kept.path === location.pathname; })[0]; }
    keep.addEventListener("click", function () {
      keep.disabled = true;
      if (navigator.storage && navigator.storage.persist) navigator.storage.persist().catch(function () {});
      vigia.ask({ guardar: location.pathname }, function (done) { say(vigia.fill(words.guardando, done)); }).then(function (answer) {
        told(find(answer.parques));
        if (answer.quitados.length) part("dicho").textContent += " " + vigia.fill(words.limite, { parques: answer.quitados.join(", ") });
      }, function (failure) {
        say(failure.message === "QuotaExceededError" ? words.lleno : words.fallo);
      }).then(function () { keep.disabled = false; });
    });
    remove.addEventListener("click", function () {
      vigia.ask({ quitar: location.pathname }).then(function () {
        told(null);
        say(words.quitado);
        keep.focus();
      }, function () { say(words.fallo); });
    });
    vigia.ask({ guardados: true }).then(function (answer) {
      keep.classList.remove("espera");
      told(find(answer.parques));
    }, function () { keep.hidden = true; });
  }

  // The first page.

  // row copies the row of a park from the page's own list, with its present state. A
  // list of alerts has other signs.
  function row(path) {
    var links = Array.prototype.filter.call(document.querySelectorAll("main li a"), function (link) {
      var item = link.closest("li");
      return link.getAttribute("href") === english + path && !link.closest("#mios, .resumen") && item.querySelector("svg.forma") && item.querySelector("a") === link;
    });
    var best = links.filter(function (link) { return !link.closest(".buscar"); })[0] || links[0];
    if (!best) return null;
    var copied = best.closest("li").cloneNode(true);
    copied.hidden = false;
    copied.removeAttribute("id");
    copied.querySelectorAll("[id]").forEach(function (element) { element.removeAttribute("id"); });
    copied.querySelectorAll(".sus-senderos").forEach(function (list) { list.remove(); });
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

  function lists() {
    var favourites = recall("favoritos");
    fill("favoritos", favourites);
    fill("recientes", recall("recientes").filter(function (at) { return without(favourites, at.path).length === favourites.length; }).slice(0, SHOWN));
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

  if (place) begin();
  if (home) {
    part("cerca").addEventListener("click", near);
    window.addEventListener("pageshow", lists);
    lists();
  }
  show();
})();
