// The index of parks and trails, from A to Z, becomes a search: what is typed
// hides what does not match, without accents or capitals, and how much is left is
// told to screen readers. What is asked of the server finds more: without this script,
// and where nothing is left here.
"use strict";
(function () {
  var index = document.querySelector(".indice"), input = document.querySelector("main .busqueda input");
  if (!index || !input || !String.prototype.normalize) return;
  var said = document.querySelector(".hallados"), help = said.textContent;
  var letters = list(index, ".letra"), parks = list(index, ".letra > ul > li").map(function (item) {
    var towns = item.querySelector(".pueblos");
    return {
      item: item, name: plain(item.querySelector("a").textContent) + (towns ? plain(towns.textContent) : ""),
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
    said.textContent = found < 0 ? help : found === 0 ? said.dataset.nada : found === 1 ? said.dataset.uno : said.dataset.otros.replace("{n}", found);
  }

  input.addEventListener("input", find);
  // A copy of this page that is kept for when there is no connection answers what was asked for.
  var asked = /[?&]q=([^&]*)/.exec(location.search);
  if (asked && !input.value) {
    try { input.value = decodeURIComponent(asked[1].replace(/\+/g, " ")); } catch (malformed) { /* nothing was asked for */ }
  }
  if (input.value) find(); // also where the browser kept it from before
  if (window.matchMedia("(hover: hover)").matches) input.focus(); // a phone's keyboard would cover the index
})();
