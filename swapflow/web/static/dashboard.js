// Draws the charts of Today and keeps the page fresh. Without it the page shows the same as tables.
(() => {
  "use strict";
  const live = document.getElementById("live");
  if (!live) return;
  const source = live.dataset.numbers;
  const words = JSON.parse(live.dataset.words); // in the reader's language
  const charts = {};
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function chart(id, filled) {
    const box = document.getElementById(id);
    if (!box || !window.echarts || !filled) return null;
    charts[id] = charts[id] || echarts.init(box, null, { renderer: "svg" });
    return charts[id];
  }

  // What every chart has in common: ink on paper, a legend above, lines that are not too loud.
  function common(more) {
    const ink = { color: css("--ink") };
    return {
      animation: false, legend: { top: 0, textStyle: ink },
      tooltip: { trigger: "axis", backgroundColor: css("--card"), borderColor: css("--edge"), textStyle: ink },
      ...more,
    };
  }
  function axis(name, more) {
    const ink = { color: css("--ink") };
    return { type: "value", name, nameTextStyle: ink, axisLabel: ink, axisLine: { lineStyle: { color: css("--edge") } }, splitLine: { lineStyle: { color: css("--line") } }, ...more };
  }

  function drawIntervals(data) {
    const rows = data.applicants;
    const drawn = chart("chart-intervals", rows.length);
    if (!drawn) return;
    const looks = {
      in: { name: words.in, color: css("--good"), shape: "circle" },
      out: { name: words.out, color: css("--faint"), shape: "rect" },
      "too close": { name: words.tooClose, color: css("--warn"), shape: "triangle" },
    };
    const series = Object.entries(looks).map(([standing, look]) => ({
      name: look.name, type: "scatter", symbol: look.shape, symbolSize: 9, itemStyle: { color: look.color },
      data: rows.filter((r) => r.standing === standing).map((r) => ({
        value: [r.rank, Math.round(1000 * r.score) / 10],
        itemStyle: r.waiting ? { borderColor: css("--ink"), borderWidth: 2 } : {},
      })),
    }));
    series.push({
      name: words.margin, type: "custom", silent: true, z: 1, data: rows.map((r) => [r.rank, 100 * (r.score - r.margin), 100 * (r.score + r.margin)]),
      encode: { x: 0, y: [1, 2] },
      renderItem: (params, api) => {
        const low = api.coord([api.value(0), Math.max(0, api.value(1))]);
        const high = api.coord([api.value(0), Math.min(100, api.value(2))]);
        return { type: "line", shape: { x1: low[0], y1: low[1], x2: high[0], y2: high[1] }, style: { stroke: css("--edge"), lineWidth: 2 } };
      },
      markLine: { silent: true, symbol: "none", label: { formatter: words.cutLine, color: css("--ink") }, lineStyle: { color: css("--ink") }, data: [{ xAxis: data.places + 0.5 }] },
    });
    drawn.setOption({
      ...common({ tooltip: { trigger: "item", backgroundColor: css("--card"), borderColor: css("--edge"), textStyle: { color: css("--ink") } } }),
      legend: { data: Object.values(looks).map((look) => look.name), top: 0, textStyle: { color: css("--ink") } },
      grid: { left: 44, right: 40, top: 60, bottom: 70 }, dataZoom: [{ type: "slider", height: 22 }, { type: "inside", zoomOnMouseWheel: "ctrl" }],
      xAxis: axis(words.rank, { min: 0, max: rows.length + 1, splitLine: { show: false } }),
      yAxis: axis(words.score, { min: 0, max: 100 }),
      series,
    });
  }

  function drawSteps(data) {
    const drawn = chart("chart-steps", data.decisions.length);
    if (!drawn) return;
    const few = data.decisions.length < 12; // a line through one point is none
    drawn.setOption(common({
      grid: { left: 50, right: 56, top: 60, bottom: 45 },
      xAxis: axis(words.decision, { type: "category", nameLocation: "middle", nameGap: 28, data: data.decisions.map((d) => d.number) }),
      yAxis: [axis(words.places, { min: 0 }), axis(words.points, { min: 0, splitLine: { show: false } })],
      series: [
        { name: words.couldChange, type: "line", step: "end", showSymbol: few, symbol: "circle", color: css("--accent"), data: data.decisions.map((d) => d.could_change) },
        { name: words.lacks, type: "line", yAxisIndex: 1, showSymbol: few, symbol: "triangle", lineStyle: { type: "dashed" }, color: css("--warn"), data: data.decisions.map((d) => (d.lacks === null ? null : Math.round(1000 * d.lacks) / 10)) },
      ],
    }));
  }

  function drawBudget(data) {
    const drawn = chart("chart-budget", data.budget.length > 1);
    if (!drawn) return;
    const few = data.budget.length < 12;
    const line = (name, column, look) => ({ name, type: "line", showSymbol: few, ...look, data: data.budget.map((b) => [b.at, b[column]]) });
    drawn.setOption(common({
      grid: { left: 60, right: 30, top: 60, bottom: 30 },
      xAxis: axis("", { type: "time", splitLine: { show: false }, axisLabel: { color: css("--ink"), hideOverlap: true } }),
      yAxis: axis(live.dataset.unit, { min: 0 }),
      series: [
        line(words.left, "left", { color: css("--accent"), symbol: "circle", areaStyle: { opacity: 0.12 } }),
        line(words.askedFor, "asked_for", { color: css("--warn"), symbol: "triangle", lineStyle: { type: "dotted" } }),
        line(words.spent, "spent", { color: css("--faint"), symbol: "rect", lineStyle: { type: "dashed" } }),
      ],
    }));
  }

  function drawLoad(data) {
    const drawn = chart("chart-load", data.load.length);
    if (!drawn) return;
    const box = document.getElementById("chart-load");
    const rows = [...data.load].reverse(); // the first one stands on top
    const narrow = box.clientWidth < 500;
    const bar = (name, column, color, decal) => ({ name, type: "bar", stack: "all", color: css(color), itemStyle: { decal }, data: rows.map((r) => r[column]) });
    box.classList.toggle("tall", rows.length > 14);
    drawn.resize();
    drawn.setOption(common({
      grid: { left: narrow ? 96 : 150, right: 30, top: 40, bottom: 45 },
      xAxis: axis(words.reviews, { nameLocation: "middle", nameGap: 28, minInterval: 1 }),
      yAxis: axis("", { type: "category", data: rows.map((r) => r.reviewer), axisLabel: { color: css("--ink"), width: narrow ? 84 : 138, overflow: "truncate" } }),
      series: [
        bar(words.overdue, "overdue", "--bad", { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: 0.8, color: css("--paper") }),
        bar(words.open, "open", "--accent", { symbol: "none" }),
        bar(words.done, "done", "--edge", { symbol: "circle", symbolSize: 0.4, color: css("--paper") }),
      ],
    }));
  }

  async function draw() {
    const answer = await fetch(source, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const data = await answer.json();
    drawIntervals(data);
    drawSteps(data);
    drawBudget(data);
    drawLoad(data);
  }

  draw();
  document.addEventListener("live:taken", () => {
    for (const said of document.querySelectorAll("[data-sentence]")) {
      document.getElementById(said.dataset.sentence).setAttribute("aria-label", said.textContent);
    }
    draw();
  });
  window.addEventListener("resize", () => Object.values(charts).forEach((c) => c.resize()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
})();
