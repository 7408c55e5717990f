// Draws the charts of Today and keeps the page fresh. Without it the page shows the same as tables.
(() => {
  "use strict";
  const live = document.getElementById("live");
  if (!live) return;
  const source = live.dataset.source;
  const charts = {};
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function chart(id) {
    const box = document.getElementById(id);
    if (!box || !window.echarts) return null;
    charts[id] = charts[id] || echarts.init(box, null, { renderer: "svg" });
    return charts[id];
  }

  function drawIntervals(data) {
    const drawn = chart("chart-intervals");
    if (!drawn || data.applicants.length === 0) return;
    const looks = {
      in: { color: css("--good"), shape: "circle" },
      out: { color: css("--faint"), shape: "rect" },
      "too close": { color: css("--warn"), shape: "triangle" },
    };
    const rows = data.applicants;
    const series = Object.entries(looks).map(([name, look]) => ({
      name, type: "scatter", symbol: look.shape, symbolSize: 9, itemStyle: { color: look.color },
      data: rows.filter((r) => r.standing === name).map((r) => ({
        value: [r.rank, 100 * r.score],
        itemStyle: r.waiting ? { borderColor: css("--ink"), borderWidth: 2 } : {},
      })),
    }));
    series.push({
      name: "margin", type: "custom", silent: true, z: 1, data: rows.map((r) => [r.rank, 100 * (r.score - r.margin), 100 * (r.score + r.margin)]),
      encode: { x: 0, y: [1, 2] },
      renderItem: (params, api) => {
        const low = api.coord([api.value(0), Math.max(0, api.value(1))]);
        const high = api.coord([api.value(0), Math.min(100, api.value(2))]);
        return { type: "line", shape: { x1: low[0], y1: low[1], x2: high[0], y2: high[1] }, style: { stroke: css("--edge"), lineWidth: 2 } };
      },
      markLine: { silent: true, symbol: "none", label: { formatter: "cut line", color: css("--ink") }, lineStyle: { color: css("--ink") }, data: [{ xAxis: data.places + 0.5 }] },
    });
    drawn.setOption({
      animation: false, legend: { data: Object.keys(looks), top: 0, textStyle: { color: css("--ink") } },
      grid: { left: 44, right: 16, top: 40, bottom: 70 }, dataZoom: [{ type: "slider", height: 22 }, { type: "inside" }],
      xAxis: { type: "value", name: "rank", min: 0, max: rows.length + 1, axisLabel: { color: css("--ink") }, splitLine: { show: false } },
      yAxis: { type: "value", min: 0, max: 100, axisLabel: { color: css("--ink") }, splitLine: { lineStyle: { color: css("--line") } } },
      tooltip: { trigger: "item" }, series,
    });
  }

  function drawSteps(data) {
    const drawn = chart("chart-steps");
    if (!drawn || data.decisions.length === 0) return;
    const few = data.decisions.length < 12; // a line through one point is none
    const axis = { axisLabel: { color: css("--ink") }, nameTextStyle: { color: css("--ink") }, splitLine: { lineStyle: { color: css("--line") } } };
    drawn.setOption({
      animation: false, legend: { top: 0, textStyle: { color: css("--ink") } }, grid: { left: 44, right: 52, top: 50, bottom: 30 }, tooltip: { trigger: "axis" },
      xAxis: { type: "category", data: data.decisions.map((d) => d.number), axisLabel: { color: css("--ink") } },
      yAxis: [{ type: "value", min: 0, ...axis }, { type: "value", min: 0, ...axis, splitLine: { show: false } }],
      series: [
        { name: "too close to call", type: "line", step: "end", showSymbol: few, color: css("--accent"), data: data.decisions.map((d) => d.too_close) },
        { name: "most the list could gain", type: "line", yAxisIndex: 1, showSymbol: few, lineStyle: { type: "dashed" }, color: css("--warn"), data: data.decisions.map((d) => d.could_gain) },
      ],
    });
  }

  async function draw() {
    const answer = await fetch(`${source}/data`, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const data = await answer.json();
    drawIntervals(data);
    drawSteps(data);
  }

  let busy = false;
  async function refresh() {
    const typing = live.contains(document.activeElement) && document.activeElement.matches("input, button");
    if (busy || document.hidden || typing) return;
    busy = true;
    try {
      const answer = await fetch(source, { headers: { Accept: "text/html" } });
      if (answer.ok && !answer.redirected) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById("live");
        if (fresh) live.replaceChildren(...fresh.childNodes);
        await draw();
      }
    } catch { /* the next event or the next poll tries again */ } finally { busy = false; }
  }

  draw();
  window.addEventListener("resize", () => Object.values(charts).forEach((c) => c.resize()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let polling = 0;
  const poll = () => { polling = polling || setInterval(refresh, 10000); };
  if (!window.EventSource) { poll(); return; }
  const stream = new EventSource(live.dataset.stream);
  stream.addEventListener("changed", (event) => {
    if (event.data !== live.dataset.seq) { live.dataset.seq = event.data; refresh(); }
  });
  stream.addEventListener("open", () => { clearInterval(polling); polling = 0; });
  stream.addEventListener("error", poll);
})();
