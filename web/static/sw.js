// The service worker keeps what was visited for when there is no connection, and
// receives pushes, also when no page is open. Nothing past its validity leaves it
// as if it were current, and nothing that is of one person alone is kept.
"use strict";

// kit is filled in when the site starts: the files that every page needs, and a
// version that changes when any of them does.
var kit = { version: "", files: [] };

var FILES = "vigia-archivos-" + kit.version, PAGES = "vigia-paginas-" + kit.version, SAVED = "vigia-guardados-" + kit.version, CLOCK = "vigia-reloj";
var SIGNUPS = "/api/v1/suscriptores";
var PATIENCE = 3500; // milliseconds that a page is waited for when there is a copy of it
var MOST = 60;       // pages that are kept
var DAY = 86400000;
var HASH = /\.[0-9a-f]{10}\./; // in the name of a file that never changes

// These are public pages, all that is ever kept. None has a token in its path.
var KEPT = /^(\/en)?(\/?|\/alertas(\/[\w-]+)?|\/parques\/[\w-]+(\/hoja|\/senderos\/[\w-]+)?|\/(buscar|metodo|precision|api|privacidad|acerca|accesibilidad))$/;

// The query is part of a page's address. These have pages of their own; with any other
// query a page is asked of the network alone.
var QUERIES = /^(\/en)?(\/?\?dia=\d{4}-\d\d-\d\d|\/alertas\?parque=[\w-]+)$/;

function kept(url) {
  return KEPT.test(url.pathname) && (!url.search || QUERIES.test(url.pathname + url.search));
}

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
    if (name.indexOf("vigia-") !== 0 || [FILES, PAGES, SAVED, CLOCK].indexOf(name) >= 0) continue;
    if (name.indexOf("vigia-paginas-") === 0) await moveIn(name, PAGES).catch(ignore);
    if (name.indexOf("vigia-guardados-") === 0) await moveIn(name, SAVED).catch(ignore);
    await caches.delete(name);
  }
}

// moveIn takes over the pages of another version. They get the files of this one,
// for those of the other are deleted: a page without its script and its style
// could not say that it is over.
async function moveIn(name, place) {
  var from = await caches.open(name), to = await caches.open(place), today = {};
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
  } else if (kept(url)) {
    event.respondWith(request.mode === "navigate" ? visit(event, url.pathname + url.search) : get(event, url.pathname + url.search));
  } else if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(function () { return unreached(url.pathname); }));
  }
});

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

// unreached gives what there is for a page that was asked of the network alone. The page
// of the search has its index with it and searches by itself.
async function unreached(path) {
  return /\/buscar$/.test(path) && await copyOf(path).catch(ignore) || lost(path);
}

// lost gives the page for when there is no connection and no copy.
async function lost(path) {
  var page = await caches.match((/^\/en(\/|$)/.test(path) ? "/en" : "") + "/sin-conexion", { cacheName: FILES }).catch(ignore);
  return page || Response.error();
}

// store keeps a page that was visited: in the place of the one that is kept with its
// park, else among the last ones. Then it is time to renew what is kept with a park.
async function store(path, answer, fresh) {
  var cache = await caches.open(PAGES), saved = await caches.open(SAVED);
  if (answer.status === 404 || answer.status === 410) return Promise.all([cache.delete(path), saved.delete(path)]);
  var copy = await marked(answer, fresh);
  if (!copy) return;
  if (await saved.match(path)) await saved.put(path, copy.answer);
  else await cache.put(path, copy.answer);
  var paths = await cache.keys(); // the one kept longest ago is the first
  for (var old of paths.slice(0, Math.max(0, paths.length - MOST))) await cache.delete(old);
  await renew(path);
  await renewPark();
}

