// The service worker receives pushes, also when no page is open. Browsers ask
// that every push shows something, so that one that cannot be read does too.
"use strict";

self.addEventListener("push", function (event) {
  event.waitUntil(show(read(event.data)));
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
  var old = "/api/v1/suscriptores/" + token;
  var held = await ask("GET", old);
  if (!target) {
    var key = (await ask("GET", "/api/v1/vapid")).clave_publica;
    target = await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  }
  var made = await ask("POST", "/api/v1/suscriptores", {
    canal: "webpush", webpush: { endpoint: target.endpoint, keys: target.toJSON().keys },
    parques: held.parques, senderos: held.senderos, nivel_minimo: held.nivel_minimo, amenazas: held.amenazas,
    silencio: held.silencio, viaje: held.viaje, idioma: held.idioma, consentimiento: true
  });
  await keep("readwrite", function (box) {
    box.put(held.idioma, "idioma");
    return box.put(made.token, "token");
  });
  if (made.token !== token) await ask("DELETE", old);
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
