// The service worker keeps what was visited for when there is no connection, and
// receives pushes, also when no page is open. Nothing past its validity leaves it
// as if it were current, and nothing that is of one person alone is kept.
"use strict";

// kit is filled in when the site starts: the files that every page needs, and a
// version that changes when any of them does.
var kit = { version: "", files: [] };

var FILES = "vigia-archivos-" + kit.version, PAGES = "vigia-paginas-" + kit.version, CLOCK = "vigia-reloj";
var SIGNUPS = "/api/v1/suscriptores";
var PATIENCE = 3500; // milliseconds that a page is waited for when there is a copy of it
var MOST = 60;       // pages that are kept
var DAY = 86400000;
var HASH = /\.[0-9a-f]{10}\./; // in the name of a file that never changes

// These are public pages, all that is ever kept. None has a token in its path.
var KEPT = /^(\/en)?(\/?|\/alertas(\/[\w-]+)?|\/parques\/[\w-]+(\/hoja|\/senderos\/[\w-]+)?|\/(buscar|metodo|precision|api|privacidad|acerca|accesibilidad))$/;

self.addEventListener("install", function (event) {
  self.skipWaiting();
  event.waitUntil(caches.open(FILES).then(function (cache) {
    // One that does not arrive is asked for again with the first page that needs
    // it: pushes do not have to wait for a font.
    return Promise.all(kit.files.map(function (path) { return bring(cache, path).catch(ignore); }));
  }).catch(ignore));
});

self.addEventListener("activate", function (event) {
  event.waitUntil(takeOver().catch(ignore).then(function () { return self.clients.claim(); }));
});

function ignore() {}

async function bring(cache, path) {
  // What has its hash in its name cannot have changed.
  var answer = await fetch(path, { cache: HASH.test(path) ? "default" : "no-cache" });
  if (answer.ok && !answer.redirected) await cache.put(path, answer);
}

// takeOver deletes what other versions held, once their pages are moved.
async function takeOver() {
  for (var name of await caches.keys()) {
    if (name.indexOf("vigia-") !== 0 || name === FILES || name === PAGES || name === CLOCK) continue;
    if (name.indexOf("vigia-paginas-") === 0) await moveIn(name).catch(ignore);
    await caches.delete(name);
  }
}

// moveIn takes over the pages of another version. They get the files of this one,
// for those of the other are deleted: a page without its script and its style
// could not say that it is over.
async function moveIn(name) {
  var from = await caches.open(name), to = await caches.open(PAGES), today = {};
  kit.files.forEach(function (path) { today[path.replace(HASH, ".")] = path; });
  for (var request of await from.keys()) {
    if (await to.match(request)) continue;
    var kept = await from.match(request), text = await kept.text();
    text = text.replace(/\/static\/[\w.-]+/g, function (path) { return today[path.replace(HASH, ".")] || path; });
    await to.put(request, new Response(text, { headers: kept.headers }));
  }
}

self.addEventListener("fetch", function (event) {
  var request = event.request, url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (url.pathname.indexOf("/static/") === 0 || kit.files.indexOf(url.pathname) >= 0) {
    event.respondWith(file(event, url.pathname));
  } else if (KEPT.test(url.pathname)) {
    var at = address(url);
    event.respondWith(request.mode === "navigate" ? visit(event, at) : get(event, at));
  } else if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(function () { return lost(url.pathname); }));
  }
});

// CHOICES are the parts of a query that make another page of a path.
var CHOICES = ["dia", "parque", "q"];

// address gives what a page is kept under: its path, with what its query chooses. The page
// of one day, or of one park's alerts, is never the answer for another.
function address(url) {
  var key = CHOICES.filter(function (name) { return url.searchParams.has(name); })[0];
  return url.pathname + (key ? "?" + key + "=" + encodeURIComponent(url.searchParams.get(key)) : "");
}

// file answers with a file of the kit, or another whose name has its hash.
async function file(event, path) {
  var cache, held;
  try {
    cache = await caches.open(FILES);
    held = await cache.match(path, { ignoreVary: true });
  } catch (broken) { /* the network still has it */ }
  if (held) return held;
  var answer = await fetch(event.request);
  if (cache && answer.status === 200 && !answer.redirected) event.waitUntil(cache.put(path, answer.clone()).catch(ignore));
  return answer;
}

// get gets a page from the network, and keeps it.
function get(event, path) {
  var fresh = /^(no-cache|reload)$/.test(event.request.cache);
  var asked = fetch(event.request).then(function (answer) {
    if (path.indexOf("?q=") < 0) { // what was looked for is nobody's to keep
      event.waitUntil(store(path, answer.clone(), fresh).catch(ignore)); // a full disk is no reason to fail
    }
    return answer;
  });
  event.waitUntil(asked.catch(ignore)); // it is kept even when it comes too late to be shown
  return asked;
}

