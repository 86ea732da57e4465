// What do tables do beyond what the style sheet can? Their heads sort, what a row is about stays in
// sight where they scroll, and a box says by a shade when more follows. Without this script a table
// is plain: it scrolls within itself, with its first column in sight.
(() => {
  "use strict";
  if (window.courseTables) return;
  window.courseTables = true;

  // Sorting ------------------------------------------------------------------------------------

  const TURNS = { none: "ascending", ascending: "descending", descending: "none" };
  const collator = new Intl.Collator("en", { numeric: true });
  const HEDGE = /^(?:about|around|roughly|some|nearly|almost|(?:just )?(?:over|under)|(?:more|less) than|at (?:least|most)|up to|[~≈≥≤<>]) ?/;
  const NUMBER = /^([-−+]?[0-9][0-9,]*(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)(?:–[0-9][0-9,]*(?:\.[0-9]+)?)?(?=$|[\s×%])\s?(\S*)/;
  const UNIT = /^([TGMkKmµn])(i?)(?=(?:s|B|B\/s|FLOP\/s|FLOP|Hz|W)$)/;
  const POWERS = { T: 4, G: 3, M: 2, K: 1, k: 1, m: -1, µ: -2, n: -3 };

  // A cell's words, without what stands behind its claims.
  function readWords(cell) {
    if (!cell.querySelector(".course-proof")) return cell.textContent.trim();
    const copy = cell.cloneNode(true);
    for (const proof of copy.querySelectorAll(".course-proof")) proof.remove();
    return copy.textContent.trim();
  }

  // What a row is sorted by: the cell's data, its number in base units, or its words; null for nothing.
  function readKey(row, column) {
    const cell = row.cells[column];
    const text = cell ? readWords(cell) : "";
    if (!text) return null;
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    const found = NUMBER.exec(text.replace(HEDGE, ""));
    if (!found) return text;
    const unit = UNIT.exec(found[2]);
    const scale = unit ? (unit[2] ? 1024 : 1000) ** POWERS[unit[1]] : 1;
    return Number(found[1].replaceAll(",", "").replace("−", "-")) * scale;
  }

  // Numbers before words; what has neither comes last, whichever way round.
  function compareKeys(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return sign * (typeof a === "number" ? a - b : collator.compare(a, b));
  }

  // What a cell's number counts, its prefix aside; null where nothing tells: without a number, with
  // a key that is in base units already, in a formula, or with a zero, which is one in every unit.
  function readUnit(cell) {
    if (!cell || cell.dataset.value !== undefined) return null;
    const found = NUMBER.exec(readWords(cell).replace(HEDGE, ""));
    if (!found || (!found[2] && Number(found[1]) === 0) || /^[^\p{L}%×]/u.test(found[2])) return null;
    return found[2].replace(UNIT, "").replace(/[.,;:)]+$/, "");
  }

  // Rows that each have a unit of their own follow each other by what they say, not by size.
  function isMixed(rows) {
    const columns = Math.max(...rows.map((row) => row.cells.length));
    const read = [(row) => row.querySelector("th .course-table__unit")?.textContent ?? null];
    for (let column = 1; column < columns; ++column) read.push((row) => readUnit(row.cells[column]));
    return read.some((ask) => new Set(rows.map(ask).filter((unit) => unit !== null)).size > 1);
  }

  // The headers of a table become buttons: up, down, and back to the order of the page.
  function offerSorting(table) {
    const body = table.tBodies[0];
    const rows = [...(body?.rows ?? [])];
    const heads = [...(table.tHead?.rows[0].cells ?? [])];
    if (rows.length < 2 || table.querySelector(".course-sort") || isMixed(rows)) return;
    heads.forEach((head, column) => {
      // An empty head has no name, and one with a claim leads to what is behind that.
      if (!head.textContent.trim() || head.querySelector("a, [tabindex]")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "course-sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const turn = TURNS[head.getAttribute("aria-sort") || "none"];
        for (const other of heads) other.removeAttribute("aria-sort");
        const keyed = rows.map((row) => [readKey(row, column), row]);
        const sign = turn === "descending" ? -1 : 1;
        if (turn !== "none") {
          head.setAttribute("aria-sort", turn);
          keyed.sort(([a], [b]) => compareKeys(a, b, sign));
        }
        body.append(...keyed.map(([, row]) => row));
      });
    });
  }

  // What stays in sight ------------------------------------------------------------------------

  const MOST_PINNED = 3;
  const widths = new WeakMap(); // Of the heads of pinned columns, as they were last seen.

  // The leading headers of a row say what it is about.
  function countLeading(table) {
    const cells = [...(table.tBodies[0]?.rows[0]?.cells ?? [])];
    const first = cells.findIndex((cell) => cell.tagName !== "TH");
    return Math.min(first < 0 ? cells.length : first, MOST_PINNED);
  }

  function listPinned(table) {
    const row = table.rows[0];
    return row ? [...row.cells].slice(0, Number(table.dataset.coursePinned ?? 0)) : [];
  }

  // Each pinned column stands where those before it end.
  function placePinned(table) {
    let left = 0;
    listPinned(table).forEach((head, index) => {
      if (index > 0) table.style.setProperty(`--course-left-${index}`, `${left}px`);
      left += widths.get(head) ?? 0;
    });
  }

  // A table that fits needs no box: its head stays below the page's header. Else the box scrolls.
  function judgeBox(box) {
    const seen = { contentVisibilityAuto: true };
    if (box.firstElementChild?.checkVisibility?.(seen) === false) return; // Judged when it is laid out.
    const fits = box.scrollWidth <= box.clientWidth;
    box.classList.toggle("course-table__scroll--whole", fits);
    if (fits) box.removeAttribute("tabindex");
    else box.tabIndex = 0;
    shade(box);
  }

  // How far the shades reach at the edges behind which more follows.
  function shade(box) {
    const right = box.scrollWidth - box.clientWidth - Math.abs(box.scrollLeft);
    const below = box.scrollHeight - box.clientHeight - box.scrollTop;
    const whole = box.classList.contains("course-table__scroll--whole");
    box.classList.toggle("course-table__scroll--left", !whole && Math.abs(box.scrollLeft) > 1);
    box.classList.toggle("course-table__scroll--right", !whole && right > 1);
    box.classList.toggle("course-table__scroll--below", !whole && below > 1);
    const bar = box.offsetHeight - box.clientHeight;
    if (!whole) box.style.setProperty("--course-bar", `${bar}px`);
  }

  const watcher = new ResizeObserver((entries) => {
    const tables = new Set();
    const boxes = new Set();
    for (const { target, borderBoxSize } of entries) {
      if (target.tagName === "TH") {
        widths.set(target, borderBoxSize[0].inlineSize);
        tables.add(target.closest("table"));
      } else {
        boxes.add(target.closest(".course-table__scroll"));
      }
    }
    tables.forEach(placePinned);
    boxes.forEach(judgeBox);
  });

  function keepInSight(box) {
    watcher.observe(box);
    for (const table of box.querySelectorAll("table")) {
      watcher.observe(table);
      table.dataset.coursePinned = countLeading(table);
      for (const head of listPinned(table)) watcher.observe(head, { box: "border-box" });
    }
  }

  document.addEventListener(
    "scroll",
    (event) => {
      const box = event.target;
      if (box instanceof Element && box.matches(".course-table__scroll")) shade(box);
    },
    { capture: true, passive: true },
  );

  function prepare() {
    document.querySelectorAll("table[data-course-sort]").forEach(offerSorting);
    document.querySelectorAll(".course-table__scroll").forEach(keepInSight);
  }

  // The theme loads a page into the one that is open, and says so here.
  if (window.document$) window.document$.subscribe(prepare);
  else prepare();
})();
