// Chooses the region of the parks in the lists. Without this script all are there.
"use strict";
(function () {
  var filter = document.querySelector(".filtro"), choice = filter && filter.querySelector("select");
  if (!choice) return;

  function each(selector, act) { Array.prototype.forEach.call(document.querySelectorAll(selector), act); }

  function show() {
    var region = choice.value;
    each("[data-region]", function (part) {
      part.hidden = region !== "" && part.dataset.region !== region;
      if (part.tagName === "DETAILS") part.open = region !== "" && !part.hidden;
    });
    each(".pliegues", function (folds) { folds.previousElementSibling.hidden = !folds.querySelector("details:not([hidden])"); });
    each(".grupo", function (group) { group.hidden = !group.querySelector("[data-region]:not([hidden])"); });
  }

  filter.hidden = false;
  choice.addEventListener("change", show);
  if (choice.value) show(); // the browser kept it from before
})();
