// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which figures of an experiment go into which chart: the data of the page becomes specs of chart.js.
//
//     LabCharts.overX(data, 'tps', 0)           a figure of all arms over the horizontal axis
//     LabCharts.change(data, 'tps', 0)          by how many per cent it differs from the baseline
//     LabCharts.cpu(data, 0)                    the server's CPU, stacked
//     LabCharts.timeline(data, 'tps', 16)       the runs of a level of the axis over time
//     LabCharts.percentiles(data, 16)           and their latency by percentile
//
// `data` is what data.py embeds; 0 is the number of a workload, each of which has a panel.  An
// experiment without an axis has its arms on it instead.  Where there are too few runs for an
// interval, medians are points and no line joins them.
// Touches no element of the page.
(function (root) {
  'use strict';

  const {LabEvents, SbConfig} = root;
  const WIDE = 30; // times from the least to the most, from which on an axis is logarithmic

  function hasX(data) {
    return data.cells.some((c) => c.x !== null);
  }

  // Levels of the horizontal axis, without repeats, in order.
  function levels(data) {
    return [...new Set(data.cells.map((c) => c.x))].filter((x) => x !== null).sort((a, b) => a - b);
  }

  // What a figure is called; some are only known over time.
  function figureOf(data, name) {
    return data.figures[name] || data.overTime[name];
  }

  function isWide(values) {
    const most = Math.max(...values);
    const least = Math.min(...values);
    return least > 0 && most / least >= WIDE;
  }

  function horizontal(data) {
    if (!hasX(data)) {
      return {title: 'Arm', scale: 'category', values: data.arms};
    }
    const values = levels(data);
    const log = values.length > 1 && (isWide(values) || values[0] > 0 && data.x.title === 'Connections');
    return {title: data.x.title, scale: log ? 'log' : 'linear', values, format: String};
  }

  function seconds(min, max) {
    return {title: 'Time', unit: 's', scale: 'linear', min, max, ticks: SbConfig.times(min, max)};
  }

  function place(data, item) {
    return hasX(data) ? item.x : data.arms[item.arm];
  }

  // Zero is on the axis of counts and shares; latencies get a logarithmic one.
  function vertical(data, name, values) {
    const figure = figureOf(data, name);
    const axis = {title: figure.title, unit: figure.unit, decimals: figure.decimals};
    const log = /_ms$/.test(name) && values.length && Math.min(...values) > 0;
    return Object.assign(axis, log ? {scale: 'log'} : {scale: 'linear', zero: true});
  }

  // ---- points -----------------------------------------------------------------

  function medianPoint(data, cell, name) {
    const [y, min, max, low, high] = cell.figures[name];
    const point = {x: place(data, cell), y, hollow: !cell.held, alone: low === undefined};
    if (cell.counted > 1) {
      Object.assign(point, {min, max, low, high});
    }
    const few = cell.few.includes(name);
    const note = [few && SbConfig.FEW.replace('* of', 'Of'), cell.flag && 'Flag: ' + cell.flag].filter(Boolean).join('. ');
    return Object.assign(point, few ? {few} : {}, note ? {note} : {});
  }

  function runPoint(data, run, name) {
    const note = ['Run ' + run.run + (run.counted ? '.' : ', does not count.'), run.note].join(' ').trim();
    return {x: place(data, run), y: run.figures[name], hollow: !run.counted || !run.held, note};
  }

  // The arms' medians, then for each a faint series of its single runs.  A cell that was not measured
  // is a gap.
  function withRuns(data, work, name) {
    const single = !hasX(data);
    const of = (list, k) => list.filter((i) => name in i.figures && (single || i.arm === k)).sort((a, b) => a.x - b.x);
    const lines = single ? [{name: 'Median'}] : armsOf(data, work);
    const gaps = (cells) => levels(data).map((x) => cells.find((c) => c.x === x) || {x});
    const medians = lines.map(({name: n, arm}, k) => ({name: n, colour: k,
      points: (single ? of(data.cells) : gaps(of(data.cells, arm)))
        .map((c) => (c.figures ? medianPoint(data, c, name) : {x: c.x, y: null}))}));
    const singles = lines.map(({name: n, arm}, k) => ({name: n + ', single runs', like: k, faint: true,
      points: of(data.runs, arm).map((r) => runPoint(data, r, name))}));
    const some = medians.map((m) => (m.points.some((p) => p.y !== null) ? m : Object.assign(m, {points: []})));
    return some.concat(repeated(data) ? singles : []);
  }

  // The arms of a workload; an arm has the same colour in all of them.
  function armsOf(data, work) {
    const of = (arm) => (data.works.length > 1 ? data.cells.find((c) => c.arm === arm).work : 0);
    return data.arms.map((_, arm) => ({arm, name: data.lines[arm]})).filter(({arm}) =>
      data.cells.some((c) => c.arm === arm) && of(arm) === work);
  }

  function repeated(data) {
    return data.runs.length > data.cells.length;
  }

  // ---- charts -----------------------------------------------------------------

  function overX(data, name, work) {
    const arms = armsOf(data, work).map((a) => a.arm);
    const values = data.runs.filter((r) => name in r.figures).map((r) => r.figures[name]);
    const marks = (data.crossings[name] || []).filter((c) => arms.includes(c.arm))
      .map((c) => ({x: c.x, text: data.lines[c.arm] + ' crosses at ' + SbConfig.format(c.x)}));
    return {
      title: data.figures[name].title + ofWork(data, work),
      summary: summary(data),
      kind: hasX(data) ? 'line' : 'points',
      dodge: true, marks,
      x: horizontal(data),
      y: vertical(data, name, values),
      series: withRuns(data, work, name)
    };
  }

  function ofWork(data, work) {
    return data.works[work] ? ', ' + data.works[work] : '';
  }

  function summary(data) {
    return data.arms.length === 1 ? 'One line' : data.arms.length + ' arms';
  }

  // Bars above and below zero, a series for what is compared with what; of the only factor, each has
  // the colour that its arm has in the other charts.
  function change(data, name, work) {
    const single = !hasX(data);
    const bars = data.change.cells.filter((c) => name in c.figures)
      .map((c) => Object.assign({}, c, {cell: data.cells[c.cell]}));
    const here = bars.filter((b) => single || data.works.length < 2 || b.cell.work === work);
    const names = single ? [''] : [...new Set(here.map((b) => b.name))];
    const arms = armsOf(data, work).map((a) => a.name);
    const colour = (n, k) => (single ? 1 : arms.includes(n) ? arms.indexOf(n) : k);
    const point = (bar) => {
      const [y, low, high] = bar.figures[name];
      return {x: single ? bar.name : place(data, bar.cell), y, low, high, hollow: !bar.held};
    };
    const title = data.figures[name].title + ', change';
    const all = names.map((n, k) => ({name: n, stack: n || 'all', colour: colour(n, k),
      points: here.filter((b) => single || b.name === n).map(point)}));
    return {title: title + ofWork(data, work), summary: names.join('; '), kind: 'stack',
      x: Object.assign(horizontal(data), {scale: 'category'}, single && {title: '', values: here.map((b) => b.name)}),
      y: {title, unit: '%', decimals: 1},
      series: all.filter((s) => s.points.length)};
  }

  function cpu(data, work) {
    const parts = [['server_usr_pct', 'user'], ['server_sys_pct', 'system']];
    const bar = {min: undefined, low: undefined};
    const single = !hasX(data);
    const lines = single ? [{name: ''}] : armsOf(data, work);
    const series = lines.flatMap(({name: line, arm}, k) => parts.map(([name, word], i) => ({
      name: (line ? line + ', ' : '') + word, legend: line, stack: line || 'all', colour: k, shade: i,
      like: i ? 2 * k : undefined,
      points: data.cells.filter((c) => (single || c.arm === arm) && c.cpu)
        .map((c) => Object.assign(medianPoint(data, c, name), bar, {y: c.cpu[i]}))
    })));
    return {title: 'Server CPU' + ofWork(data, work), summary: summary(data), kind: 'stack',
      x: Object.assign(horizontal(data), {scale: 'category'}),
      y: {title: 'Server CPU', unit: '%', decimals: 2, zero: true}, series};
  }

  function timeline(data, name, x) {
    const lines = data.timelines.map((t) => ({t, run: data.runs.find((r) => r.run === t.run)}))
      .filter((l) => (x === null || l.run.x === x) && l.t.figures[name]);
    const values = lines.flatMap((l) => l.t.figures[name]).filter((v) => v !== null && v > 0);
    const {title} = figureOf(data, name);
    const series = lines.map((l, i) => lineOf(data, l, name, lines.findIndex((m) => m.run.arm === l.run.arm), i));
    return {
      title: title + ' over time', kind: 'line',
      summary: lines.length + ' runs',
      x: seconds(0, Math.max(0, ...lines.flatMap((l) => l.t.seconds))),
      y: Object.assign(vertical(data, name, values), {title}),
      ...marksOf(lines), ...stagesOf(lines),
      series: series.concat(name === 'tps' ? asked(data, lines) : [])
    };
  }

  // Stages behind the lines, if all of the lines have the same.
  function stagesOf(lines) {
    const stages = LabEvents.shared(lines.map((l) => l.t));
    return stages ? {behind: LabEvents.bands(stages), headroom: 18} : {};
  }

  // The rate that was asked for, if all of the lines have the same; intervals may be some ms apart,
  // and runs an interval longer.  A search asks for one in each of its steps; of an interval, what
  // it offered is known.
  function asked(data, lines) {
    const known = lines.map((l) => l.t).filter((t) => t.figures.target_tps);
    const same = (a, b) => a.every((v, i) => i >= b.length || Math.abs(v - b[i]) <= 0.02 * Math.max(...a));
    const agree = known.length && known.length === lines.length &&
      known.every((t) => same(t.figures.target_tps, known[0].figures.target_tps));
    const searched = lines.some((l) => data.searches.some((s) => s.run === l.run.run));
    return agree ? [{name: searched ? 'offered' : 'target rate', colour: LabEvents.PLANNED,
      points: known[0].seconds.map((s, i) => ({x: s, y: known[0].figures.target_tps[i]}))}] : [];
  }

  // A line of its own, but one entry of the legend for each arm: that of its first run.
  function lineOf(data, {t, run}, name, first, own) {
    return {
      name: 'Run ' + run.run + ', ' + data.arms[run.arm] + (run.counted ? '' : ', does not count'),
      legend: data.arms[run.arm], colour: run.arm, like: first === own ? undefined : first,
      points: t.seconds.map((s, i) => ({x: s, y: t.figures[name][i]}))
    };
  }

  // A line in the plot has a number, and `listed` the texts: those of commands are long.  The same
  // text within a second in several runs is one mark.  Outages need no words.
  function marksOf(lines) {
    const all = lines.flatMap((l) => l.t.marks.map((m) => Object.assign({run: l.run.run}, m)));
    const found = [];
    all.filter((m) => m.text).sort((a, b) => a.x - b.x).forEach((m) => {
      const same = found.find((f) => f.text === m.text && m.x - f.x <= 1);
      same ? same.runs.push(m.run) : found.push({x: m.x, text: m.text, runs: [m.run]});
    });
    const where = (m) => (m.runs.length < lines.length ? (m.runs.length > 1 ? ' (runs ' : ' (run ') + m.runs.join(', ') + ')' : '');
    return {
      marks: joined(all.filter((m) => !m.text)).concat(found.map((m, i) => ({x: m.x, text: String(i + 1)}))),
      listed: found.map((m) => SbConfig.format(m.x) + ' s: ' + m.text + where(m))
    };
  }

  // Outages of several runs at the same time are one band.
  function joined(spans) {
    const found = [];
    [...spans].sort((a, b) => a.x - b.x).forEach((s) => {
      const last = found[found.length - 1];
      last && s.x <= last.x2 ? last.x2 = Math.max(last.x2, s.x2) : found.push({x: s.x, x2: s.x2});
    });
    return found;
  }

  function percentiles(data, x) {
    const curves = data.percentiles.map((p) => ({cell: data.cells[p.cell], points: p.points}))
      .filter((c) => x === null || c.cell.x === x);
    const values = curves.flatMap((c) => c.points.map((p) => p[1]));
    return {
      title: 'Latency by percentile', kind: 'line', summary: summary(data),
      x: {title: 'Percentile', scale: 'percentile'},
      y: {title: 'Response time', unit: 'ms', scale: values.length && Math.min(...values) > 0 ? 'log' : 'linear', zero: true, decimals: 3},
      series: curves.map((c) => ({
        name: data.arms[c.cell.arm] + (c.cell.held ? '' : ', rate not held'), colour: c.cell.arm,
        points: c.points.map(([q, ms]) => ({x: q, y: ms, hollow: !c.cell.held}))}))
    };
  }

  root.LabCharts = {change, cpu, figureOf, hasX, levels, overX, percentiles, timeline};
})(window);
