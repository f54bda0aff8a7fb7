// SPDX-License-Identifier: GPL-2.0-or-later
//
// Charts that a mouse, a finger, a keyboard and a screen reader can all read.
//
//     const chart = SbChart.draw(document.getElementById('tps'), {
//       title: 'Throughput', kind: 'line',
//       x: {title: 'Connections', scale: 'log'}, y: {title: 'Throughput', unit: 'tx/s', zero: true},
//       series: [{name: 'pool', points: [{x: 1, y: 900}, {x: 16, y: 5100}]}]});
//     chart.update(spec);  chart.destroy();
//
// Shared by the page of the laboratory and the live page of the program, so it knows of neither.
// Put into a page, in this order: chart.css, Chart.js 3.9, chart_config.js, this file.
// Chart.js draws; this file adds keys, tips, a legend, and the same figures as a table.  Without
// Chart.js (SbChart.available is false) the table alone is shown.
//
// A spec:
//   title    of the chart, for screen readers; summary: a sentence more for them
//   kind     'line', 'points' (no lines), 'stack' (stacked bars) or 'area' (stacked bands)
//   x        title, unit, scale: 'linear', 'log', 'category' or 'percentile' (0 to 1, as HdrHistogram
//            plots it); values: those that were measured, where ticks go, or the categories;
//            ticks: where they go instead; format: a value to its label; min and max
//   y        title, unit, scale: 'linear' or 'log'; zero: begins at 0; decimals; format; most, of a pile
//   series   name and points, and perhaps: like, the number of the series whose looks it shares;
//            faint, small and without a line; line, with one also in a chart of points; stack, the pile of a bar; shade, a hatched bar;
//            colour, a number from 0; legend, its name there
//   points   x, y (null is a gap), and perhaps: low and high, an interval; min and max, all values;
//            begins, where the figure of the next point begins; hollow, not to be relied on; few, a percentile of too few samples; alone, no line leads to it; note, a sentence
//   gaps     x, x2: where nothing is known
//   marks    x, text, and for a time span x2: a vertical line or a band
//   behind   a function of Chart.js' chart and the paint: draws behind the series, and into as many
//            pixels above the plot as headroom says
//   dodge    moves series aside a little, so that equal values do not hide each other
//
// Keys: left and right move along a series, up and down to another, Home and End to its ends; Escape
// closes the tip.
(function (root) {
  'use strict';

  const {allX, axisTitle, configure, format, heading, isNumber, looks, paintOf, plugins, shown, shownX} =
    root.SbConfig;
  const GLYPHS = ['●', '■', '▲', '◆'];
  const KEYS = 'Arrow keys move between points';
  const drawn = new Set();

  function node(tag, attributes, children) {
    const made = document.createElement(tag);
    Object.entries(attributes || {}).forEach(([k, v]) => made.setAttribute(k, v));
    (children || []).forEach((c) => made.append(c));
    return made;
  }

  function withUnit(axis, text) {
    return axis.unit && text !== 'n/a' ? text + ' ' + axis.unit : text;
  }


  // What is said about a point: in the tip, and by a screen reader.
  function sentences(spec, series, point) {
    const lines = [series.name,
      spec.x.title + ': ' + withUnit(spec.x, shownX(spec, point.x)),
      spec.y.title + ': ' + withUnit(spec.y, shown(spec.y, point.y))];
    if (isNumber(point.low)) {
      lines.push('Interval of the median ' + shown(spec.y, point.low) + ' to ' + shown(spec.y, point.high));
    }
    if (isNumber(point.min)) {
      lines.push('Runs from ' + shown(spec.y, point.min) + ' to ' + shown(spec.y, point.max));
    }
    return lines.concat(point.note || []);
  }


  // ---- the table ------------------------------------------------------------

  function cellOf(spec, point) {
    if (!point) {
      return node('td', {}, ['']);
    }
    const range = isNumber(point.low) ?
      ' (' + shown(spec.y, point.low) + ' to ' + shown(spec.y, point.high) + ')' : '';
    const text = shown(spec.y, point.y) + (point.few ? '*' : '') + range + (point.hollow ? ' (hollow)' : '');
    return node('td', point.note ? {title: point.note} : {}, [text]);
  }

  function table(spec) {
    const head = [axisTitle(spec.x)].concat(spec.series.map((s) => s.name || heading(spec)));
    const lookup = spec.series.map((s) => new Map(s.points.filter((p) => !p.begins).map((p) => [p.x, p])));
    const values = [...new Set(allX(spec).concat(...lookup.map((m) => [...m.keys()])))];
    const rows = values.filter((x) => lookup.some((m) => m.has(x))).map((x) => node('tr', {},
      [node('th', {scope: 'row'}, [shownX(spec, x)])].concat(lookup.map((m) => cellOf(spec, m.get(x))))));
    return node('table', {}, [
      node('caption', {}, [heading(spec)]),
      node('thead', {}, [node('tr', {}, head.map((h) => node('th', {scope: 'col'}, [h])))]),
      node('tbody', {}, rows)]);
  }

  // ---- one chart ------------------------------------------------------------

  class Drawn {
    constructor(host, spec) {
      this.host = host;
      this.at = null; // the point of the keys: series and index
      this.hidden = new Set(); // names of series that the reader switched off
      this.build();
      this.update(spec);
      drawn.add(this);
    }

    build() {
      this.legend = node('div', {class: 'sb-legend', role: 'group', 'aria-label': 'Series'});
      this.over = node('div', {class: 'sb-over', 'aria-hidden': 'true'}); // title of the y axis
      this.canvas = node('canvas', {'aria-hidden': 'true'});
      this.tip = node('div', {class: 'sb-tip', role: 'status', hidden: ''});
      this.plot = node('div', {class: 'sb-plot', tabindex: '0', role: 'application',
        'aria-roledescription': 'chart'}, [this.canvas, this.tip]);
      this.scroll = node('div', {class: 'sb-scroll', tabindex: '0', role: 'group'});
      this.figures = node('details', {class: 'sb-figures'},
        [node('summary', {}, ['Figures as a table']), this.scroll]);
      this.host.replaceChildren(this.legend, this.over, this.plot, this.figures);
      this.figures.addEventListener('toggle', () => this.fillTable());
      this.plot.addEventListener('keydown', (e) => this.key(e));
      this.plot.addEventListener('blur', () => this.leave());
    }

    update(spec) {
      this.spec = spec;
      this.plot.setAttribute('aria-label', [spec.title, spec.summary, KEYS].filter(Boolean).join('. '));
      this.scroll.setAttribute('aria-label', 'Figures: ' + spec.title);
      this.over.textContent = heading(spec);
      this.plot.hidden = this.legend.hidden = this.over.hidden = !SbChart.available;
      if (SbChart.available) {
        this.redraw();
      }
      this.figures.open = this.figures.open || !SbChart.available;
      this.fillTable();
    }

    redraw() {
      const paint = paintOf(this.host);
      const setup = configure(this.spec, paint, (c) => this.show(c.tooltip));
      this.current = [this.spec, paint];
      if (this.chart && this.chart.config.type === setup.type) {
        this.chart.data = setup.data;
        this.chart.options = setup.options;
      } else {
        this.renew(setup);
      }
      this.fillLegend(paint);
      this.applyHidden();
      this.follow();
    }

    renew(setup) {
      if (this.chart) {
        this.chart.destroy();
      }
      this.chart = new root.Chart(this.canvas, Object.assign(setup, {plugins: plugins(() => this.current)}));
    }

    destroy() {
      drawn.delete(this);
      if (this.chart) {
        this.chart.destroy();
      }
      this.host.replaceChildren();
    }

    fillTable() {
      const reading = this.scroll.contains(document.activeElement); // not from under a reader's eyes
      if (this.figures.open && !(reading && this.scroll.firstChild)) {
        this.scroll.replaceChildren(table(this.spec));
      }
    }

    // ---- the legend

    // Built again only when it changes: a live page must not take a button from under the focus.
    fillLegend(paint) {
      const own = this.spec.series.filter((s) => s.like === undefined && s.points.length);
      const made = own.map((s) => this.switchOf(s, paint));
      this.legend.hidden = own.length < 2;
      const text = made.map((b) => b.outerHTML).join('');
      if (this.legendText !== text) {
        this.legendText = text;
        this.legend.replaceChildren(...made);
      }
    }

    switchOf(series, paint) {
      const look = looks(this.spec, this.spec.series.indexOf(series), paint);
      const glyph = node('span', {'aria-hidden': 'true'}, [series.shade ? '▨' : GLYPHS[look.shape]]);
      glyph.style.color = look.colour;
      const button = node('button', {type: 'button', 'aria-pressed': String(!this.hidden.has(series.name))},
        [glyph, series.legend || series.name]);
      button.addEventListener('click', () => {
        this.hidden[this.hidden.has(series.name) ? 'delete' : 'add'](series.name);
        button.setAttribute('aria-pressed', String(!this.hidden.has(series.name)));
        this.legendText = '';
        this.applyHidden();
      });
      return button;
    }

    applyHidden() {
      this.spec.series.forEach((s, k) => {
        const shownAs = s.like === undefined ? s : this.spec.series[s.like];
        this.chart.setDatasetVisibility(k, !this.hidden.has(shownAs.name));
      });
      this.chart.update('none');
    }

    // ---- the tip

    // Chart.js calls this when the point under the pointer, or that of the keys, changes.
    show(tooltip) {
      const item = tooltip.opacity && tooltip.dataPoints && tooltip.dataPoints[0];
      const point = item && this.pointAt(item.datasetIndex, item.dataIndex);
      if (!point) {
        this.hide();
        return;
      }
      const [name, ...lines] = sentences(this.spec, this.spec.series[item.datasetIndex], point);
      const texts = [node('strong', {}, [name])].concat(lines.map((l) => node('div', {}, [l])));
      if (this.tip.textContent !== name + lines.join('')) {
        this.tip.replaceChildren(...texts);
      }
      this.tip.hidden = false;
      this.placeTip(tooltip.caretX, tooltip.caretY);
    }

    // Beside the point, and inside the chart also on a phone.
    placeTip(x, y) {
      const room = this.plot.clientWidth - this.tip.offsetWidth;
      const right = x + 14;
      this.tip.style.left = Math.max(0, right > room ? Math.min(x - this.tip.offsetWidth - 14, room) : right) + 'px';
      this.tip.style.top = Math.max(0, Math.min(y - 10, this.plot.clientHeight - this.tip.offsetHeight)) + 'px';
    }

    hide() {
      this.tip.hidden = true;
    }

    // Bars stand by the number of their category; lines have a place for each point.
    pointAt(series, index) {
      const {points} = this.spec.series[series];
      return this.spec.kind === 'stack' ? points.find((p) => p.x === allX(this.spec)[index]) : points[index];
    }

    // ---- keys

    key(event) {
      const steps = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0],
        Home: [0, -Infinity], End: [0, Infinity]};
      if (event.key === 'Escape') {
        this.leave();
      } else if (steps[event.key]) {
        event.preventDefault();
        this.move(...steps[event.key]);
      }
    }

    move(bySeries, byPoint) {
      const visible = this.spec.series.map((s, k) => k).filter((k) => this.chart.isDatasetVisible(k) && this.places(k).length);
      if (!visible.length) {
        return;
      }
      const first = !this.at || !visible.includes(this.at.series);
      const from = first ? {series: visible[0], index: this.places(visible[0])[0]} : this.at;
      const count = visible.length;
      const series = first ? from.series : visible[(visible.indexOf(from.series) + bySeries + count) % count];
      this.goTo({series, index: this.step(series, from.index, first ? 0 : byPoint)});
    }

    // The numbers of the points of a series that have a figure.
    places(series) {
      const data = this.chart.data.datasets[series].data;
      return data.map((d, i) => i).filter((i) => isNumber(data[i] && data[i].y !== undefined ? data[i].y : data[i]));
    }

    step(series, index, by) {
      const places = this.places(series);
      const now = places.findIndex((i) => i >= index);
      const to = (now < 0 ? places.length - 1 : now) + by;
      return places[Math.max(0, Math.min(places.length - 1, to))];
    }

    // After an update: the point of the keys is where its x is now.
    follow() {
      if (!this.at) {
        return;
      }
      const series = this.spec.series[this.at.series];
      const index = series ? series.points.findIndex((p) => p.x === this.at.x) : -1;
      if (index < 0 || this.spec.kind === 'stack') {
        this.leave();
      } else {
        this.goTo({series: this.at.series, index});
      }
    }

    goTo(at) {
      this.at = Object.assign(at, {x: this.pointAt(at.series, at.index).x});
      const active = [{datasetIndex: at.series, index: at.index}];
      const {x, y} = this.chart.getDatasetMeta(at.series).data[at.index];
      this.chart.setActiveElements(active);
      this.chart.tooltip.setActiveElements(active, {x, y});
      this.chart.update('none');
    }

    leave() {
      this.at = null;
      if (this.chart) {
        this.chart.setActiveElements([]);
        this.chart.tooltip.setActiveElements([], {x: 0, y: 0});
        this.chart.update('none');
      }
    }
  }

  // ---- all charts -----------------------------------------------------------

  function restyle() {
    drawn.forEach((d) => d.update(d.spec));
  }

  let before; // printing began: the scheme that was chosen

  function inScheme(name) {
    const {dataset} = document.documentElement;
    if (name) {
      before = dataset.theme;
      dataset.theme = name;
    } else if (before) {
      dataset.theme = before;
    } else {
      delete dataset.theme;
    }
    restyle();
  }

  const SbChart = {
    available: Boolean(root.Chart),
    draw: (host, spec) => new Drawn(host, spec),
    format,
    restyle
  };
  root.SbChart = SbChart;
  // On paper colours are those of the light scheme; canvases must be drawn before it is laid out.
  root.addEventListener('beforeprint', () => inScheme('light'));
  root.addEventListener('afterprint', () => inScheme(null));
  root.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', restyle);
  new MutationObserver(restyle).observe(document.documentElement, {attributeFilter: ['data-theme']});
})(window);
