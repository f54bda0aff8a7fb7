// SPDX-License-Identifier: GPL-2.0-or-later
//
// The live page of --metrics-listen: asks for /live.json once a second, and shows the last report as
// numbers and tables, the last minutes as charts, and the marks.  The same page with a run inside it,
// the lines of jsonl, is --report-file=run.html: it shows that run, asks for nothing, and its numbers
// are those of the whole run.
//
//     {"last": 42, "figures": ["number", "warmup", "elapsed_s", ...], "rows": [[42, false, 12.0, ...]],
//      "report": {"elapsed_s": 42, ..., "latency": {...}, "missing": {...}}, "phases": [], "stages": [],
//      "marks": [{"wall_time_unix_s": ..., "source": "page", "text": "..."}], "state": "running", ...}
//
// Tables are made of whatever the report has, by the names of its figures (docs/figures.md): a figure
// that is new to the program is in them, too.
//
// Each answer has only the rows after the last one that the page knows.  All texts come from the
// run's command line, scripts and marks, so they are set as text, never as HTML.
(function () {
  'use strict';

  const KEEP_S = 600;
  const POLL_MS = 1000;
  const MARKS_SHOWN = 20;
  const LABEL_LENGTH = 24;
  const el = (id) => document.getElementById(id);

  const view = {rows: [], marks: [], last: 0, decimals: 0, paused: false, doc: null, report: {}, charts: new Map(),
    blocks: new Map(), timer: 0};

  // ---- figures --------------------------------------------------------------

  function digits(value) {
    if (value === null || value === undefined) {
      return 'n/a';
    }
    if (value === 0) {
      return '0';
    }
    const size = Math.abs(value);
    return size < 0.1 ? value.toPrecision(3) : value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 3);
  }

  function count(value) {
    return value === null || value === undefined ? 'n/a' : String(value);
  }

  function ms(seconds) {
    return seconds === null || seconds === undefined ? null : seconds * 1000;
  }

  function sum(a, b) {
    return a === null || b === null || a === undefined || b === undefined ? null : a + b;
  }

  const known = (value) => value !== null && value !== undefined;

  function has(name) { // in an interval, or in the report
    return view.rows.concat(view.report).some((r) => known(r[name]));
  }

  const hasRate = () => has('rate.target_per_s') || has('rate.offered');
  const whole = () => view.report.kind === 'summary';
  const sinceCheckpoint = () => whole() && view.report.interval_s < 0.99 * view.report.elapsed_s;
  const response = () => (hasRate() ? 'Response time' : 'Latency');

  // Was as much done as was due in the time of this row?  What is on its way at the end of an interval is not behind:
  // that takes starts that were late, too.  Of the whole run the verdict tells.
  function heldWord(row) {
    if (whole()) {
      return {true: 'held', false: 'not held'}[(view.doc.verdict || {}).sustained] || '';
    }
    const due = row['rate.offered'];
    if (due === null || due === undefined || !row.interval_s) {
      return '';
    }
    const missing = due - row.transactions_per_s * row.interval_s;
    return missing > Math.max(1, 0.01 * due) && row['rate.late'] > 0 ? 'behind' : 'held';
  }

  // [title, value, what is below it, 'held', 'not held' or 'behind']; null is left out.
  function tiles(row) {
    const rate = hasRate();
    const target = row['rate.target_per_s'];
    const aimed = rate && known(target) && !sinceCheckpoint(); // the target is that of the whole run
    const word = aimed ? heldWord(row) : '';
    const mixed = row['find.steps'] !== undefined; // a search has times of many rates
    const time = (title, name, below) => [title, digits(ms(row[name])) + few(name, row) + ' ms',
      [few(name, row) && '* the slowest of ' + samplesOf(name, row), below].filter(Boolean).join(', ')];
    const cpu = (who) => sum(row[who + '.cpu_user_pct'], row[who + '.cpu_system_pct']);
    return [
      ['Transactions', digits(row.transactions_per_s) + '/s',
        aimed ? (word && word + ', ') + 'target ' + digits(target) + '/s' : '', word],
      row['total.reads'] + row['total.writes'] + row['total.other'] > 0 && ['Queries', digits(row.queries_per_s) + '/s', ''],
      !mixed && time(response() + ' p50', 'latency.p50_s', 'of ' + count(row['latency.samples'])),
      !mixed && time(response() + ' p95', 'latency.p95_s'),
      !mixed && time(response() + ' p99', 'latency.p99_s', 'maximum ' + digits(ms(row['latency.max_s']))),
      rate && !mixed && time('Lag p99', 'rate.lag_p99_s', 'late starts: ' + count(row['rate.late'])),
      rate && ['Unfinished', count(row['rate.unfinished']),
        'failed ' + count(row['rate.failed']) + ', dropped ' + count(row['rate.dropped'])],
      ['Ignored errors', count(row.errors), (row.failed ? 'failed transactions ' + count(row.failed) + ', ' : '') +
        'reconnects ' + count(row.reconnects)],
      has('server.cpu_user_pct') && ['Server CPU', digits(cpu('server')) + ' %',
        'usr ' + digits(row['server.cpu_user_pct']) + ', sys ' + digits(row['server.cpu_system_pct'])],
      has('client.cpu_user_pct') && ['Client CPU', digits(cpu('client')) + ' %', 'of the whole system'],
      has('client.machine_others_pct') && ["Others' CPU", digits(row['client.machine_others_pct']) + ' %',
        'stolen ' + digits(row['client.machine_stolen_pct']) + ' %'],
      has('server_status.other_sessions_active') && ['Other sessions', digits(row['server_status.other_sessions_active']),
        'active, of ' + count(row['server_status.other_sessions']) + (row['server_status.other_statements'] ?
          ', ' + count(row['server_status.other_statements']) + ' statements or more' : '')],
      has('server_status.lock_waited_s') && ['Waited for locks', digits(row['server_status.lock_waited_s']) + ' s',
        row['server_status.lock_waited_for_others_s'] ? digits(row['server_status.lock_waited_for_others_s']) +
          ' s for ' + row['server_status.lock_blocker'] : ''],
      !whole() && ['Clients', count(row.threads_running), '']
    ].filter(Boolean);
  }

  // "3 load hosts, without rank 1 (load2, lost)"; nothing with one.
  function loadHosts(ranks) {
    const without = ranks.filter((r) => known(r.lost_after_s) || r.figures_missing)
      .map((r) => 'rank ' + r.rank + ' (' + (r.host ? r.host + ', ' : '') + (known(r.lost_after_s) ? 'lost' : 'late') + ')');
    return ranks.length === 0 ? '' : ranks.length + ' load hosts' +
      (without.length ? ', without ' + without.join(', ') : '');
  }

  function showFigures() {
    const row = view.report;
    el('last-title').textContent = !whole() ? 'Last interval' :
      sinceCheckpoint() ? 'Since the last checkpoint' : 'The whole run';
    el('blocks-title').textContent = whole() ? 'All figures of the run' : 'All figures of the last interval';
    el('figures').replaceChildren(...(known(row.interval_s) ? tiles(row) : []).map(([title, value, below, word]) => {
      const tile = document.createElement('div');
      tile.dataset.word = word || '';
      const dt = document.createElement('dt');
      const dd = document.createElement('dd');
      const small = document.createElement('small');
      dt.textContent = title;
      small.textContent = below;
      dd.append(value, small);
      tile.append(dt, dd);
      return tile;
    }));
    const missing = (view.doc.report || {}).missing || {};
    const why = missing['server.cpu_user_pct'] || missing.server;
    el('missing').textContent = (why && !why.startsWith('not asked') ? 'Server CPU: n/a (' + why + ') ' : '') +
      (view.doc.recorded && !view.rows.length ? 'No charts over time: the run had no --report-interval.' : '');
    el('hosts').textContent = loadHosts(row.ranks || []);
  }

  // ---- tables ----------------------------------------------------------------

  const TITLES = {load: 'Load', total: 'Since measuring began', threads: 'Threads', client: 'Load generator',
    host: "The server's machine", hosts: 'Database hosts', ranks: 'Load hosts', find: 'Highest rate',
    phases: 'Between marks', stages: 'Stages of the rate',
    statements: 'Statements by kind', profile: 'Server profile', environment: 'Machine and server'};
  const FIRST = ['find', 'stages', 'phases', 'outages', 'statements', 'hosts', 'commands']; // the others are folded
  const ELSEWHERE = ['errors_by_code', 'incidents', 'missing', 'at_least', 'labels', 'kind', 'wall_time_unix_s'];
  // of stages and phases; the other figures are folded
  const COMPARED = new RegExp('^(interval_s|transactions|transactions_per_s|failed|errors|' +
    'latency\\.(samples|p[\\d_]+_s|max_s)|rate\\.(target_per_s|offered|dropped|unfinished|late|lag_p99_s|service_p99_s)|' +
    '(server|client)\\.(cpu_user_pct|cpu_system_pct|cpu_s_per_transaction|switches_per_transaction)|' +
    'client\\.machine_.*|host\\.(cpu_.*|context_switches_per_s)|server_(events|status)\\..*_per_transaction)$');

  // {latency: {p50_s: 1}} -> {'latency.p50_s': 1}, the names of the figures
  function flat(object, before, row) {
    Object.entries(object).forEach(([name, value]) => {
      if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
        flat(value, before + name + '.', row);
      } else {
        row[before + name] = value;
      }
    });
    return row;
  }

  const without = (object, names) => Object.fromEntries(Object.entries(object).filter(([n]) => !names.includes(n)));

  const percentile = (name) => /^(.*?)p(\d[\d_]*)_s$/.exec(name);

  function samplesOf(name, row) {
    const [, before] = percentile(name);
    return known(row[before + 'samples']) ? row[before + 'samples'] : row[before + 'count'];
  }

  // '*': a percentile of fewer samples than it needs is their maximum
  function few(name, row) {
    const p = percentile(name);
    const n = p && known(row[name]) ? samplesOf(name, row) : 0;
    return n > 0 && p[2] !== '100' && n < 100 / (100 - Number(p[2].replace('_', '.'))) ? '*' : '';
  }

  function shown(value) {
    if (Array.isArray(value)) { // marks, files, the figures of a step of a search
      return value.map((v) => (v === null || typeof v !== 'object' ? shown(v) : !v.name ? v.text :
        v.name + ' ' + (v.unit === 's' ? digits(ms(v.value)) + ' ms' : digits(v.value) + ' ' + v.unit))).join(', ');
    }
    return typeof value === 'number' ? (Number.isInteger(value) ? String(value) : digits(value)) :
      typeof value === 'boolean' ? (value ? 'yes' : 'no') : known(value) ? value : 'n/a';
  }

  // names that are the server's own, or the user's
  const OWN = /^(server_events|server_status|environment)\./;

  // A figure of these records: its name in words with its unit, without that of its part, and its values as text.
  // 'cpu_s_per_transaction' -> 'cpu, us per transaction'
  function column(name, records, part) {
    const words = (text) => text.replace(/[_.]/g, ' ').replace(/p(\d+) (\d+)$/, 'p$1.$2');
    const [, stem, unit, per] = /^(.*?)(_s|_pct|_bytes|_hz|_w|_j)?(_per_s|_per_transaction)?$/.exec(name.slice(part.length));
    const values = records.map((r) => r[name]);
    const most = Math.max(...values.map((v) => (typeof v === 'number' ? Math.abs(v) : 0)));
    const [written, factor] = OWN.test(name) ? ['', 1] :
      unit === '_s' && most > 0 && most < 1 ? (most < 1e-3 ? ['us', 1e6] : ['ms', 1e3]) :
        unit === '_bytes' && most >= 2 ** 20 ? ['MiB', 2 ** -20] :
          [{_s: 's', _pct: '%', _bytes: 'bytes', _hz: 'Hz', _w: 'W', _j: 'J'}[unit] || '', 1];
    const label = OWN.test(name) ? name.slice(part.length).replace('.', ': ') : words(stem) + (written && ', ' + written) + words(per || '');
    const least = (view.doc.report.at_least || {})[name];
    const texts = values.some((v) => typeof v === 'string'); // nothing to tell is not a figure that is missing
    return {label: label + (least ? ', at least' : ''), name, empty: !values.some(known),
      texts: values.map((v, i) => (texts && !known(v) ? '' : shown(typeof v === 'number' ? v * factor : v) + few(name, records[i])))};
  }

  function node(tag, ...children) {
    const made = document.createElement(tag);
    made.append(...children);
    return made;
  }

  // Cells of a row; the first one is its heading.
  function tableRow(cells, scope) {
    return node('tr', ...cells.map((text, i) => {
      const cell = node(i && scope === 'row' ? 'td' : 'th', text);
      cell.className = text === 'text' || text.length > LABEL_LENGTH ? 'words' : '';
      if (cell.setAttribute && (scope === 'col' || i === 0)) {
        cell.setAttribute('scope', scope);
      }
      return cell;
    }));
  }

  function table(label, head, rows) {
    const place = node('div', node('table', ...(head ? [node('thead', tableRow(head, 'col'))] : []),
      node('tbody', ...rows.map((r) => tableRow(r, 'row')))));
    place.className = 'sb-scroll';
    Object.entries({tabindex: '0', role: 'group', 'aria-label': label}).forEach((a) => place.setAttribute(...a));
    return place;
  }

  const note = (text) => Object.assign(node('p', text), {className: 'note'});

  // A list: a row each.  With `heads`, a column each, and of two the change.
  function grid(label, records, heads, wanted, part = '') {
    const names = [...new Set(records.flatMap((r) => Object.keys(r)))].filter(wanted)
      .sort((a, b) => (a === 'text') - (b === 'text')); // it may be long
    const columns = names.map((n) => column(n, records, part)).filter((c) => !c.empty);
    const change = heads && heads.length === 2;
    const changed = ([a, b]) => (a > 0 && typeof b === 'number' ? (b < a ? '' : '+') + (100 * (b / a - 1)).toFixed(1) + '\u00a0%' : '');
    const rows = heads ? columns.map((c) => [c.label, ...c.texts, ...(change ? [changed(records.map((r) => r[c.name]))] : [])]) :
      records.map((r, i) => columns.map((c) => c.texts[i]));
    const stars = columns.some((c) => c.texts.some((t) => t.endsWith('*')));
    return [rows.length ? table(label, heads ? heads[0] && ['Figure', ...heads, ...(change ? ['Change'] : [])] :
      columns.map((c) => c.label), rows) : '',
    stars ? note('* of fewer samples than this percentile needs: the slowest of them') : ''];
  }

  function folded(title, fill) {
    const place = node('div');
    const details = node('details', node('summary', title), place);
    const self = {details, fill: () => details.open && place.replaceChildren(...self.made())};
    self.made = fill;
    details.addEventListener('toggle', () => self.fill());
    return self;
  }

  const all = () => true;

  // Why figures of this part are missing, a line for each reason.
  function reasons(missing, part) {
    const by = {};
    Object.entries(missing || {}).filter(([name]) => name.startsWith(part)).forEach(([name, why]) => {
      by[why] = (by[why] || []).concat(name.slice(part.length));
    });
    return Object.entries(by).map(([why, names]) => note('n/a: ' + names.join(', ') + ' (' + why + ')'));
  }

  // One part of the report: an object, a list of records, or a list of parts of the run.
  function content(name, value) {
    if (Array.isArray(value) && value[0].figures && !Array.isArray(value[0].figures)) {
      const held = (v) => (known(v.sustained) ? v.sustained ? '; held' : '; not held' : v.why ? '; not known' : '');
      const said = value.map((v, i) => node('p', (i + 1) + ': ' + digits(v.begin_s) + ' to ' + digits(v.end_s) + ' s' +
        (v.text ? ', ' + v.text : '') + (v.marks && v.marks.length ? ', after ' + shown(v.marks) : '') + held(v) + because(v)));
      const heads = value.map((v, i) => String(i + 1));
      const records = value.map((v) => flat(without(v.figures, ELSEWHERE), '', {}));
      const more = folded('All figures', () => grid(title(name) + ', all', records, heads, all));
      return [name === 'phases' ? note('Whole intervals, without those in which a mark came.') : '',
        ...said, ...grid(title(name), records, heads, (n) => COMPARED.test(n)), more.details];
    }
    if (Array.isArray(value)) {
      return grid(title(name), value.map((v) => flat(v, '', {})), null, all);
    }
    const own = flat(without(value, ['missing']), '', {});
    const lists = Object.keys(own).filter((n) => Array.isArray(own[n]) && own[n][0] && typeof own[n][0] === 'object');
    const part = name === 'load' ? '' : name + '.';
    const made = grid(title(name), [flat(without(own, lists), part, {})], [''], all, part);
    return made.concat(lists.flatMap((n) => content(n, own[n])),
      part ? reasons(value.missing || view.doc.report.missing, value.missing ? '' : part) : []);
  }

  const title = (name) => TITLES[name] || (name[0].toUpperCase() + name.slice(1)).replaceAll('_', ' ');

  function showBlocks() {
    const {report = {}, stages, phases, checkpoints, commands, profile, environment} = view.doc;
    const parts = Object.assign({load: {}}, without(report, ELSEWHERE), {stages, phases, checkpoints, commands, profile, environment});
    Object.entries(parts).forEach(([name, value]) => {
      if (known(value) && typeof value !== 'object') {
        parts.load[name] = value;
        delete parts[name];
      }
    });
    const place = (n) => (FIRST.includes(n) ? FIRST.indexOf(n) : FIRST.length);
    const names = Object.keys(parts).filter((n) => parts[n] && Object.keys(parts[n]).length)
      .sort((a, b) => place(a) - place(b));
    names.forEach((n) => {
      if (!view.blocks.has(n)) {
        view.blocks.set(n, folded(title(n)));
        view.blocks.get(n).details.open = FIRST.includes(n);
      }
      view.blocks.get(n).made = () => content(n, parts[n]);
      view.blocks.get(n).fill();
    });
    if (names.join() !== view.blockNames) { // what is being read stays where it is
      view.blockNames = names.join();
      el('blocks').replaceChildren(...names.map((n) => view.blocks.get(n).details));
    }
    el('reasons').replaceChildren(...reasons(Object.fromEntries(Object.entries(report.missing || {})
      .filter(([n]) => !n.includes('.'))), ''));
  }

  // ---- charts ---------------------------------------------------------------

  // Seconds since measuring began, by the wall clock; in the warm-up, since that began.
  function origin() {
    const row = view.rows.filter((r) => !r.warmup).pop() || view.rows[view.rows.length - 1];
    return row.wall_time_unix_s - row.elapsed_s;
  }

  // 1:05, or 1:05.2 when reports come more often than once a second, and of what happens in between.
  function clock(seconds, decimals = view.decimals) {
    const scale = Math.pow(10, decimals);
    const s = Math.round(Math.abs(seconds) * scale) / scale;
    const rest = (s % 60).toFixed(decimals).padStart(decimals ? 4 : 2, '0');
    return (seconds < 0 && s ? '-' : '') + Math.floor(s / 60) + ':' + rest;
  }

  // Name, title, axis, and series: [name, value of a row, the percentile that it is].
  const CHARTS = [
    ['tps', 'Throughput', {title: 'Throughput', unit: 'tx/s', zero: true, decimals: 1}, () => true,
      [['Transactions', (r) => r.transactions_per_s], ['Target', (r) => r['rate.target_per_s']]]],
    ['latency', 'Response time', {title: 'Response time', unit: 'ms', zero: true, decimals: 3}, () => true,
      [['p50', (r) => ms(r['latency.p50_s']), 'latency.p50_s'], ['p95', (r) => ms(r['latency.p95_s']), 'latency.p95_s'],
        ['p99', (r) => ms(r['latency.p99_s']), 'latency.p99_s']]],
    ['lag', 'Lag', {title: 'Lag', unit: 'ms', zero: true, decimals: 3}, hasRate,
      [['p50', (r) => ms(r['rate.lag_p50_s']), 'rate.lag_p50_s'], ['p99', (r) => ms(r['rate.lag_p99_s']), 'rate.lag_p99_s']]],
    ['cpu', 'CPU', {title: 'CPU, of the whole system', unit: '%', zero: true, decimals: 1},
      () => has('server.cpu_user_pct') || has('client.cpu_user_pct'),
      [['Server, user', (r) => r['server.cpu_user_pct']], ['Server, system', (r) => r['server.cpu_system_pct']],
        ['Client', (r) => sum(r['client.cpu_user_pct'], r['client.cpu_system_pct'])],
        ['Others', (r) => r['client.machine_others_pct']],
        ['Stolen', (r) => r['client.machine_stolen_pct'] || null]]],
    ['cost', 'Server CPU per transaction', {title: 'Server CPU per transaction', unit: 'µs', zero: true, decimals: 1},
      () => has('server.cpu_s_per_transaction'), [['Server', (r) => ms(ms(r['server.cpu_s_per_transaction']))]]]
  ];

  function short(text) {
    return text.length > LABEL_LENGTH ? text.slice(0, LABEL_LENGTH - 1) + '…' : text;
  }

  // A band over the part that enters no result.
  function warmup(start, from) {
    const rows = view.rows.filter((r) => r.warmup);
    const end = rows.length && rows[rows.length - 1].wall_time_unix_s - start;
    return rows.length && end > from ? [{x: from, x2: Math.min(end, 0) || end, text: 'warm-up'}] : [];
  }

  function specOf([, title, y, , series], start, from, to) {
    const rows = view.rows.filter((r) => r.wall_time_unix_s - start >= from);
    const at = (r) => Math.round((r.wall_time_unix_s - start) * 1000) / 1000;
    return {
      title: title === 'Response time' ? response() : title,
      kind: 'line',
      x: {title: 'Time', format: clock, min: from, max: to, ticks: window.SbConfig.times(from, to, view.decimals ? 0.1 : 1)},
      y,
      series: series.map(([name, value, figure]) => ({name, points: rows.map((r) => Object.assign({x: at(r), y: value(r)},
        figure && few(figure, r) ? {few: true, note: 'the slowest of ' + samplesOf(figure, r)} : {}))}))
        .filter((s) => s.points.some((p) => p.y !== null && p.y !== undefined)),
      marks: warmup(start, from).concat(view.marks.map((m) => ({x: m.wall_time_unix_s - start, text: short(m.text)}))
        .filter((m) => m.x >= from && m.x <= to))
    };
  }

  function host(title) {
    const section = document.createElement('section');
    const heading = document.createElement('h2');
    const place = document.createElement('div');
    heading.textContent = title;
    section.append(heading, place);
    el('charts').append(section);
    return {section, place, heading};
  }

  // The part of time that is shown: it begins where the first interval did.
  function span(start) {
    const {wall_time_unix_s: first, interval_s: interval} = view.rows[0];
    const to = view.rows[view.rows.length - 1].wall_time_unix_s - start;
    const from = Math.max(to - Number(el('window').value), first - (interval || 0) - start);
    return [from, Math.max(to, from + 1)];
  }

  function showCharts() {
    if (!view.rows.length) {
      return;
    }
    const start = origin();
    const [from, to] = span(start);
    CHARTS.forEach((c) => {
      const spec = specOf(c, start, from, to);
      const known = view.charts.get(c[0]);
      if (!c[3]() || !spec.series.length) {
        dropChart(c[0], known);
      } else if (known) {
        known.heading.textContent = spec.title;
        known.chart.update(spec);
      } else {
        const made = host(spec.title);
        view.charts.set(c[0], Object.assign(made, {chart: window.SbChart.draw(made.place, spec)}));
      }
    });
  }

  // Time by percentile, of the histograms of a run: four points from one halving of the rest to the next.
  function byPercentile({samples, buckets}) {
    let sum = 0;
    let next = 0;
    return buckets.flatMap(([, high, n], i) => {
      sum += n;
      const last = i === buckets.length - 1;
      const q = last ? 1 - 0.5 / samples : sum / samples;
      if (!last && Math.log2(1 / (1 - q)) < next) {
        return [];
      }
      next = Math.log2(1 / (1 - q)) + 0.25;
      return [{x: q, y: high / 1e6}];
    });
  }

  function showPercentiles(histograms) {
    const series = Object.entries(histograms || {}).filter(([, h]) => h.samples > 0)
      .map(([name, h]) => ({name: name[0].toUpperCase() + name.slice(1), points: byPercentile(h)}));
    if (series.length) {
      const made = host('Time by percentile, of the whole run');
      window.SbChart.draw(made.place, {title: 'Time by percentile', kind: 'line', x: {title: 'Percentile', scale: 'percentile'},
        y: {title: 'Time', unit: 'ms', scale: 'log', decimals: 3}, series});
    }
  }

  // The run that had its figures is over, and the one that is shown now has none of them.
  function dropChart(name, known) {
    if (known) {
      known.chart.destroy();
      known.section.remove();
      view.charts.delete(name);
    }
  }

  // ---- the run and its marks ------------------------------------------------

  function setState(state, text) {
    const line = el('state');
    line.dataset.state = state;
    if (line.textContent !== text) { // a screen reader reads each change
      line.textContent = text;
    }
  }

  const because = ({sustained, why}) => !why ? '' : (!sustained ? ': ' : why.startsWith('after ') ? ', ' : ', but ') + why;

  // "no: all clients were busy", "no, since stage 2: ...", "yes, after a backlog", "yes, but the server waited", "not known: ...",
  // as the text report has it; '' without a rate
  function verdictText(verdict) {
    const word = verdict && (known(verdict.sustained) ? (verdict.sustained ? 'yes' : 'no') : verdict.why && 'not known');
    return word ? word + (verdict.since_stage ? ', since stage ' + verdict.since_stage : '') + because(verdict) : '';
  }

  // What --tx-find has found, which is no verdict on a rate; '' without
  function answerOf(verdict) {
    const why = known(view.report['find.result']) && verdict && verdict.why || '';
    return why.startsWith('highest rate that held: ') ? why.slice(24) : why;
  }

  // "Running: 12 s of 60 s, 48 s left"; "Ended: completed. Rate sustained: yes"
  function stateText(doc) {
    const row = view.rows.filter((r) => !r.warmup).pop();
    const found = doc.end && answerOf(doc.verdict);
    if (found) {
      return 'Ended: ' + doc.end.status + '. Highest rate: ' + found;
    }
    if (doc.end) {
      return 'Ended: ' + doc.end.status + (verdictText(doc.verdict) && '. Rate sustained: ' + verdictText(doc.verdict));
    }
    const passed = row ? Math.round(row.elapsed_s) : 0;
    const limit = doc.time_limit_s;
    return ({starting: 'Starting: clients connect', 'warming up': 'Warming up', running: 'Running',
      ending: 'Ending'}[doc.state] || doc.state) + (doc.state !== 'running' || !row ? '' : ': ' + passed + ' s' +
      (limit ? ' of ' + limit + ' s, ' + Math.max(limit - passed, 0) + ' s left' : ''));
  }

  const timeOf = (date) => date.toLocaleTimeString([], {timeStyle: 'long'}); // with its zone

  // What colour the line has: good unless the rate was missed, there is a "but", or the run did not end well.
  function stateKind(doc) {
    const bad = doc.end && (doc.end.status !== 'completed' ||
      /^no|^yes, (but|after)/.test(answerOf(doc.verdict) || verdictText(doc.verdict)));
    return bad ? 'missed' : doc.end ? 'held' : doc.state;
  }

  function showRun(doc) {
    const labels = Object.entries(doc.labels);
    const others = labels.filter(([k]) => k !== 'lab_cell' && k !== 'lab_progress');
    el('title').textContent = doc.test;
    document.title = doc.test + ' - sysbench';
    const start = new Date(doc.start_time_unix_s * 1000);
    el('about').textContent = [view.report['server.name'], ...(doc.machine || []),
      doc.end ? start.toLocaleString([], {dateStyle: 'medium', timeStyle: 'long'}) : 'since ' + timeOf(start),
      ...others.map(([k, v]) => k + '=' + v)].filter(Boolean).join(' · ');
    setState(stateKind(doc), stateText(doc));
    showLab(doc.labels);
    el('mark').hidden = !doc.may_mark;
    if (!doc.may_mark) {
      el('marked').textContent = 'This page is open to other hosts, so marks are set with --mark-on.';
    }
  }

  function showLab(labels) {
    const [done, all] = (labels.lab_progress || '').split('/').map(Number);
    const known = all > 0 && done >= 0;
    el('lab').hidden = !known && !labels.lab_cell;
    el('cell').textContent = labels.lab_cell || '';
    el('progress').hidden = el('progress-text').hidden = !known;
    if (known) {
      el('progress').max = all;
      el('progress').value = done;
      el('progress-text').textContent = 'Run ' + done + ' of ' + all;
    }
  }

  // Errors by code and what happened to the server and the machine, since measuring began.
  function showEvents(doc) {
    const errors = (doc.errors_by_code || []).map((e) => count(e.count) + ' × ' +
      [e.code || '', e.sqlstate && '(' + e.sqlstate + ')', e.class + ':', e.text,
        known(e.first_s) && '(first at ' + clock(e.first_s, 1) + ', last at ' + clock(e.last_s, 1) + ')'].filter(Boolean).join(' '));
    const incidents = (doc.incidents || []).map((i) => (/^(stall|jump)$/.test(i.kind) ? '' : clock(i.elapsed_s, 1) + ' ') + i.text);
    const failed = (doc.commands || []).filter((c) => c.exit_status || c.signal || c.error)
      .map((c) => 'Command FAILED: ' + (c.name || c.command) + ' (' + (c.error || (c.signal ? 'signal ' + c.signal : 'status ' + c.exit_status)) + ')');
    const texts = incidents.concat(failed, errors);
    el('happened').hidden = texts.length === 0;
    if (texts.join('\n') === view.events) {
      return;
    }
    view.events = texts.join('\n');
    el('events').replaceChildren(...texts.map((t) => {
      const item = document.createElement('li');
      item.textContent = t;
      return item;
    }));
  }

  function showMarks() {
    const start = view.rows.length ? origin() : 0;
    const list = view.doc.recorded ? view.marks : view.marks.slice(-MARKS_SHOWN).reverse();
    const texts = list.map((m) => (start ? clock(m.wall_time_unix_s - start, 1) : '') + ' ' + m.text);
    if (texts.join('\n') === view.listed) {
      return;
    }
    view.listed = texts.join('\n');
    if (!view.doc.recorded) {
      el('marks').setAttribute('reversed', '');
      el('marks').setAttribute('start', view.marksTotal);
    }
    el('marks').replaceChildren(...texts.map((t) => {
      const item = document.createElement('li');
      item.textContent = t;
      return item;
    }));
  }

  // ---- the data -------------------------------------------------------------

  // Another run on this port: its rows are numbered from 1 again, and the answer may lack the first.
  function forget() {
    view.charts.forEach((c) => c.chart.destroy());
    view.charts.clear();
    el('charts').replaceChildren();
    Object.assign(view, {rows: [], marks: [], last: 0, doc: null, report: {}});
  }

  function isOther(doc) {
    return view.doc !== null && doc.start_time_unix_s !== view.doc.start_time_unix_s;
  }

  function take(doc) {
    const known = view.rows.length ? view.rows[view.rows.length - 1].number : 0;
    doc.rows.forEach((values) => {
      const row = {};
      doc.figures.forEach((name, i) => { row[name] = values[i]; });
      if (row.number > known) {
        view.rows.push(row);
      }
    });
    const newest = view.rows.length ? view.rows[view.rows.length - 1].wall_time_unix_s : 0;
    view.rows = view.rows.filter((r) => r.wall_time_unix_s > newest - KEEP_S);
    const brief = view.rows.filter((r) => r.interval_s < 0.95).length;
    const decimals = brief > view.rows.length / 2 ? 1 : 0;
    Object.assign(view, {doc, report: flat(doc.report || {}, '', {}), last: Math.max(view.last, doc.last), marks: doc.marks, marksTotal: doc.marks_total, decimals});
  }

  function show() {
    showRun(view.doc);
    showFigures();
    showEvents(view.doc);
    showMarks();
    showCharts();
    showBlocks();
  }

  function again(delay) {
    clearTimeout(view.timer);
    view.timer = setTimeout(poll, delay);
  }

  function lost() {
    if (view.doc && view.doc.end) { // the end is known, and another run may follow
      return;
    }
    const since = view.lostAt || new Date();
    view.lostAt = since;
    setState('lost', 'No answer since ' + timeOf(since) +
      ': the run has ended, or the network is down. These are the last figures.');
  }

  async function poll() {
    try {
      const after = view.last;
      const answer = await fetch('live.json?after=' + after, {cache: 'no-store'});
      const doc = await answer.json();
      view.lostAt = null;
      if (isOther(doc) && view.paused) { // its charts replace those that are being looked at later
        again(POLL_MS);
        return;
      }
      if (isOther(doc)) {
        forget();
        again(0);
        return;
      }
      take(doc);
      if (view.paused) {
        setState(stateKind(doc), stateText(doc));
      } else if (!document.hidden) {
        show();
      }
      again(POLL_MS);
    } catch (e) {
      lost();
      again(POLL_MS);
    }
  }

  // ---- a run that is in the page ----------------------------------------------

  // An argument as a shell takes it.
  const quoted = (arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : "'" + arg.replaceAll("'", "'\\''") + "'");

  // The last line may have been cut off.
  function recorded(text) {
    const doc = {state: 'incomplete', report: {}, labels: {}, rows: [], figures: [], marks: [], phases: [], stages: [], checkpoints: [], commands: [],
      may_mark: false, end: {status: 'the file is not complete'}, recorded: true};
    text.split('\n').forEach((line) => {
      let d;
      try {
        d = JSON.parse(line);
      } catch (e) {
        return;
      }
      if (d.kind === 'run') {
        Object.assign(doc, {test: d.run.test, labels: d.run.labels, start_time_unix_s: d.run.wall_time_unix_s});
        el('command').textContent = d.run.command_line.map(quoted).join(' ');
      } else if (d.kind === 'environment') {
        const e = d.environment;
        doc.environment = e;
        doc.machine = [e['server.variable.version'] || e['server.variable.server_version'], e['host.cpu.model'],
          e['host.cpu.count'] && e['host.cpu.count'] + ' CPUs', e['host.memory_bytes'] &&
          Math.round(e['host.memory_bytes'] / 2 ** 30) + ' GiB'].filter(Boolean);
      } else if (d.kind === 'interval') {
        view.rows.push(Object.assign(flat(d, '', {}), {number: view.rows.length + 1, warmup: false}));
        doc.report = d;
      } else if (d.kind === 'checkpoint') {
        doc.checkpoints.push({begin_s: d.elapsed_s - d.interval_s, end_s: d.elapsed_s, figures: d});
      } else if (doc[d.kind + 's']) { // marks, phases, stages, commands
        const {kind, labels, ...record} = d;
        doc[kind + 's'].push(record);
      } else if (d.kind === 'incident') {
        (doc.incidents = doc.incidents || []).push(d);
      } else if (d.kind === 'profile' || d.kind === 'histograms') {
        doc[d.kind] = d[d.kind];
      } else if (d.kind === 'summary') {
        Object.assign(doc, {report: d, errors_by_code: d.errors_by_code, incidents: d.incidents || doc.incidents});
      } else if (d.kind === 'end') {
        Object.assign(doc, {verdict: d.verdict, end: d.end, state: 'ended'});
      }
    });
    return Object.assign(doc, {marks_total: doc.marks.length});
  }

  function showRecorded(text) {
    view.doc = recorded(text);
    Object.assign(view, {report: flat(view.doc.report || {}, '', {}), marks: view.doc.marks, marksTotal: view.doc.marks_total,
      decimals: view.rows.some((r) => r.interval_s < 0.95) ? 1 : 0});
    const all = new Option('the whole run', 'Infinity', true, true);
    el('window').prepend(all);
    el('window').value = 'Infinity';
    el('pause').hidden = el('mark').hidden = true;
    el('recorded').hidden = false;
    el('marking').hidden = view.marks.length === 0;
    show();
    showPercentiles(view.doc.histograms);
    el('marked').textContent = '';
  }

  // ---- controls -------------------------------------------------------------

  el('pause').addEventListener('click', () => {
    view.paused = !view.paused;
    el('pause').setAttribute('aria-pressed', String(view.paused));
    if (!view.paused && view.doc) {
      show();
    }
  });
  el('window').addEventListener('change', showCharts);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && !el('run')) {
      poll();
    }
  });
  el('mark').addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const answer = await fetch('mark', {method: 'POST', body: el('text').value});
      el('marked').textContent = (await answer.text()).trim();
      if (answer.ok) {
        el('text').value = '';
      }
    } catch (e) {
      el('marked').textContent = 'the program does not answer';
    }
    poll();
  });

  document.addEventListener('DOMContentLoaded', () => {
    if (el('run')) {
      showRecorded(el('run').textContent);
    } else {
      poll();
    }
  });
})();
