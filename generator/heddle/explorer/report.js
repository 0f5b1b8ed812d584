// SPDX-License-Identifier: MIT-0
"use strict";
// Draws the report of an exploration from the data beside it. The first part knows nothing of the page, so
// that it can be tested without a browser; text reaches the page as text only, never as markup.

const QUANTITIES = {
  time: { title: "time", unit: "ns per cell", log: true },
  error: { title: "error", unit: "", log: true },
  bytes: { title: "bytes", unit: "per cell", log: false },
  counted: { title: "counted bytes", unit: "per cell", log: false },
  lines: { title: "lines of text", unit: "", log: false },
  compile: { title: "compile time", unit: "s", log: false },
  object: { title: "object size", unit: "KB", log: false },
  registers: { title: "registers", unit: "per thread", log: false },
  occupancy: { title: "resident warps", unit: "%", log: false },
};

/** A number in a few characters. */
function short(value) {
  if (value === null || value === undefined) return "";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-2) return value.toExponential(1);
  return size >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

/** Whether a value was measured. */
function known(value) {
  return value !== null && value !== undefined;
}

/** The points that no other point beats in both quantities, in order of the first one. */
function paretoFront(points, x, y) {
  const sorted = points
    .filter((point) => known(point[x]) && known(point[y]))
    .sort((a, b) => a[x] - b[x] || a[y] - b[y]);
  const front = [];
  for (const point of sorted) {
    if (!front.length || point[y] < front[front.length - 1][y]) front.push(point);
  }
  return front;
}

/** Rows by a column, missing values last. */
function sorted(rows, key, descending) {
  const way = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [left, right] = [a[key], b[key]];
    if (left === right) return 0;
    if (left === null || left === undefined) return 1;
    if (right === null || right === undefined) return -1;
    return (left < right ? -1 : 1) * way;
  });
}

/** Which lines two texts have in common: entries [sign, line], sign " ", "-" (of the first) or "+". */
function difference(first, second) {
  let head = 0;
  while (head < first.length && head < second.length && first[head] === second[head]) head += 1;
  let tail = 0;
  while (
    tail < first.length - head && tail < second.length - head &&
    first[first.length - 1 - tail] === second[second.length - 1 - tail]
  ) tail += 1;
  const [n, m] = [first.length - head - tail, second.length - head - tail];
  // common[i][j]: the most lines that the ends of both from i and j on share.
  const common = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let j = m - 1; j >= 0; j -= 1) {
      common[i][j] = first[head + i] === second[head + j]
        ? common[i + 1][j + 1] + 1
        : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const found = first.slice(0, head).map((line) => [" ", line]);
  let [i, j] = [0, 0];
  while (i < n || j < m) {
    if (i < n && j < m && first[head + i] === second[head + j]) {
      found.push([" ", first[head + i]]);
      i += 1;
      j += 1;
    } else if (j >= m || (i < n && common[i + 1][j] >= common[i][j + 1])) {
      found.push(["-", first[head + i]]);
      i += 1;
    } else {
      found.push(["+", second[head + j]]);
      j += 1;
    }
  }
  return found.concat(first.slice(first.length - tail).map((line) => [" ", line]));
}

/** Entries of a difference with at most `around` equal lines beside a changed one; [null, count] for others. */
function folded(entries, around) {
  const near = new Array(entries.length).fill(false);
  entries.forEach(([sign], at) => {
    if (sign === " ") return;
    for (let i = Math.max(0, at - around); i <= Math.min(entries.length - 1, at + around); i += 1) near[i] = true;
  });
  const found = [];
  entries.forEach((entry, at) => {
    if (near[at]) found.push(entry);
    else if (found.length && found[found.length - 1][0] === null) found[found.length - 1][1] += 1;
    else found.push([null, 1]);
  });
  return found;
}

/** Ticks of an axis: powers of ten and their parts, or even steps. */
function ticks(low, high, log) {
  const found = [];
  if (log) {
    const factors = high / low > 300 ? [1] : high / low > 20 ? [1, 3] : [1, 1.5, 2, 3, 5, 7];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
      for (const factor of factors) {
        const value = factor * 10 ** power;
        if (value >= low && value <= high) found.push(value);
      }
    }
    const every = Math.ceil(found.length / 8);
    return found.filter((_, at) => at % every === 0);
  }
  const raw = (high - low) / 5 || 1;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * ([1, 2, 5, 10].find((factor) => factor * unit >= raw) || 10);
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) {
    found.push(Math.round(value / step) * step);
  }
  return found;
}

