"use strict";
// The examples of the reference: asks for what the fields say and shows what came.
(function () {
  const page = document.getElementById("api");
  const shown = 100000; // characters of an answer that are put on the page
  const headers = ["Content-Type", "ETag", "Last-Modified", "Cache-Control", "RateLimit", "RateLimit-Policy", "Retry-After"];

  for (const form of page.querySelectorAll(".probar")) {
    prepare(form);
  }

  function prepare(form) {
    const section = form.closest("section");
    const command = section.querySelector(".orden"), link = section.querySelector(".abrir");
    const origin = command.textContent.replace(/^curl '/, "").split("/api/v1")[0];
    let received = "";
    form.addEventListener("input", function () {
      const path = pathOf(form);
      command.textContent = "curl '" + origin + path + "'";
      if (link) link.href = path;
    });
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      ask(form).then(function (text) { received = text; });
    });
    form.querySelector(".copiar").addEventListener("click", function () { copy(form, received); });
    form.hidden = false;
  }

  // pathOf puts the fields into the path and, those that are not in it, into the query.
  function pathOf(form) {
    let path = form.dataset.ruta;
    const query = [];
    for (const field of form.elements) {
      const value = field.name ? field.value.trim() : "";
      if (!field.name) continue;
      if (path.includes("{" + field.name + "}")) {
        path = path.replace("{" + field.name + "}", encodeURIComponent(value));
      } else if (value) {
        query.push(field.name + "=" + encodeURIComponent(value));
      }
    }
    return path + (query.length ? "?" + query.join("&") : "");
  }

  function ask(form) {
    const button = form.querySelector("[type=submit]");
    button.disabled = true;
    say(form, page.dataset.trabajando);
    const began = performance.now();
    return fetch(pathOf(form), { cache: "no-store" }).then(function (response) {
      return response.text().then(function (text) {
        const took = Math.round(performance.now() - began);
        show(form, response, text, took);
        return text;
      });
    }).catch(function () {
      form.querySelector(".recibido").hidden = true;
      say(form, page.dataset.sinRed);
      return "";
    }).then(function (text) {
      button.disabled = false;
      return text;
    });
  }

  function show(form, response, text, took) {
    let pretty = text;
    try {
      pretty = JSON.stringify(JSON.parse(text), null, 2);
    } catch (e) { /* it is shown as it came */ }
    const list = form.querySelector(".cabeceras");
    list.textContent = "";
    for (const name of headers) {
      const value = response.headers.get(name);
      if (value) {
        const row = document.createElement("div"), term = document.createElement("dt"), text = document.createElement("dd");
        term.textContent = name;
        text.textContent = value;
        row.append(term, text);
        list.append(row);
      }
    }
    form.querySelector(".json").textContent = pretty.slice(0, shown);
    form.querySelector(".recibido").hidden = false;
    say(form, response.status + " " + response.statusText + " · " + took + " ms · " + Math.ceil(text.length / 1000) + " kB" +
      (pretty.length > shown ? ". " + page.dataset.cortado : ""));
  }

  function copy(form, text) {
    const done = function () { say(form, page.dataset.copiado); };
    if (navigator.clipboard) {
      navigator.clipboard.writeText(text).then(done, function () { select(form, done); });
    } else {
      select(form, done);
    }
  }

  // select is the way of copying where there is no access to the clipboard: what is
  // shown is marked, and the browser copies what is marked.
  function select(form, done) {
    getSelection().selectAllChildren(form.querySelector(".json"));
    if (document.execCommand("copy")) done();
  }

  function say(form, text) { form.querySelector(".resultado").textContent = text; }
})();
