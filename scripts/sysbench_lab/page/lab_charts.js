// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which figures of an experiment go into which chart: the data of the page becomes specs of chart.js.
//
//     LabCharts.overX(data, 'tps')              a figure of all arms over the horizontal axis
//     LabCharts.cpu(data)                       the server's CPU, stacked
//     LabCharts.arms(data, 'tps', 16)           all runs of a level of the axis, by arm
//     LabCharts.timeline(data, 'tps', 16)       the same runs over time
//     LabCharts.percentiles(data, 16)           and their latency by percentile
//     LabCharts.heat(data, 0)                   the first heat map: latency over time
//
// `data` is what data.py embeds.  An experiment without an axis has its arms on it instead.
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
    return {title: data.x.title, scale: isWide(values) ? 'log' : 'linear', values, format: String};
  }

  function seconds(min, max) {
    return {title: 'Time', unit: 's', scale: 'linear', min, max, ticks: SbConfig.times(min, max)};
  }

  function place(data, item) {
    return hasX(data) ? item.x : data.arms[item.arm];
  }

  // Zero is on the axis of counts and shares; latencies and what is far apart get a logarithmic one.
  function vertical(data, name, values) {
    const figure = figureOf(data, name);
    const axis = {title: figure.title, unit: figure.unit, decimals: figure.decimals};
    const log = /_ms$/.test(name) && isWide(values);
    return Object.assign(axis, log ? {scale: 'log'} : {scale: 'linear', zero: true});
  }

  // ---- points -----------------------------------------------------------------

  function runsOf(data, cell) {
    return data.runs.filter((r) => r.arm === cell.arm && r.x === cell.x);
  }

  function nearest(data, cell, name) {
    const median = cell.figures[name][0];
    const far = (r) => Math.abs(r.figures[name] - median);
    return runsOf(data, cell).filter((r) => r.counted && name in r.figures).sort((a, b) => far(a) - far(b))[0];
  }

  function medianPoint(data, cell, name) {
    const [y, min, max, low, high] = cell.figures[name];
    const run = nearest(data, cell, name);
    const point = {x: place(data, cell), y, hollow: !cell.held};
    if (cell.counted > 1) {
      Object.assign(point, {min, max, low, high});
    }
    if (run && run.href) {
      Object.assign(point, {href: run.href, hint: 'Enter or click: report of run ' + run.run});
    }
    return Object.assign(point, cell.flag ? {note: 'Flag: ' + cell.flag} : {});
  }

  function runPoint(data, run, name) {
    const hint = 'Enter or click: report of run ' + run.run;
    const note = ['Run ' + run.run + (run.counted ? '.' : ', does not count.'), run.note].join(' ').trim();
    return {x: place(data, run), y: run.figures[name], hollow: !run.counted || !run.held, note,
      href: run.href || undefined, hint};
  }

  // The arms' medians, then for each a faint series of its single runs.
  function withRuns(data, cells, runs, name) {
    const known = (item) => name in item.figures;
    const single = !hasX(data);
    const names = single ? ['Median'] : data.arms;
    const mine = (list, k) => list.filter((i) => known(i) && (single || i.arm === k)).sort((a, b) => a.x - b.x);
    const medians = names.map((n, k) => ({name: n, points: mine(cells, k).map((c) => medianPoint(data, c, name))}));
    const singles = names.map((n, k) => ({name: n + ', single runs', like: k, faint: true,
      points: mine(runs, k).map((r) => runPoint(data, r, name))}));
    return medians.concat(repeated(data) ? singles : []);
  }

  function repeated(data) {
    return data.runs.length > data.cells.length;
  }

  // ---- charts -----------------------------------------------------------------

  function overX(data, name) {
    const values = data.runs.filter((r) => name in r.figures).map((r) => r.figures[name]);
    return {
      title: data.figures[name].title,
      summary: summary(data),
      kind: hasX(data) ? 'line' : 'points',
      dodge: true,
      x: horizontal(data),
      y: vertical(data, name, values),
      series: withRuns(data, data.cells, data.runs, name)
    };
  }

  function summary(data) {
    return data.arms.length === 1 ? 'One line' : data.arms.length + ' arms';
  }

  function cpu(data) {
    const parts = [['server_usr_pct', 'user'], ['server_sys_pct', 'system']];
    const bar = {min: undefined, low: undefined};
    const single = !hasX(data);
    const names = single ? [''] : data.arms;
    const series = names.flatMap((arm, k) => parts.map(([name, word], i) => ({
      name: (arm ? arm + ', ' : '') + word, legend: arm, stack: arm || 'all', colour: k, shade: i,
      like: i ? 2 * k : undefined,
      points: data.cells.filter((c) => (single || c.arm === k) && c.cpu)
        .map((c) => Object.assign(medianPoint(data, c, name), bar, {y: c.cpu[i]}))
    })));
    return {title: 'Server CPU', summary: summary(data), kind: 'stack', x: Object.assign(horizontal(data), {scale: 'category'}),
      y: {title: 'Server CPU', unit: '%', decimals: 2, zero: true}, series};
  }

  // One level of the axis: medians and single runs, by arm.
  function arms(data, name, x) {
    const runs = data.runs.filter((r) => r.x === x && name in r.figures);
    const cells = data.cells.filter((c) => c.x === x && name in c.figures);
    const to = (point, item) => Object.assign(point, {x: data.arms[item.arm]});
    const figure = data.figures[name];
    return {
      title: figure.title + ' by arm', kind: 'points', dodge: true, summary: data.x.title + ': ' + x,
      x: {title: 'Arm', scale: 'category', values: data.arms},
      y: {title: figure.title, unit: figure.unit, decimals: figure.decimals, scale: 'linear'},
      series: [
        {name: 'Median', points: cells.map((c) => to(medianPoint(data, c, name), c))},
        {name: 'Single runs', faint: true, colour: 1, points: runs.map((r) => to(runPoint(data, r, name), r))}]
    };
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
    return agree ? [{name: searched ? 'offered' : 'rate asked for', colour: LabEvents.PLANNED,
      points: known[0].seconds.map((s, i) => ({x: s, y: known[0].figures.target_tps[i]}))}] : [];
  }

  // A line of its own, but one entry of the legend for each arm: that of its first run.
  function lineOf(data, {t, run}, name, first, own) {
    return {
      name: 'Run ' + run.run + ', ' + data.arms[run.arm] + (run.counted ? '' : ', does not count'),
      legend: data.arms[run.arm], colour: run.arm, like: first === own ? undefined : first,
      points: t.seconds.map((s, i) => ({x: s, y: t.figures[name][i], href: run.href || undefined,
        hint: 'Enter or click: report of run ' + run.run}))
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
      y: {title: 'Response time', unit: 'ms', scale: isWide(values) ? 'log' : 'linear', zero: true, decimals: 3},
      series: curves.map((c) => ({
        name: data.arms[c.cell.arm] + (c.cell.held ? '' : ', rate not held'), colour: c.cell.arm,
        points: c.points.map(([q, ms]) => ({x: q, y: ms, hollow: !c.cell.held}))}))
    };
  }

  // Darker means more transactions, logarithmically, so that one slow one among thousands is seen.
  function heat(data, number) {
    const map = data.heat[number];
    const top = Math.log(Math.max(...map.fields.map((f) => f[2])) + 1);
    return {
      title: 'Latency over time', kind: 'points', summary: cellName(data, map.cell),
      x: seconds(map.seconds[0], map.seconds[map.seconds.length - 1]),
      y: {title: 'Response time', unit: 'ms', scale: 'log'},
      heat: map.fields.map(([c, r, n]) => ({x: map.seconds[c], x2: map.seconds[c + 1],
        y: map.ms[r], y2: map.ms[r + 1], weight: Math.log(n + 1) / top})),
      series: [['Median', 0.5], ['99th percentile', 0.99], ['Slowest', 1]].map(([name, q], k) =>
        ({name, colour: k + 1, points: columnPoints(map, q)}))
    };
  }

  // The upper edge of the row that holds this share of a column.
  function columnPoints(map, share) {
    const columns = map.seconds.slice(0, -1).map(() => []);
    map.fields.forEach(([c, r, n]) => columns[c].push([r, n]));
    return columns.map((fields, c) => {
      const total = fields.reduce((sum, f) => sum + f[1], 0);
      let below = 0;
      const found = fields.find((f) => (below += f[1]) >= share * total);
      return {x: (map.seconds[c] + map.seconds[c + 1]) / 2, y: found ? map.ms[found[0] + 1] : null,
        note: total.toLocaleString('en-US') + ' transactions'};
    });
  }

  function cellName(data, number) {
    return data.cells[number].name;
  }

  root.LabCharts = {arms, cellName, cpu, figureOf, hasX, heat, levels, overX, percentiles, timeline};
})(window);