/** A function from values to places. Zeros of a logarithmic axis lie at its lower end. */
function scale(values, from, to, log) {
  const known = values.filter((value) => value !== null && (!log || value > 0));
  let [low, high] = known.length ? [Math.min(...known), Math.max(...known)] : [1, 10];
  if (log) [low, high] = [low / 1.25, high * 1.25];
  else {
    const room = (high - low || Math.abs(high) || 1) * 0.06;
    [low, high] = [low - room, high + room];
  }
  if (log && values.some((value) => value === 0)) low /= 10;
  const turn = log ? Math.log : (value) => value;
  const place = (value) =>
    from + ((turn(Math.max(value, log ? low : -Infinity)) - turn(low)) / (turn(high) - turn(low))) * (to - from);
  place.low = low;
  place.high = high;
  place.invert = (at) => {
    const share = (at - from) / (to - from);
    return log ? low * (high / low) ** share : low + share * (high - low);
  };
  return place;
}

/** The results that filters leave: one place, values of options that are not left out, a range of times. */
function visible(results, filter) {
  return results.filter((result) =>
    result.state === "correct" && result.place === filter.place &&
    Object.entries(filter.out).every(([axis, values]) => !values.includes(result.options[axis])) &&
    (filter.range === null || (result.time >= filter.range[0] && result.time <= filter.range[1])));
}

// --- The page -------------------------------------------------------------------------------------------------

