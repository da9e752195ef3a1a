// A table of any length: only what is on the screen is in the document, and only that is asked for.

import { add, fill, h } from "./dom.js";

const BLOCK = 100; // rows that are asked for at once
const KEPT = 80; // blocks that are kept
const TALLEST = 8_000_000; // pixels: browsers draw no element that is much taller
const OVER = 8; // rows drawn above and below the screen
const PAUSE = 40; // milliseconds without scrolling before rows are asked for

export class VirtualTable {
  // columns: [{name, label, width, sort, className}]; load(start, count) gives {total, rows}; cells(row) gives the cells
  constructor({ label, rowHeight, columns, load, cells, rowProps, onopen, onsort, sort, className = "" }) {
    Object.assign(this, { rowHeight, columns, load, cells, rowProps, onopen, onsort, sort });
    this.total = 0;
    this.blocks = new Map();
    this.asked = new Map();
    this.drawn = new Map();
    this.active = -1;
    this.generation = 0;
    this.head = h("div", { role: "row", class: "row head-row" });
    this.body = h("div", { role: "rowgroup", class: "rows" });
    this.element = h("div", { class: `virtual ${className}`, role: "grid", "aria-label": label, tabindex: "0" },
      h("div", { role: "rowgroup", class: "head" }, this.head), this.body);
    this.element.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.showHead();
  }

  showHead() {
    if (this.columns.some((one) => one.width)) {
      this.element.style.setProperty("--cols", this.columns.map((one) => one.width).join(" "));
    }
    fill(this.head, this.columns.map((column) => {
      const sorted = this.sort?.column === column.name;
      const falls = sorted && this.sort.descending !== Boolean(column.inverse); // an age grows while its time falls
      const state = !column.sort ? undefined : sorted ? (falls ? "descending" : "ascending") : "none";
      const sign = sorted ? (falls ? " \u2193" : " \u2191") : "";
      return h("div", { role: "columnheader", class: `cell ${column.className ?? ""}`, "aria-sort": state },
        column.sort
          ? h("button", { type: "button", class: "sort", title: column.title, onclick: () => this.onsort(column.name) }, column.label, h("span", { "aria-hidden": "true" }, sign))
          : h("span", { title: column.title }, column.label));
    }));
  }

  setSort(sort) {
    this.sort = sort;
    this.showHead();
    return this.refresh();
  }

  setColumns(columns) {
    this.columns = columns;
    this.drawn.forEach((one) => one.remove());
    this.drawn.clear();
    this.showHead();
  }

  // Ask again for what is on the screen; the place stays.
  async refresh({ top = false } = {}) {
    this.generation += 1;
    this.asked.clear();
    if (top) this.element.scrollTop = 0;
    const first = Math.floor(this.first / BLOCK);
    const kept = this.blocks;
    this.blocks = new Map();
    await this.fetchBlock(first).catch(() => {});
    for (const [block, rows] of kept) if (Math.abs(block - first) <= 1 && !this.blocks.has(block) && !top) this.blocks.set(block, rows);
    this.drawn.forEach((one) => one.remove());
    this.drawn.clear();
    this.draw();
    const last = Math.floor((this.first + this.visible) / BLOCK);
    if (last !== first) this.fetchBlock(last).catch(() => {});
  }

  get height() {
    return Math.min(this.total * this.rowHeight, TALLEST);
  }

  get view() {
    return Math.max(0, this.element.clientHeight - this.head.offsetHeight);
  }

  get visible() {
    return Math.ceil(this.view / this.rowHeight);
  }

  // The first row on the screen. Of very long tables a pixel of the scroll bar is more than a row.
  get first() {
    const full = this.total * this.rowHeight;
    if (full <= TALLEST) return Math.max(0, Math.floor(this.element.scrollTop / this.rowHeight));
    const part = this.element.scrollTop / Math.max(1, this.height - this.view);
    return Math.max(0, Math.min(this.total - 1, Math.round(part * (this.total - this.visible + 1))));
  }

  scrollTo(row) {
    const full = this.total * this.rowHeight;
    const wanted = Math.max(0, Math.min(row, this.total - 1));
    this.element.scrollTop = full <= TALLEST
      ? wanted * this.rowHeight
      : (wanted / Math.max(1, this.total - this.visible + 1)) * (this.height - this.view);
    this.draw();
  }

