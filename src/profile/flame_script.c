/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See flame_script.h.  It reads the picture's own boxes: place and width from the rectangles, names
 * from the tooltips (what stands before the last " (").  The picture holds nothing for it, and is
 * whole without it.
 *
 * Zoom: the box that was clicked takes the whole width, so do its callers (pale); what is not above
 * or below it goes away.  Search: boxes whose name matches a regular expression turn magenta, and
 * the share of the weight below any of them is told once, nested matches not counted twice.
 */
#include "profile/flame_script.h"

static const char script[] =
    "<script><![CDATA[\n"
    "(function(){\n"
    "var svg=document.documentElement,side=10,letter=6.65,zoomed=null;\n"
    "var wide=parseFloat(svg.getAttribute('width'))-2*side;\n"
    "var el=function(i){return document.getElementById(i)};\n"
    "var say=el('say'),back=el('back'),find=el('find');\n"
    "var list=[].map.call(el('frames').children,function(g){\n"
    "  var r=g.querySelector('rect'),t=g.querySelector('title').textContent;\n"
    "  return {g:g,r:r,t:g.querySelector('text'),title:t,name:t.slice(0,t.lastIndexOf(' (')),\n"
    "    x:parseFloat(r.getAttribute('x'))-side,w:parseFloat(r.getAttribute('width')),\n"
    "    y:parseFloat(r.getAttribute('y')),fill:r.getAttribute('fill')};\n"
    "});\n"
    "function place(b,x,w,low){\n"
    "  b.g.setAttribute('class',low?'low':'');\n"
    "  b.r.setAttribute('x',(side+x).toFixed(2));b.r.setAttribute('width',w.toFixed(2));\n"
    "  var fits=Math.floor((w-5)/letter),n=b.name;\n"
    "  b.t.setAttribute('x',(side+x+3).toFixed(1));\n"
    "  b.t.textContent=fits<3?'':n.length<=fits?n:n.slice(0,fits-2)+'..';\n"
    "}\n"
    "function zoom(to){\n"
    "  zoomed=to;\n"
    "  list.forEach(function(b){\n"
    "    var slack=0.02;\n"
    "    if(!to){place(b,b.x,b.w,false);return}\n"
    "    var inside=b.x>=to.x-slack&&b.x+b.w<=to.x+to.w+slack,around=b.x<=to.x+slack&&b.x+b.w>=to.x+to.w-slack;\n"
    "    if(b.y>to.y&&around)place(b,0,wide,true);\n"
    "    else if(b.y<=to.y&&inside)place(b,(b.x-to.x)*wide/to.w,b.w*wide/to.w,false);\n"
    "    else b.g.setAttribute('class','away');\n"
    "  });\n"
    "  back.setAttribute('class',to?'':'away');\n"
    "}\n"
    "function search(){\n"
    "  var what=prompt('Regular expression to search for (empty: none)'),re=null,hits=[];\n"
    "  if(what===null)return;\n"
    "  try{re=what?new RegExp(what):null}catch(e){alert(e.message);return}\n"
    "  list.forEach(function(b){\n"
    "    var hit=re&&re.test(b.name);\n"
    "    b.r.setAttribute('fill',hit?'#e060e0':b.fill);\n"
    "    if(hit)hits.push([b.x,b.x+b.w]);\n"
    "  });\n"
    "  hits.sort(function(a,b){return a[0]-b[0]});\n"
    "  var sum=0,end=-1;\n"
    "  hits.forEach(function(h){if(h[1]>end){sum+=h[1]-Math.max(h[0],end);end=h[1]}});\n"
    "  say.textContent=re?what+': '+hits.length+' boxes, '+(100*sum/wide).toFixed(2)+'%':' ';\n"
    "}\n"
    "list.forEach(function(b){\n"
    "  b.g.style.cursor='pointer';\n"
    "  b.g.addEventListener('click',function(){zoom(b===list[0]?null:b)});\n"
    "  b.g.addEventListener('mouseover',function(){say.textContent=b.title});\n"
    "});\n"
    "back.addEventListener('click',function(){zoom(null)});\n"
    "find.setAttribute('class','');find.addEventListener('click',search);\n"
    "window.addEventListener('keydown',function(e){\n"
    "  if((e.ctrlKey||e.metaKey)&&e.key==='f'){e.preventDefault();search()}\n"
    "  if(e.key==='Escape'&&zoomed)zoom(null);\n"
    "});\n"
    "})();\n"
    "]]></script>\n";

void flame_script(struct str *out)
{
    str_adds(out, script);
}
