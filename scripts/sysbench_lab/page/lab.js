// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page of an experiment: fills its sections with charts, and its controls with choices.
//
// Each section of page.html.j2 with the class `plotted` gets a chart and, when there is something to
// choose, selects: which figure, which level of the horizontal axis.  A section without data hides,
// and so does its link.  Reads the figures from the element `data`; see data.py.
(function () {
  'use strict';

  const {SbChart, LabCharts, LabEvents} = window;
  const data = JSON.parse(document.getElementById('data').textContent);
  const OVER_TIME = 'tps';
  const BELOW = ['errors_per_s', 'connections_away', 'lag_p99_ms']; // charts of their own over time
  const MOST_MARKS = 30; // that are listed

  function byId(id) {
    return document.getElementById(id);
  }

  // ---- controls ---------------------------------------------------------------

  // A select in the section, or null when there is nothing to choose.
  function select(section, label, choices, chosen, changed) {
    if (choices.length < 2) {
      return;
    }
    const made = document.createElement('select');
    choices.forEach(([value, text]) => made.append(new Option(text, value, false, value === chosen)));
    const around = document.createElement('label');
    around.append(label, made);
    section.querySelector('.controls').append(around);
    made.addEventListener('change', () => changed(choices[made.selectedIndex][0]));
  }

  function figureChoices(names) {
    return names.filter((n) => LabCharts.figureOf(data, n)).map((n) => [n, LabCharts.figureOf(data, n).title]);
  }

  function levelChoices() {
    return LabCharts.levels(data).map((x) => [x, String(x)]);
  }

  function meaning(section) {
    const line = document.createElement('p');
    line.className = 'meaning';
    section.querySelector('.controls').append(line);
    return (name) => {
      const text = LabCharts.figureOf(data, name).meaning;
      line.textContent = text[0].toUpperCase() + text.slice(1) + '.';
    };
  }

  // ---- sections ---------------------------------------------------------------

  // Charts whose specs depend on what was chosen, one for each of `works`; hides the section when none
  // has a point.
  function plot(id, choice, specOf, works = ['']) {
    const section = byId(id);
    const specs = works.map((_, work) => section && specOf(choice, work));
    if (!specs.some((spec) => spec && spec.series.some((s) => s.points.length))) {
      remove(id);
      return null;
    }
    const hosts = works.length > 1 ? panels(section, works) : [section.querySelector('.chart')];
    const charts = hosts.map((host, work) => SbChart.draw(host, specs[work]));
    return () => charts.forEach((chart, work) => chart.update(specOf(choice, work)));
  }

  function panels(section, works) {
    section.classList.add('wide');
    const all = works.map((name) => {
      const panel = document.createElement('div');
      const title = document.createElement('h3');
      const host = document.createElement('div');
      title.textContent = name;
      host.className = 'chart';
      panel.append(title, host);
      return panel;
    });
    const grid = document.createElement('div');
    grid.className = 'panels';
    grid.append(...all);
    section.querySelector('.chart').replaceWith(grid);
    return all.map((panel) => panel.lastChild);
  }

  // Without an axis all arms stand beside each other on one.
  function works() {
    return LabCharts.hasX(data) ? data.works : [''];
  }

  function remove(id) {
    [byId(id), document.querySelector('nav a[href="#' + id + '"]')].forEach((e) => e && e.remove());
  }

  function overX(id, names, first, specOf) {
    const choice = {figure: first};
    const redraw = plot(id, choice, (c, work) => specOf(data, c.figure, work), works());
    if (redraw) {
      figureSelect(byId(id), names, choice, redraw)(choice.figure);
    }
  }

  function figureSelect(section, names, choice, redraw) {
    let say = () => {};
    select(section, 'Figure', figureChoices(names), choice.figure, (name) => {
      choice.figure = name;
      say(name);
      redraw();
    });
    say = meaning(section);
    return say;
  }

  function levelSelect(section, choice, redraw) {
    select(section, data.x.title, levelChoices(), choice.level, (x) => {
      choice.level = x;
      redraw();
    });
  }

  // Sections that show one level of the axis: the last one at which every arm held the rate.
  function firstLevel() {
    const good = (x) => data.cells.filter((c) => c.x === x).every((c) => c.held && !c.flag);
    const all = LabCharts.levels(data);
    return all.filter(good).pop() || (all.length ? all[all.length - 1] : null);
  }

  // The figure that was chosen; below it errors and lateness, where a run has them.
  function timeline() {
    const names = [...new Set(data.timelines.flatMap((t) => Object.keys(t.figures)))].filter((n) => n !== 'target_tps');
    const choice = {figure: names.includes(OVER_TIME) ? OVER_TIME : names[0], level: firstLevel()};
    const more = moreOverTime(names, choice);
    const redraw = plot('timeline', choice, (c) => c.figure && listed(LabCharts.timeline(data, c.figure, c.level)));
    if (redraw) {
      const all = () => [redraw, ...more].forEach((draw) => draw());
      more.forEach((draw) => draw());
      levelSelect(byId('timeline'), choice, all);
      figureSelect(byId('timeline'), names, choice, redraw)(choice.figure);
    }
  }

  function moreOverTime(names, choice) {
    const section = document.querySelector('#timeline .pair');
    const wanted = section ? BELOW.filter((n) => names.includes(n) && (n !== 'lag_p99_ms' || eventful())) : [];
    return wanted.map((name) => {
      const host = document.createElement('div');
      host.className = 'chart';
      section.append(host);
      let chart = null;
      return () => {
        const spec = LabCharts.timeline(data, name, choice.level);
        host.hidden = !spec.series.length;
        if (!host.hidden) {
          chart = chart ? (chart.update(spec), chart) : SbChart.draw(host, spec);
        }
      };
    });
  }

  // Whether anything happened that makes transactions late.
  function eventful() {
    return data.outages.length || data.stages.length || data.timelines.some((t) => t.figures.errors_per_s);
  }

  function stages() {
    const choice = {figure: 'tps', level: firstOf(LabEvents.levels(data))};
    const redraw = plot('stages', choice, (c) => data.stages.length && LabEvents.stages(data, c.figure, c.level));
    if (redraw) {
      const names = [...new Set(data.stages.flatMap((s) => s.stages.flatMap((t) => Object.keys(t.figures))))];
      const section = byId('stages');
      select(section, data.x.title, LabEvents.levels(data).map((x) => [x, String(x)]), choice.level, (x) => {
        choice.level = x;
        redraw();
      });
      figureSelect(section, names.filter((n) => n !== 'target_tps' && data.figures[n]), choice, redraw)(choice.figure);
    }
  }

  function firstOf(levels) {
    return levels.includes(firstLevel()) ? firstLevel() : levels.length ? levels[0] : null;
  }

  function search() {
    if (!data.searches.length) { // no search came to a step: the table alone
      return;
    }
    const choice = {search: data.searches[0]};
    const redraw = plot('search', choice, (c) => LabEvents.search(data, c.search));
    if (redraw) {
      const runs = data.searches.map((s, i) => [i, String(s.run)]);
      select(byId('search'), 'Run', runs, 0, (i) => {
        choice.search = data.searches[i];
        redraw();
      });
    }
  }

  // Of one run: what it offered and did, and how late it was.
  function outages() {
    const section = byId('outages');
    if (!section || !data.outages.length) {
      remove('outages');
      return;
    }
    const hosts = [...section.querySelectorAll('.chart')];
    const charts = LabEvents.outage(data.outages[0]).map((spec, i) => SbChart.draw(hosts[i], spec));
    const show = (i) => {
      LabEvents.outage(data.outages[i]).forEach((spec, k) => {
        hosts[k].hidden = !spec.series.length; // without a rate nothing is late
        charts[k].update(spec);
      });
      items(section.querySelector('.marks'), LabEvents.listed(data.outages[i]));
      section.querySelector('.meanwhile').textContent = [data.outages[i].meanwhile, data.outages[i].missing].join(' ');
    };
    const names = data.outages.map((o, i) => [i, o.run + ', at ' + SbChart.format(o.begin) + ' s']);
    select(section, 'Run', names, 0, show);
    show(0);
  }

  function items(list, texts) {
    list.replaceChildren(...texts.map((text) => {
      const item = document.createElement('li');
      item.textContent = text;
      return item;
    }));
  }

  // The texts of the numbered marks, below the chart.
  function listed(spec) {
    items(byId('timeline').querySelector('.marks'), spec.listed.slice(0, MOST_MARKS));
    return spec;
  }

  function percentiles() {
    const choice = {level: firstLevel()};
    const redraw = plot('percentiles', choice, (c) => LabCharts.percentiles(data, c.level));
    if (redraw) {
      levelSelect(byId('percentiles'), choice, redraw);
    }
  }

  // ---- colours ----------------------------------------------------------------

  // Remembered where the browser allows it; a page from a file may have no storage.
  function remembered(value) {
    try {
      if (value !== undefined) {
        window.localStorage.setItem('sysbench-lab-scheme', value);
      }
      return window.localStorage.getItem('sysbench-lab-scheme') || '';
    } catch (e) {
      return value || '';
    }
  }

  function applyScheme(name) {
    if (name) {
      document.documentElement.dataset.theme = name;
    } else {
      delete document.documentElement.dataset.theme;
    }
  }

  function scheme() {
    const choice = byId('scheme');
    choice.parentElement.hidden = false;
    choice.value = remembered();
    applyScheme(choice.value);
    choice.addEventListener('change', () => applyScheme(remembered(choice.value)));
  }

  // What is folded up there is known when sections without data are gone.
  function more() {
    const titles = byId('more') ? [...byId('more').querySelectorAll('h2')].map((h) => h.textContent.toLowerCase()) : [];
    if (titles.length) {
      byId('more').querySelector('summary').textContent = 'More charts: ' + titles.join(', ');
    } else {
      remove('more');
    }
  }

  // Paper has no tips: there the list of words is open.
  function printed() {
    const words = byId('words');
    let before = false;
    window.addEventListener('beforeprint', () => { before = words.open; words.open = true; });
    window.addEventListener('afterprint', () => { words.open = before; });
  }

  // A link to what is folded up opens it.
  function unfold() {
    document.querySelectorAll('nav a').forEach((a) => a.addEventListener('click', () => {
      const place = document.querySelector(a.getAttribute('href'));
      const folded = place && (place.closest('details') || place.querySelector('details'));
      if (folded) {
        folded.open = true;
      }
    }));
  }

  scheme();
  if (SbChart.available) {
    data.groups.filter((g) => g.id !== 'cpu').forEach((g) => overX(g.id, g.figures, g.first, LabCharts.overX));
    if (byId('change')) {
      overX('change', data.change.figures, data.change.first, LabCharts.change);
    }
    plot('cpu', {}, (_, work) => LabCharts.cpu(data, work), works());
    stages();
    search();
    timeline();
    outages();
    percentiles();
    more();
  }
  unfold();
  printed();
})();
