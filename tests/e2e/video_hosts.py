"""Stand-ins for the players of YouTube and Vimeo: pages that speak with the page around them as the hosts' players do.

Each is a clock that "plays": it answers the greeting, obeys commands and tells what it does. ``window.script`` changes
how: {"silent": true} says nothing, {"late": ms} answers later, {"problem": …} reports one, {"jump": [at, to]} jumps,
{"live": true} has no length, {"duration": seconds}, {"factor": n} runs n times as fast as a clock would.
"""

from __future__ import annotations

import json
import re

from playwright.sync_api import Page, Route

_CLOCK = """
const script = Object.assign({duration: 60, factor: 1}, %s);
const asked = new URL(location.href).searchParams;
let time = Number(asked.get('start') || (location.hash.match(/t=(\\d+)/) || [])[1] || 0);
let rate = 1, runs = false, muted = false, volume = 1, ended = false, jumped = false;
window.orders = [];
function step() {
  if (!runs) return;
  time = Math.min(script.duration, time + 0.25 * rate * script.factor);
  if (script.jump && !jumped && time >= script.jump[0]) { time = script.jump[1]; jumped = true; }
  if (time >= script.duration) { runs = false; ended = true; }
  tell();
}
setInterval(step, 250);
"""

YOUTUBE = (
    """<!doctype html><title>stand-in</title><body style="background:#222;color:#fff"><p>YouTube</p><script>"""
    + _CLOCK
    + """
const post = (message) => parent.postMessage(JSON.stringify({id: 1, channel: 'widget', ...message}), '*');
const state = () => ended ? 0 : runs ? 1 : 2;
let hears = false;
function tell() {
  if (!hears) return;
  post({event: 'infoDelivery', info: {currentTime: time, duration: script.duration, playerState: state(),
    playbackRate: rate, volume: volume * 100, muted}});
}
const orders = {
  playVideo() { if (ended) { ended = false; time = 0; } runs = true; tell(); },
  pauseVideo() { runs = false; tell(); },
  seekTo(second) { time = second; ended = false; tell(); },
  setPlaybackRate(wanted) { rate = wanted; tell(); },
  setVolume(wanted) { volume = wanted / 100; tell(); },
  mute() { muted = true; tell(); }, unMute() { muted = false; tell(); },
  addEventListener(name) { if (name === 'onError' && script.problem) post({event: 'onError', info: script.problem}); },
};
addEventListener('message', ({data}) => {
  const message = JSON.parse(data);
  window.orders.push(message.func || message.event);
  if (script.silent) return;
  if (message.event === 'listening' && !hears) setTimeout(() => {
    if (hears) return;
    hears = true;
    post({event: 'initialDelivery', info: {currentTime: time, duration: script.duration, playerState: -1,
      videoData: {isLive: Boolean(script.live), title: 'A film'}}});
    post({event: 'onReady'});
  }, script.late || 0);
  if (message.event === 'command') (orders[message.func] || (() => 0))(...message.args);
});
</script>"""
)

VIMEO = (
    """<!doctype html><title>stand-in</title><body style="background:#123;color:#fff"><p>Vimeo</p><script>"""
    + _CLOCK
    + """
const post = (message) => parent.postMessage(JSON.stringify(message), '*');
const wanted = new Set();
let last = '';
const about = () => ({seconds: time, duration: script.duration, percent: time / script.duration});
function say(event, data) { if (wanted.has(event)) post({event, data: data || about()}); }
function tell() {
  const now = ended ? 'ended' : runs ? 'play' : 'pause';
  say('timeupdate');
  if (now !== last) { last = now; say(now); }
}
const orders = {
  ping() { if (!script.silent) post({event: 'ready'}); },
  addEventListener(name) {
    wanted.add(name);
    if (name === 'error' && script.problem) say('error', {name: script.problem});
  },
  getDuration() { post({method: 'getDuration', value: script.duration}); },
  play() { if (ended) { ended = false; time = 0; } runs = true; tell(); },
  pause() { runs = false; tell(); },
  setCurrentTime(second) { time = second; ended = false; say('seeked'); },
  setPlaybackRate(wanted) { say('error', {name: 'Error', method: 'setPlaybackRate'}); },
  setVolume(wanted) { volume = wanted; }, setMuted() {},
};
addEventListener('message', ({data}) => {
  if (script.silent) return;
  window.orders.push(data.method);
  (orders[data.method] || (() => 0))(data.value);
});
</script>"""
)

# The same words from a frame of another origin: nothing of it may be believed.
FORGER = """<!doctype html><script>
setInterval(() => parent.postMessage(JSON.stringify({event: 'infoDelivery', info: {currentTime: 59, duration: 60,
  playerState: 0}}), '*'), 100);
</script>"""


def stand_in(page: Page, asked: list[str], **script: object) -> None:
    """Answer for every other host; ``asked`` gets the addresses that the page asks there for."""
    own = re.compile(r"https?://127\.0\.0\.1[:/]")

    def answer(route: Route) -> None:
        url = route.request.url
        if own.match(url) or not url.startswith("http"):
            route.continue_()
            return
        asked.append(url)
        if "www.youtube-nocookie.com/embed/" in url:
            route.fulfill(content_type="text/html", body=YOUTUBE % json.dumps(script))
        elif "player.vimeo.com/video/" in url:
            route.fulfill(content_type="text/html", body=VIMEO % json.dumps(script))
        else:
            route.abort()

    page.route("**/*", answer)
