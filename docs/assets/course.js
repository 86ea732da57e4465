// What do the pages do beyond what the style sheet can? A claim's proof stands beside its claim,
// inside the window, and on a phone at its foot; a tap or Enter opens it, and Escape closes it.
// Listening on the document, it needs no set-up for pages that are loaded later; without it a proof
// is shown at the window's foot. And a record's date says how old it is on the day it is read.
(() => {
  "use strict";
  const CLOSED = "course-claim--closed";
  const OPENED = "course-claim--opened";
  const MARGIN = 8; // pixels between a proof and the window's edge

  if (window.courseProofs) return;
  window.courseProofs = true;

  const findClaim = (node) => (node instanceof Element ? node.closest(".course-claim") : null);
  const findProof = (claim) => claim.querySelector(":scope > .course-proof");

  const findText = (claim) => claim.querySelector(":scope > .course-claim__text");

  let open = null; // the claim whose proof is shown
  let opened = null; // the claim whose proof was asked for: by a tap, or by Enter
  let pointer = ""; // what was pressed last; or came over something; empty for a key
  let atFoot = false; // whether the proof that is shown stands on the window's foot

  const NARROW = matchMedia("(max-width: 44.9375em)");
  const SHEET = "course-proof--sheet";

  // In the layer above the page, which no table's edge cuts; where there is none, over the page.
  function raise(proof) {
    if (!proof.showPopover || proof.matches(":popover-open")) return;
    proof.popover = "manual";
    proof.showPopover();
  }

  // On the window's foot; the page moves where the claim would be behind it. Whether it is in sight.
  function placeSheet(proof, text, moves) {
    proof.style.cssText = "";
    const { height } = proof.getBoundingClientRect();
    const measure = () => text.getBoundingClientRect().bottom + MARGIN + height - window.innerHeight;
    if (moves && measure() > 0) window.scrollBy({ top: measure(), behavior: "instant" });
    return !moves || measure() < 1;
  }

  // Below the claim or above it, where there is more room, and no higher than that; never across an
  // edge of the window, and never over the claim.
  function placeBeside(proof, text) {
    const around = text.getClientRects()[0] || text.getBoundingClientRect();
    const last = [...text.getClientRects()].pop() || around;
    proof.style.cssText = "right: auto; bottom: auto; left: 0; top: 0";
    const { width, height } = proof.getBoundingClientRect();
    const below = window.innerHeight - MARGIN - last.bottom;
    const above = around.top - MARGIN;
    const under = height <= below || below >= above;
    const shown = Math.min(height, Math.max(under ? below : above, 0));
    const right = document.documentElement.clientWidth - MARGIN - width;
    const top = under ? last.bottom : around.top - shown;
    proof.style.left = `${Math.max(MARGIN, Math.min(around.left, right))}px`;
    proof.style.top = `${Math.min(top, window.innerHeight - MARGIN - shown)}px`;
    if (shown < height) proof.style.maxHeight = `${shown}px`;
  }

  // ``moves``: whether the page may scroll for it, as it may when a reader has just asked.
  function place(claim, moves = false) {
    const proof = findProof(claim);
    const text = findText(claim);
    if (!proof || !text || !floats(claim)) return;
    raise(proof);
    proof.classList.toggle(SHEET, atFoot);
    if (atFoot && placeSheet(proof, text, moves)) return;
    atFoot = false; // At a page's end nothing is left to scroll.
    proof.classList.remove(SHEET);
    placeBeside(proof, text);
  }

  const files = new Map(); // what lies beside pages with many claims, by address
  let beside = ""; // the file beside this page; a link that was clicked has changed the address only

  function findFile() {
    const file = document.querySelector("[data-course-proofs]")?.dataset.courseProofs;
    beside = file ? new URL(file, document.baseURI).href : "";
  }

  function fetchMore(address) {
    if (!files.has(address)) {
      const asked = fetch(address).then((answer) => (answer.ok ? answer.json() : {}));
      files.set(address, asked);
      asked.catch(() => files.delete(address)); // Asked for again, with the next claim.
    }
    return files.get(address);
  }

  // A page with many claims tells how a value came about when a reader comes to the first of them.
  async function complete(claim) {
    const proof = findProof(claim);
    const isWhole = () => proof.querySelector(":scope > .course-proof__more");
    if (!proof || !beside || isWhole()) return;
    let more;
    try {
      more = (await fetchMore(beside))[proof.id];
    } catch {
      return; // What is there already leads to the record, which says it as well.
    }
    if (!more || isWhole()) return;
    const links = proof.querySelector(":scope > .course-proof__links");
    if (links) links.insertAdjacentHTML("beforebegin", more);
    else proof.insertAdjacentHTML("beforeend", more);
    if (claim !== opened) setReach(claim, false);
    if (claim === open) place(claim, claim === opened);
  }

  function enter(event) {
    const claim = findClaim(event.target);
    if (pointer === "touch") return; // A tap asks; the mouse and the focus that follow it are made up.
    if (!claim || (event.relatedTarget && claim.contains(event.relatedTarget))) return;
    claim.classList.remove(CLOSED);
    open = claim;
    atFoot = event.type === "focusin" && NARROW.matches && pointer !== "mouse";
    place(claim, atFoot);
    complete(claim);
    if (claim !== opened) setReach(claim, false);
  }

  // A proof that lies over the page, and not one that stands in it.
  function floats(claim) {
    const proof = findProof(claim);
    return proof !== null && getComputedStyle(proof).position === "fixed";
  }

  // Passing by with Tab stops once a claim: its links are reached when its proof was asked for.
  function setReach(claim, reached) {
    if (!floats(claim)) return;
    for (const link of findProof(claim).querySelectorAll("a")) {
      if (reached) link.removeAttribute("tabindex");
      else link.tabIndex = -1;
    }
  }

  // Whether a proof was asked for, to readers who cannot see it.
  function tellOpened(claim, isOpened) {
    const text = findText(claim);
    if (text?.hasAttribute("aria-controls")) text.setAttribute("aria-expanded", isOpened);
  }

  // Each claim is what opens its proof; what leads nowhere is a button then. Home's stands open.
  function offerProofs() {
    const proofs = document.querySelectorAll(".course-claim > .course-proof");
    for (const proof of proofs) {
      const text = findText(proof.parentElement);
      if (!text || proof.closest(".course-home__proof")) continue;
      proof.setAttribute("aria-label", `Proof of ${text.textContent}`);
      text.setAttribute("aria-controls", proof.id);
      text.setAttribute("aria-expanded", "false");
      if (!text.hasAttribute("href")) text.setAttribute("role", "button");
    }
  }

  function close(claim) {
    claim.classList.remove(OPENED);
    setReach(claim, false);
    tellOpened(claim, false);
    if (opened === claim) opened = null;
  }

  // A mouse has seen the proof before it clicks. A finger and a key have not: they open it first,
  // and follow the link once it is open. In the capture phase, before the theme loads a page.
  function ask(event) {
    const claim = findClaim(event.target);
    if (opened && opened !== claim) close(opened);
    if (!claim || claim === opened || !event.target.closest(".course-claim__text")) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || !floats(claim)) return;
    if (pointer === "mouse" && event.detail > 0) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    opened = open = claim;
    complete(claim);
    claim.classList.remove(CLOSED);
    claim.classList.add(OPENED);
    setReach(claim, true);
    tellOpened(claim, true);
    atFoot = NARROW.matches && pointer !== "mouse";
    place(claim, true);
    if (!pointer) findProof(claim).querySelector("a")?.focus();
  }

  function leave(event) {
    const claim = findClaim(event.target);
    if (!claim || (event.relatedTarget && claim.contains(event.relatedTarget))) return;
    if (event.type === "focusout" && claim === opened && event.relatedTarget) close(claim);
    if (open === claim && claim !== opened && !claim.matches(":hover, :focus-within")) open = null;
  }

  document.addEventListener("mouseover", enter);
  document.addEventListener("focusin", enter);
  document.addEventListener("mouseout", leave);
  document.addEventListener("focusout", leave);
  document.addEventListener("click", ask, { capture: true });
  document.addEventListener("pointerdown", (event) => (pointer = event.pointerType), true);
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "touch") pointer = event.pointerType; // A real one, after all.
  }, true);
  document.addEventListener("keydown", (event) => {
    pointer = "";
    const button = event.target instanceof Element && event.target.matches(".course-claim__text[role=button]");
    if (button && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      event.target.click();
    }
    if (event.key !== "Escape") return;
    const shown = ":hover, :focus-within, .course-claim--opened, :has(> .course-proof:hover)";
    for (const claim of document.querySelectorAll(`.course-claim:is(${shown})`)) {
      if (findProof(claim)?.contains(document.activeElement)) findText(claim)?.focus();
      close(claim);
      claim.classList.add(CLOSED);
    }
  }, true);

  // The theme loads a page into the one that is open, and says so here.
  if (window.document$) window.document$.subscribe(offerProofs);
  else offerProofs();

  // A proof stands still in the window while its claim moves: follow.
  const follow = () => open && place(open);
  document.addEventListener("scroll", follow, { capture: true, passive: true });
  window.addEventListener("resize", follow);

  const DAY = 24 * 60 * 60 * 1000;

  // As an attribute that the style sheet shows: the page's own text stays what was checked.
  function tellAges() {
    for (const time of document.querySelectorAll("time[data-course-age]")) {
      const days = Math.floor((Date.now() - Date.parse(time.dateTime)) / DAY);
      if (days >= 0) {
        time.dataset.courseAge = days === 0 ? "today" : days === 1 ? "1 day ago" : `${days} days ago`;
      }
    }
  }

  // Paper has no folds: a chart's numbers are printed with it.
  window.addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll(".course-chart__numbers:not([open])")) {
      fold.dataset.courseFolded = "";
      fold.open = true;
    }
  });
  window.addEventListener("afterprint", () => {
    for (const fold of document.querySelectorAll("[data-course-folded]")) {
      delete fold.dataset.courseFolded;
      fold.open = false;
    }
  });

  // The theme gives each block of code a landmark, all of one name, when it comes into view.
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        if (node.nodeName === "NAV" && node.className === "md-code__nav") node.role = "none";
      }
    }
  }).observe(document.documentElement, { childList: true, subtree: true });

  // A page that took the place of another is told, and reading goes on at its beginning, or where
  // the link led: the link itself is gone, and nothing else says that there is another page.
  const arrival = document.createElement("div");
  arrival.className = "course-hidden";
  arrival.setAttribute("role", "status");
  let shown = location.pathname;

  function tellArrival() {
    if (shown === location.pathname) return;
    shown = location.pathname;
    open = opened = null;
    document.body.append(arrival);
    arrival.textContent = document.title;
    let asked = null;
    try {
      asked = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      // Not a name that any page gives.
    }
    const begin = asked || document.querySelector("article h1, main h1");
    if (!begin) return;
    if (!begin.matches("a[href], button, input, summary, [tabindex]")) begin.tabIndex = -1;
    begin.focus({ preventScroll: true });
  }

  // What tables, listings and exercises do beyond scrolling is fetched when the first comes near.
  const LATER = {
    tables: [".course-table__scroll", "courseTables"],
    panes: [".course-listing, .course-exercise", "coursePanes"],
  };
  const base = document.currentScript.src;
  const fetched = new Set();
  const nearing = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      nearing.unobserve(target);
      const name = Object.keys(LATER).find((key) => target.matches(LATER[key][0]));
      if (fetched.has(name) || window[LATER[name][1]]) continue;
      fetched.add(name);
      const script = document.createElement("script");
      script.src = new URL(`${name}.js`, base).href;
      document.head.append(script);
    }
  }, { rootMargin: "100%" });

  function awaitNear() {
    nearing.disconnect();
    for (const [selector, flag] of Object.values(LATER)) {
      if (window[flag]) continue; // It listens by itself.
      for (const node of document.querySelectorAll(selector)) nearing.observe(node);
    }
  }

  function prepare() {
    findFile();
    tellArrival();
    tellAges();
    awaitNear();
  }

  // The theme loads a page into the one that is open, and says so here.
  if (window.document$) window.document$.subscribe(prepare);
  else prepare();
})();