function page(data) {
  const places = [...new Set(data.results.map((result) => result.place))];
  const state = {
    filter: { place: places[0], out: {}, range: null },
    x: "time", y: "error", sort: "time", descending: false, chosen: [],
  };
  const find = (id) => document.getElementById(id);

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    set(made, attributes, children);
    return made;
  }
  function drawn(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    set(made, attributes, children);
    return made;
  }
  function set(made, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined) made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child !== null));
  }

  const here = () => data.results.filter((r) => r.place === state.filter.place && r.state === "correct");
  const series = (result) => (variants().length > 1 ? result.variant : result.precision);
  const variants = () => [...new Set(here().map((result) => result.variant))];
  const precisions = () => [...new Set(here().map((result) => result.precision))];
  const colour = (result) => {
    const names = variants().length > 1 ? variants() : precisions();
    return `var(--c${names.indexOf(series(result)) % 8})`;
  };

  /** A mark whose shape says the precision. */
  function mark(result, x, y, size) {
    const kind = precisions().indexOf(result.precision) % 3;
    const d = [
      `M${x - size} ${y}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0`,
      `M${x - size} ${y - size}h${2 * size}v${2 * size}h${-2 * size}z`,
      `M${x} ${y - 1.3 * size}l${1.2 * size} ${2.2 * size}h${-2.4 * size}z`,
    ][kind];
    return drawn("path", { d, fill: colour(result) });
  }

  const spoken = (r) =>
    `${r.name}: ${short(r.time)} nanoseconds per cell` +
    (known(r.fraction) ? `, ${Math.round(100 * r.fraction)} percent of the stream` : "") +
    (r.error === null ? "" : `, error ${short(r.error)}`);

  function choose(result) {
    const at = state.chosen.indexOf(result.id);
    if (at >= 0) state.chosen.splice(at, 1);
    else state.chosen = [...state.chosen, result.id].slice(-2);
    marks();
    details();
  }

  /** Points that one tab stop reaches, and arrows from one to the next. */
  function points(svg, label, placed) {
    const group = drawn("g", { role: "group", "aria-label": label });
    const all = placed.map(([result, x, y], at) => {
      const made = mark(result, x, y, 5);
      set(made, {
        class: "point", tabindex: at ? -1 : 0, role: "button", "data-id": result.id,
        "aria-label": spoken(result), "aria-pressed": "false",
        onclick: () => choose(result),
        onkeydown: (event) => {
          const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
          if (event.key === "Enter" || event.key === " ") choose(result);
          else if (!step) return;
          else {
            const next = all[(at + step + all.length) % all.length];
            all.forEach((one) => one.setAttribute("tabindex", one === next ? 0 : -1));
            next.focus();
          }
          event.preventDefault();
        },
      }, [drawn("title", {}, spoken(result))]);
      return made;
    });
    group.append(...all);
    svg.append(group);
  }

  function marks() {
    for (const made of document.querySelectorAll("[data-id]")) {
      const on = state.chosen.includes(Number(made.dataset.id));
      made.classList.toggle("chosen", on);
      if (made.hasAttribute("aria-pressed")) made.setAttribute("aria-pressed", String(on));
      if (made.type === "checkbox") made.checked = on;
    }
  }

  const WIDTH = 560, HEIGHT = 380, LEFT = 74, RIGHT = 12, TOP = 12, BOTTOM = 46;

  function chart(id, label) {
    const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": label });
    find(id).replaceChildren(svg);
    return svg;
  }

  function axes(svg, x, y, xTitle, yTitle, xLog, yLog) {
    for (const value of ticks(x.low, x.high, xLog)) {
      svg.append(
        drawn("line", { class: "grid", x1: x(value), x2: x(value), y1: TOP, y2: HEIGHT - BOTTOM }),
        drawn("text", { x: x(value), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, short(value)));
    }
    for (const value of ticks(y.low, y.high, yLog)) {
      svg.append(
        drawn("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
        drawn("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, short(value)));
    }
    svg.append(
      drawn("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, xTitle),
      drawn("text", { transform: `translate(13 ${HEIGHT / 2}) rotate(-90)`, "text-anchor": "middle" }, yTitle));
  }

  function roofline(shown) {
    const svg = chart("roofline", "Roofline: operations per second over operations per byte");
    const limits = precisions().map((precision) => {
      const own = here().filter((result) => result.precision === precision);
      return {
        precision,
        peak: Math.max(0, ...own.map((result) => result.peak)),
        stream: Math.max(0, ...own.map((result) => result.streamBandwidth || 0)),
      };
    });
    const knees = limits.map((limit) => limit.peak / limit.stream);
    const x = scale([...shown.flatMap((r) => [r.intensity, r.measured || null]), ...knees], LEFT, WIDTH - RIGHT, true);
    const heights = limits.flatMap((limit) => [2 * limit.peak, limit.stream * x.low]);
    const y = scale([...shown.map((r) => r.gflops), ...heights], HEIGHT - BOTTOM, TOP, true);
    axes(svg, x, y, "operations per byte", "Gflop/s", true, true);
    limits.forEach((limit, at) => {
      if (!(limit.peak > 0 && limit.stream > 0)) return;
      const knee = limit.peak / limit.stream;
      svg.append(
        drawn("path", {
          class: "limit", "stroke-dasharray": ["", "7 3", "2 3"][at % 3],
          d: `M${x(x.low)} ${y(limit.stream * x.low)}L${x(knee)} ${y(limit.peak)}H${x(x.high)}`,
        }),
        drawn("text", { x: WIDTH - RIGHT - 4, y: TOP + 14 * (at + 1), "text-anchor": "end" },
          `${["—", "– –", "···"][at % 3]} ${limit.precision}: ${short(limit.peak)} Gflop/s, ` +
          `stream ${short(limit.stream)} GB/s`));
    });
    for (const r of shown.filter((one) => one.measured > 0)) {  // by counters: a cross, with a line to the candidate
      const [from, to, at] = [x(r.intensity), x(r.measured), y(r.gflops)];
      svg.append(drawn("path", {
        class: "counted", stroke: colour(r), "data-counted": r.id,
        d: `M${from} ${at}H${to}M${to - 4} ${at - 4}l8 8m0 -8l-8 8`,
      }, drawn("title", {}, `${r.name}: ${short(r.counted)} bytes per cell were counted`)));
    }
    points(svg, "Candidates in the roofline",
      shown.filter((r) => r.intensity > 0).map((r) => [r, x(r.intensity), y(r.gflops)]));
  }

  function pareto(shown) {
    const [xs, ys] = [QUANTITIES[state.x], QUANTITIES[state.y]];
    const svg = chart("pareto", `Pareto front of ${xs.title} and ${ys.title}`);
    const both = shown.filter((r) => known(r[state.x]) && known(r[state.y]));
    const x = scale(both.map((r) => r[state.x]), LEFT, WIDTH - RIGHT, xs.log);
    const y = scale(both.map((r) => r[state.y]), HEIGHT - BOTTOM, TOP, ys.log);
    axes(svg, x, y, `${xs.title} ${xs.unit}`.trim(), `${ys.title} ${ys.unit}`.trim(), xs.log, ys.log);
    const front = paretoFront(both, state.x, state.y);
    if (front.length) {
      const d = front.map((r, at) => (at ? `H${x(r[state.x])}V${y(r[state.y])}` : `M${x(r[state.x])} ${y(r[state.y])}`));
      svg.append(drawn("path", { class: "front", d: d.join("") }));
    }
    points(svg, "Candidates between the two quantities", both.map((r) => [r, x(r[state.x]), y(r[state.y])]));
  }

  function parallel(shown) {
    const all = here();
    const names = Object.keys(all.length ? all[0].options : {}).filter(
      (name) => new Set(all.map((result) => result.options[name])).size > 1);
    const [width, height, top, bottom] = [1120, 300, 34, 20];
    const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "group",
      "aria-label": "Options of the candidates and their times" });
    const at = (number) => 90 + (number * (width - 200)) / Math.max(1, names.length);
    const time = scale(all.map((result) => result.time), height - bottom, top, true);
    const spots = names.map((name) => {
      const values = sorted([...new Set(all.map((r) => r.options[name]))].map((v) => ({ v })), "v").map((o) => o.v);
      return (value) => values.length > 1
        ? height - bottom - (values.indexOf(value) * (height - top - bottom)) / (values.length - 1)
        : (height + top - bottom) / 2;
    });
    for (const result of shown) {
      const way = names.map((name, number) => `${at(number)} ${spots[number](result.options[name])}`);
      svg.append(drawn("path", {
        class: "way", stroke: colour(result), "data-id": result.id,
        d: `M${[...way, `${at(names.length)} ${time(result.time)}`].join("L")}`,
        onclick: () => choose(result),
      }, drawn("title", {}, spoken(result))));
    }
    names.forEach((name, number) => {
      svg.append(
        drawn("line", { class: "grid", x1: at(number), x2: at(number), y1: top, y2: height - bottom }),
        drawn("text", { x: at(number), y: 14, "text-anchor": "middle" }, name));
      for (const value of new Set(all.map((result) => result.options[name]))) {
        const out = (state.filter.out[name] || []).includes(value);
        const turn = () => {
          const left = state.filter.out[name] || [];
          state.filter.out[name] = out ? left.filter((one) => one !== value) : [...left, value];
          draw();
          const again = [...find("parallel").querySelectorAll(".value")].find(
            (one) => one.dataset.axis === name && one.textContent === String(value));
          if (again) again.focus();
        };
        svg.append(drawn("text", {
          class: `value${out ? " out" : ""}`, x: at(number) + 6, y: spots[number](value) + 4, tabindex: 0,
          role: "checkbox", "aria-checked": String(!out), "aria-label": `${name} ${value}`, "data-axis": name,
          onclick: turn,
          onkeydown: (event) => {
            if (event.key === "Enter" || event.key === " ") { event.preventDefault(); turn(); }
          },
        }, String(value)));
      }
    });
    const last = at(names.length);
    svg.append(
      drawn("line", { class: "grid", x1: last, x2: last, y1: top, y2: height - bottom }),
      drawn("text", { x: last, y: 14, "text-anchor": "middle" }, "ns per cell"));
    for (const value of ticks(time.low, time.high, true)) {
      svg.append(drawn("text", { x: last + 8, y: time(value) + 4 }, short(value)));
    }
    brush(svg, time, last, top, height - bottom, height);
    find("parallel").replaceChildren(svg);
  }

  /** A range of times, dragged along the last axis. A click takes it away. */
  function brush(svg, time, x, top, bottom, height) {
    const range = state.filter.range;
    if (range) {
      svg.append(drawn("rect", { class: "brush", x: x - 12, width: 24, y: time(range[1]),
        height: Math.max(1, time(range[0]) - time(range[1])) }));
    }
    let start = null;
    const where = (event) => {
      const box = svg.getBoundingClientRect();
      return Math.min(bottom, Math.max(top, ((event.clientY - box.top) / box.height) * height));
    };
    svg.append(drawn("rect", {
      class: "catch", x: x - 14, width: 28, y: top, height: bottom - top,
      onpointerdown: (event) => { start = where(event); event.target.setPointerCapture(event.pointerId); },
      onpointerup: (event) => {
        if (start === null) return;
        const ends = [time.invert(start), time.invert(where(event))].sort((a, b) => a - b);
        state.filter.range = Math.abs(where(event) - start) < 4 ? null : ends;
        draw();
      },
    }));
  }

  function legend() {
    const entries = new Map();
    for (const result of here()) {
      const name = [variants().length > 1 ? result.variant : "", result.precision].filter(Boolean).join(" ");
      if (!entries.has(name)) entries.set(name, result);
    }
    find("legend").replaceChildren(...[...entries].map(([name, result]) =>
      element("span", {}, drawn("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, mark(result, 7, 7, 5)), name)));
  }

  const COLUMNS = [
    ["time", "ns/cell"], ["spread", "±"], ["percent", "% of stream"], ["bandwidth", "GB/s"], ["bytes", "B/cell"], ["counted", "counted B/cell"],
    ["flops", "flops"], ["error", "error"], ["lines", "lines"], ["compile", "compile s"], ["generate", "generate s"],
    ["object", "object KB"], ["registers", "registers"], ["spills", "spilled B"], ["occupancy", "% of warps"],
  ].filter(([key]) => data.results.some((result) => known(result[key])));

  function table(shown) {
    const words = [["variant", "variant"], ["precision", "precision"], ["schedule", "schedule"]].filter(
      ([key]) => key !== "variant" || variants().length > 1);
    const heads = [...words.map((c) => [...c, "text"]), ...COLUMNS.map((c) => [...c, ""])];
    const head = heads.map(([key, title, kind]) => element("th", {
      class: kind, scope: "col",
      "aria-sort": state.sort === key ? (state.descending ? "descending" : "ascending") : "none",
    }, element("button", { type: "button", onclick: () => {
      state.descending = state.sort === key && !state.descending;
      state.sort = key;
      table(visible(data.results, state.filter));
      marks();
      const again = [...find("table").querySelectorAll("th button")].find((one) => one.dataset.key === key);
      again.focus();
    }, "data-key": key }, title + (state.sort === key ? (state.descending ? " ▾" : " ▴") : ""))));
    const rows = sorted(shown, state.sort, state.descending).map((result) => element("tr", { "data-id": result.id },
      element("td", {}, element("input", { type: "checkbox", "data-id": result.id,
        "aria-label": `Choose ${result.name}`, onchange: () => choose(result) })),
      ...words.map(([key]) => element("td", { class: `text ${key}` },
        result[key] + (key === "schedule" && result.own ? " (the model's own)" : ""))),
      ...COLUMNS.map(([key]) => element("td", {}, short(result[key])))));
    find("table").replaceChildren(
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "choose"), ...head)),
      element("tbody", {}, ...rows));
  }

  function card(result) {
    const pasted = element("pre", {}, result.schedule);
    return element("div", { class: "card" },
      element("h3", {}, result.name),
      element("p", {}, `${short(result.time)} ns per cell (± ${short(result.spread)})` +
        (known(result.percent) ? `, ${short(result.percent)} % of the stream, ${short(result.bandwidth)} GB/s, ` +
          `${short(result.gflops)} Gflop/s` : "")),
      element("p", {}, result.costs),
      element("p", { class: "why" }, result.hint),
      pasted,
      element("button", { type: "button", class: "copy", onclick: () => {
        const chosen = document.getSelection();
        chosen.selectAllChildren(pasted);
        if (navigator.clipboard) navigator.clipboard.writeText(result.schedule).catch(() => {});
      } }, "Copy the schedule"));
  }

  const text = (result) => (result.source < 0 ? null : data.sources[result.source].map((line) => data.lines[line]));

  function details() {
    const chosen = state.chosen.map((id) => data.results[id]);
    find("hint").hidden = chosen.length > 0;
    find("details").replaceChildren(...chosen.map(card));
    const shown = [];
    if (chosen.length === 2) {
      const names = COLUMNS.map(([key, title]) => element("tr", {}, element("th", { class: "text", scope: "row" }, title),
        ...chosen.map((result) => element("td", {}, short(result[key]))),
        element("td", {}, chosen[0][key] && chosen[1][key] ? short(chosen[1][key] / chosen[0][key]) : "")));
      shown.push(element("table", { id: "counts" }, element("thead", {}, element("tr", {},
        ...["", "first", "second", "second / first"].map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, ...names)));
    }
    const texts = chosen.map(text);
    if (texts.length && texts.every((one) => one !== null)) {
      const entries = texts.length === 2
        ? folded(difference(texts[0], texts[1]), 3)
        : texts[0].map((line) => [" ", line]);
      const kinds = { "+": "added", "-": "removed" };
      shown.push(
        element("h3", {}, texts.length === 2 ? "What differs in the emitted text (− first, + second)" : "Emitted text"),
        element("pre", { class: "text", tabindex: 0, "aria-label": "Emitted text" }, ...entries.map(([sign, line]) =>
          sign === null
            ? element("span", { class: "skipped" }, `… ${line} equal lines`)
            : element("span", { class: kinds[sign] }, texts.length === 2 ? `${sign} ${line}` : line))));
    } else if (texts.length) {
      shown.push(element("p", {}, "The emitted text was left out, to keep this file small."));
    }
    find("difference").replaceChildren(...shown);
  }

  function controls() {
    const select = (label, id, values, now, change) => element("label", {}, `${label} `,
      element("select", { id, onchange: (event) => change(event.target.value) },
        ...values.map(([value, title]) => {
          const option = element("option", { value }, title);
          option.selected = value === now;
          return option;
        })));
    find("controls").replaceChildren(
      select("Kernel, size and machine", "place", places.map((place) => [place, place]), state.filter.place, (place) => {
        state.filter = { place, out: {}, range: null };
        state.chosen = [];
        draw();
        details();
      }),
      element("button", { type: "button", id: "reset", onclick: () => {
        state.filter = { place: state.filter.place, out: {}, range: null };
        draw();
      } }, "Show all candidates"));
    const quantities = Object.entries(QUANTITIES)
      .filter(([key]) => data.results.some((result) => known(result[key])))
      .map(([key, one]) => [key, one.title]);
    find("axes").replaceChildren(
      select("Across", "across", quantities, state.x, (key) => { state.x = key; draw(); }),
      select("Up", "up", quantities, state.y, (key) => { state.y = key; draw(); }));
  }

  /** What changed since an earlier search. */
  function drifted() {
    if (!data.drift) return;
    const heads = ["what", "before", "now", "times as long", "candidate", "kernel, size, machine", "what else changed"];
    const texts = ["text", "", "", "", "text schedule", "text schedule", "text schedule"];
    find("drift").replaceChildren(
      element("h2", {}, "Since the earlier search"),
      element("p", {}, `${data.drift.counts}. Times are nanoseconds per cell; a change counts beside the matching ` +
        "stream of its run, and where it is larger than the scatter."),
      ...(data.drift.changes.length ? [element("div", { class: "scroll" }, element("table", { id: "changes" },
        element("thead", {}, element("tr", {},
          ...heads.map((title, at) => element("th", { scope: "col", class: texts[at] }, title)))),
        element("tbody", {}, ...data.drift.changes.map((one) => element("tr", { class: one.kind },
          ...[one.kind, short(one.before), short(one.now), short(one.times), one.name, one.place, one.why].map(
            (value, at) => element("td", { class: texts[at] }, value)))))))] : []));
  }

  function wrong() {
    const bad = data.results.filter((result) => result.state !== "correct");
    if (!bad.length && !data.refused.length) return;
    find("wrong").replaceChildren(
      element("h2", {}, "Not timed"),
      element("ul", {}, ...bad.map((result) => element("li", { class: "bad" }, `${result.state}: ${result.name}: ${result.why}`)),
        ...data.refused.map((one) => element("li", {}, `not legal: ${one.name}: ${one.why}`))));
  }

  function draw() {
    const shown = visible(data.results, state.filter);
    find("summary").textContent =
      `${shown.length} of ${here().length} candidates here, ${data.results.length} in all. ${data.about}`;
    roofline(shown);
    pareto(shown);
    legend();
    parallel(shown);
    table(shown);
    marks();
  }

  controls();
  drifted();
  wrong();
  draw();
}

if (typeof document === "undefined") {
  module.exports = { short, known, paretoFront, sorted, difference, folded, ticks, scale, visible };
} else {
  page(JSON.parse(document.getElementById("data").textContent));
}