  scrolled() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  row(number) {
    return this.blocks.get(Math.floor(number / BLOCK))?.[number % BLOCK];
  }

  draw() {
    this.body.style.setProperty("height", `${this.height}px`);
    this.element.setAttribute("aria-rowcount", String(this.total + 1));
    const top = this.first;
    const first = Math.max(0, top - OVER);
    const last = Math.min(this.total, top + this.visible + OVER);
    const shift = this.total * this.rowHeight <= TALLEST ? 0 : this.element.scrollTop - top * this.rowHeight;
    for (const [number, made] of this.drawn) {
      if (number < first || number >= last) {
        made.remove();
        this.drawn.delete(number);
      }
    }
    let missing = false;
    for (let number = first; number < last; number += 1) {
      let made = this.drawn.get(number);
      const row = this.row(number);
      missing ||= row === undefined;
      if (made && made.isEmpty && row !== undefined) {
        made.remove();
        made = undefined;
      }
      if (!made) {
        made = this.makeRow(number, row);
        this.drawn.set(number, made);
        this.body.append(made);
      }
      made.style.setProperty("transform", `translateY(${number * this.rowHeight + shift}px)`);
    }
    if (missing) {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.ask(), PAUSE);
    }
  }

  makeRow(number, row) {
    const props = { role: "row", class: "row", id: `row-${number}`, "aria-rowindex": String(number + 2), "data-row": String(number), ...(row === undefined ? {} : this.rowProps?.(row, number)) };
    const made = h("div", props);
    made.isEmpty = row === undefined;
    if (number === this.active) made.setAttribute("aria-selected", "true");
    if (row === undefined) made.append(h("div", { role: "gridcell", class: "cell waiting" }, h("i")));
    else {
      const cells = this.cells(row, number);
      add(made, this.columns.map((column, at) => h("div", { role: "gridcell", class: `cell ${column.className ?? ""}` }, cells[at])));
      if (this.onopen) {
        made.addEventListener("click", (event) => {
          if (event.target.closest("a, button, input") || String(getSelection())) return;
          this.activate(number);
          this.onopen(row, number);
        });
      }
    }
    return made;
  }

  ask() {
    const first = Math.floor(this.first / BLOCK);
    const last = Math.floor(Math.min(this.total - 1, this.first + this.visible + OVER) / BLOCK);
    for (let block = first; block <= last; block += 1) if (!this.blocks.has(block)) this.fetchBlock(block).catch(() => {});
  }

  fetchBlock(block) {
    const known = this.asked.get(block);
    if (known) return known;
    const generation = this.generation;
    const asked = this.fetchRows(block, generation).finally(() => {
      if (generation === this.generation) this.asked.delete(block);
    });
    this.asked.set(block, asked);
    return asked;
  }

  async fetchRows(block, generation) {
    const start = block * BLOCK;
    const rows = [];
    // Large rows may come a few at a time.
    for (;;) {
      const found = await this.load(start + rows.length, BLOCK - rows.length);
      if (generation !== this.generation) return;
      this.total = found.total;
      rows.push(...found.rows);
      if (!found.rows.length || rows.length >= BLOCK || start + rows.length >= found.total) break;
    }
    this.blocks.set(block, rows);
    while (this.blocks.size > KEPT) this.blocks.delete(this.blocks.keys().next().value);
    this.draw();
  }

  activate(number) {
    const before = this.drawn.get(this.active);
    before?.removeAttribute("aria-selected");
    this.active = number;
    const now = this.drawn.get(number);
    now?.setAttribute("aria-selected", "true");
    this.element.setAttribute("aria-activedescendant", `row-${number}`);
  }

  pressed(event) {
    if (event.target !== this.element) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: this.visible - 1, PageUp: 1 - this.visible, Home: -Infinity, End: Infinity }[event.key];
    if (step !== undefined && this.total) {
      event.preventDefault();
      const from = this.active < 0 ? this.first - (event.key === "ArrowDown" ? 1 : 0) : this.active;
      const to = Math.max(0, Math.min(this.total - 1, from + step));
      if (to < this.first) this.scrollTo(to);
      else if (to >= this.first + this.visible - 1) this.scrollTo(to - this.visible + 2);
      this.draw();
      this.activate(to);
    } else if (event.key === "Enter" && this.row(this.active) !== undefined) {
      event.preventDefault();
      this.onopen?.(this.row(this.active), this.active);
    }
  }
}
