// SPDX-License-Identifier: GPL-2.0-or-later
//
// What Chart.js shall draw: a spec of chart.js (explained there) becomes its configuration.
//
//     const setup = SbConfig.configure(spec, paint, showTip);
//     new Chart(canvas, Object.assign(setup, {plugins: SbConfig.plugins(() => [spec, paint])}));
//
// Axes whose ticks are the values that were measured; spreads and marks as plugins, since
// Chart.js has none.  `paint` gives a colour by its name in chart.css.  Knows no element of the page
// but the canvas.
(function (root) {
  'use strict';

  const SHAPES = ['circle', 'rect', 'triangle', 'rectRot'];
  const COLOURS = 8;
  const DENSE = 20; // points of a series, from which on they are not drawn one by one
  const NARROW = 8; // times from the least to the most of a logarithmic axis
  const MANY = 12; // categories, from which on Chart.js may leave out names
  const MARGIN = 70; // about the width of a chart that is no plot
  const LETTER = 7; // width of a letter of a tick
  const FEW = '* of fewer samples than this percentile needs: the slowest of them';
  const PERCENTILES = [0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999];

  function format(value, decimals) {
    if (value === null || value === undefined) {
      return 'n/a';
    }
    if (typeof value !== 'number') {
      return String(value);
    }
    const figures = decimals === undefined ? {maximumSignificantDigits: 4} :
      {minimumFractionDigits: decimals, maximumFractionDigits: decimals};
    return value.toLocaleString('en-US', figures);
  }

  function shown(axis, value) {
    return axis.format ? axis.format(value) : format(value, axis.decimals);
  }

  function percent(q) {
    return String(Math.round(q * 1e8) / 1e6) + ' %';
  }

  function shownX(spec, x) {
    return spec.x.scale === 'percentile' && !spec.x.format ? percent(x) : shown(spec.x, x);
  }

  function axisTitle(axis) {
    return axis.unit ? axis.title + ', ' + axis.unit : axis.title;
  }

  const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600]; // seconds between ticks
  const TICKS = 6;

  // Round times between two: for x.ticks.
  function times(from, to, finest) {
    const step = STEPS.find((s) => s >= (finest || 0) && (to - from) / s <= TICKS) || STEPS[STEPS.length - 1];
    const first = Math.ceil(from / step - 1e-6);
    const last = Math.floor(to / step + 1e-6);
    return Array.from({length: Math.max(last - first + 1, 0)}, (_, i) => Math.round((first + i) * step * 10) / 10);
  }

  // Whole numbers between two.
  function whole(from, to) {
    return times(from, to, 1).filter(Number.isInteger);
  }

  function isNumber(value) {
    return typeof value === 'number' && isFinite(value);
  }

  // ---- looks ----------------------------------------------------------------

  function paintOf(host) {
    const css = getComputedStyle(host);
    return (name) => css.getPropertyValue('--sb-' + name).trim();
  }

  function looks(spec, index, paint) {
    const series = spec.series[index];
    const base = series.like === undefined ? index : series.like;
    const number = spec.series[base].colour === undefined ? base : spec.series[base].colour;
    return {
      colour: paint('series-' + (number % COLOURS + 1)),
      shape: number % SHAPES.length,
      dash: number >= COLOURS ? [6, 3] : []
    };
  }

  function hatched(colour) {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 6;
    const pen = tile.getContext('2d');
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.beginPath();
    [-3, 3, 9].forEach((x) => {
      pen.moveTo(x - 3, 9);
      pen.lineTo(x + 9, -3);
    });
    pen.stroke();
    return pen.createPattern(tile, 'repeat');
  }

  // ---- axes -----------------------------------------------------------------

  function span(values) {
    const numbers = values.filter(isNumber);
    return [Math.min(...numbers), Math.max(...numbers)];
  }

  function allX(spec) {
    if (spec.x.values) {
      return spec.x.values;
    }
    const seen = new Set();
    spec.series.forEach((s) => s.points.forEach((p) => seen.add(p.x)));
    return [...seen].sort((a, b) => a - b);
  }

  // The place of a point on the axis that Chart.js draws.
  function placeOf(spec) {
    if (spec.x.scale === 'category') {
      const places = new Map(allX(spec).map((v, i) => [v, i]));
      return (x) => places.get(x);
    }
    return spec.x.scale === 'percentile' ? (q) => 1 / (1 - Math.min(q, 0.99999999)) : (x) => x;
  }

  // How far series k stands aside: a function of the place.
  function asideOf(spec, k) {
    const series = spec.series[k];
    const count = spec.series.filter((s) => s.like === undefined).length;
    const steps = (series.like === undefined ? k : series.like) - (count - 1) / 2;
    if (!spec.dodge || count < 2) {
      return (place) => place;
    }
    const [least, most] = span(allX(spec).map(placeOf(spec)));
    if (isLog(spec.x)) {
      return (place) => place * Math.pow(Math.max(most / least, 2), steps * 0.01);
    }
    return (place) => place + steps * (spec.x.scale === 'category' ? 0.12 : (most - least) * 0.01);
  }

  function isLog(axis) {
    return axis.scale === 'log' || axis.scale === 'percentile';
  }

  function ticksOf(spec) {
    const place = placeOf(spec);
    if (spec.x.scale === 'percentile') {
      const most = span(spec.series.flatMap((s) => s.points.map((p) => p.x)))[1];
      return PERCENTILES.filter((q) => q <= most).map((q) => ({value: place(q), label: percent(q)}));
    }
    return allX(spec).map((x) => ({value: place(x), label: shown(spec.x, x)}));
  }

  function xAxis(spec, paint) {
    const axis = frame(spec.x, paint);
    axis.type = spec.kind === 'stack' ? 'category' : isLog(spec.x) ? 'logarithmic' : 'linear';
    axis.stacked = spec.kind === 'stack';
    Object.assign(axis, {min: spec.x.min, max: spec.x.max});
    axis.ticks.maxRotation = 0;
    if (spec.kind === 'stack') {
      const names = allX(spec).map((x) => shown(spec.x, x));
      axis.ticks.autoSkip = names.length > MANY;
      axis.ticks.callback = function (i) { return broken(names[i], this.chart.width / names.length / LETTER); };
      return axis;
    }
    if (spec.x.scale === 'category') {
      Object.assign(axis, {min: -0.5, max: allX(spec).length - 0.5});
    }
    axis.ticks.callback = (v) => shown(spec.x, v);
    if (spec.x.ticks) {
      axis.afterBuildTicks = (scale) => { scale.ticks = spec.x.ticks.map((value) => ({value})); };
    }
    if (spec.x.values || spec.x.scale === 'percentile') {
      setTicks(axis, spec, ticksOf(spec));
    }
    return axis;
  }

  // Ticks at these values and nowhere else.
  function setTicks(axis, spec, ticks) {
    const labels = new Map(ticks.map((t) => [t.value, t.label]));
    axis.afterBuildTicks = (scale) => { scale.ticks = ticks.map((t) => ({value: t.value})); };
    axis.ticks.autoSkip = spec.x.scale === 'category' && ticks.length > MANY;
    axis.ticks.callback = spec.x.scale === 'category' ?
      function (v) { return broken(labels.get(v) || '', this.chart.width / ticks.length / LETTER); } :
      function (v) { return roomy(this, ticks).has(v) ? labels.get(v) : ''; };
    widen(axis, spec, ticks);
  }

  // The ticks whose labels do not touch, from the left; levels may be anywhere on the axis.
  function roomy(scale, ticks) {
    const kept = new Set();
    let edge = -Infinity;
    const place = (v) => (scale.type === 'logarithmic' ? Math.log(v) : v);
    const [least, most] = span(ticks.map((t) => place(t.value)));
    ticks.forEach((t) => {
      const centre = (place(t.value) - least) / (most - least || 1) * (scale.chart.width - MARGIN);
      const half = (t.label.length + 1) * LETTER / 2;
      if (centre - half >= edge) {
        kept.add(t.value);
        edge = centre + half;
      }
    });
    return kept;
  }

  // A name in lines of so many letters, broken behind blanks and hyphens.
  function broken(name, letters) {
    const lines = [''];
    (name.match(/[^\s-]*[\s-]?/g) || []).forEach((part) => {
      const last = lines[lines.length - 1];
      if (last && (last + part).trim().length > letters) {
        lines.push(part);
      } else {
        lines[lines.length - 1] = last + part;
      }
    });
    return lines.map((l) => l.trim());
  }

  function widen(axis, spec, ticks) {
    const [least, most] = span(ticks.map((t) => t.value));
    if (spec.x.scale === 'log') {
      const margin = Math.pow(Math.max(most / least, 2), 0.04);
      Object.assign(axis, {min: least / margin, max: most * margin});
    }
  }

  function yAxis(spec, paint) {
    const axis = frame(spec.y, paint);
    const ends = spec.series.flatMap((s) => s.points.flatMap((p) => [p.y, p.min, p.max, p.low, p.high]));
    const [least, most] = span(ends.filter((v) => !isLog(spec.y) || v > 0));
    axis.type = isLog(spec.y) ? 'logarithmic' : 'linear';
    axis.title.display = false; // it stands above the chart, where it is easier to read
    axis.stacked = spec.kind === 'stack' || spec.kind === 'area';
    axis.beginAtZero = Boolean(spec.y.zero);
    axis.ticks.callback = function (v) { return tickLabel(spec.y, v, this.max / this.min < NARROW); };
    if (isFinite(most) && spec.kind === 'stack') {
      const pile = ends.some((v) => v < 0) || spec.series.some((s) => s.points.some((p) => isNumber(p.low)));
      Object.assign(axis, pile ? {suggestedMin: Math.min(least, 0), suggestedMax: Math.max(most, 0)} : {});
    } else if (isNumber(spec.y.most)) {
      axis.suggestedMax = spec.y.most;
    } else if (isFinite(most)) {
      Object.assign(axis, isLog(spec.y) ? around(spec, least, most) : room(spec, least, most));
    }
    return axis;
  }

  // The greatest value stays below the edge, where its point is whole.
  function room(spec, least, most) {
    return {suggestedMin: least, suggestedMax: most + 0.03 * (most - (spec.y.zero ? 0 : least))};
  }

  // A logarithmic axis ends near the values; Chart.js would go on to a power of ten.
  function around(spec, least, most) {
    const margin = Math.pow(Math.max(most / least, 2), 0.06);
    return {min: least / margin, max: most * margin};
  }

  // 1, 2 and 5 of each power of ten; on a narrow axis also what is between them.
  function tickLabel(axis, value, narrow) {
    const lead = Math.round(value / Math.pow(10, Math.floor(Math.log10(value) + 1e-9)) * 1e6) / 1e6;
    if (isLog(axis) && !(narrow ? Number.isInteger(lead) : [1, 2, 5].includes(lead))) {
      return undefined;
    }
    return axis.format ? axis.format(value) : format(value);
  }

  function frame(axis, paint) {
    return {
      title: {display: true, text: axisTitle(axis), color: paint('muted')},
      ticks: {color: paint('muted'), autoSkipPadding: 8},
      grid: {color: paint('grid'), borderColor: paint('grid')}
    };
  }

  // ---- what Chart.js draws --------------------------------------------------

  function lineSet(spec, k, paint) {
    const series = spec.series[k];
    const look = looks(spec, k, paint);
    const aside = asideOf(spec, k);
    const place = placeOf(spec);
    const area = spec.kind === 'area';
    const dense = area || spec.kind === 'line' && series.points.length > DENSE;
    const radius = series.faint ? 2.5 : dense ? 0 : 4.5;
    const fills = series.points.map((p) => (p.hollow ? paint('surface') : look.colour));
    return {
      label: series.name,
      data: series.points.map((p) => ({x: aside(place(p.x)), y: isNumber(p.y) ? p.y : null})),
      showLine: Boolean(series.line) || area || spec.kind === 'line' && !series.faint,
      fill: area && (k ? '-1' : 'origin'), backgroundColor: series.shade ? hatched(look.colour) : look.colour,
      stepped: area && 'after',
      borderColor: area ? paint('surface') : look.colour, borderWidth: area ? 1 : 2, borderDash: look.dash,
      pointStyle: SHAPES[look.shape], pointRadius: radius, pointHoverRadius: radius + 3,
      pointHitRadius: 10, pointBorderWidth: series.faint ? 1 : 2, pointBorderColor: look.colour,
      pointBackgroundColor: fills, pointHoverBackgroundColor: fills, clip: 8, spanGaps: false,
      segment: {borderColor: (at) => ([at.p0DataIndex, at.p1DataIndex].some((i) => series.points[i].alone) ?
        'transparent' : undefined)}
    };
  }

  function barSet(spec, k, paint) {
    const series = spec.series[k];
    const {colour} = looks(spec, k, paint);
    const full = series.shade ? hatched(colour) : colour;
    const byX = new Map(series.points.map((p) => [p.x, p]));
    return {
      label: series.name, stack: series.stack, borderColor: colour, borderWidth: 1.5, maxBarThickness: 40,
      data: allX(spec).map((x) => (byX.has(x) ? byX.get(x).y : null)),
      backgroundColor: allX(spec).map((x) => (byX.has(x) && byX.get(x).hollow ? 'transparent' : full))
    };
  }

  function configure(spec, paint, show) {
    const bars = spec.kind === 'stack';
    return {
      type: bars ? 'bar' : 'line',
      data: {
        labels: bars ? allX(spec).map((x) => shown(spec.x, x)) : undefined,
        datasets: spec.series.map((s, k) => (bars ? barSet : lineSet)(spec, k, paint))
      },
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, normalized: true,
        font: {family: 'inherit'}, layout: {padding: {top: spec.headroom || 0}},
        interaction: {mode: 'nearest', intersect: false},
        scales: {x: xAxis(spec, paint), y: yAxis(spec, paint)},
        plugins: {legend: {display: false}, tooltip: {enabled: false, external: show}}
      }
    };
  }

  // `current` gives the spec and the paint of now: a chart keeps its plugins when its figures change.
  function plugins(current) {
    const call = (draw) => (chart) => draw(chart, ...current());
    return [
      {id: 'sbBehind', beforeDatasetsDraw: call((chart, spec, paint) => spec.behind && spec.behind(chart, paint))},
      {id: 'sbMarks', afterDatasetsDraw: call(drawMarks)},
      {id: 'sbFew', afterDatasetsDraw: call(drawFew)},
      {id: 'sbSpreads', beforeDatasetsDraw: call(drawSpreads)},
      {id: 'sbChanges', afterDatasetsDraw: call(drawChanges)}
    ];
  }

  // The bar is the interval, the thin line all values.
  function drawSpreads(chart, spec, paint) {
    spec.series.forEach((series, k) => {
      if (spec.kind === 'stack' || !chart.isDatasetVisible(k)) {
        return;
      }
      chart.ctx.strokeStyle = looks(spec, k, paint).colour;
      chart.getDatasetMeta(k).data.forEach((at, i) => {
        const p = series.points[i];
        stroke(chart, at.x, p.min, p.max, 1, 1);
        stroke(chart, at.x, p.low, p.high, 13, 0.3);
      });
    });
  }

  // Beside percentiles that rest on fewer transactions than they need.
  function drawFew(chart, spec, paint) {
    const pen = chart.ctx;
    pen.save();
    pen.font = '14px ' + paint('font');
    spec.series.forEach((series, k) => series.points.forEach((p, i) => {
      if (p.few && spec.kind !== 'stack' && chart.isDatasetVisible(k)) {
        const at = chart.getDatasetMeta(k).data[i];
        pen.fillStyle = looks(spec, k, paint).colour;
        pen.fillText('*', at.x + 6, at.y - 1);
      }
    }));
    pen.restore();
  }

  // What stands above the chart: the title of its y axis, and what needs to be said of its points.
  function heading(spec) {
    const few = spec.series.some((s) => s.points.some((p) => p.few));
    return axisTitle(spec.y) + (spec.y.scale === 'log' ? ', log scale' : '') + (few ? ' (' + FEW + ')' : '');
  }

  // On bars the interval is a line, and zero another.
  function drawChanges(chart, spec, paint) {
    if (spec.kind !== 'stack') {
      return;
    }
    const {left, right} = chart.chartArea;
    chart.ctx.fillStyle = chart.ctx.strokeStyle = paint('ink');
    chart.ctx.fillRect(left, chart.scales.y.getPixelForValue(0) - 0.5, right - left, 1);
    spec.series.forEach((series, k) => series.points.forEach((p) => {
      const at = chart.getDatasetMeta(k).data[allX(spec).indexOf(p.x)];
      if (at && chart.isDatasetVisible(k)) {
        stroke(chart, at.x, p.low, p.high, 1.5, 1);
      }
    }));
  }

  function stroke(chart, x, from, to, width, alpha) {
    if (!isNumber(from) || !isNumber(to)) {
      return;
    }
    const pen = chart.ctx;
    pen.save();
    Object.assign(pen, {lineWidth: width, globalAlpha: alpha});
    pen.beginPath();
    pen.moveTo(x, chart.scales.y.getPixelForValue(from));
    pen.lineTo(x, chart.scales.y.getPixelForValue(to));
    pen.stroke();
    pen.restore();
  }

  function drawMarks(chart, spec, paint) {
    const {top, bottom, right} = chart.chartArea;
    const pen = chart.ctx;
    pen.save();
    Object.assign(pen, {strokeStyle: paint('surface'), fillStyle: paint('mark'), lineWidth: 4,
      lineJoin: 'round', font: '12px ' + paint('font')});
    (spec.gaps || []).forEach((gap) => {
      const [from, to] = [gap.x, gap.x2].map((x) => chart.scales.x.getPixelForValue(x));
      pen.fillStyle = hatched(paint('grid'));
      pen.fillRect(from, top, to - from, bottom - top);
    });
    pen.fillStyle = paint('mark');
    (spec.marks || []).forEach((mark, i) => {
      const left = chart.scales.x.getPixelForValue(placeOf(spec)(mark.x));
      if (isNumber(mark.x2)) {
        pen.globalAlpha = 0.15;
        pen.fillRect(left, top, chart.scales.x.getPixelForValue(mark.x2) - left, bottom - top);
        pen.globalAlpha = 1;
      }
      pen.fillRect(left, top, 1.5, bottom - top);
      const x = Math.max(Math.min(left + 4, right - pen.measureText(mark.text || '').width), 0);
      pen.strokeText(mark.text || '', x, top + 12 + (i % 3) * 14); // a rim, to be read over lines
      pen.fillText(mark.text || '', x, top + 12 + (i % 3) * 14);
    });
    pen.restore();
  }

  root.SbConfig = {FEW, allX, axisTitle, configure, format, heading, isNumber, looks,
    paintOf, plugins, shown, shownX, times, whole};
})(window);
