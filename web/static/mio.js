// What one person marks on the page of a park or a trail: a favourite, a place seen,
// a park kept for use offline; and sharing. It stays on the device: nothing of it is
// sent. Where the device refuses to keep it, the page says so and works as before.
// The blocks of the page are shown by this script, which alone can do what they offer.
"use strict";
(function () {
  var place = document.getElementById("mio"), vigia = window.vigia, root = document.documentElement;
  if (!vigia) return;
  var RECENT = 6, words = place ? place.dataset : {};
  var english = (/^\/en(?=\/|$)/.exec(location.pathname) || [""])[0], here = location.pathname.slice(english.length);

  // What this gives to the scripts of other pages.
  vigia.ask = ask;
  vigia.kept = kept;
  vigia.size = size;
  vigia.mine = { recall: recall, root: english };

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
      tamano: size(park.bytes, words)
    });
  }

  function size(bytes, words) {
    return vigia.fill(words.mb, { n: (Math.max(bytes, 100000) / 1e6).toLocaleString(root.lang, { maximumFractionDigits: 1 }) });
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

  if (place) {
    begin();
    document.querySelectorAll(".mio").forEach(function (block) { block.classList.add("lista"); });
  }
})();
