// Helps with the forms: finds a park by its name, and leads to what is to be
// mended. Without it every park is in its region, and all works the same.
"use strict";
(function () {
  var form = document.getElementById("formulario");
  if (!form) return;

  // plain is a text as people type it in a hurry: no accents, no capitals.
  function plain(text) {
    return text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "");
  }

  // filter leaves in sight the parks whose name has every word that was typed.
  function filter(box) {
    var field = box.querySelector("input"), said = box.querySelector("[role=status]"), wait;
    var regions = Array.prototype.filter.call(box.parentNode.children, function (e) { return e.classList.contains("region-parques"); });
    function apply() {
      var words = plain(field.value).split(/\s+/).filter(Boolean), found = 0;
      regions.forEach(function (region) {
        var here = 0;
        region.querySelectorAll("li").forEach(function (park) {
          var name = plain(park.textContent), ticked = park.querySelector("input").checked;
          park.hidden = words.length > 0 && !words.every(function (w) { return name.indexOf(w) >= 0; });
          if (!park.hidden) here++;
          if (ticked) park.hidden = false; // what will be sent is in sight
        });
        region.hidden = words.length > 0 && !region.querySelector("li:not([hidden])");
        region.open = words.length > 0 ? !region.hidden : !!region.querySelector("input:checked");
        found += here;
      });
      clearTimeout(wait);
      wait = setTimeout(function () { // once the typing rests, so that it is said once
        var text = found === 0 ? box.dataset.ninguno : found === 1 ? box.dataset.uno : box.dataset.otros;
        said.textContent = words.length ? text.replace("{n}", found) : "";
      }, 400);
    }
    field.addEventListener("input", apply);
    function alone(event) {
      if (event.key === "Enter") event.preventDefault(); // it looks for a park, and sends nothing
    }
    field.addEventListener("keydown", alone);
    field.addEventListener("keypress", alone); // some keyboards of telephones send only this one
    box.hidden = false;
  }
  document.querySelectorAll("[data-filtro]").forEach(filter);

  // A fault leads to the first thing that can be done about it.
  var faults = document.querySelector(".faltas");
  if (!faults) return;
  faults.focus();
  faults.addEventListener("click", function (event) {
    var link = event.target.closest("a"), at = link && document.getElementById(link.hash.slice(1));
    if (!at) return;
    event.preventDefault();
    for (var e = at; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    var field = at.matches("input") ? at : at.querySelector("input:not([type=hidden]), summary");
    setTimeout(function () { // after the key that pressed the link, which in a field would send the form
      (field || at).focus();
      at.scrollIntoView();
    });
  });
})();
