// Lists the parks and pages that this browser has kept, with their age and whether
// they still hold. It shows no level: that is on the page itself, with all that
// belongs to it.
"use strict";
(function () {
  var list = document.getElementById("lista"), vigia = window.vigia;
  if (!list || !vigia || !window.caches) return;
  var words = list.dataset, home = /^\/en(\/|$)/;

  function attribute(text, name) {
    var found = new RegExp('<(?:html|body)[^>]* data-' + name + '="([^"]+)"').exec(text);
    return found ? found[1] : "";
  }

  // read gives what a copy says of itself.
  function read(path, text) {
    var named = /<h1[^>]*>([^]*?)<\/h1>/.exec(text), lang = /<html[^>]* lang="([^"]+)"/.exec(text);
    return {
      path: path, lang: lang ? lang[1] : "", english: home.test(path), zone: attribute(text, "zona"),
      name: named ? new DOMParser().parseFromString(named[1], "text/html").body.textContent.trim() : path,
      kept: Date.parse(attribute(text, "guardada")), issued: Date.parse(attribute(text, "estimado")), until: Date.parse(attribute(text, "vigente-hasta")),
      ends: Date.parse(attribute(text, "datos-hasta")),
      rank: /\/parques\/[^/]+$/.test(path) ? 0 : /\/parques\//.test(path) ? 1 : 2
    };
  }

  // pages reads the copies of parks, trails and of what else shows estimates: those
  // that were visited, or those that were kept with their park.
  async function pages(kind) {
    var found = [], names = await caches.keys();
    for (var name of names) {
      if (name.indexOf("vigia-" + kind + "-") !== 0) continue;
      var cache = await caches.open(name);
      for (var request of await cache.keys()) {
        var at = new URL(request.url);
        if (!/^(\/en)?(\/?|\/alertas.*|\/parques\/.*)$/.test(at.pathname)) continue;
        var copy = await cache.match(request);
        if (copy) found.push(read(at.pathname + at.search, await copy.text()));
      }
    }
    var here = home.test(location.pathname) || document.documentElement.lang === "en";
    return found.sort(function (a, b) {
      return (a.english !== here) - (b.english !== here) || a.rank - b.rank || a.name.localeCompare(b.name);
    });
  }

  function add(parent, tag, text) {
    var made = document.createElement(tag);
    made.textContent = text;
    parent.appendChild(made);
    return made;
  }

  function link(parent, page) {
    var made = add(parent, "a", page.name);
    made.href = page.path;
    made.lang = page.lang;
  }

  // holds writes how old the estimates of a page are, and reports whether they hold.
  function holds(item, page) {
    var form = vigia.form(page.until, page.ends);
    if (isNaN(page.until)) add(item, "p", words.sinDatos);
    else if (form === "vieja") add(add(item, "p", ""), "strong", vigia.fill(words.vieja, { edad: vigia.rough(vigia.now() - page.issued, words) }));
    else if (form) add(add(item, "p", ""), "strong", words.vencida + ": " + vigia.state(page.issued, page.until, words));
    else add(item, "p", vigia.state(page.issued, page.until, words));
    return !form;
  }

  function row(page) {
    var item = document.createElement("li");
    link(item, page);
    var current = holds(item, page);
    add(item, "p", vigia.fill(words.copia, { hora: vigia.clock(page.kept, page.zone || undefined), edad: vigia.span(vigia.now() - page.kept, words) })).className = "menor";
    document.getElementById(current ? "vigentes" : "vencidas").appendChild(item);
  }

  // parks lists what was kept on purpose: a park with its trails, and a button that
  // gives it up.
  async function parks() {
    var box = document.getElementById("parques-guardados"), list = box.querySelector("ul");
    var answer = await vigia.ask({ guardados: true }).catch(function () { return { parques: [] }; }), kept = answer.parques, copies = await pages("guardados");
    if (list.contains(document.activeElement)) return kept.length; // nothing is moved from under somebody's fingers
    var opened = Array.prototype.map.call(list.querySelectorAll("details[open]"), function (fold) { return fold.dataset.de; });
    list.textContent = "";
    kept.forEach(function (park) {
      var own = copies.filter(function (page) { return park.paginas.indexOf(page.path) >= 0; });
      if (own.length) list.appendChild(parkRow(park, own, box.dataset, opened));
    });
    if (answer.limite) document.getElementById("cuanto").textContent = vigia.fill(box.dataset.cuanto, { n: answer.limite.parques, tamano: vigia.size(answer.limite.bytes, box.dataset) });
    box.hidden = !list.firstChild;
    return kept.length;
  }

  function parkRow(park, pages, words, opened) {
    var item = document.createElement("li"), trails = pages.filter(function (page) { return page.path !== park.path; });
    pages.filter(function (page) { return page.path === park.path; }).forEach(function (page) {
      link(item, page);
      holds(item, page);
      add(item, "p", vigia.kept(park, words, page.zone || undefined)).className = "menor";
    });
    if (trails.length) {
      var fold = add(item, "details", "");
      fold.dataset.de = park.path;
      fold.open = opened.indexOf(park.path) >= 0;
      add(fold, "summary", words.senderos + " (" + trails.length + ")");
      var within = add(fold, "ul", "");
      trails.forEach(function (page) { link(add(within, "li", ""), page); });
    }
    var remove = add(item, "button", words.quitar);
    remove.type = "button";
    remove.className = "boton otro menudo quitar";
    remove.setAttribute("aria-label", vigia.fill(words.quitarLugar, { lugar: park.nombre }));
    remove.addEventListener("click", function () {
      var said = document.getElementById("quitado");
      vigia.ask({ quitar: park.path }).then(function () {
        said.textContent = park.nombre + ": " + words.quitado;
        said.focus();
        again();
      }, function () { said.textContent = words.fallo; });
    });
    return item;
  }

  // Asked for by its own address the page is the list of what is kept, whether there
  // is a connection or not.
  if (/\/sin-conexion$/.test(location.pathname)) {
    var heading = document.querySelector("h1"), lead = document.querySelector(".entrada");
    heading.textContent = heading.dataset.aqui = words.aqui;
    lead.style.minHeight = lead.offsetHeight + "px"; // nothing moves
    lead.textContent = lead.dataset.aqui = words.aquiEntrada;
  }

  async function show() {
    await vigia.recall().catch(function () {});
    var saved = await parks(), all = await pages("paginas");
    ["vigentes", "vencidas"].forEach(function (id) { document.getElementById(id).textContent = ""; });
    all.forEach(row);
    ["vigentes", "vencidas"].forEach(function (id) { document.getElementById(id).hidden = !document.getElementById(id).firstChild; });
    document.getElementById("ninguna").hidden = all.length + saved > 0;
    document.getElementById("visitadas").hidden = !all.length || !saved;
    list.hidden = false;
  }

  function again() { show().catch(function () {}); }
  again();
  setInterval(again, 60000);
  window.addEventListener("pageshow", again);
  document.addEventListener("visibilitychange", again);
})();
