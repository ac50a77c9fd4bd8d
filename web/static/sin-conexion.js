// Lists the pages that this browser has kept, with their age and whether they
// still hold. It shows no level: that is on the page itself, with all that
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
      rank: /\/parques\/[^/]+$/.test(path) ? 0 : /\/parques\//.test(path) ? 1 : 2
    };
  }

  // pages reads the copies of parks, trails and of what else shows estimates.
  async function pages() {
    var found = [], names = await caches.keys();
    for (var name of names) {
      if (name.indexOf("vigia-paginas-") !== 0) continue;
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

  function row(page) {
    var item = document.createElement("li"), over = !(vigia.now() < page.until), link = add(item, "a", page.name);
    link.href = page.path;
    link.lang = page.lang;
    if (isNaN(page.until)) add(item, "p", words.sinDatos);
    else if (over) add(add(item, "p", ""), "strong", words.vencida + ": " + vigia.state(page.issued, page.until, words));
    else add(item, "p", vigia.state(page.issued, page.until, words));
    add(item, "p", vigia.fill(words.copia, { hora: vigia.clock(page.kept, page.zone || undefined), edad: vigia.span(vigia.now() - page.kept, words) })).className = "menor";
    document.getElementById(over ? "vencidas" : "vigentes").appendChild(item);
  }

  async function show() {
    await vigia.recall().catch(function () {});
    var all = await pages();
    ["vigentes", "vencidas"].forEach(function (id) { document.getElementById(id).textContent = ""; });
    all.forEach(row);
    ["vigentes", "vencidas"].forEach(function (id) { document.getElementById(id).hidden = !document.getElementById(id).firstChild; });
    document.getElementById("ninguna").hidden = all.length > 0;
    list.hidden = false;
  }

  function again() { show().catch(function () {}); }
  again();
  setInterval(again, 60000);
  window.addEventListener("pageshow", again);
  document.addEventListener("visibilitychange", again);
})();
