// The index of parks and trails, from A to Z, becomes a search: what is typed
// hides what does not match, without accents or capitals, and how much is left is
// told to screen readers. Without this script the index is there as it is.
"use strict";
(function () {
  var index = document.querySelector(".buscar");
  if (!index || !String.prototype.normalize) return;
  var input = index.querySelector("input"), said = index.querySelector(".hallados");
  var letters = list(index, ".letra"), parks = list(index, ".letra > ul > li").map(function (item) {
    return {
      item: item, name: plain(item.querySelector("a").textContent),
      trails: list(item, ".sus-senderos li").map(function (trail) { return { item: trail, name: plain(trail.textContent) }; })
    };
  });
  var later = 0;

  function list(within, selector) { return Array.prototype.slice.call(within.querySelectorAll(selector)); }

  function plain(text) {
    return " " + text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase().replace(/[^a-z0-9]+/g, " ").trim();
  }

  // has tells whether each word typed begins a word of a name.
  function has(name, words) {
    return words.every(function (word) { return name.indexOf(" " + word) >= 0; });
  }

  function find() {
    var words = plain(input.value).split(" ").filter(Boolean), found = 0;
    parks.forEach(function (park) {
      var whole = has(park.name, words), some = false;
      park.trails.forEach(function (trail) {
        var fits = !whole && has(park.name + trail.name, words);
        trail.item.hidden = !(whole || fits);
        if (fits) { some = true; found++; }
      });
      if (whole) found++;
      park.item.hidden = !(whole || some);
    });
    letters.forEach(function (letter) { letter.hidden = !letter.querySelector("ul > li:not([hidden]) > svg"); });
    index.querySelector(".letras").hidden = words.length > 0;
    clearTimeout(later);
    later = setTimeout(function () { say(words.length ? found : -1); }, 250); // once the typing rests
  }

  function say(found) {
    said.textContent = found < 0 ? "" : found === 0 ? said.dataset.nada : found === 1 ? said.dataset.uno : said.dataset.otros.replace("{n}", found);
  }

  // first gives the first link that is left: of a park, or of a trail where only
  // the trail was meant.
  function first() {
    var park = parks.filter(function (p) { return !p.item.hidden; })[0];
    if (!park) return null;
    var words = plain(input.value).split(" ").filter(Boolean);
    return has(park.name, words) ? park.item.querySelector("a") : park.item.querySelector(".sus-senderos li:not([hidden]) a");
  }

  index.querySelector(".buscador").hidden = false;
  input.addEventListener("input", find);
  input.addEventListener("keydown", function (event) {
    var link = event.key === "Enter" && input.value.trim() && first();
    if (link) link.click();
  });
  index.addEventListener("toggle", function () { if (index.open) input.focus(); });
  if (input.value) find(); // the browser kept it from before
})();
