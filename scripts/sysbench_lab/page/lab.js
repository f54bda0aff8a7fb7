// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page of an experiment: fills its sections with charts, and its controls with choices.
//
// Each section that the element `data` has (see data.py) gets its charts and, when there is something
// to choose, selects: which figure, which level of the horizontal axis.  A section of page.html.j2
// with the class `plotted` that it has not hides, and so does its link.
(function () {
  'use strict';

  const {SbChart, SbConfig} = window;
  const data = JSON.parse(document.getElementById('data').textContent);
  const MOST_MARKS = 30; // that are listed

  function byId(id) {
    return document.getElementById(id);
  }

  function node(tag, text, name) {
    const made = document.createElement(tag);
    made.textContent = text || '';
    made.className = name || '';
    return made;
  }

  // ---- specs ------------------------------------------------------------------

  // What JSON has no words for: points of series that share their places, ticks, bands.
  function specOf(panel) {
    const {x, bands} = panel;
    const ticks = x.unit === 's' ? SbConfig.times(x.min, x.max) : x.whole ? SbConfig.whole(1, x.max) : undefined;
    const begins = new Set(panel.begins);
    const points = (s) => s.points || data.xs[s.xs].map((at, i) => ({x: at, y: s.ys[i], begins: begins.has(i)}));
    return Object.assign({}, panel, {x: Object.assign({ticks}, x),
      series: panel.series.map((s) => Object.assign({}, s, {points: points(s)}))},
    bands && bands.some((b) => b.text) ? {behind: (chart, paint) => drawBands(chart, paint, bands), headroom: 18} : {});
  }

  // Every other stage is shaded; a text above the plot where there is room for it, in the colour of
  // warnings if the stage was not sustained.
  function drawBands(chart, paint, bands) {
    const {top, bottom, left, right} = chart.chartArea;
    const pen = chart.ctx;
    pen.save();
    pen.font = '12px ' + paint('font');
    bands.forEach((band, i) => {
      const [from, to] = [band.x, band.x2].map((x) => Math.min(Math.max(chart.scales.x.getPixelForValue(x), left), right));
      pen.fillStyle = paint('ink');
      pen.globalAlpha = i % 2 ? 0.07 : 0;
      pen.fillRect(from, top, to - from, bottom - top);
      pen.globalAlpha = 1;
      pen.fillStyle = paint('grid');
      pen.fillRect(from, top, 1, bottom - top);
      pen.fillStyle = paint(band.held === false ? 'warn' : 'muted');
      const fits = [band.text, String(i + 1)].find((t) => pen.measureText(t).width + 4 <= to - from);
      if (fits) {
        pen.fillText(fits, (from + to - pen.measureText(fits).width) / 2, top - 5);
      }
    });
    pen.restore();
  }

  // ---- sections ---------------------------------------------------------------

  // A select in the section, when there is something to choose.
  function select(section, label, choices, chosen, changed) {
    if (!label || choices.length < 2) {
      return;
    }
    const made = document.createElement('select');
    choices.forEach(([value, text]) => made.append(new Option(text, value, false, value === chosen)));
    const around = document.createElement('label');
    around.append(label, made);
    section.querySelector('.controls').append(around);
    made.addEventListener('change', () => changed(choices[made.selectedIndex][0]));
  }

  // What is shown of a section: titles and panels.
  function panelsOf(about, choice) {
    const shown = about.beside ? about.charts : about.charts.filter((c) => c.level === choice.level);
    const names = [choice.figure].concat((about.below || []).filter((n) => n !== choice.figure));
    return shown.flatMap((c) => (about.every ? c.panels : names.map((n) => c.panels.find((p) => p.figure === n)))
      .filter(Boolean).map((panel) => [about.beside && shown.length > 1 ? c.title : about.every ? panel.head : '', panel]));
  }

  function draw(about) {
    const section = byId(about.id);
    const place = section.querySelector('.chart');
    const levels = about.charts.map((c) => c.level);
    const choice = {figure: about.first, level: levels.includes(about.start) ? about.start : levels[0]};
    const line = node('p', '', 'meaning');
    let charts = [];
    const show = () => {
      charts.forEach((chart) => chart.destroy());
      const found = panelsOf(about, choice);
      place.className = found.length > 1 ? 'panels' : '';
      place.replaceChildren(...found.map(([title]) => {
        const panel = node('div');
        panel.append(...(title ? [node('h3', title)] : []), node('div', '', 'chart'));
        return panel;
      }));
      charts = found.map(([, panel], i) => SbChart.draw(place.children[i].lastChild, specOf(panel)));
      line.textContent = found.length ? found[0][1].meaning || '' : '';
      said(section, about.charts.find((c) => c.level === choice.level));
    };
    const change = (name) => (value) => {
      choice[name] = value;
      show();
    };
    section.classList.toggle('wide', section.classList.contains('wide') || about.beside && about.charts.length > 1);
    select(section, about.level, about.charts.map((c) => [c.level, c.level]), choice.level, change('level'));
    select(section, about.figure, about.figures, choice.figure, change('figure'));
    section.querySelector('.controls').append(line);
    show();
  }

  // The texts of numbered marks, and sentences below the chart.
  function said(section, chart) {
    const [list, below] = ['.marks', '.meanwhile'].map((name) => section.querySelector(name));
    if (list && chart) {
      list.replaceChildren(...chart.listed.slice(0, MOST_MARKS).map((text) => node('li', text)));
    }
    if (below && chart) {
      below.textContent = chart.below.join(' ');
    }
  }

  function remove(id) {
    [byId(id), document.querySelector('nav a[href="#' + id + '"]')].forEach((e) => e && e.remove());
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
    const known = data.sections.filter((about) => byId(about.id));
    known.forEach(draw);
    document.querySelectorAll('.plotted').forEach((s) => known.some((about) => about.id === s.id) || remove(s.id));
    more();
  }
  unfold();
  printed();
})();
