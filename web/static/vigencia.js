// A page may come from a cache or stay open for days. When its estimates are no
// longer valid, it says so and turns grey: an old state must not look current.
"use strict";
(function () {
  var end = Date.parse(document.body.dataset.vigenteHasta || "");
  if (isNaN(end)) return;
  var title = document.title;
  function check() {
    var left = end - Date.now();
    var over = left <= 0;
    var notice = document.getElementById("vencida");
    if (notice.hidden === over) {
      notice.hidden = !over;
      document.body.classList.toggle("vencida", over);
      document.title = over ? notice.querySelector("strong").textContent + " · " + title : title;
    }
    // At most a minute, so that a device that slept finds out soon.
    if (!over) setTimeout(check, Math.min(left, 60000));
  }
  check();
  window.addEventListener("pageshow", check);
  document.addEventListener("visibilitychange", check);
})();