// visit answers with a page from the network, or with its copy when none comes
// soon, or with the page for when there is nothing.
async function visit(event, path) {
  var asked = get(event, path), answer, copy;
  try {
    answer = await soon(asked);
    if (answer.status < 500 && answer.status !== 429) return answer;
  } catch (absent) { /* the copy, then */ }
  try {
    copy = await copyOf(path.replace(/\?q=.*/, "")); // the index searches itself
  } catch (broken) { /* nothing was kept, as far as one can tell */ }
  if (copy) return copy;
  try {
    return answer || await asked;
  } catch (unreachable) {
    return lost(path);
  }
}

function soon(asked) {
  return Promise.race([asked, new Promise(function (resolve, reject) { setTimeout(reject, PATIENCE); })]);
}

// lost gives the page for when there is no connection and no copy.
async function lost(path) {
  var page = await caches.match((/^\/en(\/|$)/.test(path) ? "/en" : "") + "/sin-conexion", { cacheName: FILES }).catch(ignore);
  return page || Response.error();
}

// store keeps a page with the server's time in its text, which is how the page
// knows that it is a copy. What the server asks nobody to keep is not kept.
async function store(path, answer, fresh) {
  var cache = await caches.open(PAGES), type = answer.headers.get("Content-Type") || "";
  if (answer.status === 404 || answer.status === 410) return cache.delete(path);
  if (answer.status !== 200 || answer.redirected || !/^text\/html/.test(type) || /no-store/.test(answer.headers.get("Cache-Control"))) return;
  var text = await answer.text();
  if (text.indexOf('id="al-dia"') < 0) return; // a network's own page, or one cut short
  var served = Date.parse(answer.headers.get("Date")) || Date.now();
  text = text.replace("<html ", '<html data-guardada="' + new Date(served).toISOString() + '" ').replace('id="copia" hidden', 'id="copia"');
  var headers = new Headers(answer.headers);
  headers.delete("Content-Encoding");
  headers.delete("Content-Length");
  await note(served, fresh);
  await cache.put(path, new Response(text, { headers: headers }));
  var paths = await cache.keys(); // the one kept longest ago is the first
  for (var old of paths.slice(0, Math.max(0, paths.length - MOST))) await cache.delete(old);
  await renew(path);
}

// renew fetches the page for when there is no connection once a day: telephone
// numbers change without a new version.
async function renew(path) {
  var page = (/^\/en(\/|$)/.test(path) ? "/en" : "") + "/sin-conexion", cache = await caches.open(FILES), held = await cache.match(page);
  if (!held || Date.now() - Date.parse(held.headers.get("Date")) > DAY) await bring(cache, page);
}

// note keeps the latest time that the server was heard to tell, and how far it
// was ahead of this device's clock. An answer that had to wait in a cache tells
// too little, never too much; one that did not is right.
function note(served, fresh) {
  noting = noting.then(function () { return write(served, fresh); }).catch(ignore);
  return noting;
}

var noting = Promise.resolve(); // one after the other

async function write(served, fresh) {
  var cache = await caches.open(CLOCK), held = await heard(cache), lead = served - Date.now();
  if (!fresh && served <= held.latest) {
    if (lead <= held.lead) return;
    served = held.latest;
  }
  await cache.put("/reloj", new Response(JSON.stringify({ latest: served, lead: lead })));
}

async function heard(cache) {
  var held = await cache.match("/reloj");
  return held ? held.json() : { latest: 0, lead: 0 };
}

// copyOf gives the copy of a page. One that is over says so from its first line,
// before any script runs. Of two clocks the later one is believed, so that a copy
// may look too old but never too young.
async function copyOf(path) {
  var kept = await (await caches.open(PAGES)).match(path);
  if (!kept) return null;
  var text = await kept.text(), until = /<body[^>]* data-vigente-hasta="([^"]+)"/.exec(text);
  var clock = await heard(await caches.open(CLOCK)), phone = Date.now();
  if (until && !(Math.max(phone, phone + clock.lead, clock.latest) < Date.parse(until[1]))) {
    text = text.replace("<html ", '<html class="vencida" ').replace('id="vencida" hidden', 'id="vencida"');
  }
  return new Response(text, { headers: kept.headers });
}

// Browsers ask that every push shows something, so that one that cannot be read
// does too.
self.addEventListener("push", function (event) {
  var note = read(event.data), work = [show(note)];
  if (note && typeof note.prueba === "string") work.push(prove(note.prueba).catch(ignore)); // who fails presses again
  event.waitUntil(Promise.all(work));
});

