// Subscribes this browser to pushes: to the park or trail of its page, or with what
// the form says. Everything that it may have to say stands in the page, hidden; it
// shows what applies. Permission is asked for by a press alone.
"use strict";
(function () {
  var place = document.querySelector("[data-avisos]"), form = document.getElementById("formulario"), said = document.getElementById("dicho");
  if (!place) return;
  var signups = "/api/v1/suscriptores", here = place.dataset.avisos, PATIENCE = 30000;

  // say shows one message, with words of the server's where it has some.
  function say(state, detail) {
    said.querySelectorAll("[data-estado]").forEach(function (p) {
      p.hidden = p.dataset.estado !== state;
      if (!p.dataset.texto) p.dataset.texto = p.textContent;
      p.textContent = p.dataset.texto + (p.hidden || !detail ? "" : " " + detail);
    });
  }

  // look shows what is of one situation: listo, activo, otro (for other places), or
  // "" for none.
  function look(situation) {
    place.querySelectorAll("[data-cuando]").forEach(function (e) { e.hidden = e.dataset.cuando.split(" ").indexOf(situation) < 0; });
  }

  // Failure is an end that has a name among the messages.
  function Failure(state, detail) { this.state = state; this.detail = detail; }

  async function ask(method, path, body) {
    var answer, parsed = {};
    try {
      answer = await fetch(path, {
        method: method, cache: "no-store", headers: body ? { "Content-Type": "application/json" } : {}, body: body && JSON.stringify(body)
      });
    } catch (unreachable) {
      throw new Failure("sin_red");
    }
    try { parsed = await answer.json(); } catch (cut) { parsed = {}; }
    if (answer.ok) return parsed.data;
    if (answer.status === 429) throw new Failure("espere");
    if (answer.status === 404) throw new Failure("desconocida");
    if (answer.status >= 500) throw new Failure("apagado");
    var spanish = document.documentElement.lang.slice(0, 2) === "es"; // as the service is
    throw new Failure("rechazado", spanish ? String(parsed.error || "").replace(/^[a-z_]+: /, "") : "");
  }

  // keep works on what this browser remembers, which the service worker shares.
  function keep(mode, work) {
    return new Promise(function (resolve, reject) {
      var opening = indexedDB.open("vigia", 1);
      opening.onupgradeneeded = function () { opening.result.createObjectStore("avisos"); };
      opening.onerror = function () { reject(opening.error); };
      opening.onsuccess = function () {
        var db = opening.result, tx = db.transaction("avisos", mode), request = work(tx.objectStore("avisos"));
        tx.oncomplete = function () { db.close(); resolve(request.result); };
        tx.onabort = function () { db.close(); reject(tx.error); };
      };
    });
  }
  function token() { return keep("readonly", function (b) { return b.get("token"); }); }
  function remember(text) { return keep("readwrite", function (b) { return b.put(text, "token"); }); }
  function speak(language) { return keep("readwrite", function (b) { return b.put(language, "idioma"); }); }
  function wished() { return keep("readonly", function (b) { return b.get("deseo"); }); }
  function wishFor(wish) { return keep("readwrite", function (b) { return wish ? b.put(wish, "deseo") : b.delete("deseo"); }); }
  function forget() { return keep("readwrite", function (b) { return b.clear(); }); }

  function span(fields, name) {
    var from = fields.get(name + "_desde"), to = fields.get(name + "_hasta");
    if (!from !== !to) throw new Failure("sin_" + name);
    return from ? { desde: from, hasta: to } : null;
  }

  // filledIn reads the form: a trail that is ticked stands for its park.
  function filledIn() {
    var fields = new FormData(form), trails = fields.getAll("senderos"), hazards = fields.getAll("amenazas");
    var parks = fields.getAll("parques").filter(function (park) {
      return !trails.some(function (trail) { return trail.startsWith(park + "/"); });
    });
    if (!parks.length && !trails.length) throw new Failure("sin_parques");
    if (!fields.get("consentimiento")) throw new Failure("sin_consentimiento");
    return {
      parques: parks, senderos: trails, nivel_minimo: fields.get("nivel_minimo"), amenazas: hazards.length ? hazards : null,
      silencio: span(fields, "silencio"), viaje: span(fields, "viaje"), idioma: fields.get("idioma")
    };
  }

  // alone is a wish for the page's place and nothing more.
  function alone() {
    return {
      parques: here.indexOf("/") < 0 ? [here] : [], senderos: here.indexOf("/") < 0 ? [] : [here],
      nivel_minimo: "precaucion", amenazas: null, silencio: null, viaje: null, idioma: place.dataset.idioma
    };
  }

  function follows(held) {
    return held.parques.indexOf(here) >= 0 || held.parques.indexOf(here.split("/")[0]) >= 0 || held.senderos.indexOf(here) >= 0;
  }

  // target gives where this browser is reached, made for the service's present key.
  async function target(key) {
    var worker = await navigator.serviceWorker.ready, options = { userVisibleOnly: true, applicationServerKey: key };
    try {
      return await worker.pushManager.subscribe(options);
    } catch (first) {
      try { // one made for another key stands in the way
        var old = await worker.pushManager.getSubscription();
        if (old && await old.unsubscribe()) return await worker.pushManager.subscribe(options);
      } catch (second) { /* the browser cannot reach its service either way */ }
      throw new Failure("sin_servicio");
    }
  }

  async function activate() { await subscribe(here ? alone() : filledIn()); }

  // add puts the page's place to what this browser follows already.
  async function add() {
    var wish = again(await ask("GET", signups + "/" + await token())), more = alone();
    wish.parques = wish.parques.concat(more.parques);
    wish.senderos = wish.senderos.concat(more.senderos).filter(function (trail) { return wish.parques.indexOf(trail.split("/")[0]) < 0; });
    await subscribe(wish);
  }

  // again gives the wish that a subscription was made of.
  function again(held) {
    var wish = {};
    ["parques", "senderos", "nivel_minimo", "amenazas", "silencio", "viaje", "idioma"].forEach(function (name) { wish[name] = held[name]; });
    return wish;
  }

  // outdated tells whether this browser subscribed under another key than the service's
  // present one; false when that cannot be told.
  async function outdated(at) {
    var made = at.options && at.options.applicationServerKey;
    if (!made) return false;
    var text = btoa(String.fromCharCode.apply(null, new Uint8Array(made))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
    try {
      var key = (await ask("GET", "/api/v1/vapid")).clave_publica;
      return Boolean(key) && key !== text;
    } catch (unknown) {
      return false;
    }
  }

  // subscribe asks for a wish. What is asked for anew, without a press, is asked for again
  // at the next visit when it fails.
  async function subscribe(wish, anew) {
    var permission = await Notification.requestPermission();
    if (permission !== "granted") throw new Failure(permission === "denied" ? "denegado" : "sin_permiso");
    var key = (await ask("GET", "/api/v1/vapid")).clave_publica;
    await navigator.serviceWorker.register("/sw.js");
    var before = await token(), at = await target(key);
    wish.canal = "webpush";
    wish.consentimiento = true; // ticked, or said beside the button that was pressed
    wish.webpush = { endpoint: at.endpoint, keys: at.toJSON().keys };
    if (before) wish.webpush.prueba = before; // it is its own proof where the place is the same
    var made, proven = proof();
    try {
      await wishFor(wish); // the service worker sends it again with the proof that is pushed
      made = await ask("POST", signups, wish);
    } catch (refused) {
      if (!anew) await wishFor(null);
      if (!before) await at.unsubscribe().catch(function () {}); // nothing would ever be sent there
      throw refused;
    }
    if (made.token) {
      await wishFor(null);
      await remember(made.token);
    } else if (!await proven) {
      throw new Failure("sin_prueba");
    }
    await refresh();
    say("activado");
  }

  // proof waits until the service worker has proved that this browser is reached; false
  // when that takes too long. It may still come then, with this page or without.
  function proof() {
    return new Promise(function (resolve) {
      var container = navigator.serviceWorker, late = false, timer = setTimeout(function () {
        late = true;
        resolve(false);
      }, PATIENCE);
      container.addEventListener("message", function hear(event) {
        if (event.data !== "avisos") return;
        container.removeEventListener("message", hear);
        clearTimeout(timer);
        resolve(true);
        if (late) refresh().then(function () { say("activado"); });
      });
    });
  }

  async function cancel() {
    var known = await token();
    try {
      if (known) await ask("DELETE", signups + "/" + known);
    } catch (failure) {
      if (failure.state !== "desconocida") throw new Failure("no_cancelado");
    }
    await drop();
    look("listo");
    say("cancelado");
  }

  // drop forgets a subscription that is no more.
  async function drop() {
    await forget();
    var worker = await navigator.serviceWorker.getRegistration("/");
    var at = worker && await worker.pushManager.getSubscription();
    if (at) await at.unsubscribe();
  }

  // refresh shows how it stands: active only when browser and service say so.
  async function refresh() {
    var known = await token(), worker = await navigator.serviceWorker.getRegistration("/");
    var at = known && worker && await worker.pushManager.getSubscription();
    if (Notification.permission === "denied") say("denegado"); // before anybody presses in vain
    if (!at || Notification.permission !== "granted") return look("listo");
    var held = null;
    try {
      held = await ask("GET", signups + "/" + known);
    } catch (failure) {
      if (failure.state === "desconocida") {
        await drop();
        return look("listo");
      }
    }
    var wish = held && (await wished() || await outdated(at) && again(held));
    if (wish) return subscribe(wish, true);
    if (held) await speak(held.idioma);
    var names = place.querySelector("[data-parques]"), manage = place.querySelector("[data-gestionar]");
    if (names) names.textContent = held ? held.parques.concat(held.senderos).map(nameOf).join(", ") : "";
    if (!manage.dataset.raiz) manage.dataset.raiz = manage.getAttribute("href");
    manage.href = manage.dataset.raiz + known;
    look(here && held && !follows(held) ? "otro" : "activo");
  }

  function nameOf(name) {
    var input = form.querySelector('input[value="' + CSS.escape(name) + '"]') ||
      form.querySelector('input[value="' + CSS.escape(name.split("/")[0]) + '"]');
    return input ? input.parentNode.textContent.trim() : name;
  }

  // run does what a button says, once at a time, and tells beside it how it ended.
  function run(work) {
    return async function (event) {
      var button = event.currentTarget, buttons = place.querySelectorAll("[data-hacer]");
      if (!here) button.closest("[data-lugar]").append(said);
      buttons.forEach(function (b) { b.disabled = true; });
      said.setAttribute("aria-busy", "true");
      say("trabajando");
      try {
        await work();
      } catch (failure) {
        var lost = failure.state === "desconocida"; // cancelled elsewhere meanwhile
        say(failure instanceof Failure && !lost ? failure.state : "fallo", failure.detail);
        if (lost) await drop().then(function () { look("listo"); });
      }
      said.removeAttribute("aria-busy");
      buttons.forEach(function (b) { b.disabled = false; });
      (button.closest("[hidden]") ? said : button).focus(); // who has no mouse goes on from here
    };
  }

  // unable names why this browser cannot, "" when it can.
  function unable() {
    if ("standalone" in navigator && !navigator.standalone && !("PushManager" in window)) return "ios";
    if (!window.isSecureContext) return "sin_cifrado";
    return "serviceWorker" in navigator && "PushManager" in window && "Notification" in window && "indexedDB" in window ? "" : "no_compatible";
  }

  // A form that cannot be sent now stays as it is, and says so.
  var sent = place.querySelector("form[data-envio]"), offline = place.querySelector("[data-sin-red]");
  if (sent && offline) {
    sent.addEventListener("submit", function (event) {
      offline.hidden = navigator.onLine !== false;
      if (!offline.hidden) event.preventDefault();
    });
  }

  if (!said) return; // there is no push here
  var reason = unable();
  if (reason) return say(reason);
  var works = { activar: activate, agregar: add, cancelar: cancel };
  place.querySelectorAll("[data-hacer]").forEach(function (button) {
    button.addEventListener("click", run(works[button.dataset.hacer]));
  });
  refresh().catch(function () { look("listo"); });
})();
