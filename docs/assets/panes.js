// What do boxes do that scroll code within themselves? A listing lights up a source line and its
// instructions together, keeps them when asked and says in how many places they are; an exercise
// opens at the first line that is the reader's to write. Fetched when the first of them comes near.
// Without this script the boxes scroll, and all their text is there.
(() => {
  "use strict";
  if (window.coursePanes) return;
  window.coursePanes = true;

  // Exercises ----------------------------------------------------------------------------------

  // Within its code alone, and from a whole line on: what is the reader's to write is in sight.
  function showChanged(within) {
    for (const code of within.querySelectorAll(".course-exercise__code pre")) {
      const lines = [...code.querySelectorAll(".course-line")];
      const changed = lines.find((line) => line.hasAttribute("data-changed"));
      if (!changed) continue;
      const isSeen = changed.offsetTop + changed.offsetHeight <= code.clientHeight;
      const most = code.scrollHeight - code.clientHeight;
      const top = isSeen ? 0 : Math.min(changed.offsetTop - code.clientHeight / 3, most);
      code.scrollTop = lines.findLast((line) => line.offsetTop <= top)?.offsetTop ?? 0;
    }
  }

  // An opened fold does not tell those around it, but they can listen on its way down.
  document.addEventListener(
    "toggle",
    (event) => {
      if (event.target instanceof Element && event.target.matches(".course-exercise details")) {
        showChanged(event.target);
      }
    },
    { capture: true },
  );

  // Source and machine code -------------------------------------------------------------------

  const LIT = "course-lit";
  const NAMES = { "course-listing__sass": "SASS", "course-listing__ptx": "PTX" };
  const kept = new WeakMap(); // The line that a pair of panes keeps lit, by its number.

  const findPair = (node) => node.closest(".course-listing__pair");
  const findLine = (node) =>
    node instanceof Element ? node.closest(".course-listing__pair [data-line]") : null;
  const selectLine = (number) => `[data-line="${number}"]`;

  // Within its pane alone: the page stays where it is.
  function reveal(pane, line) {
    const [outer, inner] = [pane.getBoundingClientRect(), line.getBoundingClientRect()];
    if (inner.top < outer.top || inner.top > outer.bottom - 16) {
      pane.scrollTop += inner.top - outer.top - outer.height / 3;
    }
  }

  // Of SASS and PTX one is out of sight where both are there to choose from.
  const listPanes = (pair) =>
    [...pair.querySelectorAll("pre")].filter((pane) => pane.getClientRects().length);

  // A line without a counterpart, such as a comment, has nothing to show.
  function hasCounterpart(line) {
    const panes = listPanes(findPair(line));
    return panes.some(
      (pane) => !pane.contains(line) && pane.querySelector(selectLine(line.dataset.line)),
    );
  }

  // What was kept goes dark when it is freed: a finger leaves nothing behind that would do it.
  function putOut(pair) {
    for (const old of pair.querySelectorAll(`.${LIT}`)) old.classList.remove(LIT);
    kept.delete(pair);
    tell(pair);
  }

  function light(line) {
    const pair = findPair(line);
    if (!hasCounterpart(line)) {
      putOut(pair);
      return;
    }
    for (const old of pair.querySelectorAll(`.${LIT}`)) old.classList.remove(LIT);
    const alike = [...pair.querySelectorAll(selectLine(line.dataset.line))];
    for (const node of alike) node.classList.add(LIT);
    for (const pane of listPanes(pair)) {
      const within = alike.filter((node) => pane.contains(node));
      if (within.length && !pane.contains(line)) reveal(pane, within[0]);
    }
    tell(pair, line.dataset.line);
  }

  // A kept line stays lit, whatever the pointer crosses, until it is freed.
  function keep(line) {
    const pair = findPair(line);
    if (kept.get(pair) === line.dataset.line || !hasCounterpart(line)) {
      putOut(pair);
      return;
    }
    kept.set(pair, line.dataset.line);
    light(line);
  }

  const findCode = (pair) => listPanes(pair).find((pane) => NAMES[pane.classList[0]]);

  // Above the panes: which line is lit, in how many places its code is, and how it is kept.
  function tell(pair, number, at = 0) {
    const told = pair.querySelector(".course-listing__told");
    if (!told) return;
    const pane = findCode(pair);
    const places = number ? [...pane.querySelectorAll(selectLine(number))] : [];
    const isKept = kept.has(pair);
    const [words, next] = told.children;
    const name = NAMES[pane?.classList[0]];
    if (!places.length) words.textContent = "A click or Enter keeps a line lit.";
    else {
      const count = at ? `place ${at} of ${places.length}` : `${places.length} place${places.length > 1 ? "s" : ""}`;
      words.textContent = `Line ${number}: ${count} in the ${name}${isKept ? ", kept until it is chosen again" : ""}.`;
    }
    next.hidden = !isKept || places.length < 2;
    next.onclick = () => {
      const turn = (at % places.length) + 1;
      reveal(pane, places[turn - 1]);
      tell(pair, number, turn);
    };
  }

  function offerWords(pair) {
    if (!pair.querySelector(".course-listing__source") || pair.querySelector(".course-listing__told")) return;
    const told = document.createElement("p");
    told.className = "course-listing__told";
    const words = document.createElement("span");
    words.setAttribute("role", "status");
    const next = document.createElement("button");
    next.type = "button";
    next.className = "course-copy";
    next.textContent = "Next place";
    told.append(words, next);
    pair.prepend(told);
    tell(pair);
  }

  document.addEventListener("mouseover", (event) => {
    const line = findLine(event.target);
    if (line && !kept.has(findPair(line)) && !line.classList.contains(LIT)) light(line);
  });
  document.addEventListener("focusin", (event) => {
    const line = findLine(event.target);
    if (line && !kept.has(findPair(line))) light(line);
  });
  document.addEventListener("click", (event) => {
    const line = findLine(event.target);
    if (line && getSelection().isCollapsed) keep(line); // Else it was a selection that ended.
  });
  // What is lit stays so in the code that takes the other's place.
  document.addEventListener("change", (event) => {
    if (!(event.target instanceof Element)) return;
    const fold = event.target.closest(".course-listing__choice")?.parentElement;
    const lit = fold?.querySelector(`.course-listing__source .${LIT}`);
    if (lit) light(lit);
  });

  const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

  document.addEventListener("keydown", (event) => {
    if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "Escape") {
      for (const pair of document.querySelectorAll(".course-listing__pair")) {
        if (kept.has(pair)) putOut(pair);
      }
    }
    const pane = event.target.closest(".course-listing__pair pre");
    if (!pane) return;
    if (event.key === "Enter" && findLine(event.target)) keep(findLine(event.target));
    const step = STEPS[event.key];
    const lines = step ? [...pane.querySelectorAll("[data-line]")].filter(hasCounterpart) : [];
    if (!lines.length) return;
    event.preventDefault();
    const here = lines.indexOf(findLine(event.target));
    const first = here < 0 && kept.has(findPair(pane)) ? pane.querySelector(`.${LIT}`) : null;
    const line = first ?? lines[Math.max(0, Math.min(lines.length - 1, here + step))];
    line.tabIndex = -1;
    line.focus({ preventScroll: true });
    reveal(pane, line);
  });

  function prepare() {
    showChanged(document);
    document.querySelectorAll(".course-listing__pair").forEach(offerWords);
  }

  // The theme loads a page into the one that is open, and says so here.
  if (window.document$) window.document$.subscribe(prepare);
  else prepare();
})();
