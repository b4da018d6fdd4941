/// The script of a page: search, filters, highlighting, details, zoom and lanes, over what the page already shows.
///
/// Text of the recording reaches the page by `textContent` alone.
enum HTMLScript {
    static let text = #"""

        "use strict";
        (() => {
          const SVG = "http://www.w3.org/2000/svg";
          const card = document.getElementById("card");
          const narrow = () => innerWidth <= 640;
          let pinned = null;

          function make(name, className, text) {
            const element = document.createElement(name);
            if (className) element.className = className;
            if (text !== undefined) element.textContent = text;
            return element;
          }
          function draw(name, attributes) {
            const element = document.createElementNS(SVG, name);
            for (const key in attributes) element.setAttribute(key, attributes[key]);
            return element;
          }
          function ms(value) {
            if (value >= 10000) return (value / 1000).toFixed(1) + " s";
            return value.toFixed(value < 9.95 ? 1 : 0) + " ms";
          }
          function hideCard() {
            card.hidden = true;
            card.classList.remove("pinned");
            pinned = null;
          }
          function showCard(data, near, isPinned) {
            card.replaceChildren();
            if (isPinned) {
              const close = make("button", "", "×");
              close.type = "button";
              close.setAttribute("aria-label", "Close");
              close.addEventListener("click", hideCard);
              card.append(close);
            }
            card.append(make("h3", "", data.title));
            card.append(make("p", "url", data.url));
            const phases = make("table", "phases");
            for (const [name, , duration] of data.phases) {
              const line = phases.insertRow();
              const label = line.insertCell();
              label.append(make("i", "dot " + name), name);
              line.insertCell().textContent = ms(duration);
            }
            card.append(phases, make("hr"));
            const facts = make("table", "facts");
            for (const [name, value] of data.facts) {
              const line = facts.insertRow();
              line.insertCell().textContent = name;
              line.insertCell().textContent = value;
            }
            card.append(facts);
            if (data.notes.length) {
              const list = make("ul");
              for (const note of data.notes) list.append(make("li", "", note));
              card.append(make("hr"), list);
            }
            card.hidden = false;
            card.classList.toggle("pinned", isPinned);
            if (narrow()) return;
            const height = card.offsetHeight, width = card.offsetWidth;
            const left = Math.min(near.x + 18, innerWidth - width - 10);
            let top = near.y + 20;
            if (top + height > innerHeight - 10) top = Math.max(10, near.y - height - 16);
            card.style.left = Math.max(10, left) + "px";
            card.style.top = top + "px";
          }

          class Unit {
            constructor(root) {
              this.root = root;
              this.wall = Number(root.dataset.w);
              const data = JSON.parse(root.querySelector(".data").textContent);
              this.requests = data.requests;
              this.connections = data.connections;
              for (const request of this.requests) {
                request.text = (request.method + " " + request.url + " " + request.code + " " + request.kind).toLowerCase();
              }
              this.rowsList = root.querySelector(".rows");
              this.lanesList = root.querySelector(".lanes");
              this.rows = [...this.rowsList.children];
              this.ruler = root.querySelector(".ruler");
              this.from = 0;
              this.to = this.wall;
              this.selection = null;
              this.onlySelection = false;
              this.onlyPath = false;
              this.isByLane = false;
              this.current = 0;
              this.bindTools();
              this.bindPins();
              this.bindRows(this.rowsList);
              this.bindRows(this.lanesList);
              this.bindZoom();
              if (this.rows.length) this.rows[0].tabIndex = 0;
              this.rows.forEach((row, index) => { if (index) row.tabIndex = -1; });
              this.filter();
              new ResizeObserver(() => this.layout()).observe(this.ruler);
            }
            find(selector) { return this.root.querySelector(selector); }
            press(button, isPressed) { button.setAttribute("aria-pressed", String(isPressed)); }

            bindTools() {
              for (const selector of [".q", ".by-host", ".by-status", ".by-kind"]) {
                const control = this.find(selector);
                if (control) control.addEventListener("input", () => this.filter());
              }
              const path = this.find(".path");
              if (path) path.addEventListener("click", () => {
                this.onlyPath = !this.onlyPath;
                this.press(path, this.onlyPath);
                this.filter();
              });
              this.find(".byrequest").addEventListener("click", () => this.arrange(false));
              this.find(".bylane").addEventListener("click", () => this.arrange(true));
              this.find(".only").addEventListener("click", () => {
                this.onlySelection = !this.onlySelection;
                this.press(this.find(".only"), this.onlySelection);
                this.filter();
              });
              this.find(".clear").addEventListener("click", () => this.select(null));
            }

            // Findings, violations and slow requests: each marks its rows.
            bindPins() {
              for (const pin of this.root.querySelectorAll(".pin")) {
                pin.addEventListener("click", () => {
                  const isOn = pin.getAttribute("aria-pressed") === "true";
                  this.select(isOn ? null : pin);
                });
              }
            }
            select(pin) {
              for (const other of this.root.querySelectorAll(".pin[aria-pressed=true]")) this.press(other, false);
              this.selection = pin ? new Set(pin.dataset.rows.split(" ").filter(Boolean).map(Number)) : null;
              if (pin) this.press(pin, true);
              this.onlySelection = false;
              this.press(this.find(".only"), false);
              this.root.classList.toggle("has-sel", this.selection !== null);
              this.rows.forEach((row, index) => row.classList.toggle("hit", this.isHit(index)));
              this.markLanes();
              this.filter();
              if (this.selection && this.selection.size) this.reveal(Math.min(...this.selection));
            }
            isHit(index) { return this.selection !== null && this.selection.has(index); }
            reveal(index) {
              const target = this.isByLane ? this.lanesList.querySelector("g.hit") : this.rows[index];
              if (!target || target.hidden) return;
              const box = target.getBoundingClientRect();
              if (box.top < 40 || box.bottom > innerHeight - 10) target.scrollIntoView({ block: "center" });
            }

            isShown(index) {
              const request = this.requests[index], filters = this.filters;
              return filters.words.every(word => request.text.includes(word))
                && (filters.host === null || request.host === filters.host)
                && (filters.status === null || request.status === filters.status)
                && (filters.kind === null || request.kind === filters.kind)
                && (!this.onlyPath || this.rows[index].classList.contains("crit"))
                && (!this.onlySelection || this.isHit(index));
            }
            filter() {
              const chosen = name => {
                const control = this.find(".by-" + name);
                return control && control.selectedIndex > 0 ? control.value : null;
              };
              this.filters = {
                words: this.find(".q").value.toLowerCase().split(/\s+/).filter(Boolean),
                host: chosen("host"), status: chosen("status"), kind: chosen("kind"),
              };
              let shown = 0;
              this.rows.forEach((row, index) => {
                row.hidden = !this.isShown(index);
                if (!row.hidden) shown++;
              });
              if (this.isByLane) this.buildLanes();
              const total = this.rows.length, noun = total === 1 ? " request" : " requests";
              let said = shown === total ? total + noun : shown + " of " + total + noun;
              if (this.selection) said += ", " + this.selection.size + " highlighted";
              this.find(".said").textContent = said;
              this.find(".only").hidden = this.selection === null;
              this.find(".clear").hidden = this.selection === null;
              this.find(".empty").hidden = shown > 0;
            }

            // Rows and lanes: pointer and keyboard.
            bindRows(list) {
              const index = event => {
                const element = event.target.closest("[data-i]");
                return element && list.contains(element) ? Number(element.dataset.i) : null;
              };
              list.addEventListener("pointermove", event => {
                const at = index(event);
                if (pinned !== null || event.pointerType === "touch") return;
                if (at === null) hideCard(); else showCard(this.requests[at], event, false);
              });
              list.addEventListener("pointerleave", () => { if (pinned === null) hideCard(); });
              list.addEventListener("click", event => {
                const at = index(event);
                if (at !== null) this.pin(at, event);
              });
              list.addEventListener("keydown", event => {
                const at = index(event);
                if (at === null) return;
                if (event.key === "Enter" || event.key === " ") {
                  const box = event.target.getBoundingClientRect();
                  this.pin(at, { x: box.left + 60, y: box.top });
                } else if (!this.move(at, event.key)) {
                  return;
                }
                event.preventDefault();
              });
            }
            pin(index, near) {
              const isSame = pinned === this.requests[index];
              hideCard();
              if (isSame) return;
              showCard(this.requests[index], near, true);
              pinned = this.requests[index];
            }
            move(index, key) {
              const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
              if (this.isByLane) return this.moveInLanes(key, { ...steps, ArrowRight: 1, ArrowLeft: -1 });
              if (!(key in steps)) return false;
              const shown = this.rows.filter(row => !row.hidden);
              const place = shown.indexOf(this.rows[index]) + steps[key];
              const next = shown[Math.max(0, Math.min(shown.length - 1, place))];
              if (!next) return true;
              this.rows[this.current].tabIndex = -1;
              this.current = this.rows.indexOf(next);
              next.tabIndex = 0;
              next.focus();
              if (pinned !== null) {
                const box = next.getBoundingClientRect();
                pinned = null;
                this.pin(this.current, { x: box.left + 60, y: box.top });
              }
              return true;
            }

            moveInLanes(key, steps) {
              if (!(key in steps)) return false;
              const pieces = [...this.lanesList.querySelectorAll("g")];
              const place = pieces.indexOf(document.activeElement) + steps[key];
              const next = pieces[Math.max(0, Math.min(pieces.length - 1, place))];
              if (!next) return true;
              document.activeElement.setAttribute("tabindex", "-1");
              next.setAttribute("tabindex", "0");
              next.focus();
              if (pinned !== null) {
                const box = next.getBoundingClientRect();
                pinned = null;
                this.pin(Number(next.dataset.i), { x: box.left, y: box.top });
              }
              return true;
            }

            // Time.
            bindZoom() {
              const overview = this.find(".overview"), brush = this.find(".brush");
              const time = event => {
                const box = overview.getBoundingClientRect();
                return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * this.wall;
              };
              let start = null;
              overview.addEventListener("pointerdown", event => {
                start = time(event);
                overview.setPointerCapture(event.pointerId);
              });
              overview.addEventListener("pointermove", event => {
                if (start !== null) this.showBrush(start, time(event));
              });
              overview.addEventListener("pointerup", event => {
                if (start === null) return;
                const end = time(event), least = this.wall / 200;
                if (Math.abs(end - start) > least) this.zoom(Math.min(start, end), Math.max(start, end));
                else this.zoom(this.from, this.to);
                start = null;
              });
              overview.addEventListener("pointercancel", () => { start = null; });
              overview.addEventListener("dblclick", () => this.zoom(0, this.wall));
              overview.addEventListener("keydown", event => {
                const span = this.to - this.from;
                if (event.key === "+" || event.key === "=") this.scale(0.5);
                else if (event.key === "-") this.scale(2);
                else if (event.key === "0" || event.key === "Escape") this.zoom(0, this.wall);
                else if (event.key === "ArrowRight") this.zoom(this.from + span / 5, this.to + span / 5);
                else if (event.key === "ArrowLeft") this.zoom(this.from - span / 5, this.to - span / 5);
                else return;
                event.preventDefault();
              });
              this.find(".in").addEventListener("click", () => this.scale(0.5));
              this.find(".out").addEventListener("click", () => this.scale(2));
              this.find(".fit").addEventListener("click", () => this.zoom(0, this.wall));
              brush.hidden = true;
            }
            scale(factor) {
              const middle = (this.from + this.to) / 2, half = (this.to - this.from) / 2 * factor;
              this.zoom(middle - half, middle + half);
            }
            zoom(from, to) {
              const span = Math.min(this.wall, Math.max(to - from, this.wall / 5000));
              from = Math.max(0, Math.min(from, this.wall - span));
              this.from = from;
              this.to = from + span;
              for (const svg of this.root.querySelectorAll(".bar")) {
                const height = svg.getAttribute("viewBox").split(" ")[3];
                svg.setAttribute("viewBox", from + " 0 " + span + " " + height);
              }
              this.showBrush(this.from, this.to);
              this.layout();
            }
            showBrush(a, b) {
              const brush = this.find(".brush"), from = Math.min(a, b), to = Math.max(a, b);
              brush.hidden = to - from >= this.wall * 0.999;
              brush.style.left = from / this.wall * 100 + "%";
              brush.style.width = (to - from) / this.wall * 100 + "%";
            }
            layout() {
              const width = this.ruler.clientWidth;
              if (!width) return;
              const span = this.to - this.from, least = span / width * 72;
              const power = Math.pow(10, Math.floor(Math.log10(least)));
              const step = [1, 2, 5, 10].map(factor => factor * power).find(value => value >= least) || least;
              const inSeconds = step >= 1000, unit = inSeconds ? " s" : " ms";
              const digits = Math.max(0, -Math.floor(Math.log10(inSeconds ? step / 1000 : step) + 1e-9));
              this.ruler.replaceChildren();
              const first = Math.ceil(this.from / step - 1e-9) * step;
              const height = this.ruler.clientHeight;
              for (let value = first; value <= this.to; value += step) {
                const x = (value - this.from) / span * width;
                this.ruler.append(draw("line", { x1: x, x2: x, y1: height - 6, y2: height }));
                const label = draw("text", { x: x + 3, y: height - 9 });
                const number = (inSeconds ? value / 1000 : value).toFixed(digits);
                label.textContent = value === first ? number + unit : number;
                if (x + 10 + label.textContent.length * 6 < width) this.ruler.append(label);
              }
              this.root.style.setProperty("--step", step / span * 100 + "%");
              this.root.style.setProperty("--shift", (first - this.from) / span * width + "px");
            }

            // Connections: each is a lane, with as many tracks as it carried requests at once.
            arrange(isByLane) {
              this.isByLane = isByLane;
              this.press(this.find(".bylane"), isByLane);
              this.press(this.find(".byrequest"), !isByLane);
              this.rowsList.hidden = isByLane;
              this.lanesList.hidden = !isByLane;
              this.find(".chart").classList.toggle("by-lane", isByLane);
              this.find(".head .t").textContent = isByLane ? "Connection" : "Request";
              hideCard();
              if (isByLane) this.buildLanes();
              this.layout();
            }
            buildLanes() {
              const lanes = new Map();
              this.rows.forEach((row, index) => {
                if (row.hidden) return;
                for (const piece of row.querySelectorAll("g")) {
                  const key = piece.dataset.c === undefined ? -1 : Number(piece.dataset.c);
                  if (!lanes.has(key)) lanes.set(key, []);
                  lanes.get(key).push({ piece, index });
                }
              });
              const keys = [...lanes.keys()].sort((a, b) => (a < 0) - (b < 0) || a - b);
              this.lanesList.replaceChildren(...keys.map(key => this.lane(key, lanes.get(key))));
              this.lanesList.querySelectorAll("g").forEach((piece, index) => {
                piece.setAttribute("tabindex", index ? "-1" : "0");
                piece.setAttribute("role", "button");
                piece.setAttribute("aria-label", this.requests[Number(piece.dataset.i)].title);
              });
              this.markLanes();
            }
            lane(key, entries) {
              const lane = make("li", "lane"), label = make("span");
              label.append(make("b", "", key < 0 ? "No connection known" : "#" + (key + 1)), " ");
              if (key >= 0) label.append(this.connections[key] + " ");
              label.append("· " + entries.length + (entries.length === 1 ? " exchange" : " exchanges"));
              const tracks = [], svg = draw("svg", { class: "bar", preserveAspectRatio: "none", role: "group" });
              for (const { piece, index } of entries) {
                const copy = piece.cloneNode(true);
                const [start, end] = this.carried(copy);
                let track = tracks.findIndex(until => until <= start + 1e-6);
                if (track < 0) track = tracks.push(0) - 1;
                tracks[track] = end;
                copy.setAttribute("transform", "translate(0 " + track * 20 + ")");
                svg.append(copy);
              }
              const height = tracks.length * 20;
              svg.setAttribute("viewBox", this.from + " 0 " + (this.to - this.from) + " " + height);
              svg.style.height = height + "px";
              lane.append(label, svg);
              return lane;
            }
            // Reduces an exchange to what its connection was used for: it queued elsewhere.
            carried(copy) {
              const queued = copy.querySelector(".queueing"), lines = [...copy.querySelectorAll("path")];
              let [, start, end] = lines[0].getAttribute("d").match(/^M(\S+) \S+H(\S+)$/).map(Number);
              if (queued && copy.querySelectorAll("rect").length > 1) {
                start = Number(queued.getAttribute("x")) + Number(queued.getAttribute("width"));
                queued.remove();
                for (const line of lines) {
                  line.setAttribute("d", line.getAttribute("d").replace(/^M\S+/, "M" + start));
                }
              }
              return [start, end];
            }
            markLanes() {
              for (const piece of this.lanesList.querySelectorAll("g")) {
                piece.classList.toggle("hit", this.isHit(Number(piece.dataset.i)));
              }
            }
          }

          const roots = [...document.querySelectorAll(".unit")], units = new Map();
          function open(id) {
            for (const root of roots) {
              root.hidden = root.id !== id;
              if (!root.hidden && !units.has(id)) units.set(id, new Unit(root));
            }
            hideCard();
          }
          const pick = document.getElementById("pick");
          if (pick) pick.addEventListener("change", () => open(pick.value));
          if (roots.length) open(pick ? pick.value : roots[0].id);
          document.addEventListener("keydown", event => {
            const unit = [...units.values()].find(unit => !unit.root.hidden);
            if (event.key === "Escape") {
              if (!card.hidden) hideCard();
              else if (unit && unit.selection) unit.select(null);
            } else if (event.key === "/" && unit && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
              unit.find(".q").focus();
              event.preventDefault();
            }
          });
        })();

        """#
}
