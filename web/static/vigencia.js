// How old the estimates of a page are and whether they still hold, minute by
// minute. A page may come from a cache, stay open for days or be looked at with a
// clock that is wrong: an old state must not look current. The words stand in the
// page, beside what they are shown in.
//
// The page has two instants from the server: until when its estimates hold, and
// until when the data behind them carry any level. Between the two it is "vieja":
// red and amber are read as they were, green holds no more. After both it is
// "vencida" and shows no state.
"use strict";
(function () {
  var root = document.documentElement, page = document.body.dataset, strip = document.getElementById("al-dia");
  var until = Date.parse(page.vigenteHasta), ends = Date.parse(page.datosHasta), issued = Date.parse(page.estimado), kept = Date.parse(root.dataset.guardada);
  var words = strip ? strip.dataset : {}, title = document.title;
  var part = function (id) { return document.getElementById(id); };
  var MINUTE = 60000, PAUSE = 10 * MINUTE;

  // Time is the latest of three: what the device says, the same corrected by what
  // it was off when the server was last heard, and the latest that the server was
  // ever heard to say. So a copy may look too old, but never too young. Once the
  // server has told the time to this very page it is exact, for as long as both
  // clocks of the device agree on how much has passed: one of them stands still
  // in sleep, the other can be set.
  var lead = 0, latest = Math.max(issued || 0, kept || 0), told = null;

  function now() {
    var phone = Date.now();
    if (told && Math.abs(phone - told.phone - (performance.now() - told.steady)) < 5000) return told.server + phone - told.phone;
    return Math.max(phone, phone + lead, latest);
  }

  function hear(server, ahead) {
    if (!(server > 0)) return;
    lead = Math.max(lead, ahead);
    latest = Math.max(latest, server);
  }

  function hearNow(server) {
    if (!(server > 0)) return;
    told = { server: server, phone: Date.now(), steady: performance.now() };
    lead = server - told.phone;
    latest = server;
  }

  function write(element, text) {
    if (element.textContent !== text) element.textContent = text; // what does not change is not announced again
  }

  function fill(text, places) {
    return text.replace(/\{(\w+)\}/g, function (all, name) { return name in places ? places[name] : all; });
  }

  // span says how long something is, in whole minutes.
  function span(milliseconds, words) {
    var minutes = Math.floor(milliseconds / MINUTE), hours = Math.floor(minutes / 60);
    if (minutes < 1) return words.menos;
    if (hours < 1) return fill(words.minutos, { n: minutes });
    if (hours >= 48) return fill(words.dias, { n: Math.floor(hours / 24) });
    return fill(minutes % 60 ? words.horasMinutos : words.horas, { h: hours, n: minutes % 60 });
  }

  // rough is span in whole hours from one hour on: what is announced must not change
  // with each minute.
  function rough(milliseconds, words) {
    var hour = 60 * MINUTE;
    return span(milliseconds < hour ? milliseconds : Math.floor(milliseconds / hour) * hour, words);
  }

  // clock is a time of day where the page's places are.
  function clock(instant, zone) {
    var form = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
    try {
      return new Date(instant).toLocaleTimeString(root.lang, Object.assign({ timeZone: zone }, form));
    } catch (unknown) { // an old browser may not have the zone
      return new Date(instant).toLocaleTimeString(root.lang, form);
    }
  }

  // state says in words how old estimates are and whether they hold.
  function state(issued, until, words) {
    var at = now(), over = !(at < until);
    return fill(over ? words.vencio : words.viva, {
      edad: span(at - issued, words), resto: span(until - at, words), exceso: span(at - until, words)
    });
  }

  // form says how estimates read now: "" while they hold. Where it is not known until
  // when their data last, they have no time between.
  function form(until, ends) {
    var at = now();
    return at < until ? "" : at < ends ? "vieja" : "vencida";
  }

  // A copy that the service worker found to be old stays so until the server says
  // something else.
  var FORMS = ["", "vieja", "vencida"], marked = shown();

  function shown() {
    return FORMS.slice(1).filter(function (name) { return root.classList.contains(name); })[0] || "";
  }

  function older(one, other) { return FORMS.indexOf(one) < FORMS.indexOf(other) ? other : one; }

  function show() {
    if (!isNaN(until)) showValidity(told ? form(until, ends) : older(marked, form(until, ends)));
    if (strip && !isNaN(kept)) {
      part("copia").hidden = false;
      part("copia").textContent = fill(navigator.onLine === false ? words.copia : words.copiaLenta, {
        hora: clock(kept, page.zona), edad: span(now() - kept, words)
      });
    }
  }

  function showValidity(is) {
    FORMS.slice(1).forEach(function (name) {
      var notice = part(name), heading = notice.querySelector("strong");
      root.classList.toggle(name, name === is);
      if (name === is && heading.dataset.edad) write(heading, fill(heading.dataset.edad, { edad: rough(now() - issued, words) }));
      if (notice.hidden === (name === is)) notice.hidden = name !== is; // to be announced once
      if (name === is) document.title = heading.textContent + " · " + title;
    });
    if (!is) document.title = title;
    document.querySelectorAll(".signo").forEach(function (sign) { nameSign(sign, is); });
    document.querySelectorAll(".vigencia .viva").forEach(function (line) { line.textContent = state(issued, until, words); });
  }

  // nameSign leaves a sign of a map the name of its place alone where its state holds no
  // more; in an old copy that is green.
  function nameSign(sign, is) {
    var title = sign.querySelector("title"), over = is === "vencida" || is && sign.querySelector("use").getAttribute("href") === "#f-verde";
    sign.dataset.dice = sign.dataset.dice || title.textContent;
    title.textContent = over ? sign.dataset.lugar : sign.dataset.dice;
    sign.setAttribute("aria-label", title.textContent);
  }

  // learn takes the server's time from the answer that made this page. The browser
  // still has it, so that nothing is asked. A service worker that has come since
  // keeps the page.
  function learn() {
    fetch(location.pathname + location.search, { cache: "force-cache" }).then(function (answer) {
      var server = Date.parse(answer.headers.get("Date"));
      hear(server, server - Date.now());
      show();
    }).catch(function () {});
  }

  // recall takes what the service worker has heard of the server's time, with
  // whatever page.
  async function recall() {
    var held = window.caches && await caches.match("/reloj"), clock = held && await held.json();
    if (clock) hear(clock.latest, clock.lead);
  }

  // What this gives to the scripts of single pages.
  window.vigia = { state: state, form: form, rough: rough, span: span, clock: clock, fill: fill, now: now, recall: recall };
  if (!strip) return;

  var timer, looked = Date.now(), looking = false;
  if (!isNaN(kept)) looked = 0; // there may be a connection again

  // look asks whether there are newer estimates. They are not shown unasked.
  function look() {
    if (looking || document.hidden || navigator.onLine === false || !part("nueva")) return;
    looking = true;
    looked = Date.now();
    fetch(location.pathname + location.search, { cache: "no-cache" }).then(function (answer) {
      return answer.ok && answer.text().then(function (text) {
        if (text.indexOf('id="al-dia"') < 0) return; // it is not from here
        hearNow(Date.parse(answer.headers.get("Date")));
        var newer = /<body[^>]* data-estimado="([^"]+)"/.exec(text);
        part("nueva").hidden = !(newer && Date.parse(newer[1]) > (issued || 0));
      });
    }).catch(function () {}).then(function () { looking = false; show(); });
  }

  function tick() {
    var before = shown();
    if (isNaN(kept)) show(); // a copy says already what its worker knows
    recall().catch(function () {}).then(function () {
      show();
      // What holds no more has a successor, or seems so by a clock that is ahead.
      if (!before && shown()) looked = 0;
      if (Math.abs(Date.now() - looked) >= PAUSE) look();
      var left = (shown() ? ends : until) - now();
      clearTimeout(timer);
      timer = setTimeout(tick, left > 0 ? Math.min(left, MINUTE) : MINUTE);
    });
  }

  tick();
  window.addEventListener("pageshow", tick);
  window.addEventListener("offline", tick);
  window.addEventListener("online", function () {
    if (!isNaN(kept)) looked = 0;
    tick();
  });
  document.addEventListener("visibilitychange", tick);

  if (!navigator.serviceWorker) return learn();
  if (!navigator.serviceWorker.controller) {
    learn();
    navigator.serviceWorker.addEventListener("controllerchange", learn, { once: true });
  }
  window.addEventListener("load", function () { navigator.serviceWorker.register("/sw.js").catch(function () {}); });
})();
