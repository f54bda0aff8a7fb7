// SPDX-License-Identifier: GPL-2.0-or-later
//
// What happened in runs as specs of chart.js: stages of the rate, searches for the highest one, outages.
//
//     LabEvents.stages(data, 'tps', 16)         a figure stage by stage, of all arms at a level of the axis
//     LabEvents.search(data, data.searches[0])  the rates that a run tried
//     LabEvents.outage(data.outages[0])         two specs: what was offered and done, and how late it was
//     LabEvents.bands(stages)                   a function for spec.behind: stages behind a timeline
//
// `data` is what data.py embeds; its members stages, searches and outages are those of events.py.
(function (root) {
  'use strict';

  const {SbConfig} = root;
  const PLANNED = 15; // a colour that no arm has: grey, and dashed
  const DASHED = 8; // more than the number of an arm: its colour, and dashed
  const LETTERS = 12; // more categories than this are named by their numbers

  function sameTexts(lists) {
    return lists.every((l) => l.length === lists[0].length && l.every((text, i) => text === lists[0][i]));
  }

  // ---- stages -----------------------------------------------------------------

  // The levels of the axis that have stages.
  function levels(data) {
    return [...new Set(data.stages.map((s) => data.cells[s.cell].x))].filter((x) => x !== null).sort((a, b) => a - b);
  }

  function cellsAt(data, x) {
    return data.stages.map((s) => ({cell: data.cells[s.cell], stages: s.stages}))
      .filter((c) => x === null || c.cell.x === x);
  }

  // Stages have names if all cells have the same ones.
  function nameOf(cells) {
    const most = Math.max(...cells.map((c) => c.stages.length));
    const named = sameTexts(cells.map((c) => c.stages.map((s) => s.name))) && most <= LETTERS;
    return (stage) => (named ? stage.name : String(stage.number));
  }

  function stages(data, figure, x) {
    const cells = cellsAt(data, x);
    const name = nameOf(cells);
    const values = [...new Set(cells.flatMap((c) => c.stages).sort((a, b) => a.number - b.number).map(name))];
    const about = data.figures[figure];
    const points = (list, f) => list.filter((s) => s.figures[f]).map((s) => stagePoint(s, f, name));
    const arms = cells.map((c) => ({name: data.arms[c.cell.arm], colour: c.cell.arm, points: points(c.stages, figure)}));
    return {
      title: about.title + ' by stage', summary: 'Stages of the rate', kind: 'line', dodge: arms.length > 1,
      x: {title: 'Stage', scale: 'category', values},
      y: {title: about.title, unit: about.unit, decimals: about.decimals, scale: 'linear', zero: true},
      series: arms.concat(figure === 'tps' ? planned(data, cells, (list) => points(list, 'target_tps')) : [])
    };
  }

  // What was planned: once if it is the same for all, else for each arm in its colour, and dashed.
  function planned(data, cells, points) {
    const plans = cells.map((c) => ({name: 'planned, ' + data.arms[c.cell.arm], colour: c.cell.arm + DASHED,
      points: points(c.stages).map(bare)}));
    const longest = plans.reduce((a, b) => (b.points.length > a.points.length ? b : a), plans[0]);
    const same = (p) => p.points.every(({x, y}, i) => longest.points[i].x === x && longest.points[i].y === y);
    return plans.length && plans.every(same) ? [Object.assign(longest, {name: 'planned', colour: PLANNED})] : plans;
  }

  function stagePoint(stage, figure, name) {
    const [y, min, max, low, high] = stage.figures[figure];
    const note = stage.why ? 'Not sustained: ' + stage.why + '.' : undefined;
    return Object.assign({x: name(stage), y, hollow: !stage.held, note}, min < max ? {min, max, low, high} : {});
  }

  function bare({x, y}) {
    return {x, y};
  }

  // ---- searches ---------------------------------------------------------------

  // Rates that held and those that did not; brief steps are small.
  function search(data, found) {
    const missed = (s) => s.holds === false;
    const kinds = [['held', (s) => s.holds && !s.brief], ['did not hold', (s) => missed(s) && !s.brief],
      ['brief, held', (s) => s.holds && s.brief], ['brief, did not hold', (s) => missed(s) && s.brief],
      ['not judged', (s) => s.holds === null]];
    const point = (s) => ({x: s.step, y: s.rate, note: s.note, hollow: !s.holds});
    const series = kinds.map(([name, wanted], k) => ({name, colour: k % 2, faint: k > 1,
      points: found.steps.filter(wanted).map(point)})).filter((s) => s.points.length);
    const rates = found.steps.map((s) => s.rate);
    const last = found.steps.length;
    const answer = found.held === null ? [] : [{name: 'highest rate that held', colour: PLANNED, line: true,
      points: [1, last].map((x) => ({x, y: found.held}))}];
    return {
      title: 'Rates that were tried', summary: 'Run ' + found.run, kind: 'points',
      x: {title: 'Step', scale: 'linear', min: 0.5, max: last + 0.5, ticks: SbConfig.whole(1, last)},
      y: {title: 'Rate', unit: 'tx/s', decimals: 1, scale: Math.max(...rates) > 4 * Math.min(...rates) ? 'log' : 'linear'},
      series: series.concat(answer)
    };
  }

  // ---- outages ----------------------------------------------------------------

  const RATES = [['offered_tps', 'offered'], ['tps', 'done'], ['errors_per_s', 'errors']];
  const LATENESS = [['oldest_ms', 'oldest start that is not done'], ['lag_p99_ms', 'lag of what was done, 99th percentile']];

  // Moments have numbers in the plot; their words stand below it.
  function outage(found) {
    const [min, max] = found.window;
    const bands = found.spans.filter(([a, b]) => a <= max && b >= min).map(([x, x2]) => ({x: Math.max(x, min), x2: Math.min(x2, max)}));
    const numbers = found.moments.map((m, i) => ({x: m.x, text: String(i + 1)}));
    const chart = (title, y, parts) => ({
      title, kind: 'line', summary: 'Run ' + found.run,
      x: {title: 'Time', unit: 's', scale: 'linear', min, max, ticks: SbConfig.times(min, max)},
      y: Object.assign({scale: 'linear', zero: true}, y), marks: bands.concat(numbers),
      series: parts.filter(([figure]) => found.figures[figure]).map(([figure, name]) => ({
        name, points: found.seconds.map((s, i) => ({x: s, y: found.figures[figure][i]}))}))
    });
    return [chart('Offered, done and failed', {title: 'Rate', unit: 'per s', decimals: 1}, RATES),
      chart('Lateness', {title: 'Lateness', unit: 'ms', decimals: 1}, LATENESS)];
  }

  function listed(found) {
    return found.moments.map((m) => SbConfig.format(m.x) + ' s: ' + m.text);
  }

  // ---- stages behind a timeline -----------------------------------------------

  // Every other one is shaded; a text above the plot where there is room for it, in the colour of
  // warnings if the stage was not sustained.
  function bands(list) {
    return (chart, paint) => {
      const pen = chart.ctx;
      pen.save();
      pen.font = '12px ' + paint('font');
      list.forEach((stage, i) => band(chart, paint, stage, i));
      pen.restore();
    };
  }

  function band(chart, paint, stage, i) {
    const {top, bottom, left, right} = chart.chartArea;
    const pen = chart.ctx;
    const [from, to] = [stage.x, stage.x2].map((x) => Math.min(Math.max(chart.scales.x.getPixelForValue(x), left), right));
    pen.fillStyle = paint('ink');
    pen.globalAlpha = i % 2 ? 0.07 : 0;
    pen.fillRect(from, top, to - from, bottom - top);
    pen.globalAlpha = 1;
    pen.fillStyle = paint('grid');
    pen.fillRect(from, top, 1, bottom - top);
    pen.fillStyle = paint(stage.held === false ? 'warn' : 'muted');
    const fits = [stage.text, String(i + 1)].find((t) => pen.measureText(t).width + 4 <= to - from);
    if (fits) {
      pen.fillText(fits, (from + to - pen.measureText(fits).width) / 2, top - 5);
    }
  }

  // Runs of the same plan have the same stages; those of searches have steps of their own.
  function shared(timelines) {
    const texts = timelines.map((t) => t.stages.map((s) => s.text));
    return timelines.length && texts[0].length && sameTexts(texts) ? timelines[0].stages : null;
  }

  root.LabEvents = {PLANNED, bands, levels, listed, outage, search, shared, stages};
})(window);
