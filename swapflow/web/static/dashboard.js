// Draws the one chart in which people zoom; the others are drawn by the server. Without it the page
// shows the same as a table.
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
      animation: false,
      tooltip: { trigger: "item", backgroundColor: css("--card"), borderColor: css("--edge"), textStyle: { color: css("--ink") } },
      legend: { data: Object.values(looks).map((look) => look.name), top: 0, textStyle: { color: css("--ink") } },
      grid: { left: 44, right: 40, top: 60, bottom: 70 }, dataZoom: [{ type: "slider", height: 22 }, { type: "inside", zoomOnMouseWheel: "ctrl" }],
      xAxis: axis(words.rank, { min: 0, max: rows.length + 1, splitLine: { show: false } }),
      yAxis: axis(words.score, { min: 0, max: 100 }),
      series,
    });
  }

  async function draw() {
    const answer = await fetch(source, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const data = await answer.json();
    drawIntervals(data);
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