// read gives what a push says, null when it cannot be read.
function read(data) {
  try {
    var note = data.json();
    return note && typeof note.titulo === "string" && note.titulo ? note : null;
  } catch (unreadable) {
    return null;
  }
}

async function show(note) {
  var english = note ? note.idioma === "en" : await spoken() === "en";
  if (!note) {
    return self.registration.showNotification("Vigía", {
      body: english ? "There is news of the parks that you follow. Open it on the site." : "Hay novedades de los parques que sigue. Ábralas en el sitio.",
      lang: english ? "en" : "es", tag: "novedades", data: { url: english ? "/en/" : "/" }
    });
  }
  var over = Date.parse(note.caduca_en) <= Date.now();
  var title = note.titulo;
  var body = typeof note.cuerpo === "string" ? note.cuerpo : "";
  if (over) { // it was on its way for too long
    title = (english ? "Expired: " : "Venció: ") + title;
    body = english ? "This message is over. See how the park is now." : "Esta notificación venció. Vea cómo está el parque ahora.";
  }
  var options = { body: body, lang: english ? "en" : "es", data: { url: pathOf(note.url) }, silent: over };
  if (typeof note.etiqueta === "string" && note.etiqueta) {
    options.tag = note.etiqueta;
    options.renotify = !over;
  }
  return self.registration.showNotification(title, options);
}

// spoken gives the language of the subscription, as far as this browser remembers.
function spoken() {
  return keep("readonly", function (box) { return box.get("idioma"); }).catch(function () { return ""; });
}

// pathOf gives the path of a page of this site; of anything else, that of the first.
function pathOf(text) {
  if (typeof text !== "string") return "/";
  try {
    var url = new URL(text, self.location.origin);
    return url.origin === self.location.origin ? url.pathname + url.search + url.hash : "/";
  } catch (unreadable) {
    return "/";
  }
}

self.addEventListener("notificationclick", function (event) {
  event.notification.close();
  event.waitUntil(openPage(pathOf(event.notification.data && event.notification.data.url)));
});

async function openPage(path) {
  var pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  for (var page of pages) {
    if (pathOf(page.url) === path && "focus" in page) return page.focus();
  }
  return self.clients.openWindow(path);
}

// A browser may change where it is reached. What was asked for is then asked for
// again in the new place, and the old one is given up.
self.addEventListener("pushsubscriptionchange", function (event) {
  event.waitUntil(move(event.newSubscription));
});

async function move(target) {
  var token = await keep("readonly", function (box) { return box.get("token"); });
  if (!token) return;
  var held = await ask("GET", SIGNUPS + "/" + token);
  if (!target) {
    var key = (await ask("GET", "/api/v1/vapid")).clave_publica;
    target = await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  }
  var wish = {
    canal: "webpush", webpush: { endpoint: target.endpoint, keys: target.toJSON().keys },
    parques: held.parques, senderos: held.senderos, nivel_minimo: held.nivel_minimo, amenazas: held.amenazas,
    silencio: held.silencio, viaje: held.viaje, idioma: held.idioma, consentimiento: true
  };
  await keep("readwrite", function (box) { return box.put(wish, "deseo"); });
  await ask("POST", SIGNUPS, wish); // the proof comes to the new place
}

// prove sends back the proof that was pushed, with what this browser itself asked for:
// a push that it did not ask for proves nothing. Then the subscription is active, and
// the one before it, in a place that is no more, is given up.
async function prove(proof) {
  var wish = await keep("readonly", function (box) { return box.get("deseo"); });
  if (!wish) return;
  wish.webpush.prueba = proof;
  var made = await ask("POST", SIGNUPS, wish);
  if (!made.token) return; // too late: another proof is on its way
  var before = await keep("readonly", function (box) { return box.get("token"); });
  await keep("readwrite", function (box) {
    box.delete("deseo");
    box.put(wish.idioma, "idioma");
    return box.put(made.token, "token");
  });
  for (var page of await self.clients.matchAll({ type: "window", includeUncontrolled: true })) page.postMessage("avisos");
  if (before && before !== made.token) await ask("DELETE", SIGNUPS + "/" + before).catch(ignore);
}

async function ask(method, path, body) {
  var answer = await fetch(path, {
    method: method, cache: "no-store", headers: body ? { "Content-Type": "application/json" } : {}, body: body && JSON.stringify(body)
  });
  if (!answer.ok) throw new Error(method + " " + answer.status); // no path: it may have a token
  return (await answer.json()).data;
}

// keep works on what this browser remembers, which the pages share.
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
