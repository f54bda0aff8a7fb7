// SPDX-License-Identifier: GPL-2.0-or-later
//
// Zoom and search in a flame graph; profile/flame.c puts this file into the SVG.
//
// It reads the picture itself: place and width of a frame from its rectangle, its name from the
// tooltip, up to the last " (".  Without it the picture is complete, but does not move.
//
// Zoom: the frame that was clicked takes the whole width, and so do its callers, which turn pale.
// Frames that are neither above nor below it disappear.
// Search: frames whose name matches a regular expression turn magenta.  The status line shows
// their share of the weight; a match inside another match is not counted twice.
(function () {
  'use strict';

  var SIDE = 10; // left and right margin
  var LETTER = 6.65; // width of a letter
  var SLACK = 0.02; // coordinates are rounded to 0.01
  var MATCH = '#e060e0';

  function element(id) {
    return document.getElementById(id);
  }

  var svg = document.documentElement;
  var width = parseFloat(svg.getAttribute('width')) - 2 * SIDE;
  var statusLine = element('say');
  var resetButton = element('back');
  var searchButton = element('find');
  var zoomed = null;

  function readFrame(group) {
    var rect = group.querySelector('rect');
    var title = group.querySelector('title').textContent;
    return {
      group: group,
      rect: rect,
      label: group.querySelector('text'),
      title: title,
      name: title.slice(0, title.lastIndexOf(' (')),
      x: parseFloat(rect.getAttribute('x')) - SIDE,
      width: parseFloat(rect.getAttribute('width')),
      y: parseFloat(rect.getAttribute('y')),
      fill: rect.getAttribute('fill')
    };
  }

  var frames = [].map.call(element('frames').children, readFrame);

  // The part of a name that fits, '' for less than three letters.
  function shortened(name, room) {
    var letters = Math.floor((room - 5) / LETTER);
    if (letters < 3) {
      return '';
    }
    return name.length <= letters ? name : name.slice(0, letters - 2) + '..';
  }

  function place(frame, x, w, pale) {
    frame.group.setAttribute('class', pale ? 'low' : '');
    frame.rect.setAttribute('x', (SIDE + x).toFixed(2));
    frame.rect.setAttribute('width', w.toFixed(2));
    frame.label.setAttribute('x', (SIDE + x + 3).toFixed(1));
    frame.label.textContent = shortened(frame.name, w);
  }

  // `outer` spans the columns of `inner`.
  function spans(outer, inner) {
    return outer.x <= inner.x + SLACK && outer.x + outer.width >= inner.x + inner.width - SLACK;
  }

  // Makes `target` as wide as the picture; null: back to the beginning.
  function zoom(target) {
    zoomed = target;
    frames.forEach(function (frame) {
      if (!target) {
        place(frame, frame.x, frame.width, false);
      } else if (frame.y > target.y && spans(frame, target)) {
        place(frame, 0, width, true);
      } else if (frame.y <= target.y && spans(target, frame)) {
        place(
          frame,
          (frame.x - target.x) * width / target.width,
          frame.width * width / target.width,
          false
        );
      } else {
        frame.group.setAttribute('class', 'away');
      }
    });
    resetButton.setAttribute('class', target ? '' : 'away');
  }

  // Length of the union of [begin, end] pairs.
  function covered(ranges) {
    var sum = 0;
    var end = -1;
    ranges.sort(function (a, b) {
      return a[0] - b[0];
    });
    ranges.forEach(function (range) {
      if (range[1] > end) {
        sum += range[1] - Math.max(range[0], end);
        end = range[1];
      }
    });
    return sum;
  }

  function search() {
    var text = prompt('Regular expression to search for (empty: none)');
    var pattern = null;
    var matches = [];
    if (text === null) {
      return;
    }
    try {
      pattern = text ? new RegExp(text) : null;
    } catch (error) {
      alert(error.message);
      return;
    }
    frames.forEach(function (frame) {
      var match = pattern && pattern.test(frame.name);
      frame.rect.setAttribute('fill', match ? MATCH : frame.fill);
      if (match) {
        matches.push([frame.x, frame.x + frame.width]);
      }
    });
    statusLine.textContent = pattern
      ? text + ': ' + matches.length + ' boxes, ' + (100 * covered(matches) / width).toFixed(2) + '%'
      : ' ';
  }

  frames.forEach(function (frame) {
    frame.group.style.cursor = 'pointer';
    frame.group.addEventListener('click', function () {
      zoom(frame === frames[0] ? null : frame);
    });
    frame.group.addEventListener('mouseover', function () {
      statusLine.textContent = frame.title;
    });
  });
  resetButton.addEventListener('click', function () {
    zoom(null);
  });
  searchButton.setAttribute('class', '');
  searchButton.addEventListener('click', search);
  window.addEventListener('keydown', function (event) {
    if ((event.ctrlKey || event.metaKey) && event.key === 'f') {
      event.preventDefault();
      search();
    }
    if (event.key === 'Escape' && zoomed) {
      zoom(null);
    }
  });
})();