// marked gives a page with the server's time in its text, which is how the page
// knows that it is a copy. What the server asks nobody to keep is not kept.
async function marked(answer, fresh) {
  var type = answer.headers.get("Content-Type") || "";
  if (answer.status !== 200 || answer.redirected || !/^text\/html/.test(type) || /no-store/.test(answer.headers.get("Cache-Control"))) return null;
  var text = await answer.text();
  if (text.indexOf('id="al-dia"') < 0) return null; // a network's own page, or one cut short
  var served = Date.parse(answer.headers.get("Date")) || Date.now();
  text = text.replace("<html ", '<html data-guardada="' + new Date(served).toISOString() + '" ').replace('id="copia" hidden', 'id="copia"');
  var headers = new Headers(answer.headers);
  headers.delete("Content-Encoding");
  headers.delete("Content-Length");
  await note(served, fresh);
  return { text: text, served: served, answer: new Response(text, { headers: headers }) };
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

// copyOf gives the copy of a page. One that holds no more says so from its first
// line, before any script runs. Of two clocks the later one is believed, so that a
// copy may look too old but never too young.
async function copyOf(path) {
  var kept = await (await caches.open(PAGES)).match(path) || await (await caches.open(SAVED)).match(path);
  if (!kept) return null;
  var text = await kept.text(), clock = await heard(await caches.open(CLOCK)), phone = Date.now();
  var form = formOf(text, Math.max(phone, phone + clock.lead, clock.latest));
  if (form) text = text.replace("<html ", '<html class="' + form + '" ').replace('id="' + form + '" hidden', 'id="' + form + '"');
  return new Response(text, { headers: kept.headers });
}

// formOf says how the estimates of a page read at an instant, as vigencia.js does: ""
// while they hold or where there are none.
function formOf(text, at) {
  var until = /<body[^>]* data-vigente-hasta="([^"]+)"/.exec(text), ends = /<body[^>]* data-datos-hasta="([^"]+)"/.exec(text);
  if (!until || at < Date.parse(until[1])) return "";
  return ends && at < Date.parse(ends[1]) ? "vieja" : "vencida";
}

// A park is kept with all its trails when somebody asks for it. INDEX lists those
// that are, the one kept longest ago first: path, name, when it was wholly renewed
// (en), pages that came and how many did not (faltan), bytes.
var INDEX = "/guardados", PARK = /^(\/en)?\/parques\/[\w-]+$/;
var MOST_PARKS = 6, MOST_BYTES = 20e6, MOST_TRAILS = 60;
var RENEWED = 3600000; // milliseconds after which a park is renewed, when there is a connection

self.addEventListener("message", function (event) {
  var port = event.ports[0], wish = event.data || {};
  if (!port) return;
  var work = wish.guardar ? savePark(wish.guardar, function (done) { port.postMessage({ avance: done }); }) :
    wish.quitar ? removePark(wish.quitar) : index().then(function (parks) { return { parques: parks, limite: { parques: MOST_PARKS, bytes: MOST_BYTES } }; });
  event.waitUntil(work.then(function (answer) { port.postMessage(answer); }, function (failure) { port.postMessage({ fallo: failure.name || "Error" }); }));
});

async function index() {
  var held = await (await caches.open(SAVED)).match(INDEX);
  return held ? held.json() : [];
}

// change changes the index, one change after the other.
function change(how) {
  changing = changing.catch(ignore).then(async function () {
    var parks = how(await index());
    await (await caches.open(SAVED)).put(INDEX, new Response(JSON.stringify(parks)));
    return parks;
  });
  return changing;
}

var changing = Promise.resolve();

// savePark keeps a park's page and those of its trails, and gives up what was kept
// longest ago where that is too much.
async function savePark(path, step) {
  if (!PARK.test(path)) throw new TypeError("no park");
  var made = await fetchPark(path, step), old = [];
  var parks = await change(function (list) {
    list = list.filter(function (park) { return park.path !== path; }).concat(made);
    while (list.length > MOST_PARKS || list.length > 1 && sum(list) > MOST_BYTES) old.push(list.shift());
    return list;
  });
  for (var park of old) await forget(park.paginas, parks);
  return { parques: parks, quitados: old.map(function (park) { return park.nombre; }) };
}

function sum(parks) { return parks.reduce(function (bytes, park) { return bytes + park.bytes; }, 0); }

// fetchPark fetches the pages of a park one by one, with the files that they name, and
// tells what came. Without the park's own page nothing did.
async function fetchPark(path, step) {
  var saved = await caches.open(SAVED), last = await caches.open(PAGES), before = (await index()).filter(function (park) { return park.path === path; })[0];
  var made = { path: path, nombre: path, en: 0, paginas: [], faltan: 0, bytes: 0 }, paths = [path];
  try {
    for (var i = 0; i < paths.length; i++) {
      var copy = await fetch(paths[i], { cache: "no-cache" }).then(function (answer) { return marked(answer, true); }).catch(ignore);
      if (!copy && i === 0) throw new TypeError("no answer");
      if (!copy) {
        made.faltan++;
        continue;
      }
      await saved.put(paths[i], copy.answer);
      await last.delete(paths[i]);
      made.paginas.push(paths[i]);
      made.bytes += copy.text.length;
      await bringAll(copy.text);
      if (i === 0) {
        made.nombre = nameIn(copy.text);
        made.en = copy.served;
        paths = paths.concat(trailsIn(copy.text, path));
      }
      step({ n: made.paginas.length, total: paths.length });
    }
  } catch (failure) {
    if (!before) await forget(made.paginas, []); // a part of it promises what is not there
    throw failure;
  }
  return made;
}

function nameIn(text) {
  var found = /<h1[^>]*>([^<]+)<\/h1>/.exec(text);
  return found ? found[1].trim().replace(/&#39;/g, "'").replace(/&#34;|&quot;/g, '"').replace(/&amp;/g, "&") : "";
}

function trailsIn(text, park) {
  var found = text.match(new RegExp('href="' + park + '/senderos/[\\w-]+"', "g")) || [];
  return found.map(function (link) { return link.slice(6, -1); }).filter(function (path, i, all) { return all.indexOf(path) === i; }).slice(0, MOST_TRAILS);
}

// bringAll keeps the files that a page names and are not kept yet.
async function bringAll(text) {
  var cache = await caches.open(FILES);
  for (var path of text.match(/\/static\/[\w.-]+/g) || []) {
    if (!await cache.match(path)) await bring(cache, path).catch(ignore);
  }
}

async function removePark(path) {
  var gone = [], parks = await change(function (list) {
    gone = list.filter(function (park) { return park.path === path; });
    return list.filter(function (park) { return park.path !== path; });
  });
  for (var park of gone) await forget(park.paginas, parks);
  return { parques: parks };
}

// forget deletes pages that no park in a list has.
async function forget(paths, parks) {
  var saved = await caches.open(SAVED);
  for (var path of paths) {
    if (!parks.some(function (park) { return park.paginas.indexOf(path) >= 0; })) await saved.delete(path);
  }
}

// renewPark renews the park that was renewed longest ago, one with each page that
// comes from the network at most, and none on a connection that is to be spared.
async function renewPark() {
  if (renewing || self.navigator.connection && self.navigator.connection.saveData) return;
  var oldest = (await index()).sort(function (a, b) { return a.en - b.en; })[0];
  var now = Date.now() + (await heard(await caches.open(CLOCK))).lead;
  if (!oldest || Math.abs(now - oldest.en) < RENEWED || Math.abs(now - tried) < RENEWED / 6) return;
  renewing = true;
  tried = now;
  try {
    var made = await fetchPark(oldest.path, ignore);
    await change(function (list) {
      return list.map(function (park) { return park.path !== made.path ? park : made.faltan > park.faltan ? park : made; });
    });
    await forget(oldest.paginas.concat(made.paginas), await index()); // also when it was removed meanwhile
  } finally {
    renewing = false;
  }
}

var renewing = false, tried = 0;

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
