// How does a chart become one that answers the pointer? Where a picture scrolls into view, Plotly is
// loaded from beside this file, once, and draws over it: the same values at the same size, in the
// colours and the font of the picture. Until then, without Plotly, and in print, the picture stands.
(() => {
  "use strict";
  if (window.courseCharts) return;
  window.courseCharts = true;

  const BUNDLE = "plotly-basic-4.1.1.min.js";
  const DIGEST = "sha256-mXhOOr+wexQqFeUhpDnm2a3c6ts/eVU/0kxyd08GSbo=";
  const NEAR = "200px"; // how far outside of the window a chart is drawn already
  const beside = document.currentScript.src;

  const STYLE = "plotly.js-style-global";
  let loading = null;
  let rules = ""; // what Plotly says of its own layers
  const drawn = new Map(); // figures that are drawn, each with its div
  const narrow = new WeakMap(); // and whether it was narrow then

  function loadPlotly() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL(BUNDLE, beside).href;
      // A page opened as a file has no origin to compare with.
      if (location.protocol.startsWith("http")) script.integrity = DIGEST;
      script.addEventListener("load", () => {
        const style = document.getElementById(STYLE);
        rules = [...(style?.sheet?.cssRules ?? [])].map((rule) => rule.cssText).join("\n");
        resolve(window.Plotly ?? window.moduleName);
      });
      script.addEventListener("error", () => reject(new Error(`${BUNDLE} could not be loaded`)));
      document.head.append(script);
    });
    return loading;
  }

  const readColour = (figure, selector) => {
    const node = figure.querySelector(selector);
    return node ? getComputedStyle(node).color : "gray";
  };

  // As the style sheet decides which of the two pictures is shown.
  const isNarrow = (figure) => {
    const narrow = figure.querySelector(".course-chart__picture--narrow");
    return getComputedStyle(narrow).display !== "none";
  };

  // The figure as it is on the page, with the colours and fonts that the picture has just now.
  function dress(figure) {
    narrow.set(figure, isNarrow(figure));
    const { data, layout } = JSON.parse(figure.dataset.courseFigure);
    const text = readColour(figure, "svg");
    const grid = readColour(figure, ".course-chart__grid");
    const font = { family: getComputedStyle(figure).fontFamily, size: 13, color: text };
    if (narrow.get(figure)) {
      const { data: traces = [], xaxis, ...places } = layout.meta;
      traces.forEach((other, n) => Object.assign(data[n], other));
      Object.assign(layout, places);
      Object.assign(layout.xaxis, xaxis);
    }
    let roofs = 0;
    for (const trace of data) {
      const isRoof = trace.meta === "roof";
      const mark = isRoof ? `.course-chart__roof--${roofs++ % 3}` : `.course-chart--${trace.meta}`;
      const color = readColour(figure, mark);
      if (isRoof || trace.mode?.includes("lines")) trace.line = { ...trace.line, color, width: 2 };
      if (!isRoof) trace.marker = { ...trace.marker, color };
      for (const name of ["error_x", "error_y"]) {
        if (trace[name]) trace[name] = { ...trace[name], color: text, thickness: 1.5, width: 4 };
      }
    }
    for (const axis of [layout.xaxis, layout.yaxis]) {
      Object.assign(axis, { gridcolor: grid, linecolor: text, tickcolor: text });
    }
    return {
      data,
      layout: {
        ...layout,
        font,
        paper_bgcolor: "rgba(0, 0, 0, 0)",
        plot_bgcolor: "rgba(0, 0, 0, 0)",
        hoverlabel: {
          bgcolor: getComputedStyle(document.body).backgroundColor,
          bordercolor: text,
          font,
        },
      },
    };
  }

  const CONFIG = { displayModeBar: false, doubleClick: false, responsive: true, showTips: false };

  async function draw(figure) {
    const Plotly = await loadPlotly();
    if (!figure.isConnected || drawn.has(figure)) return;
    const plot = document.createElement("div");
    plot.className = "course-chart__plot";
    plot.tabIndex = 0;
    plot.setAttribute("role", "group");
    plot.setAttribute("aria-roledescription", "chart; arrow keys read its points");
    plot.setAttribute("aria-labelledby", figure.querySelector("figcaption").id);
    const said = document.createElement("p");
    said.className = "course-chart__said";
    said.setAttribute("aria-live", "polite");
    figure.querySelector(".course-chart__frame").append(plot, said);
    drawn.set(figure, plot);
    const { data, layout } = dress(figure);
    await Plotly.newPlot(plot, data, layout, CONFIG);
    await makeRoom(Plotly, plot);
    figure.classList.add("course-chart--drawn");
    listen(Plotly, plot, said);
  }

  // A narrow window breaks the legend into more lines than a wide one: the axes begin below it.
  async function makeRoom(Plotly, plot) {
    const legend = plot.querySelector(".legend .bg");
    const needed = legend ? legend.getBoundingClientRect().height + 26 : 0;
    if (needed > plot.layout.margin.t) await Plotly.relayout(plot, { "margin.t": needed });
  }

  // With the arrow keys a reader walks over the points; Escape ends it.
  function listen(Plotly, plot, said) {
    let at = -1;
    plot.addEventListener("keydown", (event) => {
      const points = plot.data.flatMap((trace, curveNumber) =>
        trace.meta === "roof" || trace.visible === "legendonly"
          ? []
          : trace.x.map((_, pointNumber) => ({ curveNumber, pointNumber })),
      );
      const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
      if (event.key === "Escape") {
        at = -1;
        Plotly.Fx.unhover(plot);
        said.textContent = "";
      } else if (event.key in steps && points.length) {
        event.preventDefault();
        const next = at < 0 && steps[event.key] < 0 ? points.length - 1 : at + steps[event.key];
        at = (next + points.length) % points.length;
        const { curveNumber, pointNumber } = points[at];
        Plotly.Fx.hover(plot, [points[at]]);
        const words = document.createElement("textarea");
        words.innerHTML = plot.data[curveNumber].hovertext[pointNumber].replaceAll("<br>", ", ");
        said.textContent = words.value;
      }
    });
    plot.addEventListener("blur", () => Plotly.Fx.unhover(plot));
  }

  async function redraw() {
    const Plotly = await loadPlotly();
    for (const [figure, plot] of drawn) {
      const { data, layout } = dress(figure);
      await Plotly.react(plot, data, layout, CONFIG);
      await makeRoom(Plotly, plot);
    }
  }

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        draw(target).catch((error) => console.warn(error.message));
      }
    },
    { rootMargin: NEAR },
  );

  // The theme loads a page into the one that is open: charts come, and charts go, and so does what
  // the page before had in its head.
  function start() {
    if (rules && !document.getElementById(STYLE)) {
      const style = document.createElement("style");
      style.id = STYLE;
      style.textContent = rules;
      document.head.append(style);
    }
    for (const [figure, plot] of drawn) {
      if (figure.isConnected) continue;
      (window.Plotly ?? window.moduleName).purge(plot);
      drawn.delete(figure);
    }
    for (const figure of document.querySelectorAll(".course-chart")) {
      if (!drawn.has(figure)) observer.observe(figure);
    }
  }

  // A window that is turned shows the other lay-out; its size is Plotly's own affair.
  window.addEventListener("resize", () => {
    if ([...drawn.keys()].some((figure) => narrow.get(figure) !== isNarrow(figure))) repaint();
  });
  const repaint = () => drawn.size && requestAnimationFrame(redraw);
  new MutationObserver(repaint).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);

  if (window.document$) window.document$.subscribe(start);
  else start();
})();
