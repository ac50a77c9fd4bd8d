// The graph of a trail's hours. It draws what stands in the table below it and
// holds no data of its own; to whoever cannot see it the table says the same.
"use strict";
(function () {
  var figure = document.getElementById("grafico"), table = document.getElementById("tabla-horas");
  if (!figure || !table) return;

  var GUTTER = 42, FONT = "12px system-ui, -apple-system, sans-serif";
  var HEIGHTS = { nada: 26, verde: 11, amarillo: 19, rojo: 28 }; // a worse level is a higher bar
  var GLYPHS = {
    verde: "M2 5.4 4.2 7.6 8.2 2.8", amarillo: "M5 1.4V6M5 8.2V8.6", rojo: "M2.3 2.3 7.7 7.7M7.7 2.3 2.3 7.7",
    nada: "M3 3.4C3 .9 7.2 1 7 3.5 6.9 4.8 5 4.8 5 6.3M5 8.4V8.8"
  };
  var hours = readHours(), series = readSeries(), days = readDays();
  var middles = hours.map(function (hour, i) { return i + 0.5; });
  var readout = document.createElement("p"), charts = [], shown = -1;

  // A row of the table: its day, hour, level and light.
  function readHours() {
    return Array.prototype.map.call(table.querySelectorAll("tr[data-nivel]"), function (row) {
      return {
        row: row, level: row.dataset.nivel, night: row.classList.contains("noche"),
        day: clean(row.parentNode.querySelector(".dia b")), time: clean(row.querySelector("time")), state: clean(row.querySelector(".que"))
      };
    });
  }

  // A column of the table: its name and unit, and its values, null where there is none. What
  // the table rounds is drawn from the value itself.
  function readSeries() {
    var all = {};
    table.querySelectorAll("th[data-serie]").forEach(function (head) {
      var unit = head.querySelector(".unidad"), cells = hours.map(function (hour) { return hour.row.cells[head.cellIndex]; });
      all[head.dataset.serie] = {
        name: clean(head.firstChild), unit: unit ? clean(unit) : "", texts: cells.map(function (cell) { return clean(cell.firstChild); }),
        notes: cells.map(function (cell) { return cell.children[0] ? " " + clean(cell.children[0]) : ""; }), values: cells.map(number)
      };
    });
    return all;
  }

  // Where each day begins.
  function readDays() {
    return hours.map(function (hour, i) { return { name: hour.day, from: i }; }).filter(function (day, i) {
      return i === 0 || hours[i - 1].day !== day.name;
    });
  }

  function clean(node) { return node.textContent.replace(/\u00ad/g, "").trim(); }

  function number(cell) {
    var value = cell.classList.contains("sin") ? NaN : parseFloat(cell.dataset.v || clean(cell.firstChild).replace("\u2212", "-").replace(",", "."));
    return isNaN(value) ? null : value;
  }

  function colour(name) {
    return function () { return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); };
  }

  // A line or bars of a column. A single hour between two without data is a point.
  function draw(key, options) {
    var values = series[key].values;
    function lonely() {
      return values.map(function (v, i) { return i; }).filter(function (i) {
        return values[i] !== null && !(values[i - 1] != null) && !(values[i + 1] != null);
      });
    }
    return Object.assign({ spanGaps: false, width: 2, points: { show: !options.paths, filter: lonely, size: 5 } }, options);
  }

  function chart(height, keys, lines, range) {
    var heading = figure.appendChild(document.createElement("p"));
    heading.className = "clave";
    keys.forEach(function (key, i) {
      var part = heading.appendChild(document.createElement("span"));
      part.className = "trazo-" + key;
      part.textContent = series[key].name + (series[key].unit ? " (" + series[key].unit + ")" : "");
    });
    var gaps = hours.map(function (hour, i) { return keys.some(function (key) { return series[key].values[i] === null; }); });
    return plot(height, keys, lines, [function (u) { shade(u); hatch(u, gaps); }], [], {
      scale: "y", size: GUTTER, stroke: colour("suave"), font: FONT, gap: 4, space: 26, grid: { stroke: colour("raya"), width: 1 }, ticks: { show: false },
      values: function (u, at) { return at.map(function (value) { return String(value).replace("-", "\u2212"); }); }
    }, range);
  }

  function plot(height, keys, lines, under, over, axis, range) {
    var options = {
      width: width(), height: height, legend: { show: false }, padding: [6, 6, 0, axis ? 0 : GUTTER],
      scales: { x: { time: false, range: [0, hours.length] }, y: { range: range } },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 }, sync: { key: "horas" } },
      series: [{}].concat(lines), hooks: { drawClear: under, draw: over, setCursor: [function (u) { read(u.cursor.idx); }] },
      axes: [{
        size: axis ? 22 : 0, show: !!axis, stroke: colour("suave"), font: FONT, gap: 3, ticks: { show: false }, grid: { stroke: colour("raya"), width: 1 },
        splits: function () { return sixes(); }, values: function (u, at) { return at.map(function (i) { return hours[i] ? hours[i].time : ""; }); }
      }, axis || { show: false }]
    };
    var u = new uPlot(options, [middles].concat(keys.map(function (key) { return series[key].values; })), figure);
    u.over.addEventListener("pointermove", follow);
    u.over.addEventListener("pointerdown", follow);
    return u;
  }

  // A finger moves the cursor sideways, and the page up and down.
  function follow(event) {
    if (event.pointerType === "mouse") return;
    var left = event.clientX - event.currentTarget.getBoundingClientRect().left;
    charts.forEach(function (u) { u.setCursor({ left: left, top: 1 }); });
  }

  function sixes() {
    var at = [];
    hours.forEach(function (hour, i) { if (parseInt(hour.time, 10) % (width() < 600 ? 12 : 6) === 0) at.push(i); });
    return at;
  }

  function width() { return Math.max(figure.clientWidth, 240); }

  // runs paints the hours for which a test gives the same, each run at once.
  function runs(test, paint) {
    for (var from = 0; from < hours.length;) {
      var to = from + 1, value = test(from);
      while (to < hours.length && test(to) === value) to++;
      if (value) paint(value, from, to);
      from = to;
    }
  }

  function shade(u) {
    u.ctx.fillStyle = colour("sombra")();
    runs(function (i) { return hours[i].night; }, function (night, from, to) {
      u.ctx.fillRect(x(u, from), u.bbox.top, x(u, to) - x(u, from), u.bbox.height);
    });
  }

  function x(u, hour) { return u.valToPos(hour, "x", true); }

  function hatch(u, gaps) {
    runs(function (i) { return gaps[i]; }, function (gap, from, to) {
      hatched(u.ctx, x(u, from), u.bbox.top, x(u, to) - x(u, from), u.bbox.height);
    });
  }

  function hatched(ctx, left, top, wide, high) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, wide, high);
    ctx.clip();
    ctx.fillStyle = colour("nada-fondo")();
    ctx.fillRect(left, top, wide, high);
    ctx.strokeStyle = colour("nada-raya")();
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.beginPath();
    for (var at = left - high; at < left + wide; at += 6 * devicePixelRatio) {
      ctx.moveTo(at, top + high);
      ctx.lineTo(at + high, top);
    }
    ctx.stroke();
    ctx.restore();
  }

  // The levels: height and sign first, colour last.
  function band(u) {
    var ctx = u.ctx, ground = u.bbox.top + u.bbox.height;
    runs(function (i) { return hours[i].level; }, function (level, from, to) {
      var left = x(u, from), wide = x(u, to) - left, high = HEIGHTS[level] * devicePixelRatio;
      if (level === "nada") hatched(ctx, left, ground - high, wide, high);
      ctx.fillStyle = colour(level)();
      ctx.strokeStyle = colour(level === "amarillo" ? "filo-amarillo" : level === "nada" ? "nada" : "hoja")();
      ctx.lineWidth = devicePixelRatio;
      if (level !== "nada") ctx.fillRect(left, ground - high, wide, high);
      ctx.strokeRect(left, ground - high, wide, high);
      sign(ctx, level, left + wide / 2, ground - high / 2, wide);
    });
    ctx.fillStyle = colour("tinta")();
    ctx.font = "600 " + 12 * devicePixelRatio + "px system-ui, -apple-system, sans-serif";
    ctx.textAlign = "left";
    ctx.textBaseline = "top";
    days.forEach(function (day, i) {
      var left = x(u, day.from), end = x(u, i + 1 < days.length ? days[i + 1].from : hours.length);
      [day.name, day.name.replace(/^.*\((.*)\)$/, "$1")].some(function (name) {
        var fits = ctx.measureText(name).width < end - left;
        if (fits) ctx.fillText(name, left, 2 * devicePixelRatio);
        return fits;
      });
    });
  }

  function sign(ctx, level, middle, height, wide) {
    var size = 10 * devicePixelRatio;
    if (wide < size || !window.Path2D) return;
    ctx.save();
    ctx.translate(middle - size / 2, height - size / 2);
    ctx.scale(size / 10, size / 10);
    ctx.strokeStyle = colour(level === "nada" ? "tinta" : "sobre-" + level)();
    ctx.lineWidth = 1.7;
    ctx.stroke(new Path2D(GLYPHS[level]));
    ctx.restore();
  }

  // read writes an hour's row out below the graph.
  function read(i) {
    if (i == null || i === shown) return;
    shown = i;
    var hour = hours[i], title = document.createElement("b");
    title.textContent = hour.day + ", " + hour.time + " h: " + hour.state;
    readout.textContent = "";
    readout.appendChild(title);
    Object.keys(series).forEach(function (key) {
      var part = readout.appendChild(document.createElement("span")), s = series[key];
      part.textContent = s.name + " " + s.texts[i] + (s.unit && s.values[i] !== null ? "\u00a0" + s.unit : "") + s.notes[i];
    });
  }

  function fromZero(least) {
    return function (u, low, high) { return [0, Math.max(least, (high || 0) * 1.1)]; };
  }

  function around(u, low, high) {
    return low === null ? [0, 10] : [Math.floor(low - 1), Math.max(Math.ceil(high + 1), Math.floor(low - 1) + 8)];
  }

  function build() {
    var bars = uPlot.paths.bars;
    charts = [
      plot(60, [], [], [shade], [band], null, [0, 30]),
      chart(150, ["temperatura", "sensacion"], [draw("temperatura", { stroke: colour("enlace") }), draw("sensacion", { stroke: colour("tinta"), dash: [5, 4], width: 1.5 })], around),
      chart(140, ["viento", "racha"], [draw("viento", { stroke: colour("enlace") }), draw("racha", { stroke: colour("tinta"), dash: [5, 4], width: 1.5 })], fromZero(40)),
      chart(120, ["precipitacion", "nieve"], [
        draw("precipitacion", { fill: colour("enlace"), width: 0, paths: bars({ size: [0.9, 60] }) }),
        draw("nieve", { fill: colour("tinta"), width: 0, paths: bars({ size: [0.35, 20] }) })
      ], fromZero(4))
    ];
    readout.className = "lectura";
    figure.appendChild(readout);
    var help = figure.appendChild(document.createElement("p"));
    help.className = "menor";
    help.textContent = figure.dataset.ayuda;
    read(0);
  }

  function resize() {
    charts.forEach(function (u) { if (u.width !== width()) u.setSize({ width: width(), height: u.height }); });
  }

  function recolour() { charts.forEach(function (u) { u.redraw(); }); }

  function start() {
    if (!window.uPlot) return;
    figure.classList.add("dibujado");
    build();
    window.addEventListener("resize", resize);
    var dark = window.matchMedia("(prefers-color-scheme: dark)");
    if (dark.addEventListener) dark.addEventListener("change", recolour);
    else dark.addListener(recolour);
  }

  // The library is the heaviest part of the page: it comes when the graph is near.
  function load() {
    var script = document.createElement("script");
    script.src = figure.dataset.dibujante;
    script.onload = start;
    document.head.appendChild(script);
  }

  if (!window.IntersectionObserver) return load();
  new IntersectionObserver(function (entries, watch) {
    if (!entries.some(function (entry) { return entry.isIntersecting; })) return;
    watch.disconnect();
    load();
  }, { rootMargin: "400px" }).observe(figure);
})();
